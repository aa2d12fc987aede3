import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
import Testing

@testable import HTTP
@testable import Server

/// The server name that a client of the proxy asks for, without sockets; and what BoringSSL sends.
@Suite("The ClientHello that the server and the proxy read")
struct ClientHelloTests {
    /// A ClientHello in one record.
    private struct Hello {
        var extensions: [(type: Int, content: [UInt8])] = []
        var session = [UInt8](repeating: 7, count: 32)

        init(_ name: String? = nil) {
            if let name { extensions.append((0, Self.serverName([(0, Array(name.utf8))]))) }
        }

        static func vector(_ bytes: [UInt8], _ lengthBytes: Int) -> [UInt8] {
            (0..<lengthBytes).reversed().map { UInt8(truncatingIfNeeded: bytes.count >> (8 * $0)) } + bytes
        }

        static func serverName(_ names: [(type: UInt8, name: [UInt8])]) -> [UInt8] {
            vector(names.flatMap { [$0.type] + vector($0.name, 2) }, 2)
        }

        var message: [UInt8] {
            var body: [UInt8] = [3, 3] + [UInt8](repeating: 9, count: 32)
            body += Self.vector(session, 1) + Self.vector([0x13, 0x01], 2) + Self.vector([0], 1)
            if !extensions.isEmpty {
                body += Self.vector(
                    extensions.flatMap { [UInt8($0.type >> 8), UInt8($0.type & 255)] + Self.vector($0.content, 2) }, 2)
            }
            return [1] + Self.vector(body, 3)
        }

        var bytes: [UInt8] { Self.record(message) }

        static func record(_ bytes: [UInt8]) -> [UInt8] { [22, 3, 1] + vector(bytes, 2) }
    }

    private func read(_ bytes: [UInt8], cuts: [Int] = []) -> ClientHelloReader.Event {
        var reader = ClientHelloReader()
        for (start, end) in zip([0] + cuts, cuts + [bytes.count]) {
            let event = reader.receive(bytes[start..<end])
            if event != .needsBytes { return event }
        }
        return .needsBytes
    }

    @Test("the name is read however the bytes are cut, and however they stand in records")
    func names() {
        let hello = Hello("S3.eu-west-1.amazonaws.com")
        let expected = ClientHelloReader.Event.serverName("s3.eu-west-1.amazonaws.com")
        #expect(read(hello.bytes) == expected)
        for cut in 1..<hello.bytes.count { #expect(read(hello.bytes, cuts: [cut]) == expected) }
        #expect(read(hello.bytes, cuts: Array(1..<hello.bytes.count)) == expected)
        #expect(read(Array(hello.bytes.dropLast())) == .needsBytes)
        let message = hello.message
        for cut in [1, 3, 4, 5, 40, message.count - 1] {
            #expect(
                read(Hello.record(Array(message[..<cut])) + Hello.record(Array(message[cut...]))) == expected, "\(cut)")
        }
        #expect(read(Hello().bytes) == .serverName(nil))
    }

    @Test("a hello that arrives byte by byte is read once, and not again with each byte", .timeLimit(.minutes(1)))
    func slow() {
        var hello = Hello("a.example")
        hello.extensions.append((21, [UInt8](repeating: 0, count: 16_000)))
        let bytes = hello.bytes
        // If each byte were read again with the following ones, this would be 25 thousand million bytes.
        for _ in 0..<200 { #expect(read(bytes, cuts: Array(1..<bytes.count)) == .serverName("a.example")) }
    }

    @Test("a hello that a server could read otherwise is invalid")
    func invalid() {
        var twice = Hello("a.example")
        twice.extensions.append(twice.extensions[0])
        var others = Hello()
        others.extensions = [(0, Hello.serverName([(0, Array("a.example".utf8)), (0, Array("b.example".utf8))]))]
        var foreign = Hello()
        foreign.extensions = [(0, Hello.serverName([(1, Array("a.example".utf8))]))]
        var empty = Hello("")
        empty.extensions.append((43, [2, 3, 4]))
        var control = Hello("a.example\u{0}")
        control.session = []
        var long = Hello("a.example")
        long.session = [UInt8](repeating: 7, count: 33)
        var cut = Hello("a.example")
        cut.extensions[0].content[1] += 1
        for hello in [twice, others, foreign, empty, control, long, cut] { #expect(read(hello.bytes) == .invalid) }

        let hello = Hello("a.example")
        #expect(read(Hello.record(hello.message + [0])) == .invalid, "bytes after the message")
        #expect(read(Array("GET / HTTP/1.1\r\n".utf8)) == .invalid, "clear text")
        #expect(read([22, 2]) == .invalid && read([22, 3, 1, 0, 0]) == .invalid && read([23]) == .invalid)
        #expect(read(Hello.record([2, 0, 0, 0])) == .invalid, "another message")
        var large = Hello("a.example")
        large.extensions.append((21, [UInt8](repeating: 0, count: 16_000)))
        #expect(read(large.bytes) == .serverName("a.example"))
        large.extensions[1].content += [UInt8](repeating: 0, count: 500)
        let bytes =
            Hello.record(Array(large.message.prefix(9_000))) + Hello.record(Array(large.message.dropFirst(9_000)))
        #expect(read(bytes) == .invalid && read(bytes, cuts: Array(1..<bytes.count)) == .invalid)
    }

    @Test("BoringSSL's ClientHello is read")
    func boringSSL() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let event = Mutex<ClientHelloReader.Event?>(nil)
        let server = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Reader { read in event.withLock { $0 = read } })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let context = try NIOSSLContext(configuration: .makeClientConfiguration())
        _ = try await ClientBootstrap(group: group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        NIOSSLClientHandler(context: context, serverHostname: "cognito-idp.eu-west-1.amazonaws.com"))
                }
            }
            .connect(to: try #require(server.localAddress)).get()
        try await eventually { event.withLock { $0 != nil } }
        #expect(event.withLock { $0 } == .serverName("cognito-idp.eu-west-1.amazonaws.com"))
        try await group.shutdownGracefully()
    }

    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private var reader = ClientHelloReader()
        private let report: (ClientHelloReader.Event) -> Void

        init(_ report: @escaping (ClientHelloReader.Event) -> Void) { self.report = report }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let event = reader.receive(unwrapInboundIn(data).readableBytesView)
            if event != .needsBytes { report(event) }
        }
    }
}
