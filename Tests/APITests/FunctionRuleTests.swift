import JSON
import Testing
import Transformer

@testable import API

/// Objects of a model's type that a function returns: no rule of an operation is asked, but those of their fields are.
@Suite("Rules of models whose objects a function returns", .bothExecutors) struct FunctionRuleTests {
    private static let schema = """
        type Note @model @auth(rules: [
          {allow: owner}, {allow: owner, ownerField: "editors", operations: [read]}, {allow: private, operations: [read]}
        ]) {
          id: ID!
          owner: String
          editors: [String]
          secret: String @auth(rules: [{allow: owner}])
        }
        union Found = Note | Other
        type Other { owner: String }
        type Query {
          one: Note @function(name: "one")
          many: [Note] @function(name: "many")
          found: [Found] @function(name: "found")
          inner: Inner @function(name: "inner")
        }
        type Inner { note: Note owner: String }
        type Mutation { touch: Note @function(name: "one") }
        type Subscription { onTouch(owner: String): Note @aws_subscribe(mutations: ["touch"]) }
        """
    private static let note =
        #"{"id": "1", "owner": "s-ann::ann", "editors": ["s-bob::bob", "cy", null], "secret": "x"}"#

    private func stage() throws -> RuledStage {
        let note = Self.note
        return try RuledStage(
            Self.schema, .v2,
            functions: FakeFunctions([
                "one": { _ in .json(note) }, "many": { _ in .json("[\(note), {\"id\": \"2\"}]") },
                "found": { _ in
                    .json(#"[{"__typename": "Other", "owner": "a::b"}, {"__typename": "Note", "owner": "a::b"}]"#)
                },
                "inner": { _ in .json("{\"note\": \(note), \"owner\": \"a::b\"}") },
            ]))
    }

    @Test("an owner is shown by the last claim, and a protected field to its readers alone")
    func fields() throws {
        let stage = try stage()
        try stage.check([
            (.ann, "one { owner editors secret }", "{owner:ann,editors:[bob,cy,null],secret:x}"),
            (.bob, "one { owner editors secret }", "{owner:ann,editors:[bob,cy,null],secret:null} | secret U"),
            (.ann, "many { owner secret }", "[{owner:ann,secret:x},{owner:null,secret:null}] | 1/secret U"),
            (.ann, "found { ... on Other { owner } ... on Note { owner } }", "[{owner:a::b},{owner:b}]"),
            (
                .bob, "inner { owner note { owner secret } }",
                "{owner:a::b,note:{owner:ann,secret:null}} | note/secret U"
            ),
        ])
    }

    @Test("subscribers of a custom subscription receive the result of a custom mutation as its caller does")
    func events() throws {
        let stage = try stage()
        let subscribers = [
            try stage.listen(.bob, "onTouch { owner editors secret }"),
            try stage.listen(.bob, "onTouch(owner: 'ann') { owner }"),
        ]
        try stage.ruled.expect(
            .ann, "mutation { touch { owner editors secret } }",
            #"{"touch":{"owner":"ann","editors":["bob","cy",null],"secret":"x"}}"#)
        #expect(try stage.events(subscribers[0]) == "{owner:ann,editors:[bob,cy,null],secret:x}")
        #expect(try stage.events(subscribers[1]) == "{owner:ann}")
        // What the caller may not read is not in the result.
        try stage.ruled.expect(
            .bob, "mutation { touch { owner secret } }",
            #"{"touch":{"owner":"ann","secret":null}} | touch/secret U"#)
        #expect(try stage.events(subscribers[0]) == "{owner:ann,editors:null,secret:null}")
    }
}
