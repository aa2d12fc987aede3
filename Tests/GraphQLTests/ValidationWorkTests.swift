import Testing

@testable import GraphQL

@Suite("Validation looks at a fragment once, not once per operation")
struct ValidationWorkTests {
    @Test("operations times what they share costs no product", arguments: shared)
    func visits(operations: String, fragments: String) throws {
        let text = repeated(500) { "\(operations.replacing("#", with: "\($0)")) " } + fragments
        var validator = Validator(try Parser.parse(Source(text)), fixture, allowsIntrospection: true)
        #expect(validator.validate().map(\.message) == [])
        #expect((500...5_000).contains(validator.visits), "\(validator.visits)")
    }

    @Test("an operation that is refused walks the fragments once")
    func refused() throws {
        let text =
            repeated(99) { "query A\($0)($a: Int, $s: Int) { ...F } " }
            + "fragment F on Query { scal(ll: [[\(repeated(3_000) { _ in "1 " })]], l: [$s] i: $a) a: scal(s: $s) "
            + "\(repeated(500) { _ in "...G " }) } fragment G on Query { scal(i: $a) }"
        var validator = Validator(try Parser.parse(Source(text)), fixture, allowsIntrospection: true)
        let messages = validator.validate().map(\.message)
        #expect(messages.count == 100)
        #expect(validator.visits < 1_000, "\(validator.visits)")
    }

    @Test("errors of shared fragments keep their paths and order, in each operation")
    func errorsOfSharedFragments() throws {
        let text = """
            query A($s: Int) { node { ...N } ...F ...G }
            query B($s: String) { ...G ...F }
            fragment F on Query { a: scal(s: $s) scal(i: 1, s: $s) ...G user { ...U } }
            fragment G on Query { scal(j: $none, i: 1) }
            fragment U on User { todos(first: $s) { id } }
            fragment N on Node { id @skip(if: $s) }
            """
        let messages = try messages(text).filter { !$0.hasPrefix("FieldsConflict") && !$0.hasPrefix("WrongType") }
        #expect(
            messages == [
                "VariableTypeMismatch: Variable type 'Int' doesn't match expected type 'Boolean!' @ 'node/N/id'",
                "VariableTypeMismatch: Variable type 'Int' doesn't match expected type 'String' @ 'F/scal'",
                "VariableTypeMismatch: Variable type 'Int' doesn't match expected type 'String' @ 'F/scal'",
                "UndefinedVariable: Undefined variable none @ 'F/G/scal'",
                "UndefinedVariable: Undefined variable none @ 'G/scal'",
                "VariableTypeMismatch: Variable type 'String' doesn't match expected type 'Int' @ 'F/user/U/todos'",
            ])
    }

    @Test("the first introspection field of a subscription, in the order of the spreads, cycles or not")
    func introspectionOfSubscription() throws {
        let text = """
            subscription A { ...F ...G }
            subscription B { ...G }
            fragment F on Subscription { ...G x: __typename ...F }
            fragment G on Subscription { onDeleteTodo { id } ...F y: __typename }
            """
        let found = try errors(text).filter { $0.message.contains("IntrospectionRootField") }
        #expect(found.flatMap { $0.locations ?? [] }.map(\.line) == [4, 3])
    }

    @Test("arguments agree in any order and spelling", arguments: agreeing)
    func arguments(one: String, other: String, agree: Bool) throws {
        let text = "{ scal(\(one)) scal(\(other)) }"
        #expect(try messages(text).contains { $0.hasPrefix("FieldsConflict") } != agree)
    }

    private static let shared = [
        // Uses of a variable.
        ("query A#($a: Int!) { ...F }", "fragment F on Query { scal(ll: [[\(repeated(3_000) { _ in "$a " })]]) }"),
        // Spreads of one fragment.
        (
            "query A#($a: Int) { ...F }",
            "fragment F on Query { \(repeated(3_000) { _ in "...G " }) } fragment G on Query { scal(i: $a) }"
        ),
        // Spreads of many fragments.
        (
            "query A#($a: Int) { ...F0 }",
            repeated(15) { i in
                "fragment F\(i) on Query { \(repeated(14 - i) { "...F\(i + 1 + $0) " }) scal(i: $a) } "
            }
        ),
        // The root of subscriptions.
        ("subscription A# { ...F }", "fragment F on Subscription { \(repeated(300) { _ in "onDeleteTodo { id } " }) }"),
        (
            "subscription A# { ...F }",
            "fragment F on Subscription { \(repeated(2_500) { _ in "...G " }) } "
                + "fragment G on Subscription { onDeleteTodo { id } }"
        ),
    ]

    private static let agreeing = [
        ("i: 1, s: \"a\"", "s: \"\"\"a\"\"\", i: 1", true), ("any: {a: 1, b: [X]}", "any: {b: [X], a: 1}", true),
        ("any: \"X\"", "any: X", false), ("any: [1, 2]", "any: [2, 1]", false), ("any: [1]", "any: 1", false),
        ("any: [[1], 2]", "any: [[1, 2]]", false), ("any: [\"a,b\"]", "any: [\"a\", \"b\"]", false),
        ("any: {a: {}}", "any: {a: []}", false), ("any: 1", "any: 1.0", false), ("any: null", "i: null", false),
        ("i: 1, i: 2", "i: 2, i: 1", true), ("any: \"1\"", "any: 1", false), ("any: true", "any: \"true\"", false),
    ]
}

private func repeated(_ count: Int, _ text: (Int) -> String) -> String { (0..<count).map(text).joined() }
