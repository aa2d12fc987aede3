import NIOCore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension HTTPServerError {
    /// Why an address could not be bound.
    ///
    /// - Parameter place: `HOST:PORT`, or the path of a socket.
    package init(binding error: any Error, to place: String) {
        if let error = error as? HTTPServerError {
            self = error
            return
        }
        switch (error as? IOError)?.errnoCode {
        case EADDRINUSE:
            self.init(
                code: .portTaken, message: "Cannot listen on \(place): the port is taken. Choose another.", cause: error
            )
        case EACCES, EPERM:
            self.init(
                code: .notAllowed,
                message: "Cannot listen on \(place): not allowed. Ports from 1024 on need no privilege.", cause: error)
        case EADDRNOTAVAIL, EAFNOSUPPORT:
            self = .badAddress(place, error)
        default:
            if error is SocketAddressError || error is SocketAddressError.UnknownHost {
                self = .badAddress(place, error)
            } else {
                self.init(code: .other, message: "Cannot listen on \(place): \(error).", cause: error)
            }
        }
    }

    static func badAddress(_ place: String, _ error: any Error) -> HTTPServerError {
        HTTPServerError(
            code: .badAddress,
            message: "Cannot listen on \(place): no address of this machine. Try 127.0.0.1, or 0.0.0.0 for all.",
            cause: error)
    }
}
