import Synchronization

/// The memory that XML bodies of all requests take, bounded in bytes; one network may take half.
final class DocumentMemory: Sendable {
    private struct State {
        var byteCount = 0
        var byNetwork: [String: Int] = [:]
    }

    private let bytesMax: Int
    private let state = Mutex(State())

    /// - Parameter bytesMax: Bytes of all networks together.
    init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// Takes bytes; throws SlowDown if they are more than is left.
    func take(_ byteCount: Int, for network: String) throws(S3Error) {
        let isTaken = state.withLock { state in
            let ofNetwork = state.byNetwork[network] ?? 0
            guard byteCount <= bytesMax - state.byteCount, byteCount <= bytesMax / 2 - ofNetwork else { return false }
            state.byteCount += byteCount
            state.byNetwork[network] = ofNetwork + byteCount
            return true
        }
        guard isTaken else { throw .slowDown }
    }

    /// Returns bytes that were taken.
    func giveBack(_ byteCount: Int, for network: String) {
        state.withLock { state in
            state.byteCount -= byteCount
            let rest = (state.byNetwork[network] ?? 0) - byteCount
            state.byNetwork[network] = rest == 0 ? nil : rest
        }
    }

    /// Bytes that are taken now.
    var byteCount: Int { state.withLock(\.byteCount) }
}
