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
    /// (`AuthenticationRefusal.unavailable`).
    var mayVerifyAgain: Bool { previousCount + 1 < Self.verificationsMax && secondsLeft > 0 }

    /// Seconds for which this verification is awaited: all verifications of the same credentials have the time of one.
    var secondsLeft: Int {
        let seconds = (EventLoop.uptimeNanoseconds - startNanoseconds) / 1_000_000_000
        return max(PendingAuthentication.secondsMax - Int(seconds), 0)
    }

    private static func accessKeyReplacementCount(_ state: ServiceState) -> Int? {
        state.userPools.withLock { $0?.pools.accessKeyReplacementCount }
    }
}
