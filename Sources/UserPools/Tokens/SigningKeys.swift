import JSON
import Synchronization

/// The signing keys of all pools: two for each, one for id tokens and one for access tokens, and those that they replaced
/// until the last token of these has ended.
///
/// They are made with a pool, or when a token is signed; never when one is verified.
final class SigningKeys: Sendable {
    private let storage: KeyStorage
    private let randomness: Randomness
    private let keys = Mutex<[String: [SigningKey]]>([:])
    /// The JSON Web Key Sets of pools that were asked for, as they are sent. Taken after `keys` where both are.
    private let keySets = Mutex<[String: [UInt8]]>([:])
    /// The pools whose keys are being generated, which takes tenths of a second, each with the tasks that wait to do so. They hold
    /// no thread, and do not wait for other pools.
    private let changes = Mutex<[String: [CheckedContinuation<Void, Never>]]>([:])

    init(_ storage: KeyStorage, _ randomness: Randomness) { (self.storage, self.randomness) = (storage, randomness) }

    /// The keys of a pool that were made before; nil if there are none.
    func stored(of poolID: String) throws(CognitoError) -> [SigningKey]? {
        if let known = known(poolID) { return known }
        let found: [SigningKey]?
        do throws(KeyStorage.Failure) { found = try read(poolID) } catch { throw .internalError }
        guard let found else { return nil }
        // They may have been read by another task and replaced meanwhile.
        return keys.withLock { keys in
            let kept = keys[poolID] ?? found
            keys[poolID] = kept
            return kept
        }
    }

    /// All keys of a pool; the first two are made where there are none.
    @discardableResult
    func keys(of poolID: String) async throws(CognitoError) -> [SigningKey] {
        if let stored = try stored(of: poolID) { return stored }
        await beginChange(of: poolID)
        defer { endChange(of: poolID) }
        if let stored = try stored(of: poolID) { return stored }
        return try generate(keeping: [], of: poolID)
    }

    /// Waits until no other task generates keys of the pool. `endChange` is to be called.
    private func beginChange(of poolID: String) async {
        await withCheckedContinuation { continuation in
            let isFirst = changes.withLock { changes in
                guard changes[poolID] != nil else {
                    changes[poolID] = []
                    return true
                }
                changes[poolID]?.append(continuation)
                return false
            }
            if isFirst { continuation.resume() }
        }
    }

    private func endChange(of poolID: String) {
        let next: CheckedContinuation<Void, Never>? = changes.withLock { changes in
            if changes[poolID]?.isEmpty == false { return changes[poolID]?.removeFirst() }
            changes[poolID] = nil
            return nil
        }
        next?.resume()
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
    private func generate(keeping old: [SigningKey], of poolID: String) throws(CognitoError) -> [SigningKey] {
        do throws(KeyStorage.Failure) {
            let made = [try SigningKey(.id, randomness), try SigningKey(.access, randomness)] + old
            try store(made, of: poolID)
            keys.withLock { keys in
                keys[poolID] = made
                keySets.withLock { $0[poolID] = nil }
            }
            return made
        } catch {
            throw .internalError
        }
    }

    private func store(_ keys: [SigningKey], of poolID: String) throws(KeyStorage.Failure) {
        let object: JSONValue = ["keys": .array(keys.map(\.entry))]
        try storage.write(Self.fileName(poolID), Array(object.description.utf8))
    }

    /// The key that signs now.
    func current(_ use: SigningKey.Use, of poolID: String) async throws(CognitoError) -> SigningKey {
        guard let key = try await keys(of: poolID).first(where: { $0.use == use && $0.retired == nil }) else {
            throw .internalError
        }
        return key
    }

    /// Replaces the signing keys. The old ones verify until `retired`.
    func rotate(poolID: String, until retired: Int64, now: Int64) async throws(CognitoError) {
        try await keys(of: poolID)
        await beginChange(of: poolID)
        defer { endChange(of: poolID) }
        var kept = (known(poolID) ?? []).filter { $0.retired ?? .max > now }
        for index in kept.indices where kept[index].retired == nil { kept[index].retired = retired }
        _ = try generate(keeping: kept, of: poolID)
    }

    /// Removes the keys of a pool that is gone.
    func remove(poolID: String) async throws(CognitoError) {
        await beginChange(of: poolID)
        defer { endChange(of: poolID) }
        do throws(KeyStorage.Failure) { try storage.remove(Self.fileName(poolID)) } catch { throw .internalError }
        keys.withLock { keys in
            keys[poolID] = nil
            keySets.withLock { $0[poolID] = nil }
        }
    }

    /// The JSON Web Key Set of a pool (RFC 7517 §5), which is empty before keys were made.
    func jsonWebKeySet(of poolID: String) throws(CognitoError) -> JSONValue {
        ["keys": .array(try stored(of: poolID)?.map(\.jsonWebKey) ?? [])]
    }

    /// The bytes of the JSON Web Key Set; nil if they were not made since the keys changed.
    func readyKeySet(of poolID: String) -> [UInt8]? { keySets.withLock { $0[poolID] } }

    /// The bytes of the JSON Web Key Set, which are kept until the keys change. An empty set is not kept.
    func keySetBytes(of poolID: String) throws(CognitoError) -> [UInt8] {
        if let ready = readyKeySet(of: poolID) { return ready }
        let known = try stored(of: poolID) ?? []
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
