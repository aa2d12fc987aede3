import Testing

@testable import GraphQL

@Suite("Blocks of a source")
struct SourceBlockTests {
    private static func isName(_ byte: UInt8) -> Bool {
        switch Unicode.Scalar(byte) {
        case "_", "0"..."9", "a"..."z", "A"..."Z": true
        default: false
        }
    }

    /// Whether a token may begin at the place, read byte by byte.
    private static func isStart(_ place: Int, of bytes: ArraySlice<UInt8>) -> Bool {
        let byte = bytes[bytes.startIndex + place]
        if isName(byte) { return place == 0 || !isName(bytes[bytes.startIndex + place - 1]) }
        return ![UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: ",")].contains(byte)
    }

    private func check(_ bytes: [UInt8], at offset: Int, _ comment: @autoclosure () -> Comment) {
        let block = unsafe bytes.withUnsafeBytes { unsafe SourceBlock($0, at: offset) }
        let part = bytes[offset...].prefix(SourceBlock.byteCountMax)
        let starts = part.indices.map { $0 - offset }.filter { Self.isStart($0, of: part) }
        #expect((0..<64).filter { block.starts >> UInt64($0) & 1 == 1 } == starts, comment())
        for start in starts {
            #expect(block.nameCount(at: start) == part.dropFirst(start).prefix(while: Self.isName).count, comment())
        }
    }

    @Test("every byte in every place counts as the grammar says")
    func everyByte() {
        for byte in UInt8.min ... .max {
            for filler in [UInt8(ascii: "a"), UInt8(ascii: "Z"), UInt8(ascii: " "), UInt8(ascii: "{")] {
                var bytes = Array(repeating: filler, count: 64)
                for place in [0, 1, 7, 8, 15, 16, 31, 32, 62, 63] {
                    bytes[place] = byte
                    check(bytes, at: 0, "\(byte) at \(place)")
                    bytes[place] = filler
                }
            }
        }
    }

    @Test("random bytes, from any offset, in sources of any length")
    func random() {
        let seed = UInt64.testSeed(in: .min ... .max)
        var random = RandomLanguage(seed: seed)
        let alphabet = Array("_azAZ09 \n,\t\r@[`{/:\u{0}\u{7f}".utf8) + [0x80, 0xFF, 0xAC, 0xA0, 0x8A, 0xDF]
        for _ in 0..<3_000 {
            let count = Int.random(in: 1...150, using: &random)
            let bytes = (0..<count).map { _ in alphabet.randomElement(using: &random)! }
            check(bytes, at: Int.random(in: 0..<count, using: &random), "seed \(seed)")
        }
    }
}
