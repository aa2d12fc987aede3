import Crypto
import Encodings

/// Where the certificate authorities of a server are kept.
struct CertificateLocations: Sendable, Hashable {
    /// The folder that has a folder for each; nil where nothing lasts.
    let base: String?
    /// Whether servers of several projects keep theirs there.
    let isShared: Bool

    /// The folder of an authority. Projects that share the place share the local authority. Their AWS hostnames differ, so
    /// that each has an authority of its own for them: otherwise the one would replace the other's at each start.
    func folder(of kind: AuthorityKind, for names: CertificateNames) -> CertificateFolder? {
        guard let base else { return nil }
        switch kind {
        case .local: return CertificateFolder(path: "\(base)/tls")
        case .awsNames:
            guard isShared else { return CertificateFolder(path: "\(base)/tls-aws", kind: kind) }
            let digest = SHA256.hash(data: Array(names.hostNames.joined(separator: "\n").utf8))
            return CertificateFolder(path: "\(base)/tls-aws-\(Hexadecimal.text(of: digest.prefix(4)))", kind: kind)
        }
    }
}
