import JSON
import Testing

@Suite("Text by its bytes") struct ExactTextTests {
    /// Pairs that `String` holds to be equal.
    private static let pairs = [
        ("\u{E9}", "e\u{301}"), ("K", "\u{212A}"), ("\u{3A9}", "\u{2126}"),
        // Of one length.
        ("a\u{323}\u{307}", "a\u{307}\u{323}"),
        ("a long name that stands on the heap \u{E9}", "a long name that stands on the heap e\u{301}"),
    ]

    @Test("names of an object that differ in bytes are two members, however many there are", arguments: pairs)
    func members(one: String, other: String) throws {
        for count in [0, 40] {
            let others = (0..<count).map { "\"\($0)\":0," }.joined()
            let text = "{\(others)\"\(one)\":1,\"\(other)\":2}"
            let value = try JSONReader.read(text)
            #expect(value.description.utf8.elementsEqual(text.utf8))
            #expect(value.objectValue?.count == count + 2)
            #expect(value[one] == 1)
            #expect(value[other] == 2)
            var object = try #require(value.objectValue)
            object[one] = nil
            #expect(object[one] == nil && object[other] == 2)
        }
    }

    @Test("values that differ in bytes are different, also as elements of a set", arguments: pairs)
    func values(one: String, other: String) {
        #expect(one == other, "Unicode's equivalence")
        #expect(!one.isExactly(other) && one.isExactly(one))
        #expect(ExactText(one) != ExactText(other))
        #expect(JSONValue.string(one) != .string(other))
        #expect(JSONValue.object([one: 1]) != .object([other: 1]))
        #expect(Set([JSONValue.string(one), .string(other), .array([.string(one)])]).count == 3)
        #expect(Set([JSONValue.string(one), .string(one)]).count == 1)
    }
}
