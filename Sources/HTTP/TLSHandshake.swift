import NIOCore
import NIOSSL

/// The way from a connection's first bytes to TLS: puts NIOSSL before the connection's own handler.
enum TLSHandshake {
    /// The first byte of a TLS record that holds a handshake message, such as a ClientHello (RFC 8446 §5.1). No HTTP
    /// request begins with it: a method is made of visible characters (RFC 9110 §9.1).
    static let firstByte: UInt8 = 0x16

    /// Begins: from now on `handler` is given what is decrypted, and what it writes is encrypted. The bytes that were
    /// read go once more through the pipeline, now through TLS.
    static func begin(
        with certificates: TLSCertificates, before handler: Connection, in context: ChannelHandlerContext,
        _ bytes: ByteBuffer
    ) throws {
        let pipeline = context.pipeline
        try pipeline.syncOperations.addHandler(
            NIOSSLServerHandler(context: certificates.context), position: .before(handler))
        pipeline.fireChannelRead(bytes)
    }

    /// Closes the connection without a closing alert, for which it would have to wait until the client reads.
    static func abort(in context: ChannelHandlerContext) {
        guard let handler = try? context.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) else {
            return context.close(promise: nil)
        }
        handler.close(promise: nil)
    }

    /// Whether the client went without saying goodbye in TLS. Nothing can be missing of a whole request, so it is as
    /// good as the end of a clear-text connection (RFC 9112 §9.8).
    static func isUncleanEnd(_ error: any Error) -> Bool {
        if case .uncleanShutdown? = error as? NIOSSLError { return true }
        return false
    }
}

/// Why a TLS handshake came to nothing.
public enum TLSHandshakeFailure: Sendable, Hashable {
    /// The server has no certificates to show.
    case notServed
    /// The client said, by an alert, that it does not trust the certificate it was shown (RFC 8446 §6.2).
    case distrusted
    /// It took longer than `handshakeSeconds`.
    case tooSlow
    /// Anything else, in the words of the TLS library.
    case broken(String)

    init(_ error: any Error) {
        let text = "\(error)"
        // BoringSSL's reasons follow this word, and the place in its source follows them.
        let reasons = text.split(separator: "OPENSSL_internal:").dropFirst().map { String($0.prefix { $0 != " " }) }
        self =
            reasons.contains(where: Self.alerts.contains)
            ? .distrusted
            : .broken(reasons.isEmpty ? text : reasons.joined(separator: ", "))
    }

    /// The last: a client made with OpenSSL sends this alert of TLS 1.3 in clear text, where the server can only find
    /// that it is too short for an encrypted record.
    private static let alerts: Set<String> = [
        "TLSV1_ALERT_UNKNOWN_CA", "SSLV3_ALERT_CERTIFICATE_UNKNOWN", "SSLV3_ALERT_BAD_CERTIFICATE", "BAD_PACKET_LENGTH",
    ]
}
