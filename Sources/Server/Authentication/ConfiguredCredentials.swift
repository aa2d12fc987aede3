import Synchronization
import UserPools

/// What decides which credentials are accepted: the API that is served, and the access keys. It is noted when a verification begins
/// and compared when its decision has come to an event loop, because a reload may come between them.
struct ConfiguredCredentials {
    private let servedAPI: ServedAPI
    private let accessKeyReplacementCount: Int?

    init(_ servedAPI: ServedAPI, _ state: ServiceState) {
        self.servedAPI = servedAPI
        accessKeyReplacementCount = state.userPools.withLock { $0?.pools.accessKeyReplacementCount }
    }

    /// Whether nothing was replaced since.
    func isCurrent(_ services: LoopServices) -> Bool {
        services.servedAPI === servedAPI
            && ConfiguredCredentials(servedAPI, services.state).accessKeyReplacementCount == accessKeyReplacementCount
    }
}
