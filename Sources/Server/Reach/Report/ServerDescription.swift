import Buckets
import HTTP
import JSON

/// What a server listens on and serves, as far as its clients depend on it: a running one, or what `syncline dev` would start.
///
/// A running server sends it to `syncline reach` and `syncline proxy` (`OperatorCall.reach`).
public struct ServerDescription: Sendable, Hashable {
    /// Whether it is a running server's.
    public let isRunning: Bool
    /// Those that redirect are left out.
    let ports: [ReachableServer.Port]
    /// The AWS hostnames of the project.
    let awsHosts: [AWSHost]
    /// Whether the server serves them.
    public let servesAWSNames: Bool
    let buckets: [String]
    /// `publicURL` of the configuration.
    let publicURL: String?
    /// The file of the local authority's certificate, or where it would be; nil if the server has certificates of its own, or
    /// none.
    let authority: String?
    /// The file of the certificate of the authority for AWS hostnames; nil if the project has no such names.
    let awsAuthority: String?

    /// The AWS hostnames.
    public var names: [String] { awsHosts.map(\.name) }

    /// What URLs for programs on this machine begin with: `publicURL`, or the first port, by plain HTTP if it is accepted there. nil
    /// if no port is known: the system chooses it when the server starts.
    var baseURL: String? {
        publicURL
            ?? ports.first.map { port in
                ReachURL(
                    scheme: port.acceptsPlainHTTP ? "http" : "https", host: port.connectableHost, port: port.number
                ).text
            }
    }

    /// Where the server accepts TLS, as this machine connects to it.
    var tlsEndpoint: (host: String, port: Int)? {
        ports.first(where: \.acceptsTLS).map { (HostPort.withoutBrackets($0.connectableHost), $0.number) }
    }
}

extension ServerDescription {
    /// What `syncline dev` would serve.
    public init(_ configuration: Configuration) {
        let setting = configuration.tls.setting(for: .dev)
        self.init(
            configuration, mode: .dev, isRunning: false,
            ports: ReachableServer.Port.list(configuration, servesTLS: setting != .off),
            authority: setting == .auto ? Authority.file(of: configuration) : nil,
            awsAuthority: Authority.file(of: configuration, .awsNames))
    }

    init(
        _ configuration: Configuration, mode: Service.Mode, isRunning: Bool, ports: [ReachableServer.Port],
        authority: String?, awsAuthority: String?
    ) {
        (self.isRunning, self.ports) = (isRunning, ports)
        (self.authority, self.awsAuthority) = (authority, awsAuthority)
        awsHosts = configuration.awsNames.hosts
        servesAWSNames = configuration.awsNameOptions.isOn
        buckets = configuration.storage.served(in: mode).buckets.map(\.name)
        publicURL = configuration.userPools.publicURL
    }
}

// MARK: - As JSON

extension ServerDescription {
    var json: JSONValue {
        [
            "ports": .array(ports.map(\.json)), "awsHostnames": .array(awsHosts.map(\.json)),
            "servesAwsHostnames": .bool(servesAWSNames), "buckets": .array(buckets.map(JSONValue.string)),
            "publicUrl": publicURL.map(JSONValue.string) ?? .null,
            "authority": authority.map(JSONValue.string) ?? .null,
            "awsAuthority": awsAuthority.map(JSONValue.string) ?? .null,
        ]
    }

    /// A running server's answer; nil for what none sends.
    init?(_ json: JSONValue) {
        guard let ports = json["ports"]?.arrayValue, let hosts = json["awsHostnames"]?.arrayValue,
            let servesAWSNames = json["servesAwsHostnames"]?.boolValue, let buckets = json["buckets"]?.arrayValue
        else { return nil }
        isRunning = true
        self.ports = ports.compactMap(ReachableServer.Port.init(json:))
        awsHosts = hosts.compactMap(AWSHost.init(json:))
        guard self.ports.count == ports.count, awsHosts.count == hosts.count else { return nil }
        self.servesAWSNames = servesAWSNames
        self.buckets = buckets.compactMap(\.stringValue)
        publicURL = json["publicUrl"]?.stringValue
        authority = json["authority"]?.stringValue
        awsAuthority = json["awsAuthority"]?.stringValue
    }
}

extension ReachableServer.Port {
    var json: JSONValue {
        [
            "host": .string(host), "port": .number("\(number)"), "plainHttp": .bool(acceptsPlainHTTP),
            "tls": .bool(acceptsTLS),
        ]
    }

    fileprivate init?(json: JSONValue) {
        guard let host = json["host"]?.stringValue, let number = json["port"]?.intValue, (1...65_535).contains(number),
            let plainHTTP = json["plainHttp"]?.boolValue, let tls = json["tls"]?.boolValue
        else { return nil }
        self.init(host: host, number: Int(number), acceptsPlainHTTP: plainHTTP, acceptsTLS: tls)
    }
}

extension AWSHost {
    /// With `of`, the bucket or the pool.
    fileprivate var json: JSONValue {
        let (service, owner): (String, String?) =
            switch service {
            case .cognitoUserPools: ("cognito-idp", nil)
            case .cognitoIdentity: ("cognito-identity", nil)
            case .s3: ("s3", nil)
            case .bucket(let name): ("bucket", name)
            case .pinpoint: ("pinpoint", nil)
            case .appSync: ("appsync-api", nil)
            case .appSyncRealtime: ("appsync-realtime-api", nil)
            case .hostedPages(let poolID): ("hosted-pages", poolID)
            case .sts: ("sts", nil)
            }
        var object: JSONObject = ["name": .string(name), "service": .string(service)]
        object["of"] = owner.map(JSONValue.string)
        return .object(object)
    }

    fileprivate init?(json: JSONValue) {
        guard let name = json["name"]?.stringValue, CertificateNames.isName(name) else { return nil }
        let service: Service
        switch (json["service"]?.stringValue, json["of"]?.stringValue) {
        case ("cognito-idp", _): service = .cognitoUserPools
        case ("cognito-identity", _): service = .cognitoIdentity
        case ("s3", _): service = .s3
        case ("bucket", let bucket?): service = .bucket(bucket)
        case ("pinpoint", _): service = .pinpoint
        case ("appsync-api", _): service = .appSync
        case ("appsync-realtime-api", _): service = .appSyncRealtime
        case ("hosted-pages", let poolID?): service = .hostedPages(poolID: poolID)
        case ("sts", _): service = .sts
        default: return nil
        }
        self.init(name: name, service: service)
    }
}
