import Testing

@testable import HTTP

@Suite("Bodies in parts, without sockets")
struct BodyStateTests {
    private func post(_ count: Int, _ body: String = "", _ fields: String = "") -> String {
        "POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: \(count)\r\n\(fields)\r\n\(body)"
    }

    private func post(chunks body: String) -> String {
        "POST /p HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n\(body)"
    }

    private static let next = "GET /next HTTP/1.1\r\nHost: h\r\n\r\n"

    private func driver(bytesMax: Int = 1_000_000, keptMax: Int = 1024) -> MachineDriver {
        let driver = MachineDriver { $0.streamBytesMax = keptMax }
        driver.reception = .stream(bytesMax: bytesMax)
        return driver
    }

    @Test("parts come when they are asked for, and reading pauses while more than the bound waits")
    func parts() {
        let driver = driver()
        #expect(driver.receive(post(2006, "abc")) == ["respond 0 /p, 2006 bytes follow"])
        #expect(driver.wantPart() == ["part abc"])
        #expect(driver.wantPart() == [])
        #expect(driver.receive("def") == ["part def"])
        let first = String(repeating: "x", count: 1000)
        #expect(driver.receive(first) == [])
        #expect(driver.receive(first) == ["reading off"])
        #expect(driver.wantPart() == ["part " + first + first, "end of body", "reading on"])
        driver.answer(0, "P")
        #expect(driver.endTurn() == ["write P"])
        #expect(driver.receive(Self.next) == ["respond 1 /next"])
    }

    @Test("chunks come joined, and what follows the last one is the next request")
    func chunks() {
        let driver = driver()
        #expect(driver.receive(post(chunks: "3\r\nabc\r\n2\r\nde")) == ["respond 0 /p, chunks follow"])
        #expect(driver.wantPart() == ["part abcde"])
        #expect(driver.receive("\r\n0\r\n\r\n" + Self.next) == [])
        #expect(driver.wantPart() == ["end of body", "respond 1 /next"])
    }

    @Test("a body that is malformed, too large or cut off fails, and its answer ends the connection")
    func failures() {
        let malformed = driver()
        #expect(malformed.receive(post(chunks: "x\r\n")) == ["respond 0 /p, chunks follow"])
        #expect(malformed.wantPart() == ["body failed with 400"])
        malformed.answer(0, "BAD")
        #expect(malformed.actions() == ["write BAD (closes)", "finish"])
        let large = driver(bytesMax: 4)
        #expect(large.receive(post(chunks: "3\r\nabc\r\n2\r\nde")) == ["respond 0 /p, chunks follow"])
        #expect(large.wantPart() == ["body failed with 413"])
        let announced = driver(bytesMax: 4)
        #expect(announced.receive(post(5)) == ["refuse 0 413 /p"])
        let cut = driver()
        #expect(cut.receive(post(5, "ab")) == ["respond 0 /p, 5 bytes follow"])
        #expect(cut.wantPart() == ["part ab"])
        #expect(cut.wantPart() == [])
        cut.machine.inputClosed()
        #expect(cut.endTurn() == ["body failed: disconnected"])
        let slow = driver()
        #expect(slow.receive(post(5, "ab")) == ["respond 0 /p, 5 bytes follow"])
        #expect(slow.tick(after: 1000) == [])
        #expect(slow.wantPart() == ["part ab"])
        #expect(slow.wantPart() == [])
        #expect(slow.tick(after: HTTPLimits().bodySeconds) == [])
        #expect(slow.tick(after: 1) == ["body failed with 408"])
        slow.answer(0, "SLOW")
        #expect(slow.actions() == ["write SLOW (closes)", "finish"])
    }

    @Test("a body in parts may have more chunks and take longer than one that is collected, as long as parts arrive")
    func longBody() {
        let limits = HTTPLimits()
        let driver = driver(bytesMax: 10 * limits.chunkCountMax)
        #expect(driver.receive(post(chunks: "")).count == 1)
        var seconds = 0
        for number in 0...limits.chunkCountMax {
            #expect(driver.wantPart() == [])
            // Parts come at the least rate.
            if number.isMultiple(of: limits.bodyBytesPerSecondMin), number > 0 {
                #expect(driver.tick(after: 1) == [])
                seconds += 1
            }
            guard driver.receive("1\r\nx\r\n") == ["part x"] else {
                Issue.record("part \(number) did not arrive")
                return
            }
        }
        #expect(seconds == limits.chunkCountMax / limits.bodyBytesPerSecondMin)
        #expect(driver.wantPart() == [])
        #expect(driver.receive("0\r\n\r\n") == ["end of body"])
    }

    @Test("a body that comes slower than the least rate fails after the grace, however often a byte of it arrives")
    func slowBody() {
        let limits = HTTPLimits()
        let driver = driver()
        // What came fast before does not count later.
        #expect(driver.receive(post(900_000, String(repeating: "x", count: 800_000))).count == 2)
        while driver.wantPart() != [] {}
        var seconds = 0
        while seconds < limits.bodyGraceSeconds {
            #expect(driver.tick(after: 1) == [])
            seconds += 1
            #expect(driver.receive("x") == ["part x"])
            #expect(driver.wantPart() == [])
        }
        #expect(driver.tick(after: 1) == ["body failed with 408"])
        driver.answer(0, "SLOW")
        #expect(driver.actions() == ["write SLOW (closes)", "finish"])
    }

    @Test("the time in which the server does not ask for a part does not count")
    func slowServer() {
        let driver = driver()
        #expect(driver.receive(post(9, "ab")).count == 1)
        for _ in 0..<10 { #expect(driver.tick(after: 1000) == []) }
        #expect(driver.wantPart() == ["part ab"])
        #expect(driver.tick(after: 1000) == [])
        #expect(driver.wantPart() == [])
        #expect(driver.tick(after: HTTPLimits().bodyGraceSeconds) == [])
        #expect(driver.receive("c") == ["part c"])
    }

    @Test("100 Continue is written when the first part is asked for, and not to a client that is refused before")
    func continues() {
        let expects = "Expect: 100-continue\r\n"
        let reading = driver()
        #expect(reading.receive(post(2, "", expects)) == ["respond 0 /p, 2 bytes follow"])
        #expect(reading.endTurn() == [])
        #expect(reading.wantPart() == [])
        #expect(reading.endTurn() == ["write HTTP/1.1 100 Continue\r\n\r\n"])
        #expect(reading.receive("ab") == ["part ab", "end of body"])
        let refusing = driver()
        #expect(refusing.receive(post(2, "", expects)) == ["respond 0 /p, 2 bytes follow"])
        refusing.answer(0, "NO")
        #expect(refusing.actions() == ["body failed: answered", "write NO (closes)", "finish"])
    }

    @Test("an answer before the end of its body ends the connection, unless the rest has arrived")
    func early() {
        let arrived = driver()
        #expect(arrived.receive(post(3, "abc") + Self.next) == ["respond 0 /p, 3 bytes follow"])
        arrived.answer(0, "P")
        #expect(arrived.endTurn() == ["body failed: answered", "respond 1 /next", "write P"])
        let missing = driver()
        #expect(missing.receive(post(4, "abc")) == ["respond 0 /p, 4 bytes follow"])
        missing.answer(0, "P")
        #expect(missing.actions() == ["body failed: answered", "write P (closes)", "finish"])
        #expect(missing.receive("d" + Self.next) == [])
    }

    @Test("answers after one that is sent in parts wait for its last part")
    func answers() {
        let driver = MachineDriver()
        #expect(driver.receive(Self.next + Self.next + Self.next).count == 3)
        driver.answer(1, "B", hasParts: true)
        driver.answer(2, "C")
        driver.answer(0, "A")
        #expect(driver.endTurn() == ["send part", "write AB"])
        #expect(driver.actions() == [])
        #expect(driver.partSent() == ["send part"])
        driver.machine.setWritable(false)
        #expect(driver.partSent() == ["reading off"])
        driver.machine.setWritable(true)
        #expect(driver.actions() == ["send part", "reading on"])
        #expect(driver.endBody() == ["write C"])
    }
}
