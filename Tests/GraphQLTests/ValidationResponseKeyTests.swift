import Testing

@testable import GraphQL

@Suite("Response keys that are apart are not compared")
struct ResponseKeysTests {
    @Test("because no set has one twice, its fragments spread", arguments: apart)
    func areApart(text: String) throws { #expect(try isApart(text)) }

    @Test("all other selections are accepted", arguments: notApart)
    func areNotApart(text: String) throws { #expect(try !isApart(text)) }

    private func isApart(_ text: String) throws -> Bool {
        let document = try Parser.parse(Source(text))
        return ResponseKeys.areApart(in: document, NamePositions(document.fragments.map(\.name), in: document))
    }

    private static let apart = [
        "{ a b c { a b } }",
        "{ a: b b: a }",
        "{ __typename a { __typename ...F } } fragment F on T { __typename b ...G } fragment G on T { __typename }",
        "{ a { ...F ...F } } fragment F on T { b { c } }",
        "{ ... { a } ... on T { b } ...Unknown }",
        "{ \((0..<64).map { "k\($0)" }.joined(separator: " ")) }",
        "query A { a } query B { a }",
    ]
    private static let notApart = [
        "{ a a }", "{ a b: a c { d: e d } }", "{ a: b a: c }", "{ a { b ...F } } fragment F on T { b }",
        "{ a { ... on T { b } ... on U { b } } }", "{ __typename __typename: a }", "{ __typename __typename { a } }",
        "{ a } fragment F on T { b { c c } }", "{ ...F } fragment F on T { ...F __typename }",
        "{ \((0..<65).map { "k\($0)" }.joined(separator: " ")) }",
        "{ \((0..<63).map { "k\($0)" }.joined(separator: " ")) k7 }",
        "{ \(String(repeating: "__typename ", count: 64)) \(String(repeating: "... { __typename } ", count: 64)) }",
    ]
}
