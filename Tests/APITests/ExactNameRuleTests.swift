import JSON
import Testing
import Transformer

@testable import API

/// Names whose letters have an accent, in one code point or in two. Swift's `String` holds both for equal; the names of groups
/// and claims in tokens, rules and items are compared by their bytes.
@Suite("Rules compare names by their bytes", .bothExecutors) struct ExactNameRuleTests {
    private static let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")

    @Test("two groups that look alike are two roles", arguments: [TransformOptions.TransformerVersion.v1, .v2])
    func staticGroups(version: TransformOptions.TransformerVersion) throws {
        func rule(_ group: String, _ operations: String) -> String {
            #"{allow: groups, groups: ["\#(group)"], operations: [\#(operations)]}"#
        }
        let rules = "\(rule(Self.composed, "read")), \(rule(Self.decomposed, "create"))"
        let stage = try RuledStage("type Note @model @auth(rules: [\(rules)]) { id: ID! text: String }", version)
        try stage.seed("createNote(input: {id: 'a', text: 't'})")
        let (reader, writer) = (Identity.user("ann", in: [Self.composed]), Identity.user("bob", in: [Self.decomposed]))
        try stage.check([
            (reader, "getNote(id: 'a') { text }", "{text:t}"), (writer, "getNote(id: 'a') { text }", "U"),
            (reader, "createNote(input: {id: 'b'})", "U"), (writer, "createNote(input: {id: 'b'})", "ok"),
        ])
    }

    @Test("a field for one group is closed to another that looks alike")
    func fields() throws {
        func field(_ name: String, _ group: String) -> String {
            #"\#(name): String @function(name: "echo") @aws_cognito_user_pools(cognito_groups: ["\#(group)"])"#
        }
        let stage = try RuledStage(
            """
            type Note @model @auth(rules: [{allow: private}]) { id: ID! }
            type Query { \(field("one", Self.composed)) \(field("two", Self.decomposed)) }
            """, .v2, functions: FakeFunctions(["echo": { _ in .json("\"hi\"") }]))
        for (group, expected) in [(Self.composed, ["hi", "U"]), (Self.decomposed, ["U", "hi"])] {
            let caller = Identity.user("ann", in: [group])
            let answers = try ["one", "two"].map { try stage.answer(caller, $0, isScalar: true) }
            #expect(answers == expected)
        }
    }

    @Test("two claims that look alike are two claims")
    func claims() throws {
        func rule(_ claim: String, _ operations: String) -> String {
            #"{allow: groups, groups: ["G"], groupClaim: "\#(claim)", operations: [\#(operations)]}"#
        }
        let schema = """
            type Note @model @auth(rules: [\(rule(Self.composed, "read")), \(rule(Self.decomposed, "create"))]) {
              id: ID! text: String
            }
            """
        let stage = try RuledStage(schema, .v2)
        try stage.seed("createNote(input: {id: 'a', text: 't'})")
        for (claim, expected) in [(Self.composed, ["{text:t}", "U"]), (Self.decomposed, ["U", "{text:null}"])] {
            let token = IdentityToken(claims: [claim: "G", "sub": "s"])
            let caller = Identity.userPools(token, claims: stage.ruled.api.definition.ruleClaims)
            let fields = ["getNote(id: 'a') { text }", "createNote(input: {id: 'b'}) { text }"]
            #expect(try fields.map { try stage.answer(caller, $0) } == expected)
        }
    }
}
