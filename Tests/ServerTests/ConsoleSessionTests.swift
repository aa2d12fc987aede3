import Encodings
import JSON
import Synchronization
import Tables
import Testing

@testable import Server

@Suite("Sessions of the console: links, cookies and who they are for")
struct ConsoleSessionTests {
    private static let session = "/operators/v1/session"

    /// A server of a clock that stands, with data and the user's folder in a folder of its own.
    private func with(
        mode: Service.Mode = .dev, in folder: TemporaryFolder? = nil,
        _ change: (inout Configuration) -> Void = { _ in }, _ body: (Stage) async throws -> Void
    ) async throws {
        let own = try folder ?? TemporaryFolder()
        defer { if folder == nil { own.remove() } }
        let time = Time(milliseconds: Self.start)
        try await TestServer.with(mode: mode, clock: WallClock { time.milliseconds.withLock { $0 } }) {
            ($0.data.isEphemeral, $0.data.folder) = (false, own.path("data"))
            $0.userFolder = own.path("user")
            $0.console.isEnabled = true
            change(&$0)
        } _: { server in
            try await body(Stage(server: server, client: try server.connect(), time: time))
        }
    }

    private static let start: Int64 = 1_700_000_000_000

    final class Time: Sendable {
        let milliseconds: Mutex<Int64>
        init(milliseconds: Int64) { self.milliseconds = Mutex(milliseconds) }
        func pass(seconds: Int) { milliseconds.withLock { $0 += Int64(seconds) * 1_000 } }
    }

    /// A server and a browser.
    struct Stage {
        let server: TestServer
        let client: Client
        let time: Time

        var host: String { "127.0.0.1:\(server.port)" }

        /// A new link's secret.
        func link() throws -> String {
            String(try #require(server.service.makeConsoleURL()?.split(separator: "#link=").last))
        }

        func ask(
            _ method: String, _ path: String = session, _ headers: [String: String] = [:], body: String = ""
        ) throws -> Client.Answer {
            try client.ask(method, path, headers: headers.merging(["Host": host]) { first, _ in first }, body: body)
        }

        func signIn(_ link: String, _ headers: [String: String] = [:]) throws -> Client.Answer {
            try ask(
                "POST", session, headers.merging(["Content-Type": "application/json"]) { first, _ in first },
                body: #"{"link":"\#(link)"}"#)
        }

        /// The headers of a page of a new session.
        func page(_ link: String) throws -> [String: String] {
            let answer = try signIn(link)
            try #require(answer.status == 201, "\(answer.body)")
            let cookie = String(try #require(answer["set-cookie"].first).prefix { $0 != ";" })
            let csrf = try JSONReader.read(answer.body)["csrf"]?.stringValue ?? ""
            return ["Cookie": cookie, "x-syncline-csrf": csrf, "Content-Type": "application/json"]
        }

        func audit(_ headers: [String: String]) throws -> [JSONValue] {
            try JSONReader.read(ask("GET", "/operators/v1/audit", headers).body)["items"]?.arrayValue ?? []
        }
    }

    @Test("a link signs in once; the session says who it is, and the cookie is for these paths alone")
    func signIn() async throws {
        try await with { stage in
            let link = try stage.link()
            #expect(link.utf8.count == 43)
            #expect(try stage.ask("GET").status == 401)
            let answer = try stage.signIn(link)
            #expect(answer.status == 201 && answer["Cache-Control"] == ["no-store"])
            let cookie = try #require(answer["set-cookie"].first)
            #expect(
                cookie.hasPrefix("syncline-\(stage.server.port)=")
                    && cookie.hasSuffix("; Max-Age=2592000; Path=/operators; HttpOnly; SameSite=Strict"), "\(cookie)")
            let value = String(cookie.prefix { $0 != ";" })
            let described = try stage.ask("GET", Self.session, ["Cookie": "a=b; \(value)"])
            #expect(described.status == 200 && described["set-cookie"] == [cookie], "each visit extends it")
            let body = try JSONReader.read(described.body)
            #expect(body == (try JSONReader.read(answer.body)))
            #expect(body["role"] == "owner" && body["mode"] == "dev" && body["environment"] == "dev")
            #expect(body["operator"]?.stringValue?.hasPrefix("user ") == true)
            #expect(body["csrf"]?.stringValue?.utf8.count == 43 && body["serverId"]?.stringValue?.utf8.count == 16)
            #expect(body["expiresAt"] == "2023-12-14T22:13:20.000Z")
            #expect(body["hosts"]?.arrayValue == [.string(stage.host)])
            #expect(!cookie.contains(body["csrf"]?.stringValue ?? ""))

            let again = try stage.signIn(link)
            #expect(again.status == 401 && again["set-cookie"].isEmpty)
            #expect(try JSONReader.read(again.body)["error"]?["code"] == "signed_out")
            for other in ["syncline-1=\(value.split(separator: "=")[1])", "\(value)x", "syncline=1"] {
                #expect(try stage.ask("GET", Self.session, ["Cookie": other]).status == 401, "\(other)")
            }
            let entries = try stage.audit(["Cookie": value])
            #expect(entries.map { $0["action"]?.stringValue } == ["sessions.begin"])
        }
    }

    @Test("what changes something wants the secret of the session and JSON, whatever the cookie")
    func csrf() async throws {
        try await with { stage in
            let page = try stage.page(try stage.link())
            let path = "/operators/v1/operators"
            func create(_ name: String, _ headers: [String: String]) throws -> Int {
                try stage.ask("POST", path, headers, body: #"{"name":"\#(name)","role":"viewer"}"#).status
            }
            #expect(try create("ada", page) == 201)
            let other = try stage.page(try stage.link())
            for (change, status) in [
                (["x-syncline-csrf": ""], 403), (["x-syncline-csrf": other["x-syncline-csrf"] ?? ""], 403),
                (["Content-Type": "text/plain"], 422), (["Content-Type": "application/x-www-form-urlencoded"], 422),
                (["Origin": "http://127.0.0.1:3000"], 403), (["Origin": "http://\(stage.host)"], 201),
                (["Sec-Fetch-Site": "same-site"], 403), (["Sec-Fetch-Site": "same-origin"], 200 + 1),
                (["Host": "evil.example"], 421), (["Cookie": "none=1"], 401),
            ] {
                let headers = page.merging(change) { $1 }
                #expect(try create("op\(UInt32.random(in: .min ... .max))", headers) == status, "\(change)")
            }
            #expect(try stage.ask("DELETE", "\(path)/ada", ["Cookie": page["Cookie"] ?? ""]).status == 403)
            #expect(try stage.ask("GET", path, ["Cookie": page["Cookie"] ?? ""]).status == 200)
            #expect(
                try stage.ask("POST", Self.session, [:], body: #"{"link":"\#(try stage.link())"}"#).status == 422,
                "a form of another page can send no JSON")
        }
    }

    @Test("a session has its operator's role, and ends with the operator, its role or its token")
    func roles() async throws {
        try await with { stage in
            let configuration = stage.server.configuration
            let client = OperatorClient(configuration)
            func link(_ name: String) async throws -> String {
                String(try #require(try await client.consoleLink(for: name).split(separator: "#link=").last))
            }
            _ = try Operators.create("ada", role: .viewer, of: configuration)
            let page = try stage.page(try await link("ada"))
            let described = try JSONReader.read(stage.ask("GET", Self.session, page).body)
            #expect(described["operator"] == "ada" && described["role"] == "viewer")
            #expect(try stage.ask("GET", "/operators/v1/connect", page).status == 200)
            #expect(try stage.ask("GET", "/operators/v1/config-files/aws-exports.js", page).status == 403)
            let refused = try stage.ask("GET", "/operators/v1/operators", page)
            #expect(refused.status == 403 && refused.body.contains("needs the operator role owner"))
            let pending = try await link("ada")
            try Operators.revoke("ada", of: configuration)
            #expect(try stage.ask("GET", Self.session, page).status == 401)
            #expect(try stage.signIn(pending).status == 401, "a link is not better than its operator")
            _ = try Operators.create("ada", role: .owner, of: configuration)
            #expect(try stage.ask("GET", Self.session, page).status == 401)
            await #expect(throws: ServerError.self) { try await client.consoleLink(for: "nobody") }
            let owner = try stage.page(try stage.link())
            let actions = try stage.audit(owner).compactMap { $0["action"]?.stringValue }
            #expect(
                actions == [
                    "sessions.createLink", "sessions.begin", "sessions.createLink", "sessions.begin",
                ])
        }
    }

    @Test("signing out ends one session, and everywhere ends all of the operator, with the links that wait")
    func signOut() async throws {
        try await with { stage in
            let pages = try (0..<3).map { _ in try stage.page(try stage.link()) }
            let waiting = try stage.link()
            let answer = try stage.ask("DELETE", Self.session, pages[0])
            #expect(answer.status == 200 && answer["set-cookie"].first?.contains("=; Max-Age=0;") == true)
            #expect(try stage.ask("GET", Self.session, pages[0]).status == 401)
            #expect(try stage.ask("GET", Self.session, pages[1]).status == 200)
            #expect(try stage.ask("DELETE", "\(Self.session)?everywhere=true", pages[1]).status == 200)
            for page in pages { #expect(try stage.ask("GET", Self.session, page).status == 401) }
            #expect(try stage.signIn(waiting).status == 401)
        }
    }

    @Test("a session ends when it has rested: after 12 hours, of a developer after 30 days")
    func idle() async throws {
        for (mode, seconds) in [(Service.Mode.serve, 12 * 3600), (.dev, 30 * 86_400)] {
            try await with(mode: mode) { stage in
                let page = try stage.page(try stage.link())
                for _ in 0..<3 {
                    stage.time.pass(seconds: seconds - 1)
                    #expect(try stage.ask("GET", Self.session, page).status == 200)
                }
                stage.time.pass(seconds: seconds)
                #expect(try stage.ask("GET", Self.session, page).status == 401)
                let link = try stage.link()
                stage.time.pass(seconds: mode == .dev ? 24 * 3600 : 600)
                #expect(try stage.signIn(link).status == 401, "the link's time is over")
            }
        }
    }

    @Test("a restart of dev signs nobody out, also with data that is thrown away; serve forgets its sessions")
    func restart() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for mode in [Service.Mode.dev, .serve] {
            let pages = Mutex<[[String: String]]>([])
            for round in 0..<2 {
                try await with(mode: mode, in: folder) {
                    $0.data.isEphemeral = true
                } _: { stage in
                    if round == 0 {
                        let page = try stage.page(try stage.link())
                        pages.withLock { $0.append(page) }
                    }
                    var page = try #require(pages.withLock { $0.first })
                    // The next server has another port.
                    let value = page["Cookie"]?.split(separator: "=").last ?? ""
                    page["Cookie"] = "syncline-\(stage.server.port)=\(value)"
                    let isKept = round == 0 || mode == .dev
                    #expect(try stage.ask("GET", Self.session, page).status == (isKept ? 200 : 401), "\(mode)")
                    guard mode == .dev else { return }
                    let file = folder.path("user/console-sessions.json")
                    #expect(Files.permissions(file) == 0o600)
                    #expect(!String(decoding: try Files.read(file), as: UTF8.self).contains(value))
                }
            }
        }
    }

    @Test("a use of a session is written once an hour, by the calls of operators and not where cookies are read")
    func uses() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let time = Time(milliseconds: Self.start)
        let log = Log(format: .text, level: .critical)
        let file = ConsoleSessionFile(folder: folder.path("user"))
        func sessions() -> ConsoleSessions {
            ConsoleSessions(
                mode: .dev, operators: OperatorRegistry(nil, log: log), file: file,
                clock: WallClock { time.milliseconds.withLock { $0 } }, log: log)
        }
        let (first, second) = (sessions(), sessions())
        let secret = first.begin(for: .user, isOfDeveloper: true).secret
        let other = second.begin(for: .user, isOfDeveloper: true)
        let begun = Files.fingerprint(file.path)
        time.pass(seconds: ConsoleLimits.useWriteSeconds - 1)
        #expect(first.session(secret) != nil)
        first.storeUses()
        #expect(Files.fingerprint(file.path) == begun, "it is not due")
        time.pass(seconds: 1)
        #expect(first.session(secret)?.usedMilliseconds == time.milliseconds.withLock { $0 })
        #expect(Files.fingerprint(file.path) == begun, "a cookie was read")
        first.storeUses()
        #expect(Files.fingerprint(file.path) != begun)
        first.storeUses()
        #expect(file.read().map(\.usedMilliseconds).max() == time.milliseconds.withLock { $0 })
        #expect(file.read().count == 2, "that of the other server")
        first.end(other.session)
        #expect(second.session(other.secret) == nil && second.session(secret) != nil)
        time.pass(seconds: 30 * 86_400 - 1)
        #expect(sessions().session(secret) != nil, "30 days after its last use")
        // A request writes as well, on a thread of the calls.
        try await with { stage in
            let page = try stage.page(try stage.link())
            let path = ConsoleSessionFile(folder: try #require(stage.server.configuration.userFolder)).path
            let begun = Files.fingerprint(path)
            #expect(try stage.ask("GET", Self.session, page).status == 200)
            #expect(Files.fingerprint(path) == begun)
            stage.time.pass(seconds: ConsoleLimits.useWriteSeconds)
            #expect(try stage.ask("GET", Self.session, page).status == 200)
            #expect(Files.fingerprint(path) != begun)
        }
    }

    @Test("after five wrong links in a minute even the right one is refused, until the minute is over")
    func bruteForce() async throws {
        try await with { stage in
            let link = try stage.link()
            for _ in 0..<ConsoleLimits.wrongLinkCountMax { #expect(try stage.signIn("x\(link)").status == 401) }
            stage.time.pass(seconds: 20)
            let refused = try stage.signIn(link)
            #expect(refused.status == 429 && refused["Retry-After"] == ["40"])
            #expect(try JSONReader.read(refused.body)["error"]?["code"] == "limited")
            stage.time.pass(seconds: 40)
            #expect(try stage.signIn(link).status == 201)
        }
    }

    @Test("links and sessions are bounded: of more, the oldest link is dropped and the session that rested longest")
    func bounds() throws {
        let time = Time(milliseconds: Self.start)
        let log = Log(format: .text, level: .critical)
        let sessions = ConsoleSessions(
            mode: .serve, operators: OperatorRegistry(nil, log: log), file: nil,
            clock: WallClock { time.milliseconds.withLock { $0 } }, log: log)
        let links = (0...ConsoleLimits.linkCountMax).map { _ in sessions.makeLink(for: .user).secret }
        #expect(throws: OperatorProblem.self) { try sessions.takeLink(links[0], from: "a") }
        #expect(try sessions.takeLink(links[1], from: "a") == .user)
        let secrets = (0...ConsoleLimits.sessionCountMax).map { _ in
            time.pass(seconds: 1)
            return sessions.begin(for: .user, isOfDeveloper: false).secret
        }
        #expect(sessions.session(secrets[0]) == nil && sessions.session(secrets[1]) != nil)
        for index in 0...ConsoleLimits.addressCountMax + 10 {
            #expect(throws: OperatorProblem.self) { try sessions.takeLink(ConsoleSecret(), from: "\(index)") }
        }
        let problem = #expect(throws: OperatorProblem.self) {
            try sessions.takeLink(links[2], from: "one of many more")
        }
        #expect(problem?.code == .limited, "addresses beyond the bound are counted together")
        #expect(try sessions.takeLink(sessions.makeLink(for: .user).secret, from: "1") == .user)
    }

    @Test("the verb makes a link by the socket; where the console is off, it says how to serve it")
    func verb() async throws {
        try await with { stage in
            let url = try await OperatorClient(stage.server.configuration).consoleLink(for: nil)
            #expect(url.hasPrefix("http://\(stage.host)/console/#link="))
            #expect(try stage.signIn(String(url.suffix(43))).status == 201)
        }
        try await with {
            $0.console.isEnabled = false
        } _: { stage in
            #expect(stage.server.service.makeConsoleURL() == nil)
            let error = await #expect(throws: ServerError.self) {
                try await OperatorClient(stage.server.configuration).consoleLink(for: nil)
            }
            #expect(error?.code == .refused && error?.text.contains("--console") == true)
        }
    }

    @Test("the link names an address that can be dialled, and cookies are for TLS alone but on loopback")
    func addresses() throws {
        func url(_ mode: Service.Mode, _ change: (inout Configuration) -> Void) -> String? {
            var configuration = Configuration()
            change(&configuration)
            let log = Log(format: .text, level: .critical)
            let sessions = ConsoleSessions(
                mode: mode, operators: OperatorRegistry(nil, log: log), file: nil, clock: .system, log: log)
            return ConsoleServer(configuration, mode: mode, port: 8000, sessions: sessions).baseURL
        }
        #expect(url(.dev) { _ in } == "http://127.0.0.1:8000")
        #expect(url(.dev) { $0.address.host = "0.0.0.0" } == "http://127.0.0.1:8000")
        #expect(url(.dev) { $0.address.host = "::" } == "http://[::1]:8000")
        #expect(url(.dev) { $0.address.host = "192.0.2.1" } == nil, "it is for this machine alone")
        #expect(url(.serve) { _ in } == nil)
        #expect(
            url(.serve) { ($0.console.isEnabled, $0.console.hosts) = (true, ["*.a.test", "b.test"]) }
                == "https://b.test",
            "a proxy speaks TLS")
        #expect(
            url(.serve) { ($0.console.isEnabled, $0.console.hosts, $0.tls.isRequired) = (true, ["b.test"], true) }
                == "https://b.test:8000")
    }
}
