import JSON
import Testing

@Suite("JSONWriter")
struct JSONWriterTests {
    private func written(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter(capacity: 1)
        body(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test(
        "strings are escaped as RFC 8259 asks and no more",
        arguments: [
            ("", #""""#), ("plain", #""plain""#), ("\"", #""\"""#), ("\\", #""\\""#), ("/", #""/""#),
            ("\n\r\t\u{8}\u{C}", #""\n\r\t\b\f""#), ("\u{0}\u{1F}", #""\u0000\u001f""#), ("\u{7F}é😀", "\"\u{7F}é😀\""),
            ("eight by", #""eight by""#), ("eight byt\n", #""eight byt\n""#),
            ("é is not ASCII\"", #""é is not ASCII\"""#),
        ])
    func strings(_ text: String, _ expected: String) {
        #expect(written { $0.writeString(text) } == expected)
    }

    @Test("a byte that needs an escape is found at every place of a word")
    func everyPlace() throws {
        for byte in UInt8(0)..<0x80 {
            for place in 0..<20 {
                var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 20)
                bytes[place] = byte
                let text = String(decoding: bytes, as: UTF8.self)
                #expect(try JSONReader.read(written { $0.writeString(text) }) == .string(text))
            }
        }
    }

    @Test("integers are written with their own digits")
    func integers() {
        var values: [Int64] = [0, -1, 9, 10, 99, 100, .min, .max, .max - 1, .min + 1]
        var power: Int64 = 1
        for _ in 0..<18 {
            power *= 10
            values += [power, power - 1, -power, 1 - power]
        }
        for value in values { #expect(written { $0.write(value) } == String(value)) }
    }

    @Test("doubles are written as the shortest text that reads back the same; integral ones keep their point")
    func doubles() {
        let values = [
            0, -0.0, 1, -1, 5, 0.1, 0.5, 2.5, -2.25, 100, 1e6, 123_456_789, 999_999_999, 1e9, 1e15, 1e16, 1e21, 1e-3,
            0.001, 0.000_1, 1e-7, 0.1 + 0.2, 1.0 / 3, .pi, 12.345678, 19.99, 4.35, 1.005, 0.123456, 0.1234567,
            .greatestFiniteMagnitude, .leastNonzeroMagnitude, .ulpOfOne, 9_007_199_254_740_992,
        ]
        for value in values { #expect(written { $0.write(value) } == value.description) }
        #expect(written { $0.write(5.0) } == "5.0")
        #expect(written { $0.write(Double.nan) } == "null" && written { $0.write(-Double.infinity) } == "null")
    }

    @Test("seeded doubles are written like their description")
    func randomDoubles() {
        let seed = UInt64.testSeed(in: 0 ... .max)
        var generator = SplitMix64(state: seed)
        for _ in 0..<20_000 {
            let decimals = [1.0, 10, 100, 1_000, 1e4, 1e5, 1e6, 1e7][Int(generator.next() % 8)]
            let rounded =
                Double(Int64(truncatingIfNeeded: generator.next()) >> Int64(generator.next() % 50 + 14)) / decimals
            let raw = Double(bitPattern: generator.next())
            for value in [rounded, raw] where value.isFinite {
                #expect(written { $0.write(value) } == value.description, "seed \(seed)")
            }
        }
    }

    @Test("rewinding to a mark takes back what came after it")
    func rewind() {
        var writer = JSONWriter(capacity: 0)
        writer.append("{\"a\":")
        let mark = writer.mark()
        writer.write([1, 2, ["b": "c"]] as JSONValue)
        writer.rewind(to: mark)
        writer.writeNull()
        writer.append(UInt8(ascii: "}"))
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "{\"a\":null}")
        let byteCount = unsafe writer.withBytes { $0.count }
        #expect(writer.count == 10 && byteCount == 10)
        writer.reset()
        #expect(writer.bytes.isEmpty)
    }

    @Test("a writer grows far beyond its first capacity")
    func grows() {
        let text = written { writer in
            for number in 0..<10_000 {
                writer.write(Int64(number))
                writer.append([UInt8(ascii: ","), UInt8(ascii: " ")])
            }
        }
        #expect(text == (0..<10_000).map { "\($0), " }.joined())
    }

    @Test("a value is written without any space and reads back the same")
    func values() throws {
        let value: JSONValue = ["a": [1, -2.5, nil, true, false], "b": ["c": "d\n"], "e": [:], "f": []]
        #expect(value.description == #"{"a":[1,-2.5,null,true,false],"b":{"c":"d\n"},"e":{},"f":[]}"#)
        #expect(try JSONReader.read(value.description) == value)
    }

    @Test("an object is ordered; setting keeps the place, nil removes")
    func objects() {
        var object: JSONObject = ["a": 1, "b": 2, "a": 3]
        object["c"] = 4
        object["b"] = nil
        #expect(object.map(\.key) == ["a", "c"] && object["a"] == 3 && object["b"] == nil)
        for number in 0..<40 { object["k\(number)"] = .number(String(number)) }
        object["k7"] = nil
        #expect(object.count == 41 && object["k8"] == 8 && object["k39"] == 39 && object["k7"] == nil)
        #expect(object == JSONObject(object.map { ($0.key, $0.value) }))
        #expect(Set([object, object, [:]]).count == 2)
    }
}

/// A small generator whose whole state is its seed (Steele, Lea, Flood 2014).
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
