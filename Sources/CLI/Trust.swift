import ArgumentParser
import Server

/// `syncline trust`
struct Trust: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Says where the local certificate authority is and how to trust it.",
        discussion: """
            'syncline dev' makes the authority when it is first needed; '--install' makes it too. It stays on this \
            machine, and its key is readable by you alone.
            """)

    @OptionGroup var data: DataOptions

    @Flag(name: .long, help: "The authority of servers that throw their data away.")
    var ephemeral = false

    @Flag(name: .long, help: "Make a new authority, for the present names; all must trust it anew.")
    var renew = false

    @Flag(name: .long, help: "Have this system trust the authority.")
    var install = false

    @Flag(name: .long, help: "Have this system trust it no longer.")
    var remove = false

    @Option(name: .long, help: "A folder of trusted certificates to use instead of the system's; no command is run.")
    var folder: String?

    func validate() throws {
        if install && remove { throw ValidationError("Give --install or --remove.") }
        if renew && remove { throw ValidationError("Give --remove before --renew: it is the old authority's.") }
    }

    func run() throws {
        var configuration = try Configuration.load(data.texts)
        if ephemeral { configuration.data.isEphemeral = true }
        let store = folder.map(TrustStore.init(folder:)) ?? .system
        if renew { Terminal.say(Self.text(ofRenewal: try LocalAuthority.renew(configuration), store)) }
        if install {
            let authority = try LocalAuthority.make(configuration)
            try known(store).install(authority)
            Terminal.say("\(authority.file) is trusted now. Programs that run see it when they start anew.")
        } else if remove {
            guard let authority = try LocalAuthority(configuration) else {
                return Terminal.say(Self.none(configuration))
            }
            try known(store).remove(authority)
            Terminal.say("\(authority.file) is trusted no longer.")
        } else if !renew {
            guard let authority = try LocalAuthority(configuration) else {
                return Terminal.say(Self.none(configuration))
            }
            Terminal.say(Self.text(authority, store))
        }
    }

    private func known(_ store: TrustStore?) throws -> TrustStore {
        guard let store else {
            throw ServerError(
                .failed, "It is not known how this system keeps trusted authorities. Name its folder with --folder.")
        }
        return store
    }

    private static func none(_ configuration: Configuration) -> String {
        let place = LocalAuthority.file(of: configuration).map { " It will be \($0)." } ?? ""
        return "There is no local certificate authority yet: 'syncline dev' makes it, and so does --install.\(place)"
    }

    private static func text(ofConstraints authority: LocalAuthority) -> String {
        guard let domains = authority.domains else {
            return
                "It has no name constraints, because an older version made it: with its key, anyone can impersonate any "
                + "site to those who trust it. 'syncline trust --renew' makes one that has them."
        }
        let names = domains.joined(separator: ", ")
        return "It can issue certificates for \(names), names below them, and addresses. For other names, give them in "
            + "'tlsHosts' of the configuration, then 'syncline trust --renew'."
    }

    /// What a renewal comes to, and who must trust the new authority.
    private static func text(
        ofRenewal renewal: (authority: LocalAuthority, previous: LocalAuthority?), _ store: TrustStore?
    ) -> String {
        let authority = renewal.authority
        var lines = ["The local certificate authority is new: \(authority.file).", text(ofConstraints: authority)]
        guard let previous = renewal.previous else { return lines.joined(separator: "\n") }
        lines += ["", "Devices that trusted the old one must trust the new one:"]
        if let store, store.trusts(previous) {
            lines.append("  this system, which trusts the old one; to change that:")
            lines += (store.removeCommands(previous) + store.installCommands(authority)).map { "    \($0)" }
        }
        lines += [
            "  telephones, tablets, simulators and emulators that have the old one installed",
            "  browsers with certificates of their own: Firefox, and Chrome on Linux",
            "  programs that are given the file (curl --cacert, NODE_EXTRA_CA_CERTS, SSL_CERT_FILE): start them anew",
            "Where the old one is installed, remove it: its certificate is \(previous.file).",
            "A server that runs serves the new certificate within seconds.",
        ]
        return lines.joined(separator: "\n")
    }

    private static func text(_ authority: LocalAuthority, _ store: TrustStore?) -> String {
        var lines = ["The local certificate authority is \(authority.file).", text(ofConstraints: authority)]
        if let store {
            let isTrusted = store.trusts(authority)
            lines += [
                "This system \(isTrusted ? "trusts" : "does not trust") it (\(store.place(of: authority))).", "",
                isTrusted
                    ? "To end that, 'syncline trust --remove', or:" : "To trust it, 'syncline trust --install', or:",
            ]
            lines += (isTrusted ? store.removeCommands(authority) : store.installCommands(authority)).map { "  \($0)" }
        }
        lines += [
            "", "Some programs look elsewhere:",
            "  curl           curl --cacert \(authority.file)",
            "  Node.js        NODE_EXTRA_CA_CERTS=\(authority.file)",
            "  Chrome, Linux  certutil -d sql:$HOME/.pki/nssdb -A -t C,, -n Syncline -i \(authority.file)",
            "  Firefox        Settings, Certificates, Import",
            "  iOS simulator  xcrun simctl keychain booted add-root-cert \(authority.file)",
            "  Android        docs/tls.md",
        ]
        return lines.joined(separator: "\n")
    }
}
