import JSON
import Tables

/// What of a backup cannot be used with the keys that there are: secrets that other keys sealed, and tokens that other keys
/// signed.
public struct LostSecrets: Sendable, Hashable {
    private var passwords = 0
    private var authenticators = 0
    private var devices = 0
    private var clients = 0
    private var messages = 0
    private var codes = 0
    private var hasTokens = false
    /// Whether anything was sealed by a key that is there.
    private var hasKnown = false
    /// The names of the sealing keys that there are.
    private var keyNames: Set<String>

    /// Whether nothing is lost.
    public var isEmpty: Bool { sentence.isEmpty }

    /// What is lost, as a list in words.
    public var sentence: String {
        func text(_ count: Int, _ noun: String, of owner: String) -> String? {
            count == 0 ? nil : "the \(noun) of \(Counted.text(count, owner))"
        }
        let parts = [
            text(passwords, "passwords", of: "user"), text(authenticators, "authenticator apps", of: "user"),
            devices == 0 ? nil : Counted.text(devices, "remembered device"),
            text(clients, "secrets", of: "app client"),
            messages == 0 ? nil : Counted.text(messages, "message") + " of the outbox",
            codes == 0 ? nil : Counted.text(codes, "code") + " that users were sent",
            hasTokens ? "the tokens of all sessions, until they are refreshed" : nil,
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }

    /// Compares the texts of a backup with keys.
    ///
    /// - Parameters:
    ///   - files: The names of the files of keys, with the bytes of the sealing keys.
    ///   - sealing: The file of the sealing keys; nil where there is none.
    ///   - read: Calls its last argument with each text in a column of a table of the backup.
    public init<Failure: Error>(
        files: Set<String>, sealing: [UInt8]?,
        read: (_ table: String, _ column: String, _ body: (String) -> Void) throws(Failure) -> Void
    ) throws(Failure) {
        let keys = sealing.flatMap { try? JSONReader.read($0) }?["keys"]?.objectValue ?? [:]
        keyNames = Set(keys.map(\.key))
        var lost = self
        var currentNames: Set<String> = []
        var codeCount = 0
        var pools: Set<String> = []
        try read(User.table.name, "document") { text in
            guard let document = RecordDocument(text) else { return }
            if lost.isSealedByOthers(document.string("password")) { lost.passwords += 1 }
            let mfa = RecordDocument(document.object["mfa"]?.objectValue ?? [:])
            if lost.isSealedByOthers(mfa.string("totpSecret")) { lost.authenticators += 1 }
        }
        try read(Device.table.name, "document") { text in
            if lost.isSealedByOthers(RecordDocument(text)?.string("verifier")) { lost.devices += 1 }
        }
        try read(StoredClient.table.name, "document") { text in
            if lost.isSealedByOthers(RecordDocument(text)?.string("ClientSecret")) { lost.clients += 1 }
        }
        try read(OutboxMessage.table.name, "document") { text in
            if lost.isSealedByOthers(RecordDocument(text)?.string("sealed")) { lost.messages += 1 }
        }
        try read(StoredPool.table.name, "document") { text in
            if let name = RecordDocument(text)?.string("sealingKey") { currentNames.insert(name) }
        }
        try read(Code.table.name, "document") { _ in codeCount += 1 }
        try read(Session.table.name, "user") { pools.insert(String($0.prefix { $0 != "#" })) }
        // A backup of an earlier version has no name of a key, but in what was sealed.
        let isOthers = currentNames.isEmpty ? !lost.hasKnown : !currentNames.isSubset(of: keyNames)
        if isOthers { lost.codes = codeCount }
        lost.hasTokens =
            !pools.isEmpty && (isOthers || !pools.allSatisfy { files.contains(SigningKeys.fileName($0)) })
        self = lost
    }

    private mutating func isSealedByOthers(_ text: String?) -> Bool {
        guard let text else { return false }
        guard keyNames.contains(Sealer.keyName(text) ?? "") else { return true }
        hasKnown = true
        return false
    }
}

extension LostSecrets {
    /// The name of the file of the sealing keys.
    public static let sealingFileName = Sealer.fileName
}
