import Synchronization

extension RequestContext {
    /// The user pools and what is served beside them. Without them the request is refused: with 503 during the start, after
    /// which they may be there, and else with 404.
    func userPools() -> (service: UserPoolService, servedAPI: ServedAPI)? {
        if let service = services.state.userPools.withLock({ $0 }), let servedAPI = services.servedAPI {
            return (service, servedAPI)
        }
        refuse(services.state.isStarted ? .unknownPath : .notReady)
        return nil
    }
}
