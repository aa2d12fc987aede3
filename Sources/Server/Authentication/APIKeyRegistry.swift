import Synchronization
import Tables

/// The created API keys in a running server. The file is read again when it has changed, so that a new key is
/// accepted, and a revoked one refused, from the next request on. Safe to use from any thread.
final class APIKeyRegistry: Sendable {
    private struct State {
        var fingerprint: Files.Fingerprint?
        var keys: [StoredAPIKey] = []
    }

    private let file: APIKeyFile
    private let clock: WallClock
    private let log: Log
    private let state = Mutex(State())

    init(_ file: APIKeyFile, clock: WallClock, log: Log) { (self.file, self.clock, self.log) = (file, clock, log) }

    /// Whether it is a key that has not expired.
    func accepts(_ candidate: UnsafeRawBufferPointer) -> Bool { unsafe key(candidate) != nil }

    /// The key, if it exists and has not expired. Costs one stat of the file and, if there are keys, a hash.
    func key(_ candidate: UnsafeRawBufferPointer) -> StoredAPIKey? {
        let keys = current
        guard !keys.isEmpty else { return nil }
        let hash = StoredAPIKey.hash(unsafe [UInt8](candidate))
        let now = clock.milliseconds()
        // Hashes of keys that nobody can guess: comparing them reveals nothing about the key.
        return keys.first { $0.hash == hash && $0.expiresMilliseconds > now }
    }

    /// Whether a key with this hash exists, that is, was not revoked. It may have expired.
    func has(hash: [UInt8]) -> Bool { current.contains { $0.hash == hash } }

    private var current: [StoredAPIKey] {
        let fingerprint = Files.fingerprint(file.path)
        return state.withLock { state in
            guard fingerprint != state.fingerprint else { return state.keys }
            state.fingerprint = fingerprint
            do throws(ServerError) {
                state.keys = try file.read()
            } catch {
                // If the file cannot be read, a key may have been revoked, so none is accepted.
                state.keys = []
                log(.error, "No created API key is accepted.\n\(error.text)")
            }
            return state.keys
        }
    }
}
