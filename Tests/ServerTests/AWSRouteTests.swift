import AWSSignature
import Foundation
import HTTP
import JSON
import Testing
import UserPools

@testable import Server

@Suite("Requests for AWS hostnames")
struct AWSRouteTests {
    /// The names of a project with everything.
    static func configuration() throws -> Configuration {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(
            #"""
            {"awsNames": true, "region": "eu-west-1",
             "appSyncEndpoint": "https://abcdef.appsync-api.eu-west-1.amazonaws.com/graphql",
             "userPool": {"id": "eu-west-1_Ab3dE6gHi", "domain": "myapp",
                          "clients": [{"id": "app", "callbackURLs": ["myapp://callback/"]}]},
             "storage": {"name": "media"}, "analytics": {"appId": "app-1"}}
            """#, to: "syncline.json")
        return try Configuration.load(
            SettingTexts(for: .serve, flags: [.config: [folder.path("syncline.json")]], environment: [:]))
    }

    private static let routes = Routes(loopServices: [])

    /// What a request is for, in words: a path of the table, the bucket, the service that has nothing there; nil for what
    /// is no AWS hostname.
    private static func route(
        _ head: String, isSecure: Bool = false, isForwarded: Bool = false, serverName: String? = nil,
        hasNames: Bool = true
    ) throws -> String? {
        let request = try Request.read(head, isSecure: isSecure)
        let route = routes.awsRoute(
            of: request, hasNames ? try configuration().awsNames : nil, isForwarded: isForwarded, serverName: serverName
        )
        return switch route {
        case nil: nil
        case .route(let route, _): route.path
        case .otherMethod(let route): "other method of \(route.path)"
        case .buckets(nil): "buckets"
        case .buckets(let bucket?): "bucket \(bucket)"
        case .nothing(let role): "nothing of \(role)"
        case .misdirected: "misdirected"
        }
    }

    @Test(
        "a name leads to the routes of its service and no others",
        arguments: [
            ("POST / HTTP/1.1\r\nX-Amz-Target: AWSCognitoIdentityProviderService.InitiateAuth", "cognito-idp", "/"),
            ("OPTIONS / HTTP/1.1", "cognito-idp", "other method of /"),
            (
                "GET /eu-west-1_Ab3dE6gHi/.well-known/jwks.json HTTP/1.1", "cognito-idp",
                "/{userPoolId}/.well-known/jwks.json"
            ),
            (
                "POST / HTTP/1.1\r\nX-Amz-Target: AWSCognitoIdentityService.GetId", "cognito-idp",
                "nothing of cognitoUserPools"
            ),
            ("POST / HTTP/1.1", "cognito-idp", "nothing of cognitoUserPools"),
            ("GET / HTTP/1.1", "cognito-idp", "nothing of cognitoUserPools"),
            ("GET /.well-known/jwks.json HTTP/1.1", "cognito-idp", "nothing of cognitoUserPools"),
            ("GET /login HTTP/1.1", "cognito-idp", "nothing of cognitoUserPools"),
            ("POST / HTTP/1.1\r\nX-Amz-Target: AWSCognitoIdentityService.GetId", "cognito-identity", "/"),
            (
                "POST / HTTP/1.1\r\nX-Amz-Target: AWSCognitoIdentityProviderService.SignUp", "cognito-identity",
                "nothing of cognitoIdentity"
            ),
            ("POST / HTTP/1.1", "sts", "/"),
            ("POST /v1/apps/app-1/events HTTP/1.1", "pinpoint", "/v1/apps/{app}/events"),
            ("GET / HTTP/1.1", "pinpoint", "nothing of pinpoint"),
            ("GET / HTTP/1.1", "s3", "buckets"), ("GET /graphql HTTP/1.1", "s3", "buckets"),
            ("GET /metrics HTTP/1.1", "media.s3", "bucket media"),
            ("PUT /graphql HTTP/1.1", "media.s3", "bucket media"),
            ("POST /graphql HTTP/1.1", "abcdef.appsync-api", "/graphql"),
            ("GET /graphql?query=%7Ba%7D HTTP/1.1", "abcdef.appsync-api", "/graphql"),
            ("OPTIONS /graphql HTTP/1.1", "abcdef.appsync-api", "other method of /graphql"),
            ("GET /graphql/realtime HTTP/1.1", "abcdef.appsync-api", "nothing of appSync"),
            ("GET /graphql?header=e30= HTTP/1.1", "abcdef.appsync-realtime-api", "/graphql/realtime"),
            ("DELETE /graphql HTTP/1.1", "abcdef.appsync-realtime-api", "other method of /graphql/realtime"),
            ("GET /graphql/realtime HTTP/1.1", "abcdef.appsync-realtime-api", "nothing of appSyncRealtime"),
        ])
    func services(head: String, name: String, expected: String) throws {
        let host = "\(name).eu-west-1.amazonaws.com"
        #expect(try Self.route("\(head)\r\nHost: \(host)") == expected)
        // In any case, with a port, and with the dot of a name that is whole.
        #expect(try Self.route("\(head)\r\nHost: \(host.uppercased()):443") == expected)
        #expect(try Self.route("\(head)\r\nHost: \(host).") == expected)
        let seen = try Self.route("\(head)\r\nHost: \(host)", isSecure: true, serverName: host)
        #expect(seen == expected)
    }

    @Test("the domain of the hosted pages has these and the documents of its pool")
    func hostedPages() throws {
        for (path, expected) in [
            ("/login", "/login"), ("/oauth2/authorize", "/oauth2/authorize"),
            ("/.well-known/jwks.json", "/.well-known/jwks.json"),
            ("/graphql", "nothing of hostedPages(poolID: \"eu-west-1_Ab3dE6gHi\")"),
        ] {
            let head = "GET \(path) HTTP/1.1\r\nHost: myapp.auth.eu-west-1.amazoncognito.com"
            #expect(try Self.route(head) == expected)
        }
    }

    @Test("no path of operators, of probes or of developers is behind an AWS hostname")
    func operators() throws {
        let names = try Self.configuration().awsNames.hosts
        for path in [
            "/metrics", "/clear-data", "/operators/v1/connect", "/operators/v1/config-files/x.json", "/api-config",
            "/schema.graphql", "/schema.json", "/health", "/ready", "/ping",
        ] {
            for host in names {
                for method in ["GET", "POST", "DELETE", "OPTIONS"] {
                    let seen = try Self.route("\(method) \(path) HTTP/1.1\r\nHost: \(host.name)") ?? "other"
                    // To S3 it is the name of a bucket or of an object.
                    #expect(seen.hasPrefix("nothing") || seen.hasPrefix("bucket"), "\(path) at \(host.name): \(seen)")
                }
            }
        }
    }

    @Test("an AWS hostname that is not the project's is misdirected, and any other name is none of AWS's")
    func others() throws {
        for host in [
            "dynamodb.eu-west-1.amazonaws.com", "s3.us-east-1.amazonaws.com", "other.s3.eu-west-1.amazonaws.com",
            "x.amazoncognito.com", "s3.cn-north-1.amazonaws.com.cn", "a.myapp.auth.eu-west-1.amazoncognito.com",
        ] {
            #expect(try Self.route("GET / HTTP/1.1\r\nHost: \(host)") == "misdirected", "\(host)")
        }
        for host in [
            "localhost:20002", "127.0.0.1", "[::1]:443", "amazonaws.com.example.com", "notamazonaws.com", "example.cn",
            "m", "api.example.com", "s3.eu-west-1.amazonaws.community",
        ] {
            #expect(try Self.route("GET / HTTP/1.1\r\nHost: \(host)") == nil, "\(host)")
        }
    }

    @Test("the name of the TLS handshake and the Host must be one, unless a trusted proxy forwards")
    func serverNames() throws {
        let (idp, s3) = ("cognito-idp.eu-west-1.amazonaws.com", "s3.eu-west-1.amazonaws.com")
        let rows: [(host: String, name: String?, isForwarded: Bool, expected: String?)] = [
            (s3, s3, false, "buckets"), ("S3.eu-west-1.amazonaws.com.:443", s3, false, "buckets"),
            (s3, idp, false, "misdirected"), (s3, nil, false, "misdirected"), ("localhost", s3, false, "misdirected"),
            ("other.s3.eu-west-1.amazonaws.com", s3, false, "misdirected"), ("localhost", nil, false, nil),
            (s3, nil, true, "buckets"), (s3, idp, true, "buckets"), ("localhost", s3, true, nil),
        ]
        for row in rows {
            let seen = try Self.route(
                "GET / HTTP/1.1\r\nHost: \(row.host)", isSecure: true, isForwarded: row.isForwarded,
                serverName: row.name)
            #expect(seen == row.expected, "\(row)")
        }
        // Names of no project, and a server that serves none: a client of the proxy must not get what local programs get.
        let (old, head) = ("old.s3.eu-west-1.amazonaws.com", "DELETE /clear-data HTTP/1.1\r\nHost: ")
        #expect(try Self.route(head + "127.0.0.1", isSecure: true, serverName: old) == "misdirected")
        #expect(try Self.route(head + "127.0.0.1", isSecure: true, serverName: "", hasNames: false) == "misdirected")
        #expect(try Self.route(head + "127.0.0.1", isSecure: true, serverName: old, hasNames: false) == "misdirected")
        #expect(try Self.route(head + "\(old):443", isSecure: true, serverName: old, hasNames: false) == nil)
        #expect(try Self.route(head + "127.0.0.1", isSecure: true, hasNames: false) == nil)
    }

    // MARK: - With a server

    @Test(
        "a client that asks for an AWS hostname is held to it, in whatever records its ClientHello is",
        arguments: [true, false])
    func handshakes(servesNames: Bool) async throws {
        let home = try TemporaryFolder()
        defer { home.remove() }
        try await Self.with {
            ($0.tls.setting, $0.userFolder) = (.auto, home.path("home"))
            $0.awsNameOptions.isOn = servesNames
        } _: { server in
            for name in ["cognito-idp.eu-west-1.amazonaws.com", "old.s3.eu-west-1.amazonaws.com"] {
                for splitsHello in [false, true] {
                    func status(_ host: String) async throws -> Substring? {
                        try await TLSClient.get(
                            "/health", port: server.port, host: name, httpHost: host, authority: nil,
                            splitsHello: splitsHello
                        ).split(separator: " ").dropFirst().first
                    }
                    #expect(try await status("127.0.0.1") == "421", "\(name), \(splitsHello)")
                    #expect(try await status("localhost") == "421")
                    if !servesNames { #expect(try await status(name) == "200") }
                }
            }
            let own = try await TLSClient.get(
                "/health", port: server.port, host: "localhost", httpHost: "127.0.0.1", authority: nil,
                splitsHello: true)
            #expect(own.hasPrefix("HTTP/1.1 200 "))
        }
    }

    private static let key = ("AKIAEXAMPLEKEY000001", "secretEXAMPLE+/key")

    private static func with(
        _ change: (inout Configuration) -> Void = { _ in }, _ body: (TestServer) async throws -> Void
    ) async throws {
        let given = try configuration()
        try await TestServer.with(
            schema: "type Note @model { id: ID! text: String }", mode: .serve,
            {
                ($0.awsNameOptions, $0.region) = (given.awsNameOptions, given.region)
                ($0.userPools, $0.storage, $0.analytics) = (given.userPools, given.storage, given.analytics)
                $0.userPools.accessKeys = [.init(id: key.0, secret: key.1)]
                change(&$0)
            }, body)
    }

    /// Sends a signed request with the `Host` of a service.
    private static func ask(
        _ server: TestServer, _ method: String, _ path: String, host: String, _ service: String,
        headers: [(String, String)] = [], body: String = ""
    ) throws -> Client.Answer {
        let client = try server.connect()
        try client.send(
            BucketTests.request(
                method, path, host: host, headers: headers, body: Array(body.utf8),
                by: RequestSigner(accessKeyID: key.0, secret: key.1, region: "eu-west-1", service: service)))
        return try client.receive()
    }

    @Test("the operations of every service work by the service's own host, signed for it")
    func operations() async throws {
        try await Self.with { server in
            let amazonJSON = ("Content-Type", "application/x-amz-json-1.1")
            let pools = try Self.ask(
                server, "POST", "/", host: "cognito-idp.eu-west-1.amazonaws.com", "cognito-idp",
                headers: [amazonJSON, ("X-Amz-Target", "AWSCognitoIdentityProviderService.ListUserPools")],
                body: #"{"MaxResults": 1}"#)
            #expect(pools.status == 200 && pools.body.contains("eu-west-1_Ab3dE6gHi"), "\(pools.body)")
            let identity = try Self.ask(
                server, "POST", "/", host: "cognito-identity.eu-west-1.amazonaws.com", "cognito-identity",
                headers: [amazonJSON, ("X-Amz-Target", "AWSCognitoIdentityService.GetId")],
                body: #"{"IdentityPoolId": "eu-west-1:00000000-0000-0000-0000-000000000000"}"#)
            #expect(identity["x-amzn-errortype"] == ["ResourceNotFoundException:"], "\(identity.body)")
            let caller = try Self.ask(
                server, "POST", "/", host: "sts.eu-west-1.amazonaws.com", "sts",
                headers: [("Content-Type", "application/x-www-form-urlencoded")],
                body: "Action=GetCallerIdentity&Version=2011-06-15")
            #expect(caller.status == 200 && caller.body.contains("<GetCallerIdentityResult>"), "\(caller.body)")
            let event = try Self.ask(
                server, "PUT", "/v1/apps/app-1/endpoints/e1", host: "pinpoint.eu-west-1.amazonaws.com",
                "mobiletargeting", headers: [("Content-Type", "application/json")],
                body: #"{"Address": "a", "ChannelType": "APNS"}"#)
            #expect(event.status == 202, "\(event.body)")

            let virtual = "media.s3.eu-west-1.amazonaws.com"
            // A path that is a route's is the name of an object here.
            let put = try Self.ask(server, "PUT", "/metrics", host: virtual, "s3", body: "hello")
            #expect(put.status == 200, "\(put.body)")
            let get = try Self.ask(server, "GET", "/media/metrics", host: "s3.eu-west-1.amazonaws.com", "s3")
            #expect(get.status == 200 && get.body == "hello")
            // With a port, as a client sends that is given one.
            #expect(try Self.ask(server, "GET", "/metrics", host: "\(virtual):8443", "s3").body == "hello")
            var presigned = SignedRequest(method: "GET", path: "/metrics", headers: [("host", virtual)])
            try RequestSigner(accessKeyID: Self.key.0, secret: Self.key.1, region: "eu-west-1", service: "s3")
                .presign(&presigned, now: Int64(Date().timeIntervalSince1970), expiresSeconds: 60)
            let download = try server.connect().ask(
                "GET", "/metrics?\(presigned.query)", headers: ["Host": virtual])
            #expect(download.status == 200 && download.body == "hello")
            let foreign = try server.connect().ask(
                "GET", "/metrics?\(presigned.query)", headers: ["Host": "s3.eu-west-1.amazonaws.com"])
            #expect(foreign.status >= 400, "the signature is over the Host")
            let denied = try server.connect().ask("GET", "/metrics", headers: ["Host": virtual])
            #expect(denied.status == 403 && denied.body.contains("<Code>AccessDenied</Code>"))

            let graphQL = try server.connect().ask(
                "POST", "/graphql",
                headers: [
                    "Host": "abcdef.appsync-api.eu-west-1.amazonaws.com", "x-api-key": TestServer.key,
                    "Content-Type": "application/json",
                ], body: #"{"query": "{ __typename }"}"#)
            #expect(graphQL.body == #"{"data":{"__typename":"Query"}}"#, "the default key is accepted for this Host")
        }
    }

    @Test("what a service does not have is refused in its own form, and other hosts with 421")
    func refusals() async throws {
        try await Self.with { server in
            func ask(_ method: String, _ path: String, _ host: String) throws -> Client.Answer {
                try server.connect().ask(method, path, headers: ["Host": host])
            }
            let region = "eu-west-1.amazonaws.com"
            for path in ["/health", "/graphql", "/login"] {
                let cognito = try ask("GET", path, "cognito-idp.\(region)")
                #expect(cognito.status == 400 && cognito["x-amzn-errortype"] == ["UnknownOperationException:"])
                let pinpoint = try ask("GET", path, "pinpoint.\(region)")
                #expect(pinpoint.status == 404 && pinpoint["x-amzn-errortype"] == ["NotFoundException"])
            }
            let appSync = try ask("GET", "/metrics", "abcdef.appsync-api.\(region)")
            #expect(appSync.status == 404 && appSync["x-amzn-errortype"] == ["UnknownOperationException"])
            let preflight = try server.connect().ask(
                "OPTIONS", "/",
                headers: [
                    "Host": "cognito-idp.\(region)", "Origin": "http://localhost:3000",
                    "Access-Control-Request-Method": "POST",
                ])
            #expect(preflight.status == 200)
            #expect(preflight["Access-Control-Allow-Methods"].first?.contains("POST") == true)
            for host in ["dynamodb.\(region)", "x.amazoncognito.com"] {
                let answer = try ask("POST", "/graphql", host)
                #expect(answer.status == 421 && answer["x-amzn-errortype"] == ["MisdirectedRequestException"])
            }
            #expect(try ask("GET", "/health", "localhost").status == 200)
        }
    }

    @Test("without awsNames, AWS hostnames are hosts like any other")
    func off() async throws {
        try await Self.with({ $0.awsNameOptions.isOn = false }) { server in
            let host = "cognito-idp.eu-west-1.amazonaws.com"
            #expect(try server.connect().ask("GET", "/health", headers: ["Host": host]).status == 200)
            let answer = try server.connect().ask(
                "POST", "/graphql", headers: ["Host": host, "x-api-key": TestServer.key],
                body: #"{"query": "{ __typename }"}"#)
            #expect(answer.status == 403, "the default key is for this server's own hosts")
        }
    }

    @Test("URLs for a client that came by an AWS hostname have this name and no port, whatever publicURL is")
    func urls() async throws {
        try await Self.with({
            $0.userPools.publicURL = "http://192.168.1.20:20002"
            $0.trustedProxies = TrustedProxies.trusting("127.0.0.1")
        }) { server in
            func ask(_ path: String, _ host: String) throws -> Client.Answer {
                try server.connect().ask(
                    "GET", path,
                    headers: ["Host": host, "X-Forwarded-For": "203.0.113.7", "X-Forwarded-Proto": "https"])
            }
            let pages = "myapp.auth.eu-west-1.amazoncognito.com"
            for host in [pages, "\(pages):8443"] {
                let document = try JSONReader.read(ask("/.well-known/openid-configuration", host).body)
                #expect(document["authorization_endpoint"]?.stringValue == "https://\(pages)/oauth2/authorize")
                #expect(
                    document["jwks_uri"]?.stringValue
                        == "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Ab3dE6gHi/.well-known/jwks.json")
                // Tokens name the issuer that they are signed as.
                #expect(document["issuer"]?.stringValue == "http://192.168.1.20:20002/eu-west-1_Ab3dE6gHi")
            }
            let own = try JSONReader.read(
                ask("/eu-west-1_Ab3dE6gHi/.well-known/openid-configuration", "localhost").body)
            #expect(own["authorization_endpoint"]?.stringValue == "http://192.168.1.20:20002/oauth2/authorize")
        }
    }

    @Test(
        "the realtime URLs that clients derive from an endpoint of AppSync lead to the WebSockets",
        arguments: ["abcdefghijklmnopqrstuvwxyz", "da4b2cdefghijklmnopqrs1234"])
    func realtimeURLs(label: String) throws {
        let endpoint = "https://\(label).appsync-api.eu-west-1.amazonaws.com/graphql"
        var configuration = Configuration()
        configuration.region = "eu-west-1"
        configuration.awsNameOptions.appSyncEndpoints = [try #require(AWSNameOptions.AppSyncEndpoint(endpoint))]
        let names = configuration.awsNames
        // amplify-swift, AppSyncRealTimeClientFactory.swift: the host's "appsync-api" is replaced, the path stays.
        let host = try #require(URLComponents(string: endpoint)?.host)
        #expect(names.service(of: host) == .appSync)
        let ofSwift = host.replacingOccurrences(of: "appsync-api", with: "appsync-realtime-api")
        #expect(names.service(of: ofSwift) == .appSyncRealtime)
        // amplify-js, appsyncUrl.ts: an endpoint that matches the pattern is rewritten, any other gets "/realtime".
        let pattern = #/^https:\/\/\w{26}\.appsync\-api\.\w{2}(?:(?:\-\w{2,})+)\-\d\.amazonaws.com(?:\.cn)?\/graphql$/#
        #expect(endpoint.wholeMatch(of: pattern) != nil)
        let ofJS = endpoint.replacingOccurrences(of: "https", with: "wss")
            .replacingOccurrences(of: "appsync-api", with: "appsync-realtime-api")
        #expect(names.service(of: try #require(URLComponents(string: ofJS)?.host)) == .appSyncRealtime)
        #expect(URLComponents(string: ofJS)?.path == "/graphql")
    }
}
