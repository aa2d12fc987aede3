/// Where the programs of a system look for the authorities they trust.
///
/// Nothing here is run or written unless it is asked for by `install` or `remove`.
public struct TrustStore: Sendable {
    private enum Kind: Sendable {
        /// A folder of certificates; the command makes of it what programs read.
        case folder(String, update: [String])
        /// The user's keychain, by Apple's `security`.
        case keychain
    }

    private let kind: Kind

    /// The system's; nil where it is not known how the system keeps them.
    public static var system: TrustStore? {
        #if canImport(Darwin)
        return TrustStore(kind: .keychain)
        #else
        // Debian and those after it, Fedora and those after it, Arch.
        let places: [(folder: String, update: [String])] = [
            ("/usr/local/share/ca-certificates", ["update-ca-certificates"]),
            ("/etc/pki/ca-trust/source/anchors", ["update-ca-trust"]),
            ("/etc/ca-certificates/trust-source/anchors", ["trust", "extract-compat"]),
        ]
        return places.first { Files.isFolder($0.folder) }.map {
            TrustStore(kind: .folder($0.folder, update: $0.update))
        }
        #endif
    }

    /// A folder of trusted certificates that needs no update command, such as that of a container image.
    public init(folder: String) { kind = .folder(folder, update: []) }

    private init(kind: Kind) { self.kind = kind }
}

extension TrustStore {
    /// Where the authority is, or would be, among those that are trusted.
    public func place(of authority: Authority) -> String {
        switch kind {
        case .folder(let folder, _): "\(folder)/\(authority.name).crt"
        case .keychain: "the login keychain"
        }
    }

    /// Whether the authority is trusted.
    public func trusts(_ authority: Authority) -> Bool {
        switch kind {
        case .folder: (try? Files.read(place(of: authority))) == authority.bytes
        case .keychain: (try? Subprocess.run(["security", "verify-cert", "-q", "-c", authority.file])) == 0
        }
    }

    /// What a person would run to have it trusted.
    public func installCommands(_ authority: Authority) -> [String] {
        switch kind {
        case .folder(_, let update):
            ["sudo cp \(ShellWord.quoted(authority.file)) \(ShellWord.quoted(place(of: authority)))"]
                + Self.line(update)
        case .keychain: [Self.addTrusted(authority).map(ShellWord.quoted).joined(separator: " ")]
        }
    }

    /// What a person would run to have it trusted no longer.
    public func removeCommands(_ authority: Authority) -> [String] {
        switch kind {
        case .folder(_, let update): ["sudo rm \(ShellWord.quoted(place(of: authority)))"] + Self.line(update)
        case .keychain: [Self.removeTrusted(authority).map(ShellWord.quoted).joined(separator: " ")]
        }
    }

    /// Has the authority trusted. The error names the commands where this process is not allowed to.
    public func install(_ authority: Authority) throws(ServerError) {
        switch kind {
        case .folder(let folder, let update):
            try check(folder, installCommands(authority))
            do {
                try Files.write(authority.text, to: place(of: authority))
            } catch {
                throw ServerError(.failed, "Cannot write \(place(of: authority)): \(error.reason).")
            }
            try run(update)
        case .keychain: try run(Self.addTrusted(authority))
        }
    }

    /// Has the authority trusted no longer.
    public func remove(_ authority: Authority) throws(ServerError) {
        switch kind {
        case .folder(let folder, let update):
            try check(folder, removeCommands(authority))
            Files.remove(place(of: authority))
            try run(update)
        case .keychain: try run(Self.removeTrusted(authority))
        }
    }

    private func check(_ folder: String, _ commands: [String]) throws(ServerError) {
        guard !Files.isWritable(folder) else { return }
        throw ServerError(
            .failed, "\(folder) is not yours to write. Run:\n" + commands.map { "  \($0)" }.joined(separator: "\n"))
    }

    private func run(_ command: [String]) throws(ServerError) {
        guard !command.isEmpty else { return }
        let name = command.map(ShellWord.quoted).joined(separator: " ")
        do {
            let code = try Subprocess.run(command)
            guard code == 0 else { throw ServerError(.failed, "'\(name)' ended with \(code).") }
        } catch let error as Files.Failure {
            throw ServerError(.failed, "Cannot run '\(name)': \(error.reason).")
        } catch {
            throw error as? ServerError ?? ServerError(.failed, "\(error)")
        }
    }

    private static func line(_ update: [String]) -> [String] {
        update.isEmpty ? [] : ["sudo " + update.joined(separator: " ")]
    }

    private static func addTrusted(_ authority: Authority) -> [String] {
        ["security", "add-trusted-cert", "-r", "trustRoot", authority.file]
    }

    private static func removeTrusted(_ authority: Authority) -> [String] {
        ["security", "remove-trusted-cert", authority.file]
    }
}
