import Buckets
import HTTP
import Synchronization
import Tables

extension Service {
    /// The port on which clients of Amplify's mock look for storage.
    static let mockStoragePort = 20_005

    /// Starts the buckets, where they are wanted: in `dev` always.
    static func startBuckets(
        _ configuration: Configuration, _ store: any Store, dataFolder: String, _ userPools: UserPoolService?,
        _ state: ServiceState, _ clock: WallClock
    ) async throws(ServerError) -> BucketService? {
        guard !configuration.storage.buckets.isEmpty else { return nil }
        let service = try await BucketService.start(
            configuration, mode: state.mode, store: store, dataFolder: dataFolder, userPools: userPools, clock: clock,
            log: state.log)
        state.buckets.withLock { $0 = service }
        return service
    }

    /// Serves buckets on each event loop, and in `dev` on the mock's port as well, if it is free and the server was not started
    /// with port 0, which is used to run several servers on one machine.
    func serve(_ buckets: BucketService, _ configuration: Configuration) {
        setLoopBuckets(buckets, configuration)
        guard state.mode == .dev, configuration.address.port != 0 else { return }
        let port = try? server.listen(
            host: configuration.address.host, port: Self.mockStoragePort, configuration.tls.spoken(.any))
        if port != nil { state.log(.info, "Buckets are also served on port \(Self.mockStoragePort).") }
    }

    private func setLoopBuckets(_ buckets: BucketService, _ configuration: Configuration) {
        let (baseHosts, publicURL) = (configuration.storage.baseHosts, configuration.userPools.publicURL)
        for loop in server.loops {
            let services = loopServices[loop.index]
            loop.execute {
                services.buckets = LoopBuckets(buckets, baseHosts: baseHosts, publicURL: publicURL, on: loop)
            }
        }
    }

    /// Serves the buckets of a changed configuration.
    func reloadBuckets(_ configuration: Configuration) async throws(ServerError) {
        guard let buckets = state.buckets.withLock({ $0 }) else {
            guard configuration.storage.buckets.isEmpty else {
                throw ServerError(
                    .refused, "A server that runs cannot begin to serve buckets.", hint: "Restart the server.")
            }
            return
        }
        try await buckets.serve(configuration)
        setLoopBuckets(buckets, configuration)
    }

    /// The names of the configured buckets that are served.
    public var bucketNames: [String] {
        state.buckets.withLock { $0 } == nil ? [] : configuration.storage.buckets.map(\.name)
    }

    /// Sends object events to the functions of triggers, until the task is cancelled.
    ///
    /// - Parameter clock: Schedules the rounds.
    public func sendObjectEvents(clock: some Clock<Duration> = ContinuousClock()) async {
        guard let service = state.buckets.withLock({ $0 }) else { return }
        let sender = ObjectEventSender(
            service: service, client: client, limits: configuration.limits.functions,
            perFunctionMax: configuration.limits.buckets.eventsPerFunctionMax, log: state.log)
        await sender.run {
            (try? await clock.sleep(for: .milliseconds(Self.eventIntervalMilliseconds))) != nil
        }
    }

    /// How long to wait between two looks at the queues of object events.
    private static let eventIntervalMilliseconds = 250
}

extension Configuration {
    /// The configuration with the bucket that `dev` makes.
    func withServedBuckets(in mode: Service.Mode) -> Configuration {
        var configuration = self
        configuration.storage = storage.served(in: mode)
        return configuration
    }
}
