import Synchronization

/// The memory that XML bodies of all requests take, bounded in bytes. An eighth is kept for operators; of the rest, the
/// requests of one network take half of the bound at most, and those of one identity a quarter, but at least 16 MiB as far as the
/// network's half allows.
final class DocumentMemory: Sendable {
    /// Who takes memory.
    struct Owner: Sendable, Hashable {
        var share: CapacityShare
        var network: String
    }

    private struct State {
        var byteCount = 0
        var byNetwork: [String: Int] = [:]
        var byIdentity: [String: Int] = [:]

        mutating func add(_ change: Int, for owner: Owner) {
            byteCount += change
            guard owner.share != .operator else { return }
            let ofNetwork = (byNetwork[owner.network] ?? 0) + change
            byNetwork[owner.network] = ofNetwork == 0 ? nil : ofNetwork
            guard case .identity(let id) = owner.share else { return }
            let ofIdentity = (byIdentity[id] ?? 0) + change
            byIdentity[id] = ofIdentity == 0 ? nil : ofIdentity
        }
    }

    private let bytesMax: Int
    private let networkBytesMax: Int
    private let identityBytesMax: Int
    private let state = Mutex(State())

    /// What one identity may take in any case: two copies of the largest body, and its elements.
    private static let identityBytesMin = 16 << 20

    /// - Parameter bytesMax: Bytes of all requests together.
    init(bytesMax: Int) {
        self.bytesMax = bytesMax
        networkBytesMax = bytesMax / 2
        identityBytesMax = max(bytesMax / 4, min(networkBytesMax, Self.identityBytesMin))
    }

    /// Reserves bytes; throws SlowDown if they are more than is left.
    func reserve(_ byteCount: Int, for owner: Owner) throws(S3Error) {
        let isTaken = state.withLock { state in
            guard byteCount <= bytesMax - state.byteCount else { return false }
            if owner.share != .operator {
                let ofNetwork = state.byNetwork[owner.network] ?? 0
                guard byteCount <= bytesMax - bytesMax / 8 - state.byteCount, byteCount <= networkBytesMax - ofNetwork
                else { return false }
                if case .identity(let id) = owner.share {
                    guard byteCount <= identityBytesMax - (state.byIdentity[id] ?? 0) else { return false }
                }
            }
            state.add(byteCount, for: owner)
            return true
        }
        guard isTaken else { throw .slowDown }
    }

    /// Releases bytes that were reserved.
    func release(_ byteCount: Int, for owner: Owner) { state.withLock { $0.add(-byteCount, for: owner) } }

    /// Bytes that are reserved now.
    var byteCount: Int { state.withLock(\.byteCount) }
}
