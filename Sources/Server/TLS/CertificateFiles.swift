/// A certificate with its chain and its private key, each in a PEM file.
public struct CertificateFiles: Sendable, Hashable {
    /// The file of the certificate and those between it and a root.
    public var chain: String
    /// The file of the private key.
    public var key: String

    /// Reads `CERT,KEY`.
    init?(_ text: String) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts.contains("") else { return nil }
        (chain, key) = (parts[0], parts[1])
    }
}
