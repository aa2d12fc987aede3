import Testing

@testable import Tables

@Suite("Sets of texts") struct TextSetTests {
    @Test("a text is found by its bytes, each text is kept once and in the order given")
    func contains() {
        let texts = ["red", "", "blue", "red", "re", "d", "ä", "a\u{308}", "\"q\"", "a,b"]
        let set = TextSet(texts: texts)
        #expect(set.texts == ["red", "", "blue", "re", "d", "ä", "a\u{308}", "\"q\"", "a,b"])
        for text in texts { #expect(set.contains(text) && set.contains(.text(text))) }
        for text in ["r", "redblue", "bluere", "Red", "q", "\u{0}", " "] { #expect(!set.contains(text), "\(text)") }
        #expect(!set.contains(.integer(1)) && !set.contains(.null))
        #expect(!TextSet(texts: []).contains("") && TextSet([.null, "a", 1]).texts == ["a"])
        #expect(TextSet(texts: ["red", "", "\"q\""]).json == #"["red","","\"q\""]"#)
    }

    @Test("of thousands of texts exactly those are found")
    func many() {
        let set = TextSet(texts: (0..<5_000).map { "group-\($0)" })
        for number in 0..<10_000 { #expect(set.contains("group-\(number)") == (number < 5_000)) }
    }

    @Test("sets with the same texts in the same order are equal")
    func equal() {
        let set = TextSet(texts: ["a", "bc"])
        #expect(set == TextSet(texts: ["a", "bc", "a"]) && set.hashValue == TextSet(texts: ["a", "bc"]).hashValue)
        for other in [["bc", "a"], ["ab", "c"], ["a"], ["a", "bc", "d"]] { #expect(set != TextSet(texts: other)) }
    }
}
