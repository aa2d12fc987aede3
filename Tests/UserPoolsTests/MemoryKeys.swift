import Synchronization
import UserPools

/// Key files in memory.
final class MemoryKeys: Sendable {
    let files = Mutex<[String: [UInt8]]>([:])
    /// Whether a write or removal fails.
    let fails = Mutex(false)
    private let counts = Mutex<[String: Int]>([:])

    var storage: KeyStorage {
        KeyStorage(
            read: { name throws(KeyStorage.Failure) in self.files.withLock { $0[name] } },
            write: { name, bytes throws(KeyStorage.Failure) in
                if self.fails.withLock({ $0 }) { throw KeyStorage.Failure(message: "The disk is full.") }
                self.files.withLock { $0[name] = bytes }
                self.counts.withLock { $0[name, default: 0] += 1 }
            },
            remove: { name throws(KeyStorage.Failure) in
                if self.fails.withLock({ $0 }) { throw KeyStorage.Failure(message: "The disk fails.") }
                self.files.withLock { $0[name] = nil }
            })
    }

    /// How often a file was written.
    func count(_ name: String) -> Int { counts.withLock { $0[name] ?? 0 } }
}
