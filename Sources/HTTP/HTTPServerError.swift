/// Why a server could not begin to listen.
public struct HTTPServerError: Error, Sendable, CustomStringConvertible {
    /// What kind of trouble it is.
    public enum Code: Sendable, Equatable {
        /// Someone else listens on the port.
        case portTaken
        /// The process may not listen there; ports below 1024 often need a privilege.
        case notAllowed
        /// The host is no address of this machine, or the port no port.
        case badAddress
        /// Anything else; the cause is in the error.
        case other
    }

    /// What kind of trouble it is.
    public let code: Code
    /// What happened, where, and what to do about it.
    public let message: String
    /// The error underneath, where there is one.
    public let cause: (any Error)?

    /// The message.
    public var description: String { message }

    init(code: Code, message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}
