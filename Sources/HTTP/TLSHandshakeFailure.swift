import NIOSSL

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
