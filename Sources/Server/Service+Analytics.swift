import Analytics
import Synchronization
import Tables

extension Service {
    /// The ids of the apps whose events are taken.
    public var analyticsApps: [String] { state.analytics.withLock { $0?.analytics.apps.map(\.id) } ?? [] }

    /// Takes the events of apps, where that is wanted: in `dev` always, if there is somebody to sign requests.
    static func startAnalytics(
        _ configuration: Configuration, store: any Store, dataFolder: String, hasSigners: Bool, _ state: ServiceState,
        _ clock: WallClock
    ) async throws(ServerError) {
        let options = configuration.analytics
        guard hasSigners else {
            guard options.apps.isEmpty else { throw .noAnalyticsSigner }
            return
        }
        guard !options.apps.isEmpty || (state.mode == .dev && !options.isOff) else { return }
        let service = try await AnalyticsService.start(
            configuration, dataFolder: dataFolder, makesApp: state.mode == .dev, store: store, clock: clock)
        state.analytics.withLock { $0 = service }
    }

    /// Takes the events of the apps of a changed configuration; bounds stay as they were at the start.
    func reloadAnalytics(_ configuration: Configuration, dataFolder: String) {
        guard let service = state.analytics.withLock({ $0 }) else { return }
        let apps = configuration.analytics.apps
        let own = state.mode == .dev && !configuration.analytics.isOff ? DeveloperApp.read(in: dataFolder) : nil
        service.analytics.serve(apps.isEmpty ? [own].compactMap(\.self) : apps)
    }
}

extension ServerError {
    fileprivate static let noAnalyticsSigner = ServerError(
        .invalid, "'analytics' needs 'identityPool' or 'accessKeys': requests must be signed.",
        hint: "Add one of them to the configuration, or leave 'analytics' out.")
}
