import API
import HTTP
import JSON
import Synchronization
import Tables
import Testing

@testable import Server

@Suite("The log of requests: bounds, pages and who has contents recorded")
struct RecordedRequestLogTests {
    private func request(
        _ number: Int, contentBytes: Int? = nil, client: String? = nil, as identity: Identity? = nil,
        errorTypes: [String] = [], explanation: [UInt8]? = nil
    ) -> RecordedRequest {
        let envelope = contentBytes.map { [UInt8](repeating: 0x20, count: $0) }
        return RecordedRequest(
            id: RequestID(randomBits: UInt64(number) << 16, 0), transport: .http, milliseconds: Int64(number),
            nanoseconds: 1_000,
            peer: Peer(), caller: RecordedRequest.caller(identity, named: nil),
            content: .operation(envelope: envelope, client: client),
            status: 200,
            errorTypes: errorTypes, operation: nil, operationName: "n\(number)", work: nil, answerBytes: 0, answer: nil,
            explanation: explanation)
    }

    private func names(_ page: RequestLog.Page) -> [String?] { page.requests.map(\.operationName) }

    @Test("the newest 10,000 requests are kept, and are listed in pages, the newest first")
    func count() {
        let log = RequestLog(live: LiveTopics(), keepsContents: true)
        #expect(log.page(.init(), after: nil, countMax: 5).requests.isEmpty && log.size == .init())
        for number in 1...25_000 { log.add(request(number)) }
        #expect(log.size.count == 10_000 && log.size.sinceMilliseconds == 15_001)
        var (after, seen) = (Int64?.none, 0)
        repeat {
            let page = log.page(.init(), after: after, countMax: 400)
            #expect(page.requests.first?.operationName == "n\(25_000 - seen)")
            seen += page.requests.count
            after = page.next
        } while after != nil
        #expect(seen == 10_000)
        #expect(names(log.page(.init(operation: "n15001"), after: nil, countMax: 5)) == ["n15001"])
        #expect(log.page(.init(operation: "n15000"), after: nil, countMax: 5).requests.isEmpty)
        #expect(
            log.find(RequestID(randomBits: 15_001 << 16, 0)) != nil
                && log.find(RequestID(randomBits: 15_000 << 16, 0)) == nil)
    }

    @Test("of a long answer only the beginning is copied, up to a whole character")
    func longAnswers() {
        // 2 MiB, of which a copy is 64 KiB at most.
        let answer = Array(String(repeating: "é", count: 1 << 20).utf8)
        let recorded = unsafe answer.withUnsafeBytes { bytes in
            unsafe RecordedRequest(
                RequestID(randomBits: 1, 1), by: .webSocket, from: Peer(), client: nil, as: nil, named: nil,
                Array("{}".utf8), endingAt: 0, nanoseconds: 0, status: 200, errorTypes: [], nil, bytes,
                keepsContent: true)
        }
        #expect(recorded.answerBytes == 2 << 20)
        #expect(recorded.answer?.count == 64 << 10 && recorded.answer?.capacity ?? 0 <= 80 << 10)
        #expect(recorded.byteCount < 70 << 10)
        let cut = unsafe answer[1...].withUnsafeBytes { unsafe RecordedRequest.beginning(of: $0) }
        #expect(cut.count == (64 << 10) - 1 && String(validating: cut.dropFirst(), as: UTF8.self) != nil)
        let unkept = unsafe answer.withUnsafeBytes { bytes in
            unsafe RecordedRequest(
                RequestID(randomBits: 1, 1), by: .webSocket, from: Peer(), client: nil, as: nil, named: nil,
                Array("{}".utf8), endingAt: 0, nanoseconds: 0, status: 200, errorTypes: [], nil, bytes,
                keepsContent: false)
        }
        #expect(unkept.answer == nil && unkept.answerBytes == 2 << 20)
    }

    @Test("the claims of a caller are kept only with the document")
    func claims() {
        let identity = Identity.userPools(IdentityToken(claims: ["username": "ada"]), claims: [])
        for keepsContent in [true, false] {
            let recorded = unsafe RecordedRequest(
                RequestID(randomBits: 1, 1), by: .operators, from: Peer(), client: nil, as: identity,
                named: #"claims:{"username":"ada"}"#, Array("{}".utf8), endingAt: 0, nanoseconds: 0, status: 200,
                errorTypes: [], nil, UnsafeRawBufferPointer(start: nil, count: 0), keepsContent: keepsContent)
            #expect(recorded.caller["as"]?.stringValue == (keepsContent ? #"claims:{"username":"ada"}"# : String?.none))
            #expect(recorded.caller["mode"] == "userPool" && recorded.caller["username"] == "ada")
        }
    }

    @Test("no more than 32 MiB are kept")
    func bytes() {
        let log = RequestLog(live: LiveTopics(), keepsContents: true)
        for number in 1...2_000 { log.add(request(number, contentBytes: 64 << 10)) }
        #expect(log.size.byteCount <= 32 << 20 && log.size.byteCount > 31 << 20)
        #expect((400...520).contains(log.size.count))
        #expect(names(log.page(.init(), after: nil, countMax: 1)) == ["n2000"])
    }

    @Test("names of client and caller and types of errors count; of the types each is kept once, and not too many")
    func errorTypes() {
        let long = String(repeating: "x", count: 5_000)
        #expect(request(1, client: long, errorTypes: [long]).byteCount == request(1).byteCount + 10_000)
        #expect(request(1, explanation: Array("[]".utf8)).byteCount == request(1).byteCount + 2)
        #expect(request(1, as: .administrator).byteCount == request(1).byteCount + "admin".utf8.count)
        #expect(RecordedRequest.clientName(long) == String(repeating: "x", count: 256))
        #expect(RecordedRequest.clientName("a/1") == "a/1")
        #expect(RecordedRequest.distinct(["b", "a", "b"]) == ["b", "a"])
        #expect(RecordedRequest.distinct((0..<1_000).map { "\($0)" }) == (0..<16).map { "\($0)" })
    }

    @Test("contents are kept in serve while an owner records, and requests only while somebody wants them")
    func recording() {
        let time = Atomic<Int64>(1_000)
        let clock = WallClock { time.load(ordering: .relaxed) }
        let log = RequestLog(live: LiveTopics(), keepsContents: false, clock: clock)
        #expect(!log.isOn)
        log.setFollowed(true)
        #expect(log.isOn && !log.isKeepingContents)
        #expect(log.record(seconds: 900, for: "ada") == .init(operatorName: "ada", endMilliseconds: 901_000))
        #expect(log.isKeepingContents)
        log.setFollowed(false)
        #expect(log.isOn && log.isKeepingContents)
        time.store(900_999, ordering: .relaxed)
        #expect(log.recording?.operatorName == "ada")
        time.store(901_000, ordering: .relaxed)
        #expect(log.recording == nil && !log.isOn && !log.isKeepingContents)
        _ = log.record(seconds: 900, for: "ben")
        #expect(log.record(seconds: 0, for: "ada") == nil && !log.isOn)
        let dev = RequestLog(live: LiveTopics(), keepsContents: true)
        #expect(!dev.isKeepingContents)
        dev.setFollowed(true)
        #expect(dev.isKeepingContents)
    }

    @Test("an answer is cut where a character ends")
    func answer() {
        for text in [String(repeating: "é", count: 40_000), "a" + String(repeating: "😀", count: 40_000)] {
            let kept = unsafe Array(text.utf8).withUnsafeBytes { unsafe RecordedRequest.beginning(of: $0) }
            #expect(kept.count <= 64 << 10 && kept.count > (64 << 10) - 4)
            #expect(String(validating: kept, as: UTF8.self).map { text.hasPrefix($0) } == true)
        }
    }

    @Test("of a value that may be secret the last four characters are shown, and of a short one nothing")
    func masked() {
        #expect(RecordedRequest.masked("da2-abcdefgh3456") == "…3456")
        #expect(RecordedRequest.masked("1234567") == "…" && RecordedRequest.masked("") == "…")
    }

    @Test("requests are added and listed from many threads at one time")
    func threads() async {
        let log = RequestLog(live: LiveTopics(), keepsContents: true)
        await withTaskGroup { group in
            for task in 0..<4 {
                group.addTask {
                    for number in 1...3_000 {
                        log.add(self.request(task * 10_000 + number, contentBytes: number % 7 * 1_000))
                        if number % 50 == 0 { _ = log.page(.init(text: "n1"), after: nil, countMax: 20) }
                        if number % 100 == 0 { log.setFollowed(number % 200 == 0) }
                    }
                }
            }
        }
        #expect(log.size.count <= 10_000 && log.size.byteCount <= 32 << 20)
    }
}
