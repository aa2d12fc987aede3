import Dispatch
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import HTTP
@testable import Server

/// The rules for outgoing calls, against a server on the loopback interface that misbehaves on request.
@Suite("Outgoing calls")
struct OutgoingClientTests {
    /// What the loopback server writes for each request; it never closes by itself.
    enum Behaviour: Sendable {
        /// These bytes at once.
        case bytes(String)
        /// Nothing.
        case silence
        /// A head without a length and then bytes without end.
        case endless
        /// Closes the connection.
        case hangUp
    }

    /// Counts what arrives and answers as it should.
    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        let behaviour: Behaviour
        let requests: Requests

        init(_ behaviour: Behaviour, _ requests: Requests) { (self.behaviour, self.requests) = (behaviour, requests) }

        func channelActive(context: ChannelHandlerContext) {
            requests.connections.withLock { $0 += 1 }
            requests.channels.withLock { $0.append(context.channel) }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let text = String(buffer: unwrapInboundIn(data))
            guard text.hasPrefix("POST") || text.hasPrefix("GET") else { return }
            requests.texts.withLock { $0.append(text) }
            switch behaviour {
            case .bytes(let text): write(text, context)
            case .silence: break
            case .hangUp: context.close(promise: nil)
            case .endless:
                write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", context)
                flood(context)
            }
        }

        /// One chunk after the other, as fast as they are taken.
        private func flood(_ context: ChannelHandlerContext) {
            guard context.channel.isActive else { return }
            let buffer = ByteBuffer(string: "1000\r\n\(String(repeating: "x", count: 0x1000))\r\n")
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            context.writeAndFlush(NIOAny(buffer)).whenSuccess { bound.value.0.flood(bound.value.1) }
        }

        private func write(_ text: String, _ context: ChannelHandlerContext) {
            context.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: nil)
        }
    }

    /// What the server has seen.
    final class Requests: Sendable {
        let texts = Mutex<[String]>([])
        let connections = Mutex(0)
        let channels = Mutex<[any Channel]>([])

        /// Closes every connection there was.
        func closeAll() {
            for channel in channels.withLock({ $0 }) { channel.close(promise: nil) }
        }
    }

    /// A client, and a loopback server with a behaviour.
    private struct Stage {
        let client: OutgoingClient
        let port: Int
        let requests: Requests

        func call(
            host: String = "127.0.0.1", path: String = "/f", seconds: Int = 60, bytesMax: Int = 1024,
            callsMax: Int = 8, headers: [(name: String, value: String)] = [],
            rules: (inout OutboundRules) -> Void = { _ in }
        ) -> OutgoingCall {
            var outbound = OutboundRules()
            rules(&outbound)
            return OutgoingCall(
                url: "http://\(host):\(port)\(path)", headers: headers, body: Array("{}".utf8),
                limits: OutgoingLimits(seconds: seconds, callsMax: callsMax, answerBytesMax: bytesMax),
                rules: outbound)
        }

        /// A call of a pipeline that waits for the only one that may be under way.
        func waitingCall(countMax: Int, bytesMax: Int) -> OutgoingCall {
            var call = call(callsMax: 1)
            (call.limits.queueCountMax, call.limits.queueBytesMax) = (countMax, bytesMax)
            call.purpose = .pipeline
            return call
        }

        func send(_ call: OutgoingCall) async -> Result<OutgoingCall.Answer, OutgoingError> {
            await withCheckedContinuation { continuation in
                client.send(call) { continuation.resume(returning: $0) }
            }
        }

        func failure(_ call: OutgoingCall) async throws -> OutgoingError {
            switch await send(call) {
            case .success(let answer):
                Issue.record("answered \(answer.status)")
                throw OutgoingError(code: .invalid, reason: "answered")
            case .failure(let error): return error
            }
        }
    }

    @Test("a GET has no body, whatever the call holds")
    func get() async throws {
        try await with(.bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")) { stage in
            var call = stage.call(path: "/keys?x=1")
            call.isGet = true
            let answer = try await stage.send(call).get()
            #expect(answer.status == 200)
            let text = stage.requests.texts.withLock { $0.first ?? "" }
            #expect(text.hasPrefix("GET /keys?x=1 HTTP/1.1\r\n") && text.hasSuffix("\r\n\r\n"))
            #expect(!text.lowercased().contains("content-length"))
        }
    }

    private struct Silent: Responder {
        func respond(to request: Request, on loop: HTTP.EventLoop, reply: Reply) {}
    }

    private func with(
        _ behaviour: Behaviour, resolve: @escaping @Sendable (String) throws -> [IPAddress] = { _ in [] },
        _ body: (Stage) async throws -> Void
    ) async throws {
        let requests = Requests()
        let server = HTTPServer(loopCount: 1, responder: Silent())
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let listener = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(behaviour, requests))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let log = Log(format: .text, level: .critical)
        let client = OutgoingClient(
            on: server, connectionsPerHostMax: 8, log: log,
            refusals: SampledLog(log, "", mode: .serve, linesPerSecondMax: 1), resolve: resolve)
        let port = try #require(listener.localAddress?.port)
        do {
            try await body(Stage(client: client, port: port, requests: requests))
        } catch { Issue.record(error) }
        await server.shutdown(drainSeconds: 0) { await client.end() }
        try await listener.close().get()
        try await group.shutdownGracefully()
    }

    private static let ok = Behaviour.bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    @Test("an answer comes back whole, whatever its status; the request has the URL's host and the given headers")
    func answer() async throws {
        try await with(.bytes("HTTP/1.1 418 I'm a teapot\r\nContent-Length: 3\r\n\r\npot")) { stage in
            let answer = try await stage.send(stage.call(headers: [("X-Test", "1")])).get()
            #expect(answer.status == 418 && answer.body == Array("pot".utf8))
            let text = try #require(stage.requests.texts.withLock { $0.first })
            #expect(text.hasPrefix("POST /f HTTP/1.1\r\n") && text.contains("X-Test: 1\r\n"))
            #expect(text.lowercased().contains("host: 127.0.0.1:\(stage.port)\r\n"))
        }
    }

    @Test("a server that never answers costs the call its time and no more")
    func slow() async throws {
        try await with(.silence) { stage in
            let error = try await stage.failure(stage.call(seconds: 1))
            #expect(error.code == .timeout)
            #expect(stage.requests.texts.withLock { $0.count } == 1, "a call is sent once")
        }
    }

    @Test("an answer without end is given up at its bound, an announced one before it is read")
    func endless() async throws {
        try await with(.endless) { stage in
            let error = try await stage.failure(stage.call())
            #expect(error.code == .tooLarge)
        }
        try await with(.bytes("HTTP/1.1 200 OK\r\nContent-Length: 1025\r\n\r\n")) { stage in
            let error = try await stage.failure(stage.call(bytesMax: 1024))
            #expect(error.code == .tooLarge)
        }
        let lines = (0..<40).map { "X-\($0): \(String(repeating: "x", count: 1_000))\r\n" }.joined()
        try await with(.bytes("HTTP/1.1 200 OK\r\n\(lines)Content-Length: 0\r\n\r\n")) { stage in
            let error = try await stage.failure(stage.call())
            #expect(error.code == .tooLarge)
        }
    }

    @Test("a redirect is an answer, and is not followed")
    func redirect() async throws {
        let head = "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"
        try await with(.bytes(head)) { stage in
            let answer = try await stage.send(stage.call()).get()
            #expect(answer.status == 307)
            #expect(stage.requests.texts.withLock { $0.count } == 1)
        }
    }

    @Test(
        "a closed port, and a connection that closes before its answer, fail at once and are not retried"
    )
    func refused() async throws {
        try await with(.hangUp) { stage in
            let error = try await stage.failure(stage.call())
            #expect(error.code == .connection)
            #expect(stage.requests.texts.withLock { $0.count } == 1)
            var call = stage.call()
            call.url = "http://127.0.0.1:1/"
            let refusal = try await stage.failure(call)
            #expect(refusal.code == .connection)
        }
    }

    @Test("one call more than may be under way is not begun, and a finished one makes room")
    func tooMany() async throws {
        try await with(.silence) { stage in
            async let first = stage.failure(stage.call(callsMax: 2))
            async let second = stage.failure(stage.call(callsMax: 2))
            try await eventually { stage.requests.texts.withLock { $0.count } == 2 }
            let error = try await stage.failure(stage.call(callsMax: 2))
            #expect(error.code == .tooManyCalls)
            #expect(stage.requests.texts.withLock { $0.count } == 2)
            stage.requests.closeAll()
            let codes = try await [first.code, second.code]
            #expect(codes == [.connection, .connection])
            let next = try await stage.failure(stage.call(seconds: 1, callsMax: 1))
            #expect(next.code == .timeout)
        }
    }

    @Test("a call that may wait begins when another of its purpose ends; other purposes are counted by themselves")
    func waiting() async throws {
        try await with(.silence) { stage in
            let waiting = stage.waitingCall(countMax: 1, bytesMax: 10)
            async let first = stage.failure(waiting)
            try await eventually { stage.requests.texts.withLock { $0.count } == 1 }
            async let second = stage.failure(waiting)
            async let other = stage.failure(stage.call(callsMax: 1))
            try await eventually { stage.requests.texts.withLock { $0.count } == 2 }
            stage.requests.closeAll()
            try await eventually { stage.requests.texts.withLock { $0.count } == 3 }
            stage.requests.closeAll()
            let codes = try await [first.code, second.code, other.code]
            #expect(codes == [.connection, .connection, .connection])
        }
    }

    @Test("a call does not wait where its body is larger than those that wait may be together")
    func waitingBytes() async throws {
        try await with(.silence) { stage in
            let waiting = stage.waitingCall(countMax: 9, bytesMax: 1)
            async let first = stage.failure(waiting)
            try await eventually { stage.requests.texts.withLock { $0.count } == 1 }
            let refused = try await stage.failure(waiting)
            #expect(refused.code == .tooManyCalls)
            stage.requests.closeAll()
            let code = try await first.code
            #expect(code == .connection)
        }
    }

    @Test("a call ends at its deadline though its own time is longer")
    func deadline() async throws {
        try await with(.silence) { stage in
            var call = stage.call(seconds: 3600)
            call.deadline = .now + .milliseconds(50)
            let error = try await stage.failure(call)
            #expect(error.code == .timeout)
        }
    }

    @Test("a header or URL with a line break is not sent")
    func lineBreaks() async throws {
        try await with(Self.ok) { stage in
            for headers in [[(name: "A", value: "1\r\nB: 2")], [(name: "A\n", value: "1")], [(name: "A", value: "\0")]]
            {
                let error = try await stage.failure(stage.call(headers: headers))
                #expect(error.code == .invalid)
            }
            let error = try await stage.failure(stage.call(path: "/\r\nB: 2"))
            #expect(error.code == .invalid)
            #expect(stage.requests.connections.withLock { $0 } == 0)
        }
    }

    @Test("a name is resolved once and connected to at a checked address, and keeps its place in Host")
    func names() async throws {
        let lookups = Mutex(0)
        let loopback = try #require(IPAddress("127.0.0.1"))
        // The first address refuses, the second answers.
        let dead = try #require(IPAddress("127.0.0.9"))
        try await with(
            Self.ok,
            resolve: { _ in
                lookups.withLock { $0 += 1 }
                return [dead, loopback]
            }
        ) { stage in
            let call = stage.call(host: "functions.test") { $0.allowsLoopbackNames = true }
            let start = ContinuousClock.now
            #expect(try await stage.send(call).get().status == 200)
            #expect(try await stage.send(call).get().status == 200)
            // Unless the test waited for a thread for longer than an address and a connection are kept.
            let isLate = start.duration(to: .now) >= .seconds(OutgoingLimits.addressSeconds)
            #expect(lookups.withLock { $0 } == 1 || isLate)
            let text = try #require(stage.requests.texts.withLock { $0.first })
            #expect(text.lowercased().contains("host: functions.test:\(stage.port)\r\n"))
            #expect(
                stage.requests.connections.withLock { $0 } == 1 || isLate,
                "the second call has the first one's connection")
        }
    }

    @Test("a name with a forbidden address among its addresses is not connected to")
    func forbidden() async throws {
        for address in ["169.254.169.254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "10.0.0.1", "127.0.0.1"] {
            let addresses = try [#require(IPAddress("127.0.0.1")), #require(IPAddress(address))]
            try await with(Self.ok, resolve: { _ in addresses }) { stage in
                let error = try await stage.failure(stage.call(host: "evil.test"))
                #expect(error.code == .forbidden, "\(address)")
                #expect(stage.requests.connections.withLock { $0 } == 0)
            }
        }
    }

    @Test("a name that cannot be resolved in time is given up")
    func slowResolver() async throws {
        let gate = DispatchSemaphore(value: 0)
        try await with(
            Self.ok,
            resolve: { _ in
                // Until the test ends.
                gate.wait()
                return []
            }
        ) { stage in
            let error = try await stage.failure(stage.call(host: "slow.test", seconds: 1))
            #expect(error.code == .timeout)
            gate.signal()
        }
    }
}

@Suite("Where outgoing calls may go")
struct OutboundRulesTests {
    private func isAllowed(_ host: String, _ address: String, _ change: (inout OutboundRules) -> Void = { _ in }) throws
        -> Bool
    {
        var rules = OutboundRules()
        change(&rules)
        return rules.refusal(of: host, at: try #require(IPAddress(address), "\(address)")) == nil
    }

    @Test("special addresses are refused under every name and in every form")
    func special() throws {
        for address in [
            "0.0.0.0", "169.254.169.254", "224.0.0.1", "255.255.255.255", "::", "fe80::1", "ff02::1", "fd00:ec2::254",
            "::ffff:169.254.169.254", "64:ff9b::169.254.169.254",
        ] {
            #expect(try !isAllowed(address, address) { $0.allow = [.range(IPRange("0.0.0.0/0")!)] }, "\(address)")
            #expect(try !isAllowed("a.test", address) { $0.allow = [.host("a.test")] }, "\(address)")
        }
    }

    @Test("local addresses are allowed when the URL has the address or localhost, or when a list has them")
    func local() throws {
        for address in [
            "127.0.0.1", "::1", "10.1.2.3", "172.16.0.1", "192.168.0.1", "100.64.0.1", "fd12::1", "::ffff:10.0.0.1",
        ] {
            #expect(try isAllowed(address, address), "\(address)")
            #expect(try !isAllowed("a.test", address), "\(address)")
            #expect(try isAllowed("a.test", address) { $0.allow = [.host("a.test")] }, "\(address)")
            #expect(try isAllowed("B.a.test", address) { $0.allow = [.host("*.a.test")] }, "\(address)")
            #expect(try !isAllowed("a.test", address) { $0.allow = [.host("*.a.test")] }, "\(address)")
            #expect(try !isAllowed(address, address) { $0.deny = [.range(IPRange(address)!)] }, "\(address)")
        }
        #expect(try isAllowed("localhost", "::1") && isAllowed("[::1]", "::1"))
        #expect(try isAllowed("a.test", "127.0.0.1") { $0.allowsLoopbackNames = true })
        #expect(try !isAllowed("a.test", "10.0.0.1") { $0.allowsLoopbackNames = true })
        #expect(try isAllowed("a.test", "10.0.0.1") { $0.allow = [.range(IPRange("10.0.0.0/8")!)] })
        #expect(try !isAllowed("a.test", "11.0.0.1") { $0.mode = .listed })
        #expect(try isAllowed("a.test", "11.0.0.1"))
    }

    @Test("public addresses are allowed unless only listed ones are; deny goes before allow")
    func global() throws {
        #expect(try isAllowed("a.test", "93.184.216.34") && isAllowed("a.test", "2606:2800:220::1"))
        #expect(try !isAllowed("a.test", "93.184.216.34") { $0.mode = .listed })
        #expect(try isAllowed("a.test", "93.184.216.34") { ($0.mode, $0.allow) = (.listed, [.host("a.test")]) })
        #expect(
            try !isAllowed("a.test", "93.184.216.34") {
                ($0.allow, $0.deny) = ([.host("a.test")], [.range(IPRange("93.0.0.0/8")!)])
            })
    }

    @Test("ranges have the bits that they say")
    func ranges() throws {
        let cases: [(range: String, address: String, isIn: Bool)] = [
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.0", false), ("10.0.0.0/9", "10.127.9.9", true),
            ("10.0.0.0/9", "10.128.0.0", false), ("0.0.0.0/0", "1.2.3.4", true), ("0.0.0.0/0", "::1", false),
            ("::/0", "1.2.3.4", true), ("fc00::/7", "fdff::1", true), ("fc00::/7", "fe00::1", false),
            ("::1", "::1", true),
        ]
        for (range, address, isIn) in cases {
            let range = try #require(IPRange(range))
            #expect(try range.contains(#require(IPAddress(address))) == isIn, "\(range) \(address)")
        }
        for text in [
            "", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0/8", "::/129", "a/8", "10.0.0.0/8/8", "127.1", "0x7f.0.0.1",
        ] {
            #expect(IPRange(text) == nil, "\(text)")
        }
    }
}
