import Encodings
import Testing

@testable import HTTP

@Suite("WebSocket frames")
struct WebSocketFramesTests {
    /// One frame, and its events between messages and within a message of which `a` has arrived.
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var frame: [UInt8]
        var between: [String]
        var amid: [String]

        var testDescription: String { name }

        init(_ name: String, _ frame: [UInt8], _ between: [String], amid: [String]? = nil) {
            self.name = name
            self.frame = frame
            self.between = between
            self.amid = amid ?? between
        }
    }

    static let rows = frames + reserved + codes

    private static let frames: [Row] = [
        Row("text", clientFrame(0x81, "Hello"), ["text Hello"], amid: ["1002"]),
        Row("empty text", clientFrame(0x81, ""), ["text "], amid: ["1002"]),
        Row("the first fragment", clientFrame(0x01, "Hel"), [], amid: ["1002"]),
        Row("a middle fragment", clientFrame(0x00, "l"), ["1002"], amid: []),
        Row("the last fragment", clientFrame(0x80, "o"), ["1002"], amid: ["text ao"]),
        Row("an empty last fragment", clientFrame(0x80, ""), ["1002"], amid: ["text a"]),
        Row(
            "a last fragment in a middle form", clientFrame(0x80, String(repeating: "b", count: 130)), ["1002"],
            amid: ["text a" + String(repeating: "b", count: 130)]),
        Row("binary", clientFrame(0x82, "x"), ["1003"], amid: ["1002"]),
        Row("the first binary fragment", clientFrame(0x02, "x"), ["1003"], amid: ["1002"]),
        Row("ping", clientFrame(0x89, "beat"), ["ping beat"]),
        Row(
            "the longest ping", clientFrame(0x89, String(repeating: "p", count: 125)),
            ["ping " + String(repeating: "p", count: 125)]),
        Row("too long a ping", clientFrame(0x89, String(repeating: "p", count: 126)), ["1002"]),
        Row("a fragment of a ping", clientFrame(0x09, "x"), ["1002"]),
        Row("pong", clientFrame(0x8A, "beat"), ["pong"]),
        Row("a fragment of a pong", clientFrame(0x0A, "x"), ["1002"]),
        Row("too long a pong", clientFrame(0x8A, String(repeating: "p", count: 126)), ["1002"]),
        Row("close without a code", clientFrame(0x88, ""), ["close"]),
        Row("close with half a code", clientFrame(0x88, [3]), ["1002"]),
        Row("close with a reason", clientClose(1000, "bye ✓"), ["close 1000"]),
        Row("close with a reason that is no UTF-8", clientFrame(0x88, [3, 0xE8, 0xFF]), ["1007"]),
        Row("a fragment of a close", clientFrame(0x08, ""), ["1002"]),
        Row("too long a close", clientClose(1000, String(repeating: "r", count: 124)), ["1002"]),
        Row("a long form of a short length", clientFrame(0x81, Array("ab".utf8), lengthBytes: 2), ["1002"]),
        Row(
            "the longest form of a middle length",
            clientFrame(0x81, [UInt8](repeating: 0x61, count: 126), lengthBytes: 8), ["1002"]),
        Row("a length with its highest bit", [0x81, 0xFF, 0x80] + [UInt8](repeating: 0, count: 11), ["1002"]),
        Row(
            "the largest length", [0x81, 0xFF, 0x7F] + [UInt8](repeating: 0xFF, count: 11), ["1009"],
            amid: ["1002"]),
        Row(
            "the largest message", clientFrame(0x81, String(repeating: "a", count: 300)),
            ["text " + String(repeating: "a", count: 300)], amid: ["1002"]),
        Row("a message too large, by its header alone", [0x81, 0xFE, 1, 45], ["1009"], amid: ["1002"]),
        Row(
            "a fragment that fills the message", clientFrame(0x00, String(repeating: "a", count: 299)), ["1002"],
            amid: []),
        Row("a fragment too large, by its header alone", [0x00, 0xFE, 1, 44], ["1002"], amid: ["1009"]),
        Row(
            "fragments as many as there may be",
            clientFrame(0x00, "b") + clientFrame(0x00, "c") + clientFrame(0x80, "d"), ["1002"],
            amid: ["text abcd"]),
        Row(
            "a fragment too many",
            clientFrame(0x00, "") + clientFrame(0x00, "") + clientFrame(0x00, "") + [0x80], ["1002"],
            amid: ["1009"]),
        Row("without a mask", [0x81, 0x05] + Array("Hello".utf8), ["1002"]),
        Row("a ping without a mask", [0x89, 0x00], ["1002"]),
        Row("an overlong form", clientFrame(0x81, [0xC0, 0xAF]), ["1007"], amid: ["1002"]),
        Row("a surrogate", clientFrame(0x81, [0xED, 0xA0, 0x80]), ["1007"], amid: ["1002"]),
        Row("half a character at the end", clientFrame(0x80, [0xE2, 0x82]), ["1002"], amid: ["1007"]),
        Row(
            "a character in two fragments", clientFrame(0x00, [0xE2, 0x82]) + clientFrame(0x80, [0xAC]), ["1002"],
            amid: ["text a€"]),
        Row(
            "control frames between fragments",
            clientFrame(0x89, "1") + clientFrame(0x00, "b") + clientFrame(0x8A, "2") + clientFrame(0x80, "c"),
            ["ping 1", "1002"], amid: ["ping 1", "pong", "text abc"]),
        Row("nothing", [], []),
    ]

    /// Opcodes and bits that have no meaning yet. RFC 6455 §5.2.
    private static let reserved: [Row] = {
        var rows: [Row] = []
        for opcode: UInt8 in [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] {
            rows.append(Row("opcode \(opcode)", clientFrame(0x80 | opcode, ""), ["1002"]))
        }
        for bit: UInt8 in [0x40, 0x20, 0x10] {
            for first: UInt8 in [0x81, 0x00, 0x80, 0x88, 0x89, 0x8A] {
                rows.append(Row("bit \(bit) of \(first)", clientFrame(first | bit, ""), ["1002"]))
            }
        }
        return rows
    }()

    /// RFC 6455 §7.4.
    private static let codes: [Row] = {
        var rows: [Row] = []
        for code in [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999] {
            rows.append(Row("close \(code)", clientClose(code), ["close \(code)"]))
        }
        for code in [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535] {
            rows.append(Row("close \(code)", clientClose(code), ["1002"]))
        }
        return rows
    }()

    static let limits = {
        var limits = WebSocketLimits()
        limits.messageBytesMax = 300
        limits.fragmentCountMax = 4
        return limits
    }()

    @Test("every frame is read in every state, whole and byte by byte", arguments: rows)
    func table(row: Row) {
        let first = clientFrame(0x01, "a")
        for cut in [Int.max, 1] {
            #expect(events(of: row.frame, every: cut) == row.between)
            #expect(events(of: first + row.frame, every: cut) == row.amid)
            // After a close frame or a failure there are no further events, and no memory is kept.
            for end in [clientClose(1000), [0xFF]] {
                #expect(events(of: end + row.frame, every: cut).count == 1)
                #expect(events(of: first + end + row.frame, every: cut).count == 1)
            }
        }
    }

    @Test("frames give the same events however they are divided into reads")
    func cuts() {
        let seed = UInt64.testSeed(in: 0 ... .max)
        print("WebSocket frames seed: \(seed)")
        var random = FastRandom(seed: seed)
        for round in 0..<1500 {
            var bytes = conversation(&random)
            if round % 2 == 1 { spoil(&bytes, &random) }
            let whole = events(of: bytes, every: .max)
            #expect(toldByPieces(bytes, &random) == whole, "seed \(seed), round \(round)")
            #expect(events(of: bytes, every: 1) == whole, "seed \(seed), round \(round)")
        }
    }

    @Test("the examples of RFC 6455 §5.7")
    func examples() {
        #expect(events(of: [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]) == ["text Hello"])
        #expect(events(of: [0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]) == ["pong"])
        #expect(header(.text, 5) == [0x81, 0x05])
        #expect(header(.ping, 5) == [0x89, 0x05])
        #expect(header(.text, 5, key: 0x3D21_FA37) == [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D])
        #expect(header(.binary, 256) == [0x82, 0x7E, 0x01, 0x00])
        #expect(header(.binary, 65_536) == [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0])
        #expect(header(.text, 125) == [0x81, 125] && header(.text, 126) == [0x81, 126, 0, 126])
        #expect(header(.text, 65_535) == [0x81, 126, 0xFF, 0xFF])
    }

    @Test("payloads of every length are unmasked as the RFC says")
    func masks() {
        for count in 0...40 {
            let text = (0..<count).map { UInt8(0x20 + $0) }
            let key: [UInt8] = [1, 0x80, 0x42, 0xFF]
            #expect(events(of: clientFrame(0x81, text, key: key)) == ["text " + String(decoding: text, as: UTF8.self)])
        }
    }

    @Test("a parser keeps no memory between messages, and bounded memory during one")
    func memory() {
        var frames = WebSocketFrames(limits: Self.limits)
        for byte in clientFrame(0x81, String(repeating: "a", count: 300)) {
            unsafe withUnsafeBytes(of: byte) { unsafe frames.append($0) }
            #expect(frames.keptBytes < 1024)
            while frames.next() != .needsBytes {}
        }
        #expect(frames.keptBytes == 0)
        for _ in 0..<3 {
            unsafe clientFrame(0x01, "abc").withUnsafeBytes { unsafe frames.append($0) }
            #expect(frames.next() == .needsBytes && frames.keptBytes > 0)
            unsafe clientFrame(0x80, "def").withUnsafeBytes { unsafe frames.append($0) }
            #expect(frames.next() == .text(Array("abcdef".utf8)[...]))
            #expect(frames.next() == .needsBytes && frames.keptBytes == 0)
        }
    }

    @Test("UTF-8 is validated as the standard library does")
    func utf8() {
        let seed = UInt64.testSeed(in: 0 ... .max)
        print("UTF-8 seed: \(seed)")
        var random = FastRandom(seed: seed)
        let telling: [UInt8] = [
            0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE,
            0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
        ]
        for _ in 0..<20_000 {
            let prefix = [UInt8](repeating: 0x61, count: Int.random(in: 0...9, using: &random))
            let bytes =
                prefix
                + (0..<Int.random(in: 0...5, using: &random)).map { _ in telling.randomElement(using: &random) ?? 0 }
            let isUTF8 = String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes)
            let found = unsafe bytes.withUnsafeBytes { unsafe $0.isUTF8 }
            #expect(found == isUTF8, "seed \(seed): \(bytes)")
        }
    }

    // MARK: Made up

    /// Messages, some in fragments, with control frames in between; perhaps a close frame.
    private func conversation(_ random: inout FastRandom) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let text = Array(String(repeating: "aé€😀", count: Int.random(in: 0...20, using: &random)).utf8)
            var rest = text[...]
            var opcode: UInt8 = 0x01
            while rest.count > 3, Int.random(in: 0..<3, using: &random) == 0 {
                let count = Int.random(in: 0...rest.count, using: &random)
                bytes += clientFrame(opcode, Array(rest.prefix(count)), key: key(&random))
                if Bool.random(using: &random) { bytes += clientFrame(0x89, "beat") }
                rest = rest.dropFirst(count)
                opcode = 0
            }
            bytes += clientFrame(0x80 | opcode, Array(rest), key: key(&random))
        }
        if Bool.random(using: &random) { bytes += clientClose(1001, "leaving") + clientFrame(0x81, "after") }
        return bytes
    }

    private func key(_ random: inout FastRandom) -> [UInt8] {
        (0..<4).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    private func spoil(_ bytes: inout [UInt8], _ random: inout FastRandom) {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes.insert(.random(in: 0...255, using: &random), at: place)
            default: if bytes.count > 1 { bytes.remove(at: place) }
            }
        }
    }

    // MARK: Events

    private func events(of bytes: [UInt8], every count: Int = .max) -> [String] {
        var frames = WebSocketFrames(limits: Self.limits)
        var events: [String] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            events += read(rest.prefix(count), &frames)
            rest = rest.dropFirst(count)
        }
        return events
    }

    private func toldByPieces(_ bytes: [UInt8], _ random: inout FastRandom) -> [String] {
        var frames = WebSocketFrames(limits: Self.limits)
        var events: [String] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Int.random(in: 1...min(rest.count, 40), using: &random)
            events += read(rest.prefix(count), &frames)
            rest = rest.dropFirst(count)
        }
        return events
    }

    private func read(_ bytes: ArraySlice<UInt8>, _ frames: inout WebSocketFrames) -> [String] {
        unsafe bytes.withUnsafeBytes { unsafe frames.append($0) }
        var events: [String] = []
        while true {
            let text = { (bytes: ArraySlice<UInt8>) in String(decoding: bytes, as: UTF8.self) }
            switch frames.next() {
            case .needsBytes: return events
            case .text(let payload): events.append("text \(text(payload))")
            case .ping(let payload): events.append("ping \(text(payload))")
            case .pong: events.append("pong")
            case .close(nil): events.append("close")
            case .close(let code?): events.append("close \(code.rawValue)")
            case .failure(let failure):
                #expect((1...123).contains(failure.reason.utf8.count))
                events.append("\(failure.code.rawValue)")
            }
        }
    }

    private func header(_ opcode: WebSocketFrameHeader.Opcode, _ count: Int, key: UInt32? = nil) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: WebSocketFrameHeader.byteCountMax)
        let header = WebSocketFrameHeader(opcode: opcode, payloadCount: count, maskingKey: key)
        let written = unsafe bytes.withUnsafeMutableBytes { unsafe header.write(to: $0) }
        return Array(bytes[..<written])
    }
}
