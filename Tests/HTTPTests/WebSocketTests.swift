import Testing

@testable import HTTP

@Suite("WebSockets, over sockets")
struct WebSocketTests {
    @Test("a client that offers permessage-deflate is answered without, and its text comes back")
    func echo() async throws {
        let upgrading = Upgrading()
        try await withServer(upgrading) { port in
            let client = Client(port: port)
            client.send(Client.handshake)
            let answer = try #require(await client.answer())
            #expect(answer.status == 101)
            #expect(answer.headers["upgrade"] == "websocket" && answer.headers["connection"] == "Upgrade")
            #expect(answer.headers["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
            #expect(answer.headers["sec-websocket-protocol"] == "chat")
            #expect(answer.headers["sec-websocket-extensions"] == nil && answer.headers["content-length"] == nil)
            #expect(answer.headers["x-head"] == "yes" && answer.headers["x-amzn-requestid"]?.count == 36)
            for count in [0, 1, 125, 126, 65_535, 65_536, 1_048_576] {
                client.send(clientFrame(0x81, [UInt8](repeating: 0x61, count: count)))
                #expect(await client.frame() == ServerFrame(opcode: 1, payload: [UInt8](repeating: 0x61, count: count)))
            }
            client.send(clientFrame(0x01, "Grü") + clientFrame(0x89, "beat") + clientFrame(0x00, [0xC3]))
            #expect(await client.frame()?.description == "pong beat")
            client.send(clientFrame(0x8A, "unasked") + clientFrame(0x80, [0x9F, 0x65]) + clientFrame(0x89, ""))
            #expect(await client.frame()?.description == "text Grüße")
            #expect(await client.frame()?.description == "pong ")
            client.send(clientClose(1000))
            #expect(await client.frame()?.description == "close 1000 ")
            #expect(await client.rest() == [])
            #expect(await upgrading.happensSoon(["opened", "closed 1000"]))
        }
    }

    @Test("answers before the upgrade are sent before it, and what follows it is frames", arguments: [false, true])
    func pipelining(isLate: Bool) async throws {
        let upgrading = Upgrading()
        let held = Held()
        try await withServer(
            Responding { request, loop, reply in
                if request.path == "/held" { return _ = held.add(reply, path: "/held") }
                guard isLate else { return upgrading.respond(to: request, on: loop, reply: reply) }
                loop.schedule(afterMilliseconds: 1) { upgrading.respond(to: request, on: loop, reply: reply) }
            }
        ) { port in
            let client = Client(port: port)
            let get = "GET /held HTTP/1.1\r\nHost: h\r\n\r\n"
            client.send(Array((get + get + Client.handshake).utf8) + clientFrame(0x81, "at once") + [0x81])
            await held.reaches(2)
            #expect(upgrading.events == [])
            held.answerAll(reversed: true)
            #expect(await client.answer()?.text == "/held")
            #expect(await client.answer()?.text == "/held")
            #expect(await client.answer()?.status == 101)
            #expect(await client.frame()?.description == "text at once")
            client.send(Array(clientFrame(0x81, "later").dropFirst()))
            #expect(await client.frame()?.description == "text later")
            #expect(upgrading.events == ["opened"])
        }
    }

    @Test("a refused upgrade leaves the connection with HTTP", arguments: [false, true])
    func refusal(isLate: Bool) async throws {
        let upgrading = Upgrading()
        try await withServer(
            Responding { request, loop, reply in
                guard isLate else { return upgrading.respond(to: request, on: loop, reply: reply) }
                loop.schedule(afterMilliseconds: 1) { upgrading.respond(to: request, on: loop, reply: reply) }
            }
        ) { port in
            let client = Client(port: port)
            let old = Client.handshake.replacing("Version: 13", with: "Version: 8")
            client.send(old + "GET /next HTTP/1.1\r\nHost: h\r\n\r\n" + Client.handshake)
            let answer = try #require(await client.answer())
            #expect(answer.status == 426 && answer.headers["sec-websocket-version"] == "13")
            #expect(await client.answer()?.text == "/next")
            #expect(await client.answer()?.status == 101)
            client.send(clientFrame(0x81, "now"))
            #expect(await client.frame()?.description == "text now")
        }
    }

    @Test("an answer that closes the connection leaves a following upgrade unanswered")
    func closedBefore() async throws {
        let upgrading = Upgrading()
        let held = Held()
        try await withServer(
            Responding { request, loop, reply in
                if request.path == "/held" { return _ = held.add(reply, path: "/held") }
                upgrading.respond(to: request, on: loop, reply: reply)
            }
        ) { port in
            let client = Client(port: port)
            client.send("GET /held HTTP/1.1\r\nHost: h\r\n\r\n" + Client.handshake)
            await held.reaches(1)
            held.takeFirst()?.send(Response(status: 200, closesConnection: true))
            #expect(await client.answer()?.headers["connection"] == "close")
            #expect(await client.rest() == [])
        }
        #expect(upgrading.events == [])
    }

    /// What a client sends, the close frame it gets, and the code that the handler receives.
    static let ends: [(sent: [UInt8], frame: String, code: String)] = [
        (clientClose(1000, "done"), "close 1000 ", "1000"),
        (clientClose(1001), "close 1001 ", "1001"),
        (clientClose(4321), "close 4321 ", "4321"),
        (clientFrame(0x88, ""), "close", "1005"),
        (clientClose(1005), "close 1002 The close code is none that a frame may carry.", "1002"),
        ([0x81, 0x02, 0x61, 0x62], "close 1002 A client masks its frames.", "1002"),
        (clientFrame(0xC1, "x"), "close 1002 A reserved bit is set, but no extension was agreed on.", "1002"),
        (clientFrame(0x82, "x"), "close 1003 The server takes text only.", "1003"),
        (clientFrame(0x81, [0xFF]), "close 1007 The message is not UTF-8.", "1007"),
        (
            clientFrame(0x81, [UInt8](repeating: 0x61, count: 1_048_577)),
            "close 1009 The message is larger than the server reads.", "1009"
        ),
        (
            clientFrame(0x01, [UInt8](repeating: 0x61, count: 1_048_576)) + clientFrame(0x80, "a"),
            "close 1009 The message is larger than the server reads.", "1009"
        ),
        (clientFrame(0x81, "close") + clientClose(1000), "close 1000 as you wish", "1000"),
        (clientFrame(0x81, "close") + clientFrame(0x81, "unheard") + [0xFF], "close 1000 as you wish", "1000"),
    ]

    @Test("both sides close with codes", arguments: ends)
    func codes(sent: [UInt8], frame: String, code: String) async throws {
        let upgrading = Upgrading()
        try await withServer(upgrading) { port in
            let client = try #require(await Client.upgraded(port: port))
            client.send(sent)
            #expect(await client.frame()?.description == frame)
            client.finishSending()
            #expect(await client.rest() == [])
            #expect(await upgrading.happensSoon(["opened", "closed \(code)"]))
        }
    }

    @Test("a client that disconnects without a close frame is reported as lost", arguments: [false, true])
    func lost(isReset: Bool) async throws {
        let upgrading = Upgrading()
        try await withServer(upgrading) { port in
            var client = await Client.upgraded(port: port)
            client?.send(clientFrame(0x01, "unfinished"))
            if isReset { client?.resetOnClose() }
            client = nil
            #expect(await upgrading.happensSoon(["opened", "closed nil"]))
        }
    }

    @Test("a client that leaves the close frame unanswered is not waited for")
    func unanswered() async throws {
        var limits = WebSocketLimits.patient
        limits.closeSeconds = 0
        try await withServer(Upgrading(limits: limits)) { port in
            let client = try #require(await Client.upgraded(port: port))
            client.send(clientFrame(0x81, "close"))
            #expect(await client.frame()?.description == "close 1000 as you wish")
            #expect(await client.rest() == [])
        }
    }

    @Test("a silent client gets a ping, and is given up when it stays silent; HTTP's timeouts do not apply")
    func silence() async throws {
        var limits = WebSocketLimits.patient
        limits.pingSeconds = 2
        var http = HTTPLimits.patient
        http.idleSeconds = 1
        http.headSeconds = 1
        let upgrading = Upgrading(limits: limits)
        try await withServer(limits: http, upgrading) { port in
            let silent = try #require(await Client.upgraded(port: port))
            #expect(await silent.frame()?.description == "ping ")
            #expect(await silent.rest() == [])
            #expect(await upgrading.happensSoon(["opened", "closed nil"]))
        }
    }

    @Test("one ping for each silence, the end after two, and a close frame's time runs from the first")
    func timeouts() {
        var limits = WebSocketLimits.patient
        limits.pingSeconds = 10
        limits.closeSeconds = 3
        var timeouts = WebSocketTimeouts(limits: limits, now: 100)
        #expect(
            (101...120).map { timeouts.due(at: $0) }.enumerated().filter { $1 != .nothing }.map(\.offset) == [9, 19])
        timeouts = WebSocketTimeouts(limits: limits, now: 100)
        #expect(timeouts.due(at: 111) == .ping)
        timeouts.noteReceived(at: 119)
        #expect((112...128).allSatisfy { timeouts.due(at: $0) == .nothing })
        #expect(timeouts.due(at: 129) == .ping && timeouts.due(at: 138) == .nothing)
        #expect(timeouts.due(at: 139) == .end)
        timeouts.beginClosing(at: 130)
        timeouts.beginClosing(at: 132)
        timeouts.noteReceived(at: 133)
        #expect(timeouts.due(at: 133) == .nothing && timeouts.due(at: 134) == .end)
    }

    @Test("shared pieces arrive whole, whether they are copied or referenced")
    func sharing() async throws {
        let sizes = [0, 1, SharedBytes.referencedBytesMin - 1, SharedBytes.referencedBytesMin, 70_000]
        let shared = sizes.map { SharedBytes([UInt8](repeating: 0x6D, count: $0)) }
        let upgrading = Upgrading(opened: { socket in
            for pieces in [("<", ">"), ("", ""), ("", ">"), ("<", "")] {
                for middle in shared {
                    unsafe Array(pieces.0.utf8).withUnsafeBytes { prefix in
                        unsafe Array(pieces.1.utf8).withUnsafeBytes { unsafe socket.send(prefix, middle, $0) }
                    }
                }
            }
        })
        try await withServer(upgrading) { port in
            let client = try #require(await Client.upgraded(port: port))
            for pieces in [("<", ">"), ("", ""), ("", ">"), ("<", "")] {
                for size in sizes {
                    let text = pieces.0 + String(repeating: "m", count: size) + pieces.1
                    #expect(await client.frame() == ServerFrame(opcode: 1, payload: Array(text.utf8)))
                }
            }
        }
    }

    @Test("a message larger than what may wait arrives, when nothing waits before it")
    func largeMessage() async throws {
        var limits = WebSocketLimits.patient
        limits.outgoingBytesMax = 4096
        let shared = SharedBytes([UInt8](repeating: 0x61, count: 20_000_000))
        let upgrading = Upgrading(limits: limits, opened: { socket in socket.send(shared) })
        try await withServer(upgrading) { port in
            let client = try #require(await Client.upgraded(port: port))
            #expect(await client.frame()?.payload.count == 20_000_000)
        }
    }

    @Test("a reader that is too slow is closed with 1008 after what it may still read, and delays no other")
    func slowReader() async throws {
        var limits = WebSocketLimits.patient
        limits.outgoingBytesMax = 65_536
        limits.closeSeconds = 60
        let shared = SharedBytes([UInt8](repeating: 0x61, count: 10_000))
        let upgrading = Upgrading(
            limits: limits,
            received: { text, socket in
                guard text == "flood" else { return Upgrading.echo(text, socket) }
                for _ in 0..<20_000 { socket.send(shared) }
            })
        try await withServer(upgrading) { port in
            let slow = try #require(await Client.upgraded(port: port, receiveBytes: 4096))
            let other = try #require(await Client.upgraded(port: port))
            slow.send(clientFrame(0x81, "flood"))
            #expect(await upgrading.happensSoon(["opened", "opened", "closed 1008"]))
            other.send(clientFrame(0x81, "still here"))
            #expect(await other.frame()?.description == "text still here")
            var count = 0
            var last = await slow.frame()
            while last?.opcode == 1 {
                #expect(last?.payload.count == 10_000)
                count += 1
                last = await slow.frame()
            }
            #expect(last?.description == "close 1008 The reader is too slow.")
            #expect((1..<20_000).contains(count))
            slow.send(clientClose(1008))
            #expect(await slow.rest() == [])
        }
    }

    @Test("a reader that takes nothing at all is dropped, also one that only asks", arguments: ["flood", "pings"])
    func noReader(kind: String) async throws {
        var limits = WebSocketLimits.patient
        limits.outgoingBytesMax = 4096
        limits.closeSeconds = 0
        let shared = SharedBytes([UInt8](repeating: 0x61, count: 10_000))
        let upgrading = Upgrading(
            limits: limits, received: { _, socket in for _ in 0..<20_000 { socket.send(shared) } })
        let server = HTTPServer(limits: .patient, responder: upgrading)
        let port = try server.listen(host: "127.0.0.1", port: 0)
        let client = try #require(await Client.upgraded(port: port, receiveBytes: 4096))
        if kind == "flood" {
            client.send(clientFrame(0x81, "flood"))
        } else {
            let pings = (0..<1000).flatMap { _ in clientFrame(0x89, String(repeating: "p", count: 125)) }
            // At most a few megabytes of pongs fit between the two; then the server closes, and takes no more.
            for _ in 0..<400 where client.send(pings) { continue }
        }
        #expect(await upgrading.happensSoon(["opened", "closed 1008"]))
        #expect(await eventually { server.statistics.openCount == 0 })
        withExtendedLifetime(client) {}
        await server.shutdown(drainSeconds: 1)
    }

    @Test("shutdown delivers what is queued, and closes with 1001")
    func draining() async throws {
        var limits = WebSocketLimits.patient
        limits.closeSeconds = 600
        let upgrading = Upgrading(
            limits: limits,
            received: { text, socket in
                for number in 0..<100 {
                    var text = "\(text) \(number)" + String(repeating: ".", count: 5000)
                    text.withUTF8 { unsafe socket.send(UnsafeRawBufferPointer($0)) }
                }
            })
        let server = HTTPServer(limits: .patient, loopCount: 2, responder: upgrading)
        let port = try server.listen(host: "127.0.0.1", port: 0)
        let client = try #require(await Client.upgraded(port: port, receiveBytes: 4096))
        let idle = Client(port: port)
        #expect(server.statistics.webSocketCount == 1)
        client.send(clientFrame(0x81, "message"))
        #expect(await client.frame()?.payload.starts(with: Array("message 0.".utf8)) == true)
        async let done: Void = server.shutdown(drainSeconds: 600)
        for number in 1..<100 {
            #expect(await client.frame()?.payload.starts(with: Array("message \(number).".utf8)) == true)
        }
        #expect(await client.frame()?.description == "close 1001 The server is shutting down.")
        client.send(clientClose(1001))
        #expect(await client.rest() == [])
        #expect(await idle.rest() == [])
        await done
        #expect(upgrading.events == ["opened", "closed 1001"])
        #expect(server.statistics.webSocketCount == 0 && server.statistics.openCount == 0)
    }

    @Test("shutdown waits for a client that does not close no longer than it may")
    func mute() async throws {
        var limits = WebSocketLimits.patient
        limits.closeSeconds = 600
        let upgrading = Upgrading(limits: limits)
        let server = HTTPServer(limits: .patient, responder: upgrading)
        let mute = try #require(await Client.upgraded(port: server.listen(host: "127.0.0.1", port: 0)))
        await server.shutdown(drainSeconds: 1)
        #expect(await mute.frame()?.description == "close 1001 The server is shutting down.")
        #expect(upgrading.events == ["opened", "closed 1001"])
        #expect(server.statistics.webSocketCount == 0 && server.statistics.openCount == 0)
    }

    @Test("a server that shuts down accepts no upgrade")
    func tooLate() async throws {
        let upgrading = Upgrading()
        let held = Held()
        let server = HTTPServer(
            limits: .patient,
            responder: Responding { request, loop, reply in
                if request.path == "/held" { return _ = held.add(reply, path: "/held") }
                upgrading.respond(to: request, on: loop, reply: reply)
            })
        let port = try server.listen(host: "127.0.0.1", port: 0)
        let (idle, client) = (Client(port: port), Client(port: port))
        idle.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(await idle.answer()?.status == 200)
        client.send("GET /held HTTP/1.1\r\nHost: h\r\n\r\n" + Client.handshake.dropLast())
        await held.reaches(1)
        async let done: Void = server.shutdown(drainSeconds: 600)
        // The idle connection ends once the server drains.
        #expect(await idle.rest() == [])
        client.send("\r\n")
        held.takeFirst()?.send(Response(status: 200))
        #expect(await client.answer()?.status == 200)
        #expect(await client.answer()?.status == 503)
        #expect(await client.rest() == [])
        await done
        #expect(upgrading.events == [])
    }

    @Test("an exchange cut at any byte ends in good order, and one sent in two pieces is the same exchange")
    func cuts() async throws {
        let upgrading = Upgrading()
        let server = HTTPServer(limits: .patient, responder: upgrading)
        let port = try server.listen(host: "127.0.0.1", port: 0)
        let exchange =
            Array(Client.handshake.utf8) + clientFrame(0x81, "one") + clientFrame(0x01, "tw") + clientFrame(0x89, "?")
            + clientFrame(0x80, "o") + clientClose(1000)
        let expected = ["text one", "pong ?", "text two", "close 1000 "]
        for cut in 0...exchange.count {
            for isReset in [false, true] {
                let client = Client(port: port)
                client.send(Array(exchange[..<cut]))
                if isReset { client.resetOnClose() } else { client.finishSending() }
            }
            let client = Client(port: port)
            client.send(Array(exchange[..<cut]))
            if cut % 8 == 0 { try? await Task.sleep(for: .milliseconds(1)) }
            client.send(Array(exchange[cut...]))
            #expect(await client.answer()?.status == 101)
            for frame in expected { #expect(await client.frame()?.description == frame, "cut at \(cut)") }
            #expect(await client.rest() == [], "cut at \(cut)")
        }
        #expect(await eventually { server.statistics.openCount == 0 })
        #expect(server.statistics.webSocketCount == 0)
        #expect(await upgrading.isOverSoon())
        #expect(upgrading.events.count { $0 == "closed 1000" } > exchange.count)
        await server.shutdown(drainSeconds: 1)
    }

    @Test("200 rounds of sockets that open and end in all ways leave nothing behind")
    func rounds() async throws {
        let upgrading = Upgrading()
        let server = HTTPServer(limits: .patient, loopCount: 2, responder: upgrading)
        let port = try server.listen(host: "127.0.0.1", port: 0)
        for round in 0..<200 {
            let clients = (0..<4).map { _ in Client(port: port) }
            for (place, client) in clients.enumerated() {
                client.send(Client.handshake)
                if place == 1 { client.send(clientClose(1000)) }
                if place == 2 { client.resetOnClose() }
                if place == 3, round % 2 == 0 { client.send(clientFrame(0x81, "close")) }
            }
            if round % 4 == 0 { for client in clients { #expect(await client.answer()?.status == 101) } }
        }
        #expect(await eventually { server.statistics.openCount == 0 })
        #expect(server.statistics.webSocketCount == 0)
        #expect(await upgrading.isOverSoon())
        await server.shutdown(drainSeconds: 1)
    }
}
