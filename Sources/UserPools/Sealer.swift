import Crypto
import Encodings

/// Encrypts values that only this server may read, with keys that are stored outside of the database
/// (reference: auth, "Storing passwords"). AES-GCM; the text begins with the key's name.
struct Sealer: Sendable {
    /// The keys by name; the last one made seals, all of them open.
    private let keys: [String: SymmetricKey]
    /// The name of the key that seals.
    private(set) var currentKey: String

    /// - Parameters:
    ///   - keys: Keys of 32 bytes by name; a name has no dot.
    ///   - current: The name of the key that seals.
    init(keys: [String: [UInt8]], current: String) {
        self.keys = keys.mapValues { SymmetricKey(data: $0) }
        currentKey = current
    }

    /// Seals bytes: they open only with the same context.
    func seal(_ bytes: [UInt8], context: String) -> String {
        guard let key = keys[currentKey],
            let box = try? AES.GCM.seal(bytes, using: key, authenticating: Array(context.utf8)).combined
        else { preconditionFailure("a key of 32 bytes seals whatever is sealed") }
        return currentKey + "." + Base64.encodeURL(Array(box))
    }

    /// The bytes that were sealed with this context; nil for anything else.
    func open(_ text: some StringProtocol, context: String) -> [UInt8]? {
        guard let dot = text.firstIndex(of: "."), let key = keys[String(text[..<dot])],
            let bytes = Base64.decodeURL(String(text[text.index(after: dot)...])),
            let box = try? AES.GCM.SealedBox(combined: bytes),
            let opened = try? AES.GCM.open(box, using: key, authenticating: Array(context.utf8))
        else { return nil }
        return Array(opened)
    }

    /// The name of the key that sealed a text.
    static func keyName(_ sealed: String) -> String? { sealed.firstIndex(of: ".").map { String(sealed[..<$0]) } }

    /// The same with the key that sealed a text as the current one.
    func pinned(to text: String) -> Sealer {
        var sealer = self
        if let dot = text.firstIndex(of: "."), keys[String(text[..<dot])] != nil {
            sealer.currentKey = String(text[..<dot])
        }
        return sealer
    }

    /// A code of a text that only this server can make, for what must look random and stay the same.
    func authenticationCode(of text: String) -> [UInt8] {
        guard let key = keys[currentKey] else { return [] }
        return Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key))
    }
}
