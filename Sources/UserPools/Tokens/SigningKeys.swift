import JSON
import Synchronization

/// The signing keys of all pools: two for each, one for id tokens and one for access tokens, and those that they replaced
/// until the last token of these has ended.
final class SigningKeys: Sendable {
    private let storage: KeyStorage
    private let randomness: Randomness
    private let keys = Mutex<[String: [SigningKey]]>([:])

    init(_ storage: KeyStorage, _ randomness: Randomness) { (self.storage, self.randomness) = (storage, randomness) }

    /// All keys of a pool; the first two are made where there are none.
    func keys(of poolID: String) throws(CognitoError) -> [SigningKey] {
        if let known = keys.withLock({ $0[poolID] }) { return known }
        do {
            if let bytes = try storage.read(Self.fileName(poolID)) {
                let entries = (try? JSONReader.read(bytes))?["keys"]?.arrayValue ?? []
                let read = entries.compactMap(SigningKey.init)
                guard read.count == entries.count, read.contains(where: { $0.retired == nil }) else {
                    throw KeyStorage.Failure(message: "\(Self.fileName(poolID)) is damaged.")
                }
                return keep(read, of: poolID)
            }
            let made = [try SigningKey(.id, randomness), try SigningKey(.access, randomness)]
            // A concurrent request may have generated keys as well: the first ones are kept.
            let kept = keep(made, of: poolID)
            if kept[0].kid == made[0].kid { try store(kept, of: poolID) }
            return kept
        } catch {
            throw .internalError
        }
    }

    private func keep(_ made: [SigningKey], of poolID: String) -> [SigningKey] {
        keys.withLock { keys in
            if let known = keys[poolID] { return known }
            keys[poolID] = made
            return made
        }
    }

    private func store(_ keys: [SigningKey], of poolID: String) throws(KeyStorage.Failure) {
        let object: JSONValue = ["keys": .array(keys.map(\.entry))]
        try storage.write(Self.fileName(poolID), Array(object.description.utf8))
    }

    /// The key that signs now.
    func current(_ use: SigningKey.Use, of poolID: String) throws(CognitoError) -> SigningKey {
        guard let key = try keys(of: poolID).first(where: { $0.use == use && $0.retired == nil }) else {
            throw .internalError
        }
        return key
    }

    /// Replaces the signing keys. The old ones verify until `retired`.
    func rotate(poolID: String, until retired: Int64, now: Int64) throws(CognitoError) {
        var kept = try keys(of: poolID).filter { $0.retired ?? .max > now }
        for index in kept.indices where kept[index].retired == nil { kept[index].retired = retired }
        do {
            let made = [try SigningKey(.id, randomness), try SigningKey(.access, randomness)] + kept
            try store(made, of: poolID)
            keys.withLock { $0[poolID] = made }
        } catch {
            throw .internalError
        }
    }

    /// The JSON Web Key Set of a pool (RFC 7517 §5).
    func jsonWebKeySet(of poolID: String) throws(CognitoError) -> JSONValue {
        ["keys": .array(try keys(of: poolID).map(\.jsonWebKey))]
    }

    static func fileName(_ poolID: String) -> String { "\(poolID).json" }
}
