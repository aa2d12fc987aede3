public import ArgumentParser
public import Server

/// `syncline trust`
struct Trust: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Shows where the local certificate authority is and how to trust it.",
        discussion: """
            'syncline dev' makes the authority when it is first needed; '--install' makes it too. It stays on this \
            machine, and its key is readable by you alone. With '--aws-names', all of this is about the second authority, \
            which issues certificates only for the AWS hostnames of the project and their subdomains.
            """)

    @OptionGroup var data: DataOptions

    @Flag(name: .long, help: "The authority of servers that throw their data away.")
    var ephemeral = false

    @Flag(name: .customLong("aws-names"), help: "The authority for the AWS hostnames of the project.")
    var isOfAWSNames = false

    @Option(
        name: .customLong("for"),
        help: "Print only the commands for one client: ios-simulator, android, chrome, firefox, node, python or java.")
    var client: TrustClient?

    @Flag(name: .long, help: "Make a new authority, for the current names; clients must trust the new one.")
    var renew = false

    @Flag(name: .long, help: "Have this system trust the authority.")
    var install = false

    @Flag(name: .long, help: "Have this system trust it no longer.")
    var remove = false

    @Option(name: .long, help: "A folder of trusted certificates to use instead of the system's; no command is run.")
    var folder: String?

    func validate() throws {
        if install && remove { throw ValidationError("Give --install or --remove.") }
        if client != nil, install || remove || renew || folder != nil {
            throw ValidationError(
                "--for only prints commands: give it without --install, --remove, --renew and --folder.")
        }
        if renew && remove { throw ValidationError("Give --remove before --renew: it is the old authority's.") }
    }

    func run() throws {
        var configuration = try Configuration.load(data.texts)
        if ephemeral { configuration.data.isEphemeral = true }
        if let client { return try show(client, configuration) }
        let store = folder.map(TrustStore.init(folder:)) ?? .system
        if renew { Terminal.say(Self.text(ofRenewal: try Authority.renew(configuration, kind), store)) }
        if install {
            let authority = try Authority.make(configuration, kind)
            try known(store).install(authority)
            Terminal.say("\(authority.file) is trusted now. Programs that run see it when they start anew.")
        } else if remove {
            guard let authority = try Authority(configuration, kind) else {
                return Terminal.say(none(configuration))
            }
            try known(store).remove(authority)
            Terminal.say("\(authority.file) is trusted no longer.")
        } else if !renew {
            guard let authority = try Authority(configuration, kind) else {
                return Terminal.say(none(configuration))
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

    private var kind: AuthorityKind { isOfAWSNames ? .awsNames : .local }

    private func none(_ configuration: Configuration) -> String {
        let place = Authority.file(of: configuration, kind).map { " It will be \($0)." } ?? ""
        let verb = isOfAWSNames ? "syncline dev \(Setting.awsNames.flag)" : "syncline dev"
        return "There is no \(kind.words) yet: '\(verb)' makes it, and so does --install.\(place)"
    }

    /// Prints what one client needs. The authority has to be there: its name is made of its certificate.
    private func show(_ client: TrustClient, _ configuration: Configuration) throws {
        guard let authority = try Authority(configuration, kind) else { return Terminal.say(none(configuration)) }
        if authority.domains == nil { Terminal.complain("warning: \(Self.text(ofConstraints: authority))") }
        Terminal.show(authority.lines(for: client).joined(separator: "\n"))
    }

    private static func text(ofConstraints authority: Authority) -> String {
        guard let domains = authority.domains else {
            return
                "It has no name constraints, because an older version made it: with its key, anyone can impersonate any "
                + "site to those who trust it. '\(authority.kind.trustCommand) --renew' makes one that has them."
        }
        let names = domains.joined(separator: ", ")
        guard authority.kind == .local else {
            return "It can issue certificates only for these names and their subdomains: \(names)."
        }
        return "It can issue certificates for \(names), names below them, and addresses. For other names, give them in "
            + "'tlsHosts' of the configuration, then 'syncline trust --renew'."
    }

    /// The result of a renewal, and which clients must trust the new authority.
    private static func text(
        ofRenewal renewal: (authority: Authority, previous: Authority?), _ store: TrustStore?
    ) -> String {
        let authority = renewal.authority
        var lines = ["The \(authority.kind.words) is new: \(authority.file).", text(ofConstraints: authority)]
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

    private static func text(_ authority: Authority, _ store: TrustStore?) -> String {
        let verb = authority.kind.trustCommand
        var lines = ["The \(authority.kind.words) is \(authority.file).", text(ofConstraints: authority)]
        if let store {
            let isTrusted = store.trusts(authority)
            lines += [
                "This system \(isTrusted ? "trusts" : "does not trust") it (\(store.place(of: authority))).", "",
                isTrusted
                    ? "To end that, '\(verb) --remove', or:" : "To trust it, '\(verb) --install', or:",
            ]
            lines += (isTrusted ? store.removeCommands(authority) : store.installCommands(authority)).map { "  \($0)" }
        }
        lines += [
            "", "Some programs look elsewhere:", "  curl  curl --cacert \(ShellWord.quoted(authority.file))",
            "  '\(verb) --for CLIENT' prints the commands for one of: "
                + TrustClient.allCases.map(\.rawValue).joined(separator: ", "),
        ]
        return lines.joined(separator: "\n")
    }
}

extension TrustClient: ExpressibleByArgument {}
