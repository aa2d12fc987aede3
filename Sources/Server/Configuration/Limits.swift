public import API
public import Analytics
public import Buckets
public import HTTP
public import Tables
public import UserPools

/// All bounds of the server, each with its unit at the end of its name; settable under `limits` in the configuration.
public struct Limits: Sendable {
    /// The bounds of connections and requests.
    public var http = HTTPLimits()
    /// The bounds of each WebSocket.
    public var webSocket = WebSocketLimits()
    /// The bounds of a client's subscriptions.
    public var realtime = RealtimeLimits()
    /// The bounds of GraphQL.
    public var api = APILimits()
    /// The bounds of the store.
    public var store = StoreLimits()
    /// The bounds of user pools.
    public var userPools = UserPoolLimits()
    /// The bounds of analytics; those of what is kept are configured as `analytics`.
    public var analytics = AnalyticsLimits()
    /// The bounds of buckets.
    public var buckets = BucketLimits()
    /// Requests to buckets under way. `CapacityShares` has the shares of them.
    public var storageRequestsMax = 512
    /// Requests to buckets whose bodies are being received, with the same shares.
    public var storageUploadsMax = 1_024
    /// The bounds of functions.
    public var functions = FunctionLimits()
    /// Event loops; 0 makes one for each core that the process may use.
    public var eventLoopCount = 0
    /// How long requests under way may take when the server ends, in seconds.
    public var drainSeconds = 10

    /// How long a deleted item of a model with versions is kept, in seconds (Amplify: 43,200 minutes).
    public var tombstoneSeconds = 30 * 86_400

    /// Names of operations that are counted apart; later ones are counted together.
    public var operationNameCountMax = 200
    /// Lines a second that `serve` logs about slow requests, about the server's failures and about the callers' each.
    public var failureLinesPerSecondMax = 10
    /// How long the query and the write may take that `/ready` probes with, in seconds.
    public var probeSeconds = 2
    /// How long the outcome of such a probe is kept, in milliseconds.
    public var probeIntervalMilliseconds = 1_000

    /// The defaults.
    public init() {}

    mutating func read(_ section: ConfigurationSection) {
        for limit in Limit.all {
            if let value = section.integer(limit.key, in: limit.range) { self[keyPath: limit.path] = value }
        }
        section.finish()
    }
}

extension Limits {
    // The store's figures have the width of SQLite's; the table has one width for all.

    var stepsPerLook: Int {
        get { Int(store.stepsPerLook) }
        set { store.stepsPerLook = Int32(clamping: newValue) }
    }

    var busyMilliseconds: Int {
        get { Int(store.busyMilliseconds) }
        set { store.busyMilliseconds = Int32(clamping: newValue) }
    }
}
