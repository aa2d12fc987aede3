import NIOSSL
import Synchronization
import Testing

@testable import HTTP

@Suite("TLS and clear text on one port")
struct TLSTests {
    static let get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

    @Test("one port answers both, and a request knows which it came by", arguments: [TLSVersion.tlsv12, .tlsv13])
    func bothProtocols(version: TLSVersion) async throws {
        try await withTLSServer { server, port in
            let secure = try await TLSClient(port: port, versionMax: version)
            #expect(secure.applicationProtocol == "http/1.1")
            #expect(try await secure.version == version)
            for _ in 0..<3 { #expect(try await secure.ask(Self.get)?.hasSuffix("secure") == true) }
            let clear = Client(port: port)
            clear.send(Self.get)
            #expect(await clear.answer()?.text == "clear")
            #expect(server.statistics.handshakeCount == 1 && server.statistics.failedHandshakeCount == 0)
        }
    }

    @Test("a client that offers HTTP/2 only is answered in HTTP/1.1 or refused, and TLS before 1.2 is refused")
    func versions() async throws {
        try await withTLSServer { server, port in
            let stranger = try await TLSClient(port: port, applicationProtocols: ["h2"])
            #expect(stranger.applicationProtocol == nil)
            let browser = try await TLSClient(port: port, applicationProtocols: ["h2", "http/1.1"])
            #expect(browser.applicationProtocol == "http/1.1")
            await #expect(throws: (any Error).self) { try await TLSClient(port: port, versionMax: .tlsv11) }
            #expect(await failures(of: server, reach: 1))
        }
    }

    @Test(
        "under TLS 1.2 a cipher suite has forward secrecy and authenticated encryption, or is refused",
        arguments: [
            ("ECDHE-ECDSA-AES128-GCM-SHA256", true), ("ECDHE-ECDSA-CHACHA20-POLY1305", true),
            ("ECDHE-ECDSA-AES128-SHA", false), ("ECDHE-ECDSA-AES256-SHA", false),
        ])
    func cipherSuites(name: String, isAccepted: Bool) async throws {
        try await withTLSServer { _, port in
            let client = try? await TLSClient(port: port, versionMax: .tlsv12, cipherSuites: name)
            #expect((client != nil) == isAccepted)
            let answer = try await client?.ask(Self.get)
            #expect(answer?.hasSuffix("secure") == (isAccepted ? true : nil))
        }
    }

    @Test("the name that is asked for chooses the certificate, and the first is for all others")
    func serverNames() async throws {
        try await withTLSServer([TestCertificates.one, TestCertificates.two]) { server, port in
            let one = try NIOSSLCertificate.fromPEMBytes(TestCertificates.one.chainPEM)[0]
            let two = try NIOSSLCertificate.fromPEMBytes(TestCertificates.two.chainPEM)[0]
            let rows: [(String?, NIOSSLCertificate)] = [
                ("one.test", one), ("localhost", one), ("two.test", two), ("Two.Test", two), ("a.two.test", two),
                ("a.b.two.test", one), ("wo.test", one), ("other.test", one), (nil, one),
            ]
            // `one` is good for the address that is dialled, so a client takes it under any name.
            for (name, certificate) in rows {
                let client = try await TLSClient(port: port, host: name)
                #expect(try await client.certificate == certificate, "\(name ?? "no name")")
                #expect(try await client.ask(Self.get) != nil)
            }
        }
    }

    @Test("certificates can be replaced: new handshakes see the new ones, standing connections go on")
    func replacement() async throws {
        try await withTLSServer { server, port in
            let before = try await TLSClient(port: port, host: "one.test")
            server.setTLS(try TLSCertificates([TestCertificates.two]))
            let after = try await TLSClient(port: port, host: "two.test")
            let (first, second) = (try await before.certificate, try await after.certificate)
            #expect(first != nil && second != nil && first != second)
            #expect(try await before.ask(Self.get) != nil)
            #expect(try await after.ask(Self.get) != nil)
            server.setTLS(nil)
            await #expect(throws: (any Error).self) { try await TLSClient(port: port) }
            #expect(try await after.ask(Self.get) != nil)
        }
    }

    @Test("a port for TLS alone refuses clear text with a sentence")
    func tlsOnly() async throws {
        try await withTLSServer { server, _ in
            let port = try server.listen(host: "127.0.0.1", port: 0, .tls)
            let client = Client(port: port)
            client.send(Self.get)
            let answer = await client.answer()
            #expect(answer?.status == 400 && answer?.text.contains("TLS only") == true)
            #expect(await client.rest() == [])
            #expect(try await TLSClient(port: port).ask(Self.get)?.hasSuffix("secure") == true)
        }
    }

    @Test("what cannot be shown is refused when it is made, with the reason")
    func broken() throws {
        var noKey = TestCertificates.one
        noKey.keyPEM = Array("no key".utf8)
        var noChain = TestCertificates.one
        noChain.chainPEM = []
        var foreign = TestCertificates.one
        foreign.keyPEM = TestCertificates.two.keyPEM
        let rows: [([TLSCertificates.Identity], TLSCertificatesError.Code)] = [
            ([], .badChain), ([noChain], .badChain), ([noKey], .badKey), ([foreign], .mismatch),
            ([TestCertificates.two, foreign], .mismatch),
        ]
        for (identities, code) in rows {
            let error = #expect(throws: TLSCertificatesError.self) { try TLSCertificates(identities) }
            #expect(error?.code == code)
        }
    }

    @Test("large bodies and pipelined requests pass both ways, and a client that reads nothing delays no other")
    func amount() async throws {
        let body = [UInt8](repeating: 0x61, count: 3_000_000)
        let responder = Responding { request, loop, reply in
            unsafe request.withBody {
                unsafe reply.send(Response(status: 200, body: $0.isEmpty ? body : Array("\($0.count)".utf8)))
            }
        }
        try await withTLSServer(responder) { server, port in
            let slow = try await TLSClient(port: port)
            try await slow.send(String(repeating: Self.get, count: 5))
            let client = try await TLSClient(port: port)
            let upload =
                "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 900000\r\n\r\n" + String(repeating: "u", count: 900_000)
            #expect(try await client.ask(upload)?.hasSuffix("\r\n\r\n900000") == true)
            for _ in 0..<5 { #expect(try await slow.answer()?.hasSuffix("aaaa") == true) }
        }
    }

    @Test("an answer that ends the connection arrives whole, and so does a refusal")
    func ends() async throws {
        let body = [UInt8](repeating: 0x61, count: 3_000_000)
        try await withTLSServer(
            Responding { request, loop, reply in reply.send(Response(status: 200, body: body)) }
        ) { server, port in
            let client = try await TLSClient(port: port)
            let answer = try await client.ask("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            #expect(answer?.hasSuffix("aaaa") == true)
            #expect(await client.ends())
            let refused = try await TLSClient(port: port)
            #expect(try await refused.ask("GET /\r\n\r\n")?.hasPrefix("HTTP/1.1 400 ") == true)
            #expect(await refused.ends())
            #expect(await openCount(of: server, becomes: 0))
        }
    }
}

@Suite("TLS handshakes that come to nothing")
struct TLSHandshakeTests {
    @Test("without certificates a handshake is closed silently, and reported to the responder")
    func notServed() async throws {
        let failures = Failures()
        try await withTLSServer([], failures) { server, port in
            let client = Client(port: port)
            client.send([0x16, 3, 1, 0, 200, 1])
            #expect(await client.rest() == [])
            #expect(failures.all == [.notServed])
        }
    }

    @Test("a client that does not trust the certificate is distinguished from a broken one")
    func distrusted() async throws {
        let failures = Failures()
        try await withTLSServer([TestCertificates.one], failures) { server, port in
            let foreign = String(decoding: TestCertificates.two.chainPEM, as: UTF8.self)
            await #expect(throws: (any Error).self) { try await TLSClient(port: port, authorityPEM: foreign) }
            #expect(await HTTPTests.failures(of: server, reach: 1))
            #expect(failures.all == [.distrusted])
            // OpenSSL says it in clear text.
            let curl = Client(port: port)
            curl.send(try await TLSClient.clientHello(port: port))
            curl.send([0x15, 3, 3, 0, 2, 2, 48])
            #expect(await curl.rest() != nil)
            #expect(failures.all == [.distrusted, .distrusted])
            Client(port: port).send([0x16, 3, 1, 0, 2, 0xFF, 0xFF])
            #expect(await HTTPTests.failures(of: server, reach: 3))
            #expect(failures.all.count == 3 && failures.all.last != .distrusted, "\(failures.all)")
        }
    }

    @Test("a handshake cut anywhere, reset or finished, is closed and counted, and the server goes on")
    func cut() async throws {
        try await withTLSServer { server, port in
            let hello = try await TLSClient.clientHello(port: port)
            #expect(hello.count > 100 && hello[0] == TLSHandshake.firstByte)
            var count = 0
            for end in Set(1..<12).union(stride(from: 12, to: hello.count, by: 37)).union([
                hello.count - 1, hello.count,
            ]) {
                for isReset in [false, true] {
                    let client = Client(port: port)
                    client.send(Array(hello[..<end]))
                    if isReset { client.resetOnClose() } else { client.finishSending() }
                    if !isReset { #expect(await client.rest() != nil, "after \(end) bytes") }
                    count += 1
                }
            }
            #expect(await failures(of: server, reach: count))
            #expect(await openCount(of: server, becomes: 0))
            #expect(try await TLSClient(port: port).ask(TLSTests.get) != nil)
        }
    }

    @Test("garbage after the first byte is closed, whatever it is", arguments: 0..<8)
    func garbage(seed: Int) async throws {
        var random = FastRandom(seed: UInt64(seed))
        try await withTLSServer { server, port in
            let hello = try await TLSClient.clientHello(port: port)
            for round in 0..<20 {
                var bytes = round % 2 == 0 ? [] : hello
                if bytes.isEmpty {
                    bytes = (0..<Int(random.next() % 400 + 10)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                } else {
                    // A header that still promises as much as there is.
                    for _ in 0..<4 { bytes[5 + Int(random.next() % UInt64(bytes.count - 5))] ^= 0xFF }
                }
                bytes[0] = TLSHandshake.firstByte
                let client = Client(port: port)
                client.send(bytes)
                client.finishSending()
                #expect(await client.rest() != nil, "seed \(seed), round \(round)")
            }
            #expect(await openCount(of: server, becomes: 0), "seed \(seed)")
            #expect(try await TLSClient(port: port).ask(TLSTests.get) != nil)
        }
    }

    @Test("a handshake that takes too long is closed, though the client keeps the connection")
    func slow() async throws {
        var limits = HTTPLimits.patient
        limits.handshakeSeconds = 1
        let failures = Failures()
        try await withTLSServer([TestCertificates.one], failures, limits: limits) { server, port in
            let hello = try await TLSClient.clientHello(port: port)
            let (part, whole) = (Client(port: port), Client(port: port))
            part.send(Array(hello[..<50]))
            whole.send(hello)
            #expect(await part.rest() == [])
            #expect(await whole.rest()?.first == TLSHandshake.firstByte)
            #expect(failures.all == [.tooSlow, .tooSlow])
        }
    }

    @Test("200 clients that come, shake hands or not, and go leave nothing behind; a shutdown ends the rest")
    func handshakes() async throws {
        try await withTLSServer { server, port in
            let hello = try await TLSClient.clientHello(port: port)
            for number in 0..<200 {
                switch number % 4 {
                case 0: _ = try await TLSClient(port: port)
                case 1: #expect(try await TLSClient(port: port).ask(TLSTests.get) != nil)
                case 2: Client(port: port).send(hello)
                default: Client(port: port).send(TLSTests.get)
                }
            }
            // The last of them may have left before it was accepted.
            #expect(await eventually { server.statistics.acceptedCount == 201 })
            #expect(await openCount(of: server, becomes: 0))
            let (idle, half) = (try await TLSClient(port: port), Client(port: port))
            half.send(Array(hello[..<50]))
            #expect(await openCount(of: server, becomes: 2))
            await server.shutdown(drainSeconds: 1)
            #expect(await idle.ends())
            // Closed, or reset when the server had not read what it sent.
            _ = await half.rest()
            #expect(server.statistics.openCount == 0)
        }
    }
}

// MARK: - Means

/// Says of each request how it came.
private struct Secrecy: Responder {
    func respond(to request: Request, on loop: EventLoop, reply: Reply) {
        reply.send(Response(status: 200, body: Array((request.isSecure ? "secure" : "clear").utf8)))
    }
}

/// Keeps what it receives of handshakes.
private final class Failures: Responder {
    private let received = Mutex<[TLSHandshakeFailure]>([])

    var all: [TLSHandshakeFailure] { received.withLock { $0 } }

    func respond(to request: Request, on loop: EventLoop, reply: Reply) {}

    func noteHandshake(failure: TLSHandshakeFailure, peer: Peer, on loop: EventLoop) {
        received.withLock { $0.append(failure) }
    }
}

private func withTLSServer(
    _ identities: [TLSCertificates.Identity] = [TestCertificates.one], _ responder: some Responder = Secrecy(),
    limits: HTTPLimits = .patient, _ body: (HTTPServer, Int) async throws -> Void
) async throws {
    let server = HTTPServer(limits: limits, loopCount: 2, responder: responder)
    do {
        if !identities.isEmpty { server.setTLS(try TLSCertificates(identities)) }
        try await body(server, server.listen(host: "127.0.0.1", port: 0))
    } catch {
        Issue.record(error)
    }
    await server.shutdown(drainSeconds: 1)
}

private func withTLSServer(
    _ responder: some Responder, _ body: (HTTPServer, Int) async throws -> Void
) async throws {
    try await withTLSServer([TestCertificates.one], responder, body)
}

private func failures(of server: HTTPServer, reach count: Int) async -> Bool {
    await eventually { server.statistics.failedHandshakeCount >= count }
}

private func openCount(of server: HTTPServer, becomes count: Int) async -> Bool {
    await eventually { server.statistics.openCount == count }
}
