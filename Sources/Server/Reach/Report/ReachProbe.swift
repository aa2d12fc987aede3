/// One call that `syncline reach --test` makes, and the expected answer. None changes anything or requires credentials. Most get a
/// service-specific error; buckets, GraphQL and hosted pages may also answer 200.
struct ReachProbe: Sendable {
    /// Such as `user pools`.
    let service: String
    /// The host as the client names it.
    let host: String
    /// Where to connect to; nil resolves the host, for port 443.
    var endpoint: Endpoint?
    var trust = Trust.awsAuthority
    let method: String
    let path: String
    var headers: [(name: String, value: String)] = []
    var body = ""
    /// The statuses that the service answers with.
    let statuses: [Int]
    /// A header that the answer has; nil for none. Other servers answer many requests with these statuses.
    var expectedHeader: String?
    /// A text that the answer contains; nil for any answer.
    let expectedText: String?

    struct Endpoint: Sendable, Hashable {
        let host: String
        let port: Int
    }

    /// Which authorities the certificate may be of.
    enum Trust: Sendable, Hashable {
        /// Only the authority for AWS hostnames.
        case awsAuthority
        /// Those of the system, and the local authority.
        case localAuthority
        /// None: plain HTTP, without TLS.
        case plainHTTP
    }

    /// Whether an answer is the service's.
    ///
    /// - Parameter headerNames: In lower case.
    func isAnswered(by status: Int, _ body: String, headerNames: Set<String>) -> Bool {
        statuses.contains(status) && expectedText.map(body.contains) ?? true
            && expectedHeader.map(headerNames.contains) ?? true
    }

    /// AppSync's and Cognito's; the answers of the hosted pages have it here too.
    private static let requestIDHeader = "x-amzn-requestid"
}

extension ReachProbe {
    /// The call for an AWS hostname.
    init(_ host: AWSHost) {
        func json(_ target: String, _ body: String, _ expectedText: String) -> ReachProbe {
            ReachProbe(
                service: host.service.text, host: host.name, method: "POST", path: "/",
                headers: [("Content-Type", "application/x-amz-json-1.1"), ("X-Amz-Target", target)], body: body,
                statuses: [400], expectedText: expectedText)
        }
        func get(_ path: String, _ statuses: [Int], _ expectedText: String?) -> ReachProbe {
            ReachProbe(
                service: host.service.text, host: host.name, method: "GET", path: path, statuses: statuses,
                expectedText: expectedText)
        }
        switch host.service {
        case .cognitoUserPools:
            self = json(
                "AWSCognitoIdentityProviderService.InitiateAuth",
                #"{"AuthFlow":"USER_PASSWORD_AUTH","ClientId":"synclinereachtest","AuthParameters":{"USERNAME":"a","PASSWORD":"a"}}"#,
                "ResourceNotFoundException")
        case .cognitoIdentity:
            let region = host.name.split(separator: ".").dropFirst().first ?? "us-east-1"
            self = json(
                "AWSCognitoIdentityService.GetId",
                #"{"IdentityPoolId":"\#(region):00000000-0000-0000-0000-000000000000"}"#, "ResourceNotFoundException")
        case .s3, .bucket: self = get("/", [200, 403], "<")
        case .pinpoint:
            self = get("/v1/apps/00000000000000000000000000000000/endpoints/a", [403], "Missing Authentication Token")
        case .appSync:
            self = Self.graphQL(host.name)
        case .appSyncRealtime:
            self = get("/graphql", [400, 401, 426], nil)
            expectedHeader = Self.requestIDHeader
        case .hostedPages:
            self = get("/login", [200, 302, 400], nil)
            expectedHeader = Self.requestIDHeader
        case .sts:
            self = ReachProbe(
                service: host.service.text, host: host.name, method: "POST", path: "/",
                headers: [("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")],
                body: "Action=GetCallerIdentity&Version=2011-06-15", statuses: [403],
                expectedText: "InvalidClientTokenId")
        }
    }

    /// A query that needs no field of the schema. Without credentials it is refused.
    static func graphQL(_ host: String) -> ReachProbe {
        ReachProbe(
            service: AWSHost.Service.appSync.text, host: host, method: "POST", path: "/graphql",
            headers: [("Content-Type", "application/json")], body: #"{"query":"{ __typename }"}"#,
            statuses: [200, 401], expectedHeader: requestIDHeader, expectedText: nil)
    }
}
