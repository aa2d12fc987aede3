/// Which certificate authority of this server: each has a folder, a key and names of its own, so that to trust one is not to
/// trust the other.
public enum AuthorityKind: Sendable, Hashable, CaseIterable {
    /// For this machine, and what `tlsHosts` names: `--tls auto`.
    case local
    /// For the AWS hostnames that clients of the project connect to and their subdomains: `awsNames`.
    case awsNames

    /// What its certificates are called; the machine's name follows. Short, because a common name has at most 64 characters.
    var commonName: String {
        switch self {
        case .local: "Syncline local CA"
        case .awsNames: "Syncline AWS names CA"
        }
    }

    /// For texts, in lower case.
    public var words: String {
        switch self {
        case .local: "local certificate authority"
        case .awsNames: "certificate authority for AWS hostnames"
        }
    }

    /// The command that says how to trust it.
    public var trustCommand: String {
        switch self {
        case .local: "syncline trust"
        case .awsNames: "syncline trust \(Setting.awsNames.flag)"
        }
    }

    /// What an authority of this kind that is made for these names may issue for.
    func constraints(permitting names: CertificateNames) -> AuthorityConstraints {
        switch self {
        case .local: AuthorityConstraints(permitting: names)
        case .awsNames: AuthorityConstraints(permittingOnly: names)
        }
    }

    /// Whether an authority is good for these names. The local one is kept whatever it was made for, because people have
    /// trusted it, and issues for fewer names then; the one of AWS's names must be for them and no others.
    func accepts(_ authority: CertificateAuthority, for names: CertificateNames) -> Bool {
        switch self {
        case .local: true
        case .awsNames: authority.constraints == constraints(permitting: names)
        }
    }
}
