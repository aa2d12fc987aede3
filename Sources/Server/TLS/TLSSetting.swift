/// Whether TLS is served and with which certificates: `--tls`.
public enum TLSSetting: Sendable, Hashable {
    /// Clear text only.
    case off
    /// With certificates of a local authority that is made once.
    case auto
    /// With certificates of one's own. The first is shown to clients that ask for none of their names.
    case files([CertificateFiles])

    /// What the texts say: `off`, `auto`, or one `CERT,KEY` after the other; nil for anything else.
    init?(_ texts: [String]) {
        switch texts {
        case ["off"]: self = .off
        case ["auto"]: self = .auto
        default:
            let files = texts.compactMap(CertificateFiles.init)
            guard !files.isEmpty, files.count == texts.count else { return nil }
            self = .files(files)
        }
    }

    /// What a text may be, for complaints.
    static let rule = "off, auto, or CERT,KEY: a certificate's file and its key's file"
}
