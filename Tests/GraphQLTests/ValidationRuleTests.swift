import GraphQL
import Testing

@Suite("Validation accepts")
struct ValidationRuleTests {
    @Test("what the specification accepts", arguments: valid)
    func accepts(text: String) throws { #expect(try messages(text) == []) }

    @Test("a non-null variable with a default, though AppSync's engine does not")
    func defaultOfNonNullVariable() throws {
        #expect(try messages("query ($id: ID! = \"1\") { getTodo(id: $id) { id } }").isEmpty)
    }

    private static let valid = [
        "{ iamOnly __typename }",
        "query A { iamOnly } query B { iamOnly }",
        "{ any { __typename ... on Todo { id } ... on User { id } ... on Node { id } } }",
        "{ node { ... on Any { __typename } ...F } } fragment F on Any { ... on Node { id } }",
        "query ($id: ID!) { getTodo(id: $id) { id } }",
        "query ($id: ID = \"1\") { getTodo(id: $id) { id } }",
        "query ($r: Int) { scal(req: $r) }",
        "query ($b: Boolean!) { iamOnly @skip(if: $b) @include(if: $b) }",
        "{ scal(l: 1, ll: [[1, 2], []]) }",
        "query ($n: [Int!]!, $i: Int!) { scal(ll: [$n, [$i]], l: $n, i: $i) }",
        "{ scal(any: {a: [1, X, {b: null}]}) }",
        "query ($x: String) { scal(any: {a: $x, b: [$x]}) }",
        "{ scal(in: {name: \"n\", sub: {x: \"x\"}, subs: {x: \"y\"}}) }",
        "{ scal(id: 5, f: 5, ts: -5, j: \"[1]\", d: \"2020-01-01\") }",
        "{ x: scal(in: {name: \"a\", n: 1}) x: scal(in: {n: 1, name: \"a\"}) }",
        "{ bad { n n ...F } bad { id } } fragment F on Todo { n owner { id } owner { id } }",
        "{ any { ... on Todo { x: id } ... on User { x: id } } }",
        "{ any { ... on Todo { owner { x: id } } ... on User { owner: todos { x: id } } } }"
            .replacing("owner: todos", with: "todos"),
        "subscription { onDeleteTodo { id } ...F } fragment F on Subscription { onDeleteTodo { name } }",
        "query ($a: Boolean!) { ...F } fragment F on Query { ...G } fragment G on Query { iamOnly @skip(if: $a) }",
    ]
}

@Suite("Validation is bounded")
struct ValidationBoundTests {
    @Test("in the number of errors")
    func errorsMax() throws {
        let text = "{ " + (0..<1_000).map { "nope\($0)" }.joined(separator: " ") + " }"
        #expect(try errors(text).count == Validate.errorsMax)
    }

    @Test("in the text of errors, for a path repeats the names above it")
    func messageBytesMax() throws {
        let long = String(repeating: "x", count: 60_000)
        let text = "{ \(long) { " + (0..<100).map { "...F\($0)" }.joined(separator: " ") + " } }"
        #expect(try errors(text).reduce(0) { $0 + $1.message.utf8.count } < 1_200_000)
    }

    @Test("in the nesting of fragments")
    func fragmentDepth() throws {
        func chain(_ count: Int) -> String {
            let fragments = (0..<count).map {
                "fragment F\($0) on Todo { id " + ($0 + 1 < count ? "...F\($0 + 1) }" : "}")
            }
            return "{ bad { ...F0 } } " + fragments.joined(separator: " ")
        }
        #expect(try messages(chain(100)) == [])
        #expect(try messages(chain(101)) == ["MaxQueryComplexity: Fragments are nested more than 100 deep."])
    }

    @Test("in the comparison of fields: nested fragments cost no exponential time")
    func exponentialFragments() throws {
        // Each level spreads the next twice under one key and twice more under contexts of its own.
        let levels = 24
        var text = "{ bad { ...L0 } }"
        for level in 0..<levels {
            text +=
                " fragment L\(level) on Todo { owner { todos { ...L\(level + 1) ...P\(level) } } owner { todos { ...L\(level + 1) n } } }"
            text += " fragment P\(level) on Todo { owner { todos { ...L\(level + 1) id } } }"
        }
        text += " fragment L\(levels) on Todo { id }"
        #expect(try messages(text) == [])
    }

    @Test("in the comparison of fields: too many of one key are refused, not compared")
    func manyFields() throws {
        let text = "{ bad { " + String(repeating: "id ", count: 2_000) + "} }"
        #expect(
            try messages(text) == ["MaxQueryComplexity: More than 200000 pairs of fields have to be compared. @ 'bad'"])
    }

    @Test("in fragments that form cycles through fields")
    func cycles() throws {
        let text = """
            { bad { ...A } }
            fragment A on Todo { owner { todos { ...B ...C } } }
            fragment B on Todo { owner { todos { ...A ...C } } }
            fragment C on Todo { x: id owner { todos { ...A x: n } } }
            """
        #expect(try messages(text).allSatisfy { $0.hasPrefix("FragmentCycle") })
    }
}
