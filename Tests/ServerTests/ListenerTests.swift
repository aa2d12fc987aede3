import Foundation
import Testing

@testable import HTTP
@testable import Server

@Suite("Further listeners")
struct ListenerTests {
    /// The configuration of a file's text and flags.
    private static func examine(
        _ file: String, _ flags: [Setting: [String]] = [:], environment: [String: String] = [:]
    ) throws -> (configuration: Configuration, error: ServerError?) {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(file, to: "syncline.json")
        return Configuration.examine(
            SettingTexts(
                for: .serve, flags: flags.merging([.config: [folder.path("syncline.json")]]) { own, _ in own },
                environment: environment))
    }

    @Test("are read from the file, the flag and the variable, each with its protocol")
    func reading() throws {
        let file = """
            {"host": "127.0.0.2", "listeners": [{"host": "0.0.0.0", "port": 443, "protocol": "tls"}, {"port": 8080},
             {"host": "[::1]", "port": 80, "protocol": "redirect"}]}
            """
        let expected = ["0.0.0.0 443 tls", "127.0.0.2 8080 any", "::1 80 redirect"]
        func words(_ configuration: Configuration) -> [String] {
            configuration.address.listeners.map { "\($0.host) \($0.port) \($0.listenerProtocol)" }
        }
        #expect(words(try Self.examine(file).configuration) == expected)
        let flags = ["0.0.0.0:443,tls", "127.0.0.2:8080", "[::1]:80,redirect"]
        #expect(words(try Self.examine("{}", [.listen: flags]).configuration) == expected)
        let variable = ["SYNCLINE_LISTEN": flags.joined(separator: " ")]
        #expect(words(try Self.examine("{}", environment: variable).configuration) == expected)
        // Without a host of its own, a listener has that of the server, whatever says it.
        #expect(words(try Self.examine(file, [.host: ["::1"]]).configuration)[1] == "::1 8080 any")
    }

    @Test(
        "a text that is no address with a port, and perhaps a protocol, is refused",
        arguments: [
            "443", ":443", "localhost:0443", "localhost:+443", "localhost", "localhost:", "localhost:65536",
            "localhost:-1", "::1:443", "[::1]", "[]:1",
            "localhost:1,", "localhost:1,http", "localhost:1,tls,redirect", "",
        ])
    func refused(text: String) throws {
        #expect(Listener(text) == nil)
        guard !text.isEmpty else { return }
        let error = try Self.examine("{}", [.listen: [text]]).error
        #expect(error?.text.contains("(at most 16), and not '\(text)'") == true, "\(error?.text ?? "")")
    }

    @Test("the file's list is checked at each place, and has sixteen elements at most")
    func wrongFiles() throws {
        let many = (0..<17).map { "{\"port\": \($0)}" }.joined(separator: ",")
        for (file, part) in [
            (#"{"listeners": {"port": 1}}"#, "'listeners' is a list of objects"),
            (#"{"listeners": [443]}"#, "A listener is an object"),
            (#"{"listeners": [{"host": "::1"}]}"#, "A listener has a 'port'."),
            (#"{"listeners": [{"port": 65536}]}"#, "'listeners.0.port' is a whole number"),
            (#"{"listeners": [{"port": 1, "protocol": "http"}]}"#, "is one of \"any\", \"tls\", \"redirect\""),
            (#"{"listeners": [{"port": 1, "prot": "tls"}]}"#, "Unknown key 'listeners.0.prot'"),
            ("{\"listeners\": [\(many)]}", "There are at most 16 listeners, and not 17."),
        ] {
            let error = try Self.examine(file).error
            #expect(error?.text.contains(part) == true, "\(error?.text ?? "no error")")
        }
        let error = try Self.examine("{}", [.listen: (0..<17).map { "localhost:\($0)" }]).error
        #expect(error?.text.contains("--listen is HOST:PORT") == true)
    }

    @Test("an address beyond loopback needs a key of one's own, whichever listener it is")
    func exposed() throws {
        var address = ListenAddress()
        #expect(address.isLoopback)
        address.listeners = [Listener(host: "::1", port: 0), Listener(host: "0.0.0.0", port: 0, .redirect)]
        #expect(!address.isLoopback && address.exposedHost == "0.0.0.0")
        let error = #expect(throws: ServerError.self) { try APIKeys().check(for: address) }
        #expect(error?.text.contains("0.0.0.0 can be reached from other machines") == true)
    }

    @Test("a port that may not be listened on is an error that names the privilege and the way around it")
    func notAllowed() throws {
        let error = ServerError(
            listening: HTTPServerError(code: .notAllowed, message: "Cannot listen on 0.0.0.0:443: not allowed."),
            host: "0.0.0.0", port: 443, .listen)
        #expect(error.code == .address && error.text.contains("Cannot listen on 0.0.0.0:443: not allowed."))
        #expect(error.text.contains("setcap cap_net_bind_service=+ep") && error.text.contains("forward 443 to it"))
    }

    @Test("tls and redirect need certificates, as --tls-only does")
    func certificates() throws {
        for text in ["127.0.0.1:0,tls", "127.0.0.1:0,redirect"] {
            let listener = try #require(Listener(text))
            let error = #expect(throws: ServerError.self) { try TLSOptions().check(.off, [listener]) }
            #expect(error?.text.contains("--listen with tls or redirect needs certificates") == true)
            #expect(throws: Never.self) { try TLSOptions().check(.auto, [listener]) }
        }
        #expect(throws: Never.self) { try TLSOptions().check(.off, [Listener(host: "h", port: 0)]) }
    }

    // MARK: Redirects

    @Test(
        "a request is sent to https on the same host of this server, with its path and query; never to another host",
        arguments: [
            ("GET /graphql?a=b%20c HTTP/1.1\r\nHost: localhost", "https://localhost:8443/graphql?a=b%20c"),
            ("POST / HTTP/1.1\r\nHost: LOCALHOST:80", "https://localhost:8443/"),
            ("GET /a HTTP/1.1\r\nHost: api.example.test.:80", "https://api.example.test:8443/a"),
            ("GET /a HTTP/1.1\r\nHost: x.wild.test", "https://x.wild.test:8443/a"),
            ("GET /k HTTP/1.1\r\nHost: media.files.test", "https://media.files.test:8443/k"),
            ("GET /? HTTP/1.1\r\nHost: [::1]:80", "https://[::1]:8443/?"),
            ("GET / HTTP/1.1\r\nHost: 192.168.1.20", "https://192.168.1.20:8443/"),
            ("GET http://localhost/x HTTP/1.1\r\nHost: localhost", "https://localhost:8443/x"),
            ("GET //evil.example/ HTTP/1.1\r\nHost: localhost", "https://localhost:8443//evil.example/"),
            ("OPTIONS * HTTP/1.1\r\nHost: localhost", "https://localhost:8443/"),
            ("GET / HTTP/1.1\r\nHost: s3.us-east-1.amazonaws.com", "https://s3.us-east-1.amazonaws.com:8443/"),
            ("GET / HTTP/1.1\r\nHost: dynamodb.us-east-1.amazonaws.com", nil),
            ("GET / HTTP/1.1\r\nHost: evil.example", nil), ("GET / HTTP/1.1\r\nHost: 1.2.3.4.5.6", nil),
            ("GET / HTTP/1.1\r\nHost: localhost.evil.example", nil),
            ("GET / HTTP/1.1\r\nHost: a.x.wild.test", nil), ("GET / HTTP/1.0", nil),
            ("GET http://evil.example/ HTTP/1.1\r\nHost: evil.example", nil), ("GET / HTTP/1.1\r\nHost: ", nil),
        ] as [(String, String?)])
    func location(head: String, expected: String?) throws {
        var configuration = Configuration()
        configuration.tls.hosts = ["api.example.test", "*.wild.test"]
        configuration.awsNameOptions.isOn = true
        configuration.storage = StorageOptions.read(#"{"name": "media", "baseHosts": ["files.test"]}"#)
        let redirection = Redirection(configuration)
        let request = try Request.read(head, isToBeRedirected: true)
        #expect(redirection.location(for: request, port: 8443) == expected)
        let usual = expected.map { $0.replacingOccurrences(of: ":8443", with: "") }
        #expect(redirection.location(for: request, port: 443) == usual)
    }

    @Test("the port of https is 443 where that is listened on, or else that for TLS alone, or else the first")
    func port() {
        #expect(Redirection.port(main: 20_002, tls: 8443, others: [443]) == 443)
        #expect(Redirection.port(main: 20_002, tls: 8443, others: [9000]) == 8443)
        #expect(Redirection.port(main: 20_002, tls: nil, others: [9000]) == 20_002)
    }

    @Test("several listeners serve at once, the ready file names all, and a redirect sends clear text to https")
    func serving() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await TestServer.with(mode: .serve) { configuration in
            configuration.tls.setting = .auto
            configuration.userFolder = folder.path("home")
            configuration.readyFile = folder.path("ready")
            configuration.trustedProxies = TrustedProxies.trusting("127.0.0.1")
            configuration.address.listeners = [
                Listener(host: "127.0.0.1", port: 0), Listener(host: "127.0.0.1", port: 0, .tls),
                Listener(host: "127.0.0.1", port: 0, .redirect),
            ]
        } _: { server in
            let urls = server.service.urls
            #expect(
                try String(decoding: Files.read(folder.path("ready")), as: UTF8.self) == urls.joined(separator: "\n")
                    + "\n")
            #expect(urls.map { $0.prefix(5) } == ["http:", "http:", "https", "http:"])
            let ports = urls.compactMap { URLComponents(string: $0)?.port }
            #expect(Set(ports).count == 4)
            let authority = try #require(server.service.tls?.authorityFile)
            for port in ports.prefix(3) {
                let answer = try await TLSClient.get("/health", port: port, authority: authority)
                #expect(answer.hasPrefix("HTTP/1.1 200 "))
            }
            #expect(try Client(port: ports[1]).ask("GET", "/health", headers: [:]).status == 200)
            #expect(try Client(port: ports[2]).ask("GET", "/health", headers: [:]).status == 400)

            func redirect(_ headers: [String: String], _ path: String = "/health", body: String = "") throws
                -> Client.Answer
            {
                try Client(port: ports[3]).ask(
                    body.isEmpty ? "GET" : "POST", path,
                    headers: headers.merging(["Host": "localhost"]) { own, _ in own },
                    body: body)
            }
            let plain = try redirect([:], "/health?a=1")
            #expect(plain.status == 308 && plain["Location"] == ["https://localhost:\(server.port)/health?a=1"])
            let posted = try redirect(["x-api-key": TestServer.key], "/graphql", body: #"{"query": "{ __typename }"}"#)
            #expect(posted.status == 308 && posted["Location"] == ["https://localhost:\(server.port)/graphql"])
            let foreign = try redirect(["Host": "evil.example"])
            #expect(foreign.status == 400 && foreign["Location"].isEmpty)
            let upgrade = try redirect(
                [
                    "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
                    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
                ], "/graphql/realtime")
            #expect(upgrade.status == 400 && upgrade.body.contains("wss://") && upgrade["Location"].isEmpty)

            // What a trusted proxy has received by https is served, or it would come back for ever.
            let forwarded = ["X-Forwarded-For": "203.0.113.7"]
            #expect(try redirect(forwarded.merging(["X-Forwarded-Proto": "https"]) { $1 }).status == 200)
            #expect(try redirect(forwarded).status == 200)
            let byHTTP = try redirect(forwarded.merging(["X-Forwarded-Proto": "http"]) { $1 })
            #expect(byHTTP.status == 308 && byHTTP["Location"] == ["https://localhost/health"])
            // Of anybody else the header proves nothing: without an address of a client it is no proxy's.
            #expect(try redirect(["X-Forwarded-Proto": "https"]).status == 308)

            await #expect(throws: (any Error).self, "TLS is closed there") {
                try await TLSClient.get("/health", port: ports[3], authority: authority)
            }
        }
    }
}

extension StorageOptions {
    /// The options of a text.
    static func read(_ text: String) -> StorageOptions {
        var options = StorageOptions()
        guard let file = try? ConfigurationFile(name: "test", bytes: Array("{\"storage\": \(text)}".utf8)) else {
            return options
        }
        options.read(
            ConfigurationSection(file.value, at: [], of: file, findings: Findings()), functions: FunctionList())
        return options
    }
}
