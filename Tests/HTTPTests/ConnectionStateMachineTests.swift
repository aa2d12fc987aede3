import NIOCore
import Testing

@testable import HTTP

@Suite("A connection as a state machine, without sockets")
struct ConnectionStateMachineTests {
    @Test("pipelined requests come out in order, and answers that are completed backwards leave in one write")
    func pipelining() {
        let driver = MachineDriver()
        #expect(driver.receive(get("/a") + get("/b") + get("/c")) == ["respond 0 /a", "respond 1 /b", "respond 2 /c"])
        driver.answer(2, "C")
        driver.answer(1, "B")
        #expect(driver.endTurn() == [])
        driver.answer(0, "A")
        #expect(driver.actions() == [])
        #expect(driver.endTurn() == ["write ABC"])
        #expect(driver.machine.answers.owedCount == 0 && driver.machine.answers.waitingBytes == 0)
    }

    @Test("reading pauses at the bound on pending answers, and resumes at half of it")
    func owed() {
        let driver = MachineDriver { $0.pipelinedRequestsMax = 4 }
        let text = (0..<8).map { get("/\($0)") }.joined()
        let first = driver.receive(text)
        #expect(first == ["respond 0 /0", "respond 1 /1", "respond 2 /2", "respond 3 /3", "reading off"])
        driver.answer(0, "0")
        #expect(driver.endTurn() == ["write 0"])
        driver.answer(1, "1")
        #expect(
            driver.endTurn() == [
                "respond 4 /4", "respond 5 /5", "write 1",
            ])
        for number in 2..<6 { driver.answer(number, "\(number)") }
        #expect(driver.endTurn() == ["respond 6 /6", "respond 7 /7", "write 2345", "reading on"])
    }

    @Test("nothing is taken while the channel is full, the server keeps too much, or others have their turn")
    func bounds() {
        let driver = MachineDriver()
        driver.machine.setWritable(false)
        #expect(driver.receive(get("/a")) == ["reading off"])
        #expect(driver.endTurn() == [])
        driver.machine.setWritable(true)
        #expect(driver.endTurn() == ["respond 0 /a", "reading on"])
        driver.server.keepsTooMuch = true
        #expect(driver.receive(get("/b")) == ["reading off"])
        driver.server.keepsTooMuch = false
        #expect(driver.endTurn() == ["respond 1 /b", "reading on"])
        #expect(driver.beginYield() && !driver.beginYield())
        #expect(driver.receive(get("/c")) == ["reading off"])
        driver.machine.endYield(now: 0)
        #expect(driver.endTurn() == ["respond 2 /c", "reading on"])
    }

    @Test("after a yield, requests are taken up to the bound on pending answers and not only up to half of it")
    func yieldBelowBound() {
        let driver = MachineDriver { $0.pipelinedRequestsMax = 4 }
        #expect(driver.receive((0..<3).map { get("/\($0)") }.joined()).count == 3)
        #expect(driver.beginYield())
        #expect(driver.receive(get("/3") + get("/4")) == ["reading off"])
        driver.machine.endYield(now: 0)
        #expect(driver.endTurn() == ["respond 3 /3"])
        for number in 0..<4 { driver.answer(number, "\(number)") }
        #expect(driver.endTurn() == ["respond 4 /4", "write 0123", "reading on"])
    }

    @Test("a burst of answers leaves before the read ends, and a long answer in pieces with a turn of their own")
    func pieces() {
        let driver = MachineDriver()
        #expect(driver.receive(get("/a") + get("/b")).count == 2)
        driver.answer(0, String(repeating: "a", count: OutgoingBytes.burstBytesMax + 1))
        #expect(driver.actions().map(\.count) == ["write ".count + OutgoingBytes.burstBytesMax + 1])
        driver.answer(1, String(repeating: "b", count: QueuedBytes.pieceBytesMax + 5))
        let piece = "write " + String(repeating: "b", count: QueuedBytes.pieceBytesMax)
        #expect(driver.endTurn() == [piece, "reading off"])
        #expect(driver.machine.outgoing.awaitsNextPiece)
        #expect(driver.receive(get("/c")) == [])
        #expect(driver.endTurn() == [])
        driver.machine.nextPieceIsDue()
        driver.machine.setWritable(false)
        #expect(driver.endTurn() == [])
        driver.machine.setWritable(true)
        #expect(driver.endTurn() == ["write bbbbb", "respond 2 /c", "reading on"])
    }

    @Test("the connection ends after the answer that closes it, and what the client still sends is dropped")
    func closing() {
        let driver = MachineDriver { $0.lingerBytesMax = 100 }
        let actions = driver.receive(get("/a", "Connection: close\r\n") + get("/never"))
        #expect(actions == ["respond 0 /a closes"])
        driver.answer(0, "A", .asked)
        #expect(driver.actions() == ["write A (closes)", "finish"])
        #expect(driver.machine.state == .lingering)
        #expect(driver.receive(String(repeating: "x", count: 100)) == [])
        #expect(driver.receive("x") == ["close"])
    }

    @Test("how a connection ends depends on what is unsent, on TLS and on the client's end")
    func finish() {
        let driver = MachineDriver()
        #expect(driver.receive(get("/a")) == ["respond 0 /a"])
        driver.answer(0, "A", .unasked)
        #expect(driver.actions() == ["write A (closes)", "finish"])
        #expect(driver.machine.finish(hasUnsent: false, isActive: true) == .closeOutput)
        #expect(driver.machine.finish(hasUnsent: true, isActive: true) == .closeOutput)
        #expect(driver.machine.finish(hasUnsent: false, isActive: false) == .close)
        driver.machine.inputClosed()
        #expect(driver.machine.finish(hasUnsent: false, isActive: true) == .close)
        #expect(driver.machine.finish(hasUnsent: true, isActive: true) == .closeWhenSent)
        let asked = MachineDriver()
        #expect(asked.receive([TLSHandshake.firstByte]) == ["tls"])
        asked.machine.handshakeCompleted(now: asked.now)
        #expect(asked.receive(get("/a", "Connection: close\r\n")) == ["respond 0 /a closes"])
        asked.answer(0, "A", .asked)
        #expect(asked.actions() == ["write A (closes)", "finish"])
        #expect(asked.machine.finish(hasUnsent: false, isActive: true) == .close)
        #expect(asked.machine.finish(hasUnsent: true, isActive: true) == .closeOutputWhenSent)
    }

    @Test("100 Continue is written in its turn, and not when the body has begun")
    func continues() {
        let head = "POST /p HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
        let driver = MachineDriver()
        #expect(driver.receive(get("/a") + head) == ["respond 0 /a"])
        #expect(driver.endTurn() == [])
        driver.answer(0, "A")
        #expect(driver.endTurn() == ["write AHTTP/1.1 100 Continue\r\n\r\n"])
        #expect(driver.receive("xy") == ["respond 1 /p"])
        driver.answer(1, "P")
        #expect(driver.receive(head + "x") == [])
        #expect(driver.endTurn() == ["write P"])
    }

    @Test("after a request to upgrade nothing is read as HTTP, and the rest of the bytes is the WebSocket's")
    func upgrade() {
        let upgrade = get("/u", "Connection: Upgrade\r\nUpgrade: websocket\r\n")
        let driver = MachineDriver()
        #expect(driver.receive(get("/a") + upgrade + "frames") == ["respond 0 /a", "respond 1 /u", "reading off"])
        #expect(driver.upgrade(1, "101"))
        #expect(driver.actions() == [])
        driver.answer(0, "A")
        #expect(driver.endTurn() == ["webSocket frames", "write A101", "reading on"])
        #expect(driver.machine.state == .upgraded)
        #expect(driver.receive("more") == ["bytes of the webSocket"])
        driver.machine.endWebSocket(lingers: false)
        #expect(driver.actions() == ["finish"])
        #expect(driver.machine.finish(hasUnsent: false, isActive: true) == .close)
        let draining = MachineDriver()
        #expect(draining.receive(upgrade) == ["respond 0 /u", "reading off"])
        draining.server.isDraining = true
        #expect(!draining.upgrade(0, "101"))
    }

    @Test("a malformed request is refused after the pending answers, and ends the connection")
    func malformed() {
        let driver = MachineDriver()
        #expect(driver.receive(get("/a") + "GET\r\n\r\n" + get("/b")) == ["respond 0 /a", "refuse 1 400"])
        driver.answer(1, "REFUSED", .asked)
        #expect(driver.actions() == [])
        driver.answer(0, "A")
        #expect(driver.actions() == ["write AREFUSED (closes)", "finish"])
        #expect(driver.machine.finish(hasUnsent: false, isActive: true) == .closeOutput)
    }

    @Test("the deadlines of the head, the body, an idle connection, a handshake and lingering")
    func deadlines() {
        let limits = HTTPLimits()
        let head = MachineDriver()
        #expect(head.receive("GET / HT") == [])
        #expect(head.endTurn() == [])
        #expect(head.tick(after: limits.headSeconds) == [])
        #expect(head.tick(after: 1) == ["refuse 0 408"])
        let body = MachineDriver()
        #expect(body.receive("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nx") == [])
        #expect(body.endTurn() == [])
        #expect(body.tick(after: limits.bodySeconds) == [])
        #expect(body.tick(after: 1) == ["refuse 0 408 /"])
        body.answer(0, "LATE", .asked)
        #expect(body.actions() == ["write LATE (closes)", "finish"])
        #expect(body.tick(after: limits.lingerSeconds) == [])
        #expect(body.tick(after: 1) == ["close"])
        let idle = MachineDriver()
        #expect(idle.tick(after: limits.idleSeconds) == [])
        #expect(idle.tick(after: 1) == ["close"])
        let busy = MachineDriver()
        #expect(busy.receive(get("/a")) == ["respond 0 /a"])
        #expect(busy.endTurn() == [])
        #expect(busy.tick(after: 10_000) == [])
        let handshake = MachineDriver()
        #expect(handshake.receive([TLSHandshake.firstByte]) == ["tls"])
        #expect(handshake.tick(after: limits.handshakeSeconds) == [])
        #expect(handshake.tick(after: 1) == ["handshake too slow"])
    }

    @Test("a server that shuts down ends idle connections, and marks the last answer of the others as the last")
    func draining() {
        let idle = MachineDriver()
        idle.server.isDraining = true
        #expect(idle.endTurn() == ["finish"])
        let busy = MachineDriver()
        #expect(busy.receive(get("/a") + get("/b")) == ["respond 0 /a", "respond 1 /b"])
        busy.server.isDraining = true
        busy.answer(0, "A")
        #expect(busy.endTurn() == ["write A"])
        busy.answer(1, "B")
        #expect(busy.actions() == ["write B (closes)", "finish"])
    }

    @Test("a client that has finished sending gets its answers, and an unfinished request ends the connection")
    func inputClosed() {
        let driver = MachineDriver()
        #expect(driver.receive(get("/a") + "GET /unfinished") == ["respond 0 /a"])
        driver.machine.inputClosed()
        #expect(driver.endTurn() == [])
        driver.answer(0, "A")
        #expect(driver.endTurn() == ["write A", "finish"])
    }

    @Test("clear text on a port for TLS, a connection too many, and a request that is given up are refused")
    func refused() {
        let clear = MachineDriver(.tls)
        #expect(clear.receive(get("/a")) == ["refuse 0 400"])
        let redirecting = MachineDriver(.redirect)
        #expect(redirecting.receive([0x16, 3, 1, 0, 5]) == ["close"])
        let driver = MachineDriver()
        driver.machine.refuseOneTooMany()
        #expect(driver.actions() == ["refuse 0 503"])
        driver.answer(0, "FULL", .asked)
        #expect(driver.actions() == ["write FULL (closes)", "finish"])
        #expect(driver.machine.finish(hasUnsent: false, isActive: true) == .close)
        let large = MachineDriver()
        #expect(large.receive("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nx") == [])
        large.machine.giveUpRequest()
        #expect(large.actions() == ["refuse 0 503 /"])
        #expect(large.machine.parser.keptBytes == 0)
    }

    @Test("what follows the beginning of a handshake in clear text closes the connection")
    func handshakeCutShort() {
        let driver = MachineDriver()
        #expect(driver.receive([0x16, 3, 1, 0, 5]) == ["tls"])
        #expect(driver.receive(get("/a")) == ["close"])
        let whole = MachineDriver()
        #expect(whole.receive([0x16, 3, 1, 0, 5]) == ["tls"])
        whole.machine.handshakeCompleted(now: whole.now)
        #expect(whole.receive(get("/a")) == ["respond 0 /a"])
    }

    @Test("a closed connection answers nothing, and keeps nothing")
    func closed() {
        let driver = MachineDriver()
        #expect(driver.receive(get("/a") + get("/b")).count == 2)
        driver.answer(1, "B")
        driver.machine.close()
        driver.answer(0, "A")
        #expect(driver.endTurn() == [])
        #expect(driver.machine.outgoing.isEmpty && driver.machine.answers.waitingBytes == 0)
    }

    @Test(
        "requests and answers are the same however the bytes are cut and whatever order answers come in",
        arguments: 0..<20)
    func random(seed: UInt64) {
        var random = FastRandom(seed: seed)
        let driver = MachineDriver { $0.pipelinedRequestsMax = 8 }
        let count = 60
        var rest = (0..<count).map { get("/\($0)") }.joined()[...]
        var owed: [Int] = []
        var written = ""
        func note(_ actions: [String]) {
            for action in actions {
                if action.hasPrefix("respond ") { owed.append(Int(action.split(separator: " ")[1])!) }
                if action.hasPrefix("write ") { written += action.dropFirst("write ".count) }
            }
            #expect(owed.count <= 8, "seed \(seed)")
        }
        for _ in 0..<100_000 where written.count < count * 3 {
            switch Int.random(in: 0..<3, using: &random) {
            case 0 where !rest.isEmpty && !driver.machine.isPaused:
                let piece = rest.prefix(Int.random(in: 1...80, using: &random))
                rest = rest.dropFirst(piece.count)
                note(driver.receive(String(piece)))
            case 1 where !owed.isEmpty:
                let sequence = owed.remove(at: Int.random(in: owed.indices, using: &random))
                driver.answer(sequence, "\(100 + sequence)")
            default: note(driver.endTurn())
            }
        }
        #expect(written == (0..<count).map { "\(100 + $0)" }.joined(), "seed \(seed)")
    }
}

private func get(_ path: String, _ fields: String = "") -> String {
    "GET \(path) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n"
}

/// Puts events into a machine, and describes the actions that come out.
final class MachineDriver {
    var machine: ConnectionStateMachine
    var server = ConnectionStateMachine.ServerCondition()
    /// Seconds.
    var now = 1_000
    /// How the responder takes bodies.
    var reception = BodyReception.collect()

    init(_ listenerProtocol: ListenerProtocol = .any, _ adjust: (inout HTTPLimits) -> Void = { _ in }) {
        var limits = HTTPLimits()
        adjust(&limits)
        machine = ConnectionStateMachine(limits: limits, peer: Peer(), listenerProtocol, now: now)
    }

    func receive(_ text: String) -> [String] { receive(Array(text.utf8)) }

    func receive(_ bytes: [UInt8]) -> [String] {
        switch unsafe bytes.withUnsafeBytes({ unsafe machine.receive($0, now: now) }) {
        case .taken, .takenFirst: actions()
        case .webSocket: ["bytes of the webSocket"]
        case .tls: ["tls"]
        }
    }

    func answer(_ sequence: Int, _ text: String, _ ending: AnswerEnding = .stays, hasParts: Bool = false) {
        _ = machine.answer(
            sequence, ending, hasParts: hasParts, server: server, now: now, room: { ByteBuffer() }
        ) { closes, bytes in
            bytes.writeString(closes ? "\(text) (closes)" : text)
        }
    }

    func wantPart() -> [String] {
        machine.wantPart(now: now) { ByteBuffer() }
        return actions()
    }

    func partSent() -> [String] {
        machine.partSent()
        return actions()
    }

    func endBody() -> [String] {
        machine.endBody { ByteBuffer() }
        return actions(flushes: true)
    }

    func upgrade(_ sequence: Int, _ text: String) -> Bool {
        machine.upgrade(sequence, Array(text.utf8), server: server, room: { ByteBuffer() })
    }

    func beginYield() -> Bool { machine.beginYield() }

    /// The actions until the machine waits, without what may wait until the end of the turn.
    func actions(flushes: Bool = false) -> [String] {
        var actions: [String] = []
        for _ in 0..<10_000 {
            let action = machine.next(flushes: flushes, server: server, now: now)
            if case .wait = action { return actions }
            actions += describe(action)
        }
        Issue.record("the machine never waits")
        return actions
    }

    private func describe(_ action: ConnectionStateMachine.Action) -> [String] {
        switch action {
        case .wait: []
        case .respond:
            [describe(machine.takeRequest())]
        case .decideReception: machine.receiveBody(reception, server: server).map(describe) ?? []
        case .respondToStream:
            [
                "respond \(machine.issued) \(machine.head.path), "
                    + "\(machine.parser.remainingBodyCount.map { "\($0) bytes" } ?? "chunks") follow"
            ]
        case .deliver: [describe(machine.takePart())]
        case .sendBodyPart: ["send part"]
        case .refuse:
            [
                "refuse \(machine.issued) \(machine.refusal?.status ?? 0)"
                    + (machine.refusedHead.map { " " + $0.path } ?? "")
            ]
        case .write: ["write \(String(buffer: machine.takeBytesToWrite().bytes))"]
        case .setReading(let isOn): ["reading \(isOn ? "on" : "off")"]
        case .resumeWebSocket: ["resume webSocket"]
        case .becomeWebSocket: ["webSocket \(String(decoding: machine.takeRest(), as: UTF8.self))"]
        case .finish: ["finish"]
        case .close: ["close"]
        }
    }

    private func describe(_ issued: (request: Request, sequence: Int, traits: ReplyTraits)) -> String {
        "respond \(issued.sequence) \(issued.request.path)\(issued.traits.contains(.closes) ? " closes" : "")"
    }

    private func describe(_ part: RequestBody.Part) -> String {
        switch part {
        case .bytes(let bytes): "part \(String(decoding: bytes, as: UTF8.self))"
        case .end: "end of body"
        case .failed(.refused(let refusal)): "body failed with \(refusal.status)"
        case .failed(let error): "body failed: \(error)"
        }
    }

    /// The actions at the end of a turn, at which everything leaves.
    func endTurn() -> [String] {
        let actions = actions(flushes: true)
        _ = machine.turnEnded(now: now)
        return actions
    }

    func tick(after seconds: Int) -> [String] {
        now += seconds
        switch machine.tick(now: now, hasUnsent: false) {
        case .wait: return []
        case .close: return ["close"]
        case .handshakeTooSlow: return ["handshake too slow"]
        case .proceed: return actions()
        }
    }
}
