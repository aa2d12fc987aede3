import Testing

@testable import Server

/// Which URL each client makes of which configuration. The cases are those of the clients' own sources and tests.
@Suite("The URLs that clients make of their configuration")
struct ClientURLTests {
    private static let id = "abcdefghijklmnopqrstuvwxyz"

    @Test("amplify-swift renames a host of AWS, and appends a path to any other URL, whose scheme and port stay")
    func swift() {
        let rows: [(String, String?)] = [
            // AppSyncRealTimeClientFactoryTests of amplify-swift.
            ("https://abc.appsync-api.amazonaws.com/graphql", "wss://abc.appsync-realtime-api.amazonaws.com/graphql"),
            (
                "https://abc.appsync-api.amazonaws.com.cn/graphql",
                "wss://abc.appsync-realtime-api.amazonaws.com.cn/graphql"
            ),
            (
                "wss://abc.appsync-realtime-api.amazonaws.com/graphql",
                "wss://abc.appsync-realtime-api.amazonaws.com/graphql"
            ),
            ("https://test.example.com/graphql", "https://test.example.com/graphql/realtime"),
            ("http://localhost:20002/graphql", "http://localhost:20002/graphql/realtime"),
            ("https://localhost:20002/graphql", "https://localhost:20002/graphql/realtime"),
            ("https://localhost:20002/graphql/", "https://localhost:20002/graphql/realtime"),
            // Any region, an invented one too.
            (
                "https://x.appsync-api.local-1.amazonaws.com/graphql",
                "wss://x.appsync-realtime-api.local-1.amazonaws.com/graphql"
            ),
            ("localhost:20002", nil),
        ]
        for (endpoint, url) in rows {
            #expect(ClientURLs.realtime(.amplifySwift, endpoint: endpoint) == url, "\(endpoint)")
        }
    }

    @Test("amplify-js takes https and http to wss, at the same port, and knows an AWS host by its form alone")
    func javaScript() {
        let rows = [
            ("http://localhost:20002/graphql", "wss://localhost:20002/graphql/realtime"),
            ("https://localhost:20002/graphql", "wss://localhost:20002/graphql/realtime"),
            (
                "https://\(Self.id).appsync-api.eu-west-1.amazonaws.com/graphql",
                "wss://\(Self.id).appsync-realtime-api.eu-west-1.amazonaws.com/graphql"
            ),
            (
                "https://\(Self.id).appsync-api.cn-north-1.amazonaws.com.cn/graphql",
                "wss://\(Self.id).appsync-realtime-api.cn-north-1.amazonaws.com.cn/graphql"
            ),
            // An id of another length, and a region that is none: a custom domain, so the WebSocket stays at that host.
            (
                "https://abc.appsync-api.eu-west-1.amazonaws.com/graphql",
                "wss://abc.appsync-api.eu-west-1.amazonaws.com/graphql/realtime"
            ),
            (
                "https://\(Self.id).appsync-api.local-1.amazonaws.com/graphql",
                "wss://\(Self.id).appsync-api.local-1.amazonaws.com/graphql/realtime"
            ),
        ]
        for (endpoint, url) in rows {
            #expect(ClientURLs.realtime(.amplifyJS, endpoint: endpoint) == url, "\(endpoint)")
        }
    }

    @Test("the Apollo link keeps clear text clear, and does not know China's domain")
    func link() {
        let rows = [
            ("http://localhost:20002/graphql", "ws://localhost:20002/graphql/realtime"),
            ("https://localhost:20002/graphql", "wss://localhost:20002/graphql/realtime"),
            (
                "https://\(Self.id).appsync-api.cn-north-1.amazonaws.com.cn/graphql",
                "wss://\(Self.id).appsync-api.cn-north-1.amazonaws.com.cn/graphql/realtime"
            ),
        ]
        for (endpoint, url) in rows {
            #expect(ClientURLs.realtime(.appSyncLink, endpoint: endpoint) == url, "\(endpoint)")
        }
    }

    @Test("amplify-android and amplify-flutter drop the port of subscriptions, and flutter the path")
    func mobile() {
        let endpoint = "http://10.0.2.2:20002/api/graphql"
        #expect(ClientURLs.realtime(.amplifyAndroid, endpoint: endpoint) == "wss://10.0.2.2/api/graphql/realtime")
        #expect(
            ClientURLs.realtime(.amplifyFlutter, endpoint: endpoint) == "wss://10.0.2.2/graphql/realtime?payload=e30%3D"
        )
        let aws = "https://\(Self.id).appsync-api.eu-west-1.amazonaws.com/graphql"
        let realtime = "wss://\(Self.id).appsync-realtime-api.eu-west-1.amazonaws.com/graphql"
        #expect(ClientURLs.realtime(.amplifyAndroid, endpoint: aws) == realtime)
        #expect(ClientURLs.realtime(.amplifyFlutter, endpoint: aws) == "\(realtime)?payload=e30%3D")
    }

    @Test("gql opens a WebSocket for an https URL, at the same path, and none for http")
    func gql() {
        #expect(
            ClientURLs.realtime(.gql, endpoint: "https://localhost:20002/graphql") == "wss://localhost:20002/graphql")
        #expect(ClientURLs.realtime(.gql, endpoint: "ws://localhost:20002/graphql") == "ws://localhost:20002/graphql")
        #expect(ClientURLs.realtime(.gql, endpoint: "http://localhost:20002/graphql") == nil)
    }

    @Test("amplify-swift's user pool is a host, whose port is dropped; a scheme or a path is an error")
    func swiftUserPool() {
        #expect(ClientURLs.swiftUserPool(endpoint: "auth.example.test") == "https://auth.example.test/")
        #expect(ClientURLs.swiftUserPool(endpoint: "auth.example.test:8443") == "https://auth.example.test/")
        #expect(ClientURLs.swiftUserPool(endpoint: "https://auth.example.test") == nil)
        #expect(ClientURLs.swiftUserPool(endpoint: "auth.example.test/path") == nil)
    }

    @Test("the hosted pages of amplify-swift have no port, those of amplify-js may")
    func hostedPages() {
        #expect(ClientURLs.swiftHostedPages(domain: "a.example") == "https://a.example/oauth2/authorize")
        #expect(ClientURLs.swiftHostedPages(domain: "a.example:8443") == nil)
        #expect(ClientURLs.jsHostedPages(domain: "a.example:8443") == "https://a.example:8443/oauth2/authorize")
    }

    @Test("amplify-swift's transfers drop the port, and name the bucket before a host, or in the path of an address")
    func transfers() {
        let rows = [
            ("https://s3.example.test:8443", "https://photos.s3.example.test/KEY"),
            ("https://s3.example.test", "https://photos.s3.example.test/KEY"),
            ("http://127.0.0.1:20002", "http://127.0.0.1/photos/KEY"),
            ("https://[::1]:8443", "https://[::1]/photos/KEY"),
        ]
        for (endpoint, url) in rows { #expect(ClientURLs.swiftTransfer(endpoint: endpoint, bucket: "photos") == url) }
    }
}

@Suite("What 'reach' proposes to clients")
struct ReachAdviceTests {
    private typealias Port = ReachableServer.Port

    private func server(_ ports: [ReachableServer.Port], host: String = "127.0.0.1", names: Bool = true)
        -> ReachableServer
    {
        ReachableServer(
            host: host, ports: ports,
            awsHosts: [AWSHost(name: "s3.eu-west-1.amazonaws.com", service: .s3)], servesAWSNames: names,
            buckets: ["photos"])
    }

    private static let both = Port(number: 20_002, acceptsPlainHTTP: true, acceptsTLS: true)
    private static let clear = Port(number: 20_002, acceptsPlainHTTP: true, acceptsTLS: false)
    private static let standard = Port(number: 443, acceptsPlainHTTP: false, acceptsTLS: true)

    private func advice(_ client: ReachClient, _ server: ReachableServer, _ part: String) -> [ReachAdvice] {
        ReachAdvice.list(for: client, server).filter { $0.part == part }
    }

    @Test("a port is digits alone", arguments: ["+443", "-1", "0x50", " 443", "4 3", "0", "65536", ""])
    func ports(port: String) {
        #expect(ReachURL("https://api.example.test:\(port)/graphql") == nil)
        #expect(ReachURL("https://api.example.test:8443/graphql")?.port == 8_443)
    }

    @Test("every URL that a client makes of what is proposed is one that the server answers")
    func answered() throws {
        let lists: [[ReachableServer.Port]] = [
            [Self.both], [Self.clear], [Self.standard], [Self.both, Self.standard], [Self.clear, Self.standard],
            [Port(number: 80, acceptsPlainHTTP: true, acceptsTLS: false)],
            [Port(number: 8443, acceptsPlainHTTP: false, acceptsTLS: true)],
            [Port(number: 443, acceptsPlainHTTP: true, acceptsTLS: true)], [],
        ]
        var count = 0
        for ports in lists {
            for host in ["127.0.0.1", "api.example.test", "[::1]"] {
                let server = server(ports, host: host)
                for client in ReachClient.allCases {
                    for advice in ReachAdvice.list(for: client, server) {
                        guard advice.method == .setting || advice.method == .environment else {
                            #expect(advice.url == nil && advice.value.isEmpty, "\(client): \(advice)")
                            continue
                        }
                        let url = try #require(advice.url.flatMap { ReachURL($0) })
                        #expect(server.answers(url), "\(client): \(advice)")
                        count += 1
                    }
                }
            }
        }
        #expect(count > 100)
    }

    @Test("a port that amplify-swift would drop is not proposed")
    func droppedPorts() throws {
        let high = server([Self.both])
        #expect(advice(.amplifySwift, high, "user pool").map(\.method) == [.environment])
        #expect(advice(.amplifySwift, high, "storage").map(\.method) == [.unreachable])
        #expect(advice(.amplifySwift, high, "hosted pages").map(\.method) == [.unreachable])
        #expect(advice(.amplifySwift, high, "subscriptions").first?.url == "http://127.0.0.1:20002/graphql/realtime")
        #expect(advice(.amplifySwift, high, "identity pool").first?.value == "http://127.0.0.1:20002")

        let standard = server([Self.both, Self.standard])
        let pools = advice(.amplifySwift, standard, "user pool")
        #expect(
            pools.map(\.name) == ["CognitoUserPool.Default.Endpoint", "AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER"])
        #expect(pools.map(\.value) == ["127.0.0.1", "https://127.0.0.1"])
        let storage = try #require(advice(.amplifySwift, standard, "storage").first)
        #expect(
            storage.value == "https://127.0.0.1" && storage.url == "https://127.0.0.1/photos/KEY" && storage.note == nil
        )
        let named = advice(.amplifySwift, server([Self.standard], host: "s3.example.test"), "storage").first
        #expect(
            named?.url == "https://photos.s3.example.test/KEY" && named?.note?.contains("storage.baseHosts") == true)
    }

    @Test("amplify-js has one URL for queries and subscriptions, so it needs TLS at its port")
    func javaScript() {
        #expect(advice(.amplifyJS, server([Self.both]), "API").first?.value == "http://127.0.0.1:20002/graphql")
        #expect(
            advice(.amplifyJS, server([Self.both]), "subscriptions").first?.url
                == "wss://127.0.0.1:20002/graphql/realtime")
        #expect(advice(.amplifyJS, server([Self.clear]), "API").first?.method == ReachAdvice.Method.unreachable)
        #expect(
            advice(.amplifyJS, server([Self.clear, Self.standard]), "API").first?.value == "https://127.0.0.1/graphql")
        #expect(advice(.amplifyJS, server([Self.both]), "storage").first?.method == .awsNames)
        #expect(advice(.amplifyJS, server([Self.both]), "storage").first?.note == nil)
        #expect(
            advice(.amplifyJS, server([Self.both], names: false), "storage").first?.note?.contains("--aws-names")
                == true)
    }

    @Test("the mobile clients' subscriptions need port 443, and the advice says so")
    func mobile() {
        for client in [ReachClient.amplifyAndroid, .amplifyFlutter] {
            let high = advice(client, server([Self.both]), "subscriptions").first
            #expect(high?.method == ReachAdvice.Method.unreachable && high?.note?.contains("listen at 443") == true)
            #expect(advice(client, server([Self.both, Self.standard]), "subscriptions").first?.method == .setting)
        }
    }
}
