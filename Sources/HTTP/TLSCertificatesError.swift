import NIOSSL

/// Why certificates cannot be shown.
public struct TLSCertificatesError: Error, Sendable, CustomStringConvertible {
    /// What kind of trouble it is.
    public enum Code: Sendable, Equatable {
        /// The chain holds no certificate, or one that cannot be read.
        case badChain
        /// The private key cannot be read.
        case badKey
        /// The private key is not the certificate's, or the two cannot be used in TLS.
        case mismatch
    }

    /// What kind of trouble it is.
    public let code: Code
    /// What is wrong, in one sentence.
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
