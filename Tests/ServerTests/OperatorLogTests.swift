import JSON
import Synchronization
import Testing

@testable import Server

@Suite("Calls of functions and lines of the log, as operators see them")
struct OperatorLogTests {
    private static let schema = """
        type Note @model @auth(rules: [{allow: public}]) { id: ID! }
        type Query { shout(text: String): String @function(name: "shout") fail: String @function(name: "fail") }
        """

    private func follow(_ stage: OperatorStage) throws -> WebSocketClient {
        let socket = try WebSocketClient(
            port: stage.server.port, "/operators/v1/live",
            headers: [
                "Authorization": "Bearer \(stage.tokens[.viewer] ?? "")", "Host": "127.0.0.1:\(stage.server.port)",
                "Sec-WebSocket-Protocol": "syncline.live.v1",
            ])
        _ = try socket.ask(#"{"follow":["requests"]}"#)
        return socket
    }

    @Test(
        "calls of functions are recorded while requests are, with what came of them and without what is secret of their URL"
    )
    func calls() async throws {
        try await FunctionServer.with(FunctionServer.Answer(body: #""LOUD""#)) { _, url in
            try await calls(url)
        }
    }

    private func calls(_ url: String) async throws {
        try await OperatorStage.with(schema: Self.schema) {
            $0.functions = FunctionList([
                Function(name: "shout", url: url), Function(name: "fail", url: "http://127.0.0.1:1/nothing"),
            ])
        } _: { stage in
            _ = try stage.client.graphql(#"{ shout(text: "a") }"#)
            #expect(try stage.ask("GET", "/function-calls", as: .viewer).value["items"] == [], "nobody follows")
            let socket = try follow(stage)
            _ = try stage.client.graphql(#"{ shout(text: "b") }"#)
            _ = try stage.client.graphql("{ fail }")
            let items = try stage.ask("GET", "/function-calls", as: .viewer).value["items"]?.arrayValue ?? []
            try #require(items.count == 2, "\(items)")
            #expect(items[1]["function"] == "shout" && items[1]["kind"] == "resolver" && items[1]["status"] == 200)
            #expect(items[1]["url"]?.stringValue?.hasSuffix("/decide?…") == true && items[1]["failed"] == false)
            #expect(items[1]["milliseconds"]?.doubleValue ?? 0 > 0 && items[1]["error"] == .null)
            #expect(items[1]["answer"] == #""LOUD""# && items[1]["answerIsCut"] == false)
            #expect(items[0]["function"] == "fail" && items[0]["status"] == .null && items[0]["failed"] == true)
            #expect(items[0]["error"]?.stringValue?.isEmpty == false)
            func names(_ query: String) throws -> [JSONValue?] {
                try stage.ask("GET", "/function-calls\(query)", as: .viewer).value["items"]?.arrayValue?.map {
                    $0["function"]
                } ?? []
            }
            #expect(try names("?errors=true") == ["fail"] && names("?function=shout") == ["shout"])
            #expect(try names("?kind=trigger").isEmpty && names("?slower=100000").isEmpty)
            let first = try stage.ask("GET", "/function-calls?limit=1", as: .viewer).value
            let next = try #require(first["next"]?.stringValue)
            #expect(try names("?limit=1&after=\(next)") == ["shout"])
            #expect(try stage.ask("GET", "/function-calls?limit=0").status == 422)
            _ = socket
        }
    }

    @Test("answers of triggers and authorizers are not kept, and those of others only up to their bound")
    func answers() {
        let long = OutgoingCall.Answer(status: 200, body: [UInt8](repeating: 0x41, count: 100_000))
        for purpose in [OutgoingCall.Purpose.pipeline, .conflict, .trigger, .authorizer, .objectEvent] {
            var call = OutgoingCall(
                url: "https://a:b@example.com/x/y?z#f", headers: [], body: [], limits: TokenServices.authorizerLimits,
                rules: OutboundRules())
            call.purpose = purpose
            let kept = RecordedCall(call, of: "f", at: 0, nanoseconds: 5, .success(long), keepsAnswer: true)
            #expect(kept.url == "https://…@example.com/x/y?…" && kept.answerBytes == 100_000)
            let isPlain = purpose == .pipeline || purpose == .conflict
            #expect(kept.answer?.count == (isPlain ? 16 << 10 : nil), "\(purpose)")
            let other = RecordedCall(call, of: "f", at: 0, nanoseconds: 5, .success(long), keepsAnswer: false)
            #expect(other.answer == nil)
        }
    }

    @Test("the newest entries are kept, within a number and bytes, and are listed in pages")
    func bounds() {
        var entries = RecentEntries<Int>(countMax: 10, bytesMax: 100)
        #expect(entries.page(after: nil, countMax: 5) { _ in true }.entries.isEmpty)
        for number in 1...25 { entries.add(number, byteCount: 5) }
        #expect(entries.count == 10 && entries.byteCount == 50)
        let page = entries.page(after: nil, countMax: 4) { _ in true }
        #expect(page.entries == [25, 24, 23, 22] && page.next == 22)
        let last = entries.page(after: 17, countMax: 4) { _ in true }
        #expect(last.entries == [16] && last.next == nil)
        #expect(entries.page(after: page.next, countMax: 2) { $0 % 2 == 0 }.entries == [20, 18])
        entries.add(26, byteCount: 80)
        #expect(
            entries.byteCount == 100
                && entries.page(after: nil, countMax: 9) { _ in true }.entries == [26, 25, 24, 23, 22])
        entries.add(27, byteCount: 101)
        #expect(entries.page(after: nil, countMax: 1) { _ in true }.entries == [26], "it is larger than all may be")
    }

    @Test("dev prints the code of a message, and no line that operators read has it")
    func codes() async throws {
        let printed = Mutex("")
        let log = Log(format: .text, level: .info) { line in printed.withLock { $0 += line } }
        try await TestServer.withDataFolder(log: log) {
            $0.userPools.pools = [
                ["id": "us-east-1_One", "autoVerifiedAttributes": ["email"], "clients": [["id": "app"]]]
            ]
        } _: { server, client in
            let token = try Operators.create("viewer", role: .viewer, of: server.configuration)
            let body =
                #"{"ClientId":"app","Username":"ada","Password":"Passw0rd!","#
                + #""UserAttributes":[{"Name":"email","Value":"ada@example.com"}]}"#
            let answer = try client.ask(
                "POST", "/",
                headers: [
                    "Content-Type": "application/x-amz-json-1.1",
                    "X-Amz-Target": "AWSCognitoIdentityProviderService.SignUp",
                ], body: body)
            try #require(answer.status == 200, "\(answer)")
            let lines = try JSONReader.read(
                try client.ask(
                    "GET", "/operators/v1/log?limit=500", headers: ["Authorization": "Bearer \(token)"]
                ).body)
            let line = lines["items"]?.element("A message was put into the outbox.", where: "message")
            #expect(line?["fields"]?["recipient"] == "ada@example.com", "\(lines)")
            #expect(line?["fields"]?["code"] == nil)
            let code = try #require(
                printed.withLock { $0 }.firstMatch(of: /A message was put into the outbox\..*code=([^ \n]+)/)?.1)
            #expect(code.count == 6 && !lines.description.contains("\"\(code)\""))
        }
    }

    @Test("lines of the log are kept with their fields, by level and text, and long texts are cut")
    func lines() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            let log = stage.server.service.state.log
            log(
                .critical, "One of a kind", ["cause": "x", "path": String(repeating: "p", count: 5_000)],
                numbers: ["count": 5])
            let items =
                try stage.ask("GET", "/log?text=one%20of&level=error", as: .viewer).value["items"]?.arrayValue ?? []
            try #require(items.count == 1, "\(items)")
            #expect(items[0]["level"] == "critical" && items[0]["message"] == "One of a kind")
            #expect(items[0]["fields"]?["count"] == 5 && items[0]["fields"]?["cause"] == "x")
            #expect((items[0]["fields"]?["path"]?.stringValue?.utf8.count ?? 0) < 2_100)
            #expect(try stage.ask("GET", "/log?text=nothing%20like%20this", as: .viewer).value["items"] == [])
            #expect(try stage.ask("GET", "/log?level=loud", as: .viewer).status == 422)
            for number in 0..<1_500 { stage.server.service.state.logLines.add(.info, "Line \(number)", [:], [:]) }
            let page = try stage.ask("GET", "/log?limit=500", as: .viewer).value
            #expect(page["items"]?.arrayValue?.first?["message"] == "Line 1499")
            #expect(try stage.ask("GET", "/log?text=one%20of", as: .viewer).value["items"] == [], "1,000 are kept")
        }
    }
}
