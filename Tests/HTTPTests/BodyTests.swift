import Foundation
import Synchronization
import Testing

@testable import HTTP

@Suite("Bodies that are streamed and files that are sent, over sockets")
struct BodyTests {
    private static let head = "POST /p HTTP/1.1\r\nHost: h\r\n"
    private static let get = "GET /f HTTP/1.1\r\nHost: h\r\n\r\n"

    /// Bytes of which no two neighbouring pieces are alike.
    private static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 9) } }

    private func withFile(_ bytes: [UInt8], _ body: (String) async throws -> Void) async throws {
        let path = NSTemporaryDirectory() + "body-\(UUID().uuidString)"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await body(path)
    }

    // MARK: Up

    @Test("a body arrives whole by its length and in chunks, and the connection goes on", arguments: [false, true])
    func upload(isChunked: Bool) async throws {
        let body = Self.bytes(3_000_000)
        try await withServer(Receiving()) { port in
            let client = Client(port: port)
            for _ in 0..<2 {
                if isChunked {
                    client.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n")
                    for start in stride(from: 0, to: body.count, by: 70_000) {
                        let chunk = body[start..<min(start + 70_000, body.count)]
                        client.send(Array((String(chunk.count, radix: 16) + "\r\n").utf8) + chunk + Array("\r\n".utf8))
                    }
                    client.send("0\r\n\r\n")
                } else {
                    client.send(Array((Self.head + "Content-Length: \(body.count)\r\n\r\n").utf8) + body)
                }
                let answer = try #require(await client.answer())
                #expect(answer.headers["connection"] == nil)
                #expect(answer.text == "\(body.count) bytes, sum \(Receiving.sum(body))")
            }
        }
    }

    @Test("a body that the responder does not read is not received past the bound")
    func backPressure() async throws {
        let receiving = Receiving(isHeld: true)
        let server = HTTPServer(limits: .patient, responder: receiving)
        let port = try server.listen(host: "127.0.0.1", port: 0)
        let body = Self.bytes(12_000_000)
        let client = Client(port: port)
        // Sending uses the descriptor alone, which does not change.
        nonisolated(unsafe) let sender = client
        let sending = Thread {
            unsafe sender.send(Array((Self.head + "Content-Length: \(body.count)\r\n\r\n").utf8) + body)
        }
        sending.start()
        #expect(await eventually { server.statistics.incomingBytes >= HTTPLimits().streamBytesMax })
        // A read of the socket is at most some hundred kilobytes.
        for _ in 0..<20 {
            #expect(server.statistics.incomingBytes < 2_000_000)
            try await Task.sleep(for: .milliseconds(2))
        }
        receiving.go()
        #expect(await client.answer()?.text == "\(body.count) bytes, sum \(Receiving.sum(body))")
        #expect(await eventually { server.statistics.incomingBytes == 0 })
        await server.shutdown(drainSeconds: 1)
    }

    @Test("an upload that is cut off, malformed or too large fails, and the route says what the client reads")
    func failures() async throws {
        let receiving = Receiving(bytesMax: 10)
        try await withServer(receiving) { port in
            let table = [
                ("Content-Length: 5\r\n\r\nab", "disconnected"),
                ("Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\nx\r\n", "400"),
                ("Transfer-Encoding: chunked\r\n\r\nb\r\nab", "413"),
            ]
            for (text, error) in table {
                let client = Client(port: port)
                client.send(Self.head + text)
                if error == "disconnected" { client.finishSending() }
                let answer = try #require(await client.answer())
                #expect(answer.text == error && answer.headers["connection"] == "close")
                #expect(await client.rest() == [])
            }
            let client = Client(port: port)
            client.send(Self.head + "Content-Length: 11\r\n\r\n")
            #expect(await client.answer()?.status == 413)
            let gone = Client(port: port)
            gone.send(Self.head + "Content-Length: 10\r\n\r\nab")
            #expect(await eventually { receiving.readCount >= 5 })
            gone.resetOnClose()
        }
        #expect(await eventually { receiving.failures.last == "disconnected" })
    }

    @Test("100 Continue is the route's: it comes with the first part, and not when the head is refused")
    func expectation() async throws {
        let expects = "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"
        try await withServer(Receiving()) { port in
            let client = Client(port: port)
            client.send(Self.head + expects)
            #expect(await client.answer()?.status == 100)
            client.send("ab")
            #expect(await client.answer()?.text == "2 bytes, sum \(Receiving.sum(Array("ab".utf8)))")
        }
        for reception in [BodyReception.refuse, .stream(bytesMax: 10)] {
            let responder = Refusing403(reception: reception)
            try await withServer(responder) { port in
                let client = Client(port: port)
                client.send(Self.head + expects)
                let answer = try #require(await client.answer())
                #expect(answer.status == 403 && answer.headers["connection"] == "close")
                #expect(await client.rest() == [])
            }
        }
    }

    @Test("a request that is refused from its head ends the connection, unless its whole body came with the head")
    func refusedBody() async throws {
        try await withServer(Refusing403(reception: .refuse)) { port in
            let whole = Client(port: port)
            whole.send(Self.head + "Content-Length: 2\r\n\r\nab" + Self.get)
            for _ in 0..<2 {
                let answer = try #require(await whole.answer())
                #expect(answer.status == 403 && answer.headers["connection"] == nil)
            }
            for rest in ["Content-Length: 100000\r\n\r\nab", "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n"] {
                let cut = Client(port: port)
                cut.send(Self.head + rest + Self.get)
                let answer = try #require(await cut.answer())
                #expect(answer.status == 403 && answer.headers["connection"] == "close")
                #expect(await cut.rest() == [], "what follows is no request")
            }
        }
    }

    @Test("a body can be read as an asynchronous sequence")
    func sequence() async throws {
        let body = Self.bytes(1_000_000)
        try await withServer(Receiving(isAsync: true)) { port in
            let client = Client(port: port)
            client.send(Array((Self.head + "Content-Length: \(body.count)\r\n\r\n").utf8) + body)
            #expect(await client.answer()?.text == "\(body.count) bytes, sum \(Receiving.sum(body))")
        }
    }

    // MARK: Down

    @Test("a file leaves whole, by range and without its body for HEAD, in its turn among other answers")
    func files() async throws {
        let bytes = Self.bytes(5_000_000)
        try await withFile(bytes) { path in
            try await withServer(Sending(path: path)) { port in
                let client = Client(port: port)
                client.send(["/f", "/range", "/small"].map { Self.get.replacing("/f", with: $0) }.joined())
                #expect(await client.answer()?.body == bytes)
                let range = try #require(await client.answer())
                #expect(range.status == 206 && range.body == Array(bytes[1_000_001..<4_000_000]))
                #expect(await client.answer()?.text == "small")
                client.send(Self.get.replacing("GET", with: "HEAD") + Self.get.replacing("/f", with: "/small"))
                #expect(await client.answer(isHead: true)?.headers["content-length"] == "5000000")
                #expect(await client.answer()?.text == "small")
                client.send(Self.get.replacing("/f", with: "/empty") + Self.get.replacing("/f", with: "/small"))
                #expect(await client.answer()?.body == [])
                #expect(await client.answer()?.text == "small")
                client.send("GET /f HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
                #expect(await client.answer()?.body == bytes)
                #expect(await client.rest() == [])
            }
        }
    }

    @Test("a file leaves by TLS as well")
    func tls() async throws {
        let text = String(repeating: "0123456789abcdef\n", count: 100_000)
        try await withFile(Array(text.utf8)) { path in
            let server = HTTPServer(limits: .patient, responder: Sending(path: path))
            server.setTLS(try TLSCertificates([TestCertificates.one]))
            let port = try server.listen(host: "127.0.0.1", port: 0)
            let client = try await TLSClient(port: port)
            try await client.send(Self.get)
            #expect(try await client.answer()?.hasSuffix("\r\n\r\n" + text) == true)
            await server.shutdown(drainSeconds: 1)
        }
    }

    @Test("a reader that takes nothing of a file costs no memory, and gets all of it in the end")
    func slowReader() async throws {
        let bytes = Self.bytes(12_000_000)
        try await withFile(bytes) { path in
            let server = HTTPServer(limits: .patient, responder: Sending(path: path))
            let client = Client(port: try server.listen(host: "127.0.0.1", port: 0), receiveBytes: 4096)
            client.send(Self.get)
            for _ in 0..<50 {
                try await Task.sleep(for: .milliseconds(2))
                #expect(server.statistics.outgoingBytes < 1_000_000)
            }
            let isWhole = await client.answer()?.body == bytes
            #expect(isWhole)
            await server.shutdown(drainSeconds: 1)
        }
    }

    @Test("a file that becomes shorter while it is sent ends the connection before the answer is whole")
    func shrunk() async throws {
        let bytes = Self.bytes(12_000_000)
        try await withFile(bytes) { path in
            try await withServer(Sending(path: path)) { port in
                let client = Client(port: port, receiveBytes: 4096)
                client.send(Self.get)
                #expect(await client.take(1000) != nil)
                try FileHandle(forWritingTo: URL(fileURLWithPath: path)).truncate(atOffset: 1000)
                #expect((await client.rest() ?? []).count < bytes.count)
            }
        }
    }

    @Test("a file that is revoked while it is sent ends the connection, also where it waits for an earlier answer")
    func revoked() async throws {
        let bytes = Self.bytes(12_000_000)
        try await withFile(bytes) { path in
            let sending = Sending(path: path)
            try await withServer(sending) { port in
                let client = Client(port: port, receiveBytes: 4096)
                client.send(Self.get)
                #expect(await client.take(1000) != nil)
                let waiting = Client(port: port)
                waiting.send(Self.get.replacing("/f", with: "/never") + Self.get)
                #expect(await eventually { sending.openCount == 2 })
                sending.revoke()
                // Neither client reads on its own: the server ends both, and closes the files.
                #expect(await eventually { sending.openCount == 0 })
                #expect((await client.rest() ?? []).count < bytes.count)
                #expect(await waiting.rest() == [])
            }
        }
    }

    @Test("a stream leaves with its length, in chunks, or to HTTP/1.0 until the end, each part asked for in its turn")
    func streams() async throws {
        let sending = Sending(path: "")
        try await withServer(sending) { port in
            let client = Client(port: port)
            client.send(Self.get.replacing("/f", with: "/length") + Self.get.replacing("/f", with: "/small"))
            #expect(await client.answer()?.text == "part 1, part 2, part 3, ")
            #expect(await client.answer()?.text == "small")
            client.send("GET /chunks HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            let text = try #require(await client.rest().map { String(decoding: $0, as: UTF8.self) })
            #expect(text.contains("Transfer-Encoding: chunked\r\n") && !text.contains("Content-Length"))
            #expect(text.hasSuffix("\r\n\r\n8\r\npart 1, \r\n8\r\npart 2, \r\n8\r\npart 3, \r\n0\r\n\r\n"))
            let old = Client(port: port)
            old.send("GET /chunks HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            let oldText = try #require(await old.rest().map { String(decoding: $0, as: UTF8.self) })
            #expect(oldText.contains("Connection: close\r\n") && oldText.hasSuffix("\r\n\r\npart 1, part 2, part 3, "))
            for path in ["/short", "/long", "/failed"] {
                let broken = Client(port: port)
                broken.send(Self.get.replacing("/f", with: path))
                #expect(await broken.answer() == nil, "\(path)")
            }
        }
    }

    @Test("a stream is not asked for parts that its reader does not take")
    func slowStream() async throws {
        let sending = Sending(path: "")
        let server = HTTPServer(limits: .patient, responder: sending)
        let port = try server.listen(host: "127.0.0.1", port: 0)
        let client = Client(port: port, receiveBytes: 4096)
        client.send(Self.get.replacing("/f", with: "/endless"))
        #expect(await client.take(100) != nil)
        var count = -1
        // The sockets take some megabytes; then nothing more is asked for.
        #expect(
            await eventually {
                defer { count = sending.askedCount }
                return sending.askedCount == count
            })
        #expect(sending.askedCount * 100_000 < 20_000_000)
        #expect(server.statistics.outgoingBytes < 1_000_000)
        client.resetOnClose()
        await server.shutdown(drainSeconds: 0)
    }
}

/// Receives bodies in parts, and answers with what they were.
private final class Receiving: Responder {
    private struct State {
        var held: [@Sendable () -> Void] = []
        var isHeld: Bool
        var readCount = 0
        var failures: [String] = []
    }

    private let bytesMax: Int
    private let isAsync: Bool
    private let state: Mutex<State>

    init(bytesMax: Int = 1 << 40, isHeld: Bool = false, isAsync: Bool = false) {
        self.bytesMax = bytesMax
        self.isAsync = isAsync
        state = Mutex(State(isHeld: isHeld))
    }

    var readCount: Int { state.withLock { $0.readCount } }
    var failures: [String] { state.withLock { $0.failures } }

    /// Reads the bodies that were held.
    func go() {
        let held = state.withLock { state in
            state.isHeld = false
            defer { state.held = [] }
            return state.held
        }
        for one in held { one() }
    }

    static func sum(_ bytes: [UInt8]) -> Int { bytes.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF_FFFF } }

    func bodyReception(for head: Request, on loop: EventLoop) -> BodyReception { .stream(bytesMax: bytesMax) }

    func respond(to request: Request, on loop: EventLoop, reply: Reply) {
        guard let body = request.stream else { return reply.send(Response(status: 500)) }
        if isAsync {
            Task {
                var bytes: [UInt8] = []
                for try await part in body { bytes += part }
                Self.answer(bytes.count, Self.sum(bytes), reply)
            }
            return
        }
        let begin: @Sendable () -> Void = { [self] in read(body, 0, 0, reply) }
        let isHeld = state.withLock { state in
            if state.isHeld { state.held.append(begin) }
            return state.isHeld
        }
        if !isHeld { begin() }
    }

    private func read(_ body: RequestBody, _ count: Int, _ sum: Int, _ reply: Reply) {
        state.withLock { $0.readCount += 1 }
        body.read { [self] part in
            switch part {
            case .bytes(let bytes):
                let sum = bytes.reduce(sum) { ($0 &* 31 &+ Int($1)) & 0xFFFF_FFFF }
                read(body, count + bytes.count, sum, reply)
            case .end: Self.answer(count, sum, reply)
            case .failed(let error):
                var text = "\(error)"
                if case .refused(let refusal) = error { text = "\(refusal.status)" }
                state.withLock { [text] in $0.failures.append(text) }
                reply.send(Response(status: 400, body: Array(text.utf8)))
            }
        }
    }

    private static func answer(_ count: Int, _ sum: Int, _ reply: Reply) {
        reply.send(Response(status: 200, body: Array("\(count) bytes, sum \(sum)".utf8)))
    }
}

/// Refuses every request from its head.
private struct Refusing403: Responder {
    let reception: BodyReception

    func bodyReception(for head: Request, on loop: EventLoop) -> BodyReception { reception }

    func respond(to request: Request, on loop: EventLoop, reply: Reply) {
        #expect((request.stream == nil) == (reception == .refuse))
        reply.send(Response(status: 403))
    }
}

/// Answers with a file and with streams.
private final class Sending: Responder {
    private let path: String
    private let asked = Atomic(0)
    private let files = Files()
    /// Replies that are never sent.
    private let kept = Mutex<[Reply]>([])

    private final class Files: Sendable {
        let openCount = Atomic(0)
        let areRevoked = Atomic(false)
    }

    init(path: String) { self.path = path }

    var askedCount: Int { asked.load(ordering: .relaxed) }

    /// Files that are not closed yet.
    var openCount: Int { files.openCount.load(ordering: .relaxed) }

    /// No file may be sent any further.
    func revoke() { files.areRevoked.store(true, ordering: .relaxed) }

    func respond(to request: Request, on loop: EventLoop, reply: Reply) {
        switch request.path {
        case "/f": sendFile(reply) { 0..<$0 }
        case "/range": sendFile(reply, status: 206) { _ in 1_000_001..<4_000_000 }
        case "/never": kept.withLock { $0.append(reply) }
        case "/empty": sendFile(reply) { _ in 7..<7 }
        case "/length": reply.send(Response(status: 200, content: .stream(parts(3, byteCount: 24))))
        case "/chunks": reply.send(Response(status: 200, content: .stream(parts(3))))
        case "/short": reply.send(Response(status: 200, content: .stream(parts(3, byteCount: 25))))
        case "/long": reply.send(Response(status: 200, content: .stream(parts(3, byteCount: 23))))
        case "/failed": reply.send(Response(status: 200, content: .stream(parts(3, byteCount: 100, fails: true))))
        case "/endless":
            let part = [UInt8](repeating: 0x61, count: 100_000)
            let stream = ResponseStream { [self] deliver in
                asked.add(1, ordering: .relaxed)
                deliver(.bytes(part))
            }
            reply.send(Response(status: 200, content: .stream(stream)))
        default: reply.send(Response(status: 200, body: Array("small".utf8)))
        }
    }

    private func sendFile(_ reply: Reply, status: Int = 200, _ range: (Int) -> Range<Int>) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        files.openCount.add(1, ordering: .relaxed)
        let file = ReadableFile(takingOwnershipOf: descriptor) { [files] in
            files.areRevoked.load(ordering: .relaxed)
        } onClose: { [files] in
            files.openCount.subtract(1, ordering: .relaxed)
        }
        reply.send(Response(status: status, content: .file(file, range: range(file.byteCount))))
    }

    /// Every second part comes later, from another thread.
    private func parts(_ count: Int, byteCount: Int? = nil, fails: Bool = false) -> ResponseStream {
        let number = Atomic(0)
        return ResponseStream(byteCount: byteCount) { deliver in
            let number = number.add(1, ordering: .relaxed).newValue
            let part: ResponseStream.Part =
                number <= count ? .bytes(Array("part \(number), ".utf8)) : fails ? .failed : .end
            if number % 2 == 0 { Task { deliver(part) } } else { deliver(part) }
        }
    }
}
