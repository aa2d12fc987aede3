import Buckets
import JSON
import UserPools

/// The AWS hostnames that clients of this project connect to if they are not configured for this server: those of the services
/// in the project's regions, of its API, its buckets and its hosted pages, and no others.
///
/// Their number is bounded by `countMax`. They depend only on the configuration, so `serve`, `dev` and the commands that
/// only read the configuration have the same.
public struct AWSNames: Sendable, Hashable {
    /// The most names: a certificate with more is refused by some clients, and so large that it slows each handshake.
    public static let countMax = 100

    /// The hosts, each name once: the services, the hosted pages, the API, and last the buckets, with their global names at the end.
    public let hosts: [AWSHost]
    /// The names beyond `countMax`.
    public let omittedNames: [String]
    private let services: [String: AWSHost.Service]

    /// The names of the project that a configuration is of.
    public init(_ configuration: Configuration) {
        var hosts: [AWSHost] = []
        var names: Set<String> = []
        func add(_ name: String, _ service: AWSHost.Service) {
            let name = name.lowercased()
            // An invented region may be no label of a host name.
            guard CertificateNames.isName(name), names.insert(name).inserted else { return }
            hosts.append(AWSHost(name: name, service: service))
        }
        let (region, pools) = (configuration.region, configuration.userPools.poolHosts)
        for region in [region] + pools.map(\.region) {
            add(Self.name("cognito-idp", region), .cognitoUserPools)
        }
        for region in [region] + configuration.userPools.identityPoolRegions {
            add(Self.name("cognito-identity", region), .cognitoIdentity)
        }
        add(Self.name("sts", region), .sts)
        if !configuration.analytics.isOff {
            add(Self.name("pinpoint", configuration.analytics.region ?? region), .pinpoint)
        }
        // Clients sign for all services in the project's region, and have the buckets' own in their configuration.
        let bucketRegion = configuration.storage.region ?? region
        for region in [bucketRegion, region] { add(Self.name("s3", region), .s3) }
        // SDKs use the global host of S3 for this region (Amazon S3 User Guide, "Legacy global endpoint").
        let globalHost = bucketRegion == Self.globalRegion ? "s3.amazonaws.com" : nil
        if let globalHost { add(globalHost, .s3) }
        for pool in pools {
            for host in pool.hosts where Self.isHostedPages(host) { add(host, .hostedPages(poolID: pool.id)) }
            if let prefix = pool.prefix {
                add("\(prefix).auth.\(pool.region).amazoncognito.com", .hostedPages(poolID: pool.id))
            }
        }
        for endpoint in configuration.awsNameOptions.appSyncEndpoints where !configuration.schema.isOff {
            add(endpoint.host, .appSync)
            add(endpoint.realtimeHost, .appSyncRealtime)
        }
        for host in [Self.name("s3", bucketRegion), globalHost].compactMap(\.self) {
            for bucket in configuration.storage.bucketNames { add("\(bucket).\(host)", .bucket(bucket)) }
        }
        (self.hosts, omittedNames) = (Array(hosts.prefix(Self.countMax)), hosts.dropFirst(Self.countMax).map(\.name))
        services = Dictionary(uniqueKeysWithValues: self.hosts.map { ($0.name, $0.service) })
    }

    /// The names of the hosts.
    public var names: [String] { hosts.map(\.name) }

    /// What is served at a host; nil for a name that is none of these.
    ///
    /// - Parameter name: In lower case, without a port and without a dot at its end.
    public func service(of name: String) -> AWSHost.Service? { services[name] }

    // MARK: AWS's domains

    /// The region whose buckets the global host of S3 is for.
    private static let globalRegion = "us-east-1"

    /// The domains that all AWS hostnames are below.
    static let domains: [StaticString] = [".amazonaws.com", ".amazonaws.com.cn", ".amazoncognito.com"]

    /// Whether a name is in an AWS-owned domain: one of `domains`, or a name below one of them.
    ///
    /// - Parameter name: In any case, without a port. A wildcard counts as the names that it covers.
    public static func isAWS(_ name: String) -> Bool {
        let name = (name.hasPrefix("*.") ? String(name.dropFirst(2)) : name).lowercased()
        return domains.contains { ".\(name)".hasSuffix($0.description) }
    }

    /// The host of a service in a region (AWS General Reference, "AWS service endpoints"). Regions in China have a domain of
    /// their own.
    static func name(_ service: String, _ region: String) -> String {
        "\(service).\(region).\(region.lowercased().hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com")"
    }

    private static func isHostedPages(_ host: String) -> Bool { host.lowercased().hasSuffix(".amazoncognito.com") }
}

// MARK: - Parts

extension UserPoolOptions {
    /// The names by which clients reach a user pool.
    fileprivate struct PoolHosts {
        let id: String
        let region: String
        /// What Cognito's domain of the hosted pages begins with, if the pool has one.
        let prefix: String?
        /// The hosts that are configured in full.
        let hosts: [String]
    }

    /// The regions in which clients look for identity pools, by the pools' ids.
    fileprivate var identityPoolRegions: [String] {
        identityPools.map { String(identityPoolID($0).prefix { $0 != ":" }) }
    }

    fileprivate var poolHosts: [PoolHosts] {
        pools.map { object in
            let pool = UserPool(id(of: object), SettingsReader(object), isConfiguration: true)
            let hasPrefix = pool.domain.map { !$0.contains(".") } ?? false
            return PoolHosts(
                id: pool.id, region: pool.region, prefix: hasPrefix ? pool.domain : nil,
                hosts: pool.hosts + (hasPrefix ? [] : [pool.domain].compactMap(\.self)))
        }
    }
}

extension StorageOptions {
    /// The buckets' names. Without `storage`, that of the bucket that `dev` serves: the names do not depend on the verb.
    fileprivate var bucketNames: [String] { isConfigured ? buckets.map(\.name) : [Self.defaultName] }
}
