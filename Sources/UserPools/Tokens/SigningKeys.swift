import JSON
import Synchronization

/// The signing keys of all pools: two for each, one for id tokens and one for access tokens, and those that they replaced
/// until the last token of these has ended.
final class SigningKeys: Sendable {
    private let storage: KeyStorage
    private let randomness: Randomness
    private let keys = Mutex<[String: [SigningKey]]>([:])
    /// The JSON Web Key Sets of pools that were asked for, as they are sent. Taken after `keys` where both are.
    private let keySets = Mutex<[String: [UInt8]]>([:])
    /// Held while keys are read, generated or stored, which takes tenths of a second; `keys` is not held meanwhile.
    private let files = Mutex<Void>(())

    init(_ storage: KeyStorage, _ randomness: Randomness) { (self.storage, self.randomness) = (storage, randomness) }

    /// All keys of a pool; the first two are made where there are none.
    func keys(of poolID: String) throws(CognitoError) -> [SigningKey] {
        if let known = known(poolID) { return known }
        return try files.withLock { _ throws(CognitoError) in
            if let known = known(poolID) { return known }
            do throws(KeyStorage.Failure) {
                var found = try read(poolID)
                if found == nil { found = try generate(keeping: [], of: poolID) }
                let all = found ?? []
                keys.withLock { $0[poolID] = all }
                return all
            } catch {
                throw .internalError
            }
        }
    }

    private func known(_ poolID: String) -> [SigningKey]? { keys.withLock { $0[poolID] } }

    private func read(_ poolID: String) throws(KeyStorage.Failure) -> [SigningKey]? {
        guard let bytes = try storage.read(Self.fileName(poolID)) else { return nil }
        let entries = (try? JSONReader.read(bytes))?["keys"]?.arrayValue ?? []
        let read = entries.compactMap(SigningKey.init)
        guard read.count == entries.count, read.contains(where: { $0.retired == nil }) else {
            throw KeyStorage.Failure(message: "\(Self.fileName(poolID)) is damaged.")
        }
        return read
    }

    /// New keys, stored before anything is signed with them: after a crash, nobody could verify such a token.
    private func generate(keeping old: [SigningKey], of poolID: String) throws(KeyStorage.Failure) -> [SigningKey] {
        let keys = [try SigningKey(.id, randomness), try SigningKey(.access, randomness)] + old
        try store(keys, of: poolID)
        return keys
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
        _ = try keys(of: poolID)
        try files.withLock { _ throws(CognitoError) in
            var kept = (known(poolID) ?? []).filter { $0.retired ?? .max > now }
            for index in kept.indices where kept[index].retired == nil { kept[index].retired = retired }
            do throws(KeyStorage.Failure) {
                let made = try generate(keeping: kept, of: poolID)
                keys.withLock { keys in
                    keys[poolID] = made
                    keySets.withLock { $0[poolID] = nil }
                }
            } catch {
                throw .internalError
            }
        }
    }

    /// The JSON Web Key Set of a pool (RFC 7517 §5).
    func jsonWebKeySet(of poolID: String) throws(CognitoError) -> JSONValue {
        ["keys": .array(try keys(of: poolID).map(\.jsonWebKey))]
    }

    /// The bytes of the JSON Web Key Set; nil if they were not made since the keys changed.
    func readyKeySet(of poolID: String) -> [UInt8]? { keySets.withLock { $0[poolID] } }

    /// The bytes of the JSON Web Key Set, which are kept until the keys change.
    func keySetBytes(of poolID: String) throws(CognitoError) -> [UInt8] {
        if let ready = readyKeySet(of: poolID) { return ready }
        let known = try keys(of: poolID)
        let set: JSONValue = ["keys": .array(known.map(\.jsonWebKey))]
        let bytes = Array(set.description.utf8)
        // A set of keys that were replaced meanwhile is not kept.
        keys.withLock { keys in
            if keys[poolID]?.map(\.kid) == known.map(\.kid) { keySets.withLock { $0[poolID] = bytes } }
        }
        return bytes
    }

    static func fileName(_ poolID: String) -> String { "\(poolID).json" }
}
