import API
import HTTP
import Synchronization
import UserPools

/// What decides which credentials are accepted: the API that is served, and the access keys. It is noted when a verification begins
/// and compared when its decision has come to an event loop, because a reload may come between them.
struct ConfiguredCredentials {
    private let servedAPI: ServedAPI
    private let accessKeyReplacementCount: Int?
    /// Verifications of the same credentials before this one, and when the first of them began.
    private let previousCount: Int
    private let startNanoseconds: Int64

    /// Verifications of the credentials of one request or operation.
    static let verificationsMax = 4

    /// - Parameter previous: What was configured at the last verification of the same credentials; nil for the first one.
    init(_ servedAPI: ServedAPI, _ state: ServiceState, after previous: ConfiguredCredentials? = nil) {
        self.servedAPI = servedAPI
        accessKeyReplacementCount = Self.accessKeyReplacementCount(state)
        previousCount = previous.map { $0.previousCount + 1 } ?? 0
        startNanoseconds = previous?.startNanoseconds ?? EventLoop.uptimeNanoseconds
    }

    /// Whether nothing was replaced since.
    func isCurrent(_ services: LoopServices) -> Bool {
        services.servedAPI === servedAPI
            && Self.accessKeyReplacementCount(services.state) == accessKeyReplacementCount
    }

    /// Whether credentials whose decision no longer counts may be verified again. Otherwise the client is asked to try again
    /// (`AuthenticationRefusal.unavailable`). All verifications together have the time of one.
    var mayVerifyAgain: Bool {
        let nanoseconds = EventLoop.uptimeNanoseconds - startNanoseconds
        return previousCount + 1 < Self.verificationsMax
            && nanoseconds < Int64(PendingAuthentication.secondsMax) * 1_000_000_000
    }

    private static func accessKeyReplacementCount(_ state: ServiceState) -> Int? {
        state.userPools.withLock { $0?.pools.accessKeyReplacementCount }
    }
}
