import Foundation
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import Server

/// The proxy over sockets of the loopback interface. What a head is read as, and which addresses are allowed, is tested
/// without sockets in `ProxyHeadTests`.
@Suite("The forward proxy")
struct ForwardProxyTests {
    fileprivate static let name = "s3.eu-west-1.amazonaws.com"

    /// What a server behind the proxy does.
    private enum Behaviour: Sendable {
        /// Greets, sends back what it receives, and says farewell when its client has sent all.
        case echo(greeting: String)
        /// Sends so many bytes as fast as they are taken, and ends.
        case flood(byteCount: Int)
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        let behaviour: Behaviour
        let sent: Counter
        private var rest = 0

        init(_ behaviour: Behaviour, _ sent: Counter) { (self.behaviour, self.sent) = (behaviour, sent) }

        func channelActive(context: ChannelHandlerContext) {
            switch behaviour {
            case .echo(let greeting): write(greeting, context)
            case .flood(let count):
                rest = count
                flood(context)
            }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if case .echo = behaviour { context.writeAndFlush(data, promise: nil) }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            guard case .echo = behaviour, case ChannelEvent.inputClosed? = event as? ChannelEvent else { return }
            write("farewell", context)
            context.close(promise: nil)
        }

        private func flood(_ context: ChannelHandlerContext) {
            guard rest > 0 else { return context.close(promise: nil) }
            let count = min(rest, 64 << 10)
            rest -= count
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            context.writeAndFlush(NIOAny(ByteBuffer(repeating: 0x78, count: count))).whenSuccess {
                bound.value.0.sent.value.withLock { $0 += count }
                bound.value.0.flood(bound.value.1)
            }
        }

        private func write(_ text: String, _ context: ChannelHandlerContext) {
            context.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: nil)
        }
    }

    /// The least ClientHello that asks for a name.
    fileprivate static func hello(_ name: String) -> [UInt8] {
        func vector(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes }
        let extensions = vector([0, 0] + vector(vector([0] + vector(Array(name.utf8)))))
        let body = [3, 3] + [UInt8](repeating: 9, count: 32) + [0] + vector([0x13, 0x01]) + [1, 0] + extensions
        return [22, 3, 1] + vector([1, 0] + vector(body))
    }

    private final class Counter: Sendable {
        let value = Mutex(0)
    }

    private struct Stage {
        let proxy: ForwardProxy
        /// That of the server whose host clients name; it stands for 443.
        let port: Int
        /// Bytes that servers have sent in floods.
        let sent: Counter
        /// Names that were resolved.
        let resolutions: Counter

        func connect(receiveBufferBytes: Int32? = nil) throws -> Client {
            let port = proxy.address.split(separator: ":").last.flatMap { Int($0) }
            return try Client(port: try #require(port), receiveBufferBytes: receiveBufferBytes)
        }

        /// A client whose CONNECT to one of the project's names is answered, and which has begun TLS for that name: the greeting
        /// and the echo follow.
        func connectToServer() throws -> Client {
            let client = try connect(to: ForwardProxyTests.name, 200)
            try client.send(ForwardProxyTests.hello(ForwardProxyTests.name))
            return client
        }

        /// A client whose CONNECT is answered.
        func connect(to host: String, _ status: Int, head: String = "", bytes: String = "") throws -> Client {
            let client = try connect()
            try client.send("CONNECT \(host):\(port) HTTP/1.1\r\nHost: \(host):\(port)\r\n\(head)\r\n\(bytes)")
            let answer = try client.receive()
            #expect(answer.status == status, "\(host)")
            return client
        }
    }

    /// Runs `body` beside a server for the project's names, one for other names, and a proxy before both.
    private func with(
        server: Behaviour = .echo(greeting: "server"), credentials: ProxyCredentials? = nil,
        limits: (inout ProxyLimits) -> Void = { _ in }, dialer: (inout ProxyDialer) -> Void = { _ in },
        _ body: (Stage) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let (sent, resolutions) = (Counter(), Counter())
        func listen(_ behaviour: Behaviour) async throws -> any Channel {
            try await ServerBootstrap(group: group)
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Handler(behaviour, sent))
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
        }
        let own = try await listen(server)
        let other = try await listen(.echo(greeting: "other"))
        let port = try #require(other.localAddress?.port)
        var options = ForwardProxy.Options(
            serverHost: "127.0.0.1", serverPort: try #require(own.localAddress?.port), names: [Self.name])
        options.port = 0
        options.credentials = credentials
        var bounds = ProxyLimits()
        limits(&bounds)
        let proxy = try await ForwardProxy.start(
            options, log: Log(format: .text, level: .critical), limits: bounds
        ) {
            $0.port = port
            // Every name leads to the other server.
            $1.resolve = { _ in
                resolutions.value.withLock { $0 += 1 }
                return [IPAddress("127.0.0.1")].compactMap(\.self)
            }
            $1.refusal = { _ in nil }
            dialer(&$1)
        }
        do {
            try await body(Stage(proxy: proxy, port: port, sent: sent, resolutions: resolutions))
        } catch { Issue.record(error) }
        await proxy.stop()
        try await group.shutdownGracefully()
    }

    @Test("changed names and a changed server are those of the next connection, but never the proxy itself")
    func update() async throws {
        try await with { stage in
            let port = try #require(stage.proxy.address.split(separator: ":").last.flatMap { Int($0) })
            let client = try stage.connectToServer()
            // The other server stands for one that was started at another port.
            await stage.proxy.update(
                names: ["S3.us-east-1.amazonaws.com"], serverHost: "127.0.0.1", serverPort: stage.port)
            let name = "s3.us-east-1.amazonaws.com"
            for _ in 0..<2 {
                let other = try stage.connect(to: name, 200)
                try other.send(Self.hello(name))
                #expect(try other.receive(byteCount: 5) == Array("other".utf8))
                await stage.proxy.update(names: [name], serverHost: "127.0.0.1", serverPort: port)
            }
            #expect(try client.receive(byteCount: 6) == Array("server".utf8), "an open tunnel stays")
            #expect(try stage.connect(to: Self.name, 200).receive(byteCount: 5) == Array("other".utf8))
        }
    }

    @Test("the project's names go to the server, another name to its own address, resolved once")
    func tunnels() async throws {
        try await with { stage in
            let client = try stage.connectToServer()
            #expect(try client.receive(byteCount: 6) == Array("server".utf8))
            #expect(stage.resolutions.value.withLock { $0 } == 0)
            let other = try stage.connect(to: "a.example", 200)
            #expect(try other.receive(byteCount: 5) == Array("other".utf8))
            #expect(stage.resolutions.value.withLock { $0 } == 1)
            // A name like one of the project's is none of them.
            let similar = try stage.connect(to: "x.\(Self.name)", 200)
            #expect(try similar.receive(byteCount: 5) == Array("other".utf8))
        }
    }

    @Test("bytes pass both ways, those that come with the head too, and each end of sending is passed on")
    func halfClose() async throws {
        try await with { stage in
            let client = try stage.connect(to: "a.example", 200, bytes: "early")
            #expect(try client.receive(byteCount: 10) == Array("otherearly".utf8))
            try client.send("more")
            #expect(try client.receive(byteCount: 4) == Array("more".utf8))
            client.finishSending()
            #expect(try client.receive(byteCount: 8) == Array("farewell".utf8))
            #expect(client.awaitEnd())

            let server = try stage.connectToServer()
            let hello = Self.hello(Self.name)
            #expect(try server.receive(byteCount: 6 + hello.count) == Array("server".utf8) + hello)
            server.finishSending()
            #expect(try server.receive(byteCount: 8) == Array("farewell".utf8))
            #expect(server.awaitEnd())
        }
    }

    /// The server takes the proxy for a program of its own machine.
    @Test("to the server nothing passes but TLS that asks for the name of the CONNECT")
    func otherServerNames() async throws {
        try await with { stage in
            for bytes in [
                Self.hello("localhost"), Self.hello("x.\(Self.name)"),
                Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8),
            ] {
                let client = try stage.connect(to: Self.name, 200)
                try client.send(bytes)
                #expect(try client.receive(byteCount: 7) == [21, 3, 3, 0, 2, 2, 112])
                #expect(client.awaitEnd())
            }
            // In the bytes that come with the head too, and cut into pieces.
            let client = try stage.connect(to: Self.name, 200, bytes: "GET / HTTP/1.1\r\n\r\n")
            #expect(try client.receive(byteCount: 7) == [21, 3, 3, 0, 2, 2, 112])
            let slow = try stage.connect(to: Self.name, 200)
            for byte in Self.hello(Self.name) { try slow.send([byte]) }
            #expect(try slow.receive(byteCount: 6) == Array("server".utf8))
        }
    }

    @Test("a server that is faster than its client is held back, and nothing is lost")
    func backPressure() async throws {
        let byteCount = 48 << 20
        try await with(server: .flood(byteCount: byteCount)) { stage in
            let client = try stage.connect(receiveBufferBytes: 64 << 10)
            try client.send("CONNECT \(Self.name):\(stage.port) HTTP/1.0\r\n\r\n")
            #expect(try client.receive(hasBody: false).status == 200)
            try client.send(Self.hello(Self.name))
            // Until as much is sent as before.
            var (before, now) = (-1, 0)
            while before != now {
                before = now
                try await Task.sleep(for: .milliseconds(250))
                now = stage.sent.value.withLock { $0 }
            }
            // What the sockets' buffers hold.
            #expect(now < 24 << 20, "\(now) of \(byteCount) bytes")
            let bytes = try client.receive(byteCount: byteCount)
            #expect(stride(from: 0, to: byteCount, by: 1021).allSatisfy { bytes[$0] == 0x78 })
            #expect(client.awaitEnd())
        }
    }

    @Test("a name that resolves to this machine is refused, and is not resolved again for the connection")
    func rebinding() async throws {
        try await with(dialer: { $0.refusal = { ProxyPolicy.refusal(of: $0, ownAddresses: []) } }) { stage in
            for host in ["a.example", "localhost", "127.0.0.1", "[::1]", "10.0.0.1", "169.254.169.254"] {
                _ = try stage.connect(to: host, 403)
            }
            #expect(stage.resolutions.value.withLock { $0 } == 2, "addresses are not resolved")
            // The server itself is configured, not named by a client.
            _ = try stage.connect(to: Self.name, 200)
        }
    }

    @Test("another port, another method and the proxy itself are refused")
    func otherPorts() async throws {
        try await with { stage in
            let port = try #require(stage.proxy.address.split(separator: ":").last)
            for target in ["127.0.0.1:\(port)", "a.example:22", "\(Self.name):80"] {
                let client = try stage.connect()
                try client.send("CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\r\n")
                #expect(try client.receive().status == 403, "\(target)")
                #expect(client.awaitEnd())
            }
            let client = try stage.connect()
            try client.send("POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\nContent-Length: 5\r\n\r\nhello")
            let answer = try client.receive()
            #expect(answer.status == 405 && answer["allow"] == ["CONNECT"] && answer.body.contains("HTTPS_PROXY"))
            client.finishSending()
            #expect(client.awaitEnd())
        }
    }

    @Test("the proxy has its auto-configuration, with the address by which it was asked")
    func autoConfiguration() async throws {
        try await with(credentials: ProxyCredentials(user: "ada", password: "secret")) { stage in
            let client = try stage.connect()
            let answer = try client.ask("GET", "/proxy.pac", headers: [:])
            #expect(answer.status == 200 && answer["content-type"] == ["application/x-ns-proxy-autoconfig"])
            #expect(answer.body == ProxyAutoConfiguration(names: [Self.name], proxy: stage.proxy.address).text)
            #expect(answer["x-content-type-options"] == ["nosniff"])
            let rows = [
                ("localhost:1", 200), ("[::1]", 200), (CertificateNames.machine, 200), ("evil.example:20010", 421),
            ]
            for (host, status) in rows {
                #expect(
                    try stage.connect().ask("GET", "/proxy.pac", headers: ["Host": host]).status == status, "\(host)")
            }
        }
    }

    @Test("credentials open the proxy, and nothing else does")
    func credentials() async throws {
        try await with(credentials: ProxyCredentials(user: "ada", password: "secret")) { stage in
            _ = try stage.connect(to: Self.name, 407)
            _ = try stage.connect(to: Self.name, 407, head: "Proxy-Authorization: Basic YWRhOndyb25n\r\n")
            let client = try stage.connect(to: Self.name, 200, head: "Proxy-Authorization: Basic YWRhOnNlY3JldA==\r\n")
            try client.send(Self.hello(Self.name))
            #expect(try client.receive(byteCount: 6) == Array("server".utf8))
        }
    }

    @Test("a head that does not end, one connection too many and a tunnel without bytes end in time")
    func bounds() async throws {
        try await with(limits: { ($0.headSeconds, $0.clientHelloSeconds) = (1, 1) }) { stage in
            let client = try stage.connect()
            try client.send("CONNECT a.example:443 HTTP/1.1\r\nHost:")
            #expect(try client.receive().status == 408)
            // Neither a ClientHello that does not come.
            #expect(try stage.connect(to: Self.name, 200).awaitEnd())
        }
        try await with(limits: { $0.connectionsMax = 2 }) { stage in
            let first = try stage.connect(to: Self.name, 200)
            let second = try stage.connect(to: Self.name, 200)
            #expect(try stage.connect().receive().status == 503)
            first.finishSending()
            #expect(first.awaitEnd())
            // The place is free once the proxy has seen the end.
            try await eventually {
                let client = try stage.connect()
                try? client.send("CONNECT a.example:\(stage.port) HTTP/1.0\r\n\r\n")
                return (try? client.receive(hasBody: false).status) == 200
            }
            _ = second
        }
        try await with(limits: { $0.idleSeconds = 1 }) { stage in
            let client = try stage.connectToServer()
            #expect(try client.receive(byteCount: 6) == Array("server".utf8))
            #expect(client.awaitEnd())
        }
    }

    @Test(
        "names that are slow to resolve delay neither the server, nor other clients once theirs have gone, nor the end")
    func slowResolver() async throws {
        let isBlocking = Mutex(true)
        let started = Counter()
        let block: @Sendable (String) throws -> [IPAddress] = { name in
            started.value.withLock { $0 += 1 }
            let end = ContinuousClock.now + .seconds(300)
            while name.hasPrefix("slow"), isBlocking.withLock({ $0 }), ContinuousClock.now < end { usleep(5_000) }
            return [IPAddress("127.0.0.1")].compactMap(\.self)
        }
        let clock = ContinuousClock()
        try await with(limits: { ($0.resolverThreadCount, $0.resolutionsMax) = (1, 3) }, dialer: { $0.resolve = block })
        {
            stage in
            func ask(_ host: String) throws -> Client {
                let client = try stage.connect()
                try client.send("CONNECT \(host):\(stage.port) HTTP/1.0\r\n\r\n")
                return client
            }
            let slow = try ask("slow.example")
            try await eventually { started.value.withLock { $0 } == 1 }
            let before = clock.now
            let server = try stage.connectToServer()
            #expect(try server.receive(byteCount: 6) == Array("server".utf8))
            #expect(before.duration(to: clock.now) < .seconds(5), "the server's address needs no resolver")
            // Two wait, and a third is one too many. Those that go are closed at once.
            var waiting = [try ask("slow1.example"), try ask("slow2.example")]
            try await eventually {
                let client = try ask("slow3.example")
                client.finishSending()
                return (try? client.receive().status) == 503
            }
            for client in waiting { client.finishSending() }
            for client in waiting { #expect(client.awaitEnd()) }
            waiting = []
            let count = started.value.withLock { $0 }
            isBlocking.withLock { $0 = false }
            // The threads skip those that have gone.
            try await eventually {
                let client = try ask("a.example")
                return (try? client.receive(hasBody: false).status) == 200
            }
            #expect(started.value.withLock { $0 } == count + 1)
            isBlocking.withLock { $0 = true }
            let last = try ask("slow4.example")
            try await eventually { started.value.withLock { $0 } == count + 2 }
            let end = clock.now
            await stage.proxy.stop()
            // On a busy machine the test itself goes on late.
            #expect(end.duration(to: clock.now) < .seconds(120), "a name that is being resolved is not waited for")
            isBlocking.withLock { $0 = false }
            // A client that goes at once is skipped.
            withExtendedLifetime((slow, last)) {}
        }
    }

    @Test("a target that does not answer is 502")
    func unreachable() async throws {
        try await with(dialer: { $0.resolve = { _ in throw IPAddress.ResolutionError(reason: "unknown") } }) { stage in
            let client = try stage.connect()
            try client.send("CONNECT a.example:\(stage.port) HTTP/1.0\r\n\r\n")
            #expect(try client.receive().body == "Cannot resolve or connect to the target host.\n")
        }
        // The server has ended; its port is free.
        try await with(dialer: { dialer in
            dialer = ProxyDialer(
                limits: dialer.limits, serverHost: "127.0.0.1", serverPort: 1, resolver: dialer.resolver)
        }) { stage in
            let client = try stage.connect()
            try client.send("CONNECT \(Self.name):\(stage.port) HTTP/1.0\r\n\r\n")
            let answer = try client.receive()
            #expect(answer.status == 502)
            #expect(answer.body == "Cannot connect to the Syncline server at 127.0.0.1:1. Start it, or set --to.\n")
        }
    }

    @Test(
        "beyond this machine the proxy listens with credentials of a strong password alone, and never leads to itself")
    func starting() async throws {
        func start(_ host: String, port: Int = 0, serverPort: Int = 1, _ credentials: ProxyCredentials?) async
            -> ServerError?
        {
            var options = ForwardProxy.Options(serverHost: "127.0.0.1", serverPort: serverPort, names: [])
            (options.host, options.port, options.credentials) = (host, port, credentials)
            do throws(ServerError) {
                let proxy = try await ForwardProxy.start(options, log: Log(format: .text, level: .critical))
                await proxy.stop()
                return nil
            } catch { return error }
        }
        let weak = ProxyCredentials(user: "ada", password: "secret")
        for (host, credentials) in [("0.0.0.0", nil), ("::", nil), ("192.0.2.1", nil), ("0.0.0.0", weak)] {
            #expect(await start(host, credentials)?.code == .usage, "\(host)")
        }
        #expect(await start("127.0.0.1", nil) == nil)

        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let taken = try await ServerBootstrap(group: group).bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(taken.localAddress?.port)
        #expect(await start("127.0.0.1", port: port, nil)?.code == .address)
        // Not an address of this machine; the machine's own errors are the server's.
        let strong = ProxyCredentials(user: "ada", password: "a password of enough length")
        let foreign = await start("192.0.2.1", strong)
        #expect(foreign?.code == .usage && foreign?.text.contains("no address of this machine") == true)
        try await taken.close()
        try await group.shutdownGracefully()
        let error = await start("127.0.0.1", port: port, serverPort: port, nil)
        #expect(error?.text.contains("is the proxy itself") == true)
    }
}
