/// An AWS hostname that clients of a project connect to, and what this server serves in its place.
public struct AWSHost: Sendable, Hashable {
    /// A service that has AWS hostnames.
    public enum Service: Sendable, Hashable {
        /// The operations of user pools.
        case cognitoUserPools
        /// The operations of identity pools.
        case cognitoIdentity
        /// Buckets, by their names in the path.
        case s3
        /// One bucket.
        case bucket(String)
        /// Events and endpoints of apps.
        case pinpoint
        /// The GraphQL API.
        case appSync
        /// The WebSockets of the GraphQL API.
        case appSyncRealtime
        /// The hosted pages of a user pool.
        case hostedPages(poolID: String)
        /// `GetCallerIdentity`.
        case sts
    }

    /// The host name, in lower case, without a port.
    public let name: String
    /// What is served there.
    public let service: Service
}

extension AWSHost.Service {
    /// For people and programs.
    var text: String {
        switch self {
        case .cognitoUserPools: "user pools"
        case .cognitoIdentity: "identity pools"
        case .s3: "buckets"
        case .bucket(let name): "bucket \(name)"
        case .pinpoint: "analytics"
        case .appSync: "GraphQL"
        case .appSyncRealtime: "subscriptions"
        case .hostedPages(let poolID): "hosted pages of \(poolID)"
        case .sts: "credentials"
        }
    }
}
