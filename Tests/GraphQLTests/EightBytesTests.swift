import Testing

@testable import GraphQL

@Suite("Eight bytes at once")
struct EightBytesTests {
    private func count(_ bytes: [UInt8], while belongs: (Unicode.Scalar) -> Bool) -> Int {
        bytes.prefix { $0 < 0x80 && belongs(Unicode.Scalar($0)) }.count
    }

    private func check(_ bytes: [UInt8], _ comment: @autoclosure () -> Comment) {
        let (names, ignored) = bytes.withUnsafeBytes { bytes in
            let eight = EightBytes(bytes.baseAddress!, at: 1)
            return (eight.nameCount, eight.ignoredCount)
        }
        let eight = Array(bytes[1...8])
        #expect(
            names == count(eight) { $0 == "_" || ("0"..."9" ~= $0) || ("a"..."z" ~= $0) || ("A"..."Z" ~= $0) },
            comment())
        #expect(ignored == count(eight) { $0 == " " || $0 == "\n" || $0 == "," }, comment())
    }

    @Test("every byte in every place counts as the grammar says")
    func everyByte() {
        for byte in UInt8.min ... .max {
            for place in 1...8 {
                for filler in [UInt8(ascii: "a"), UInt8(ascii: "Z"), UInt8(ascii: " ")] {
                    var bytes = Array(repeating: filler, count: 9)
                    bytes[place] = byte
                    check(bytes, "\(byte) at \(place)")
                }
            }
        }
    }

    @Test("random neighbours do not disturb each other")
    func neighbours() {
        let seed = UInt64.random(in: .min ... .max)
        var random = RandomLanguage(seed: seed)
        let bytes = Array("_azAZ09 \n,\t\r@[`{/:\u{0}\u{7f}".utf8) + [0x80, 0xFF, 0xAC, 0xA0, 0x8A, 0xDF]
        for _ in 0..<20_000 {
            check((0..<9).map { _ in bytes.randomElement(using: &random)! }, "seed \(seed)")
        }
    }
}
