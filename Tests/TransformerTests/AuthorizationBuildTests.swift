import GraphQL
import Testing

@testable import Transformer

/// Cases by their numbers: (reference: authorization, "Acceptance cases").
@Suite("Schemas that rules accept and refuse") struct AuthorizationBuildTests {

    private func build(
        _ schema: String, _ version: TransformOptions.TransformerVersion,
        modes: [TransformOptions.AuthMode] = [.userPools, .apiKey, .iam, .oidc, .lambda]
    ) -> (definition: APIDefinition?, messages: [String]) {
        switch Transform.transform(
            [Source(schema, name: "schema.graphql")],
            options: TransformOptions(transformerVersion: version, authModes: modes))
        {
        case .success(let definition): (definition, [])
        case .failure(let diagnostics): (nil, diagnostics.map(\.message))
        }
    }

    @Test("rules that open a nested type further than its author's directives are a warning")
    func openedNestedType() throws {
        for (version, rules) in [(TransformOptions.TransformerVersion.v1, "public"), (.v2, "public")] {
            func warnings(_ nested: String) throws -> [String] {
                let schema = """
                    type Post @model @auth(rules: [{allow: \(rules)}, {allow: private}]) { id: ID! note: Note }
                    type Note \(nested) { text: String }
                    """
                return try #require(build(schema, version).definition).warnings.map(\.message)
            }
            let groups = #"@aws_cognito_user_pools(cognito_groups: ["Admin"])"#
            #expect(
                try warnings(groups) == [
                    "The rules of Post add @aws_api_key to Note, whose author wrote @aws_cognito_user_pools alone, for some groups."
                ])
            #expect(try warnings("") == [] && warnings("@aws_api_key \(groups)") == [])
        }
    }

    private static let required =
        "When using field-level authorization rules you need to add rules to all of the model's required fields with at least read permissions."
    private static let withoutModel = "Types annotated with @auth must also be annotated with @model."
    private static let onRoot =
        "@auth rules on fields within Query, Mutation, Subscription cannot specify 'operations' argument as these rules are already on an operation already."

    /// The number of an acceptance case, a version, a schema, and how its error begins.
    static let faults: [(String, TransformOptions.TransformerVersion, String, String)] = [
        ("1", .v2, "type Memo @model @auth(rules: []) { id: ID! }", "@auth on Memo does not have any auth rules."),
        (
            "2", .v2, memo("{allow: groups}"),
            "@auth directive with 'groups' should have a defined groups list or a groupsField."
        ),
        ("3", .v2, memo("{allow: groups, groups: []}"), "@auth rules using groups cannot have an empty list"),
        ("4", .v1, memo(#"{allow: groups, groups: ["a"], groupsField: "b"}"#), bothGroups),
        ("4", .v2, memo(#"{allow: groups, groups: ["a"], groupsField: "b"}"#), bothGroups),
        (
            "5", .v2, memo("{allow: owner, operations: [read, list]}"),
            "'list' operations are specified in addition to 'read'. Either remove 'read' to limit access only to 'list' or only keep 'read' to grant all get,list,search,listen,sync access."
        ),
        (
            "6", .v2, "type Memo @model { id: ID! a: String @auth(rules: [{allow: owner, operations: [get]}]) }",
            "'get' operation is not allowed at the field level."
        ),
        (
            "7", .v2, memo("{allow: owner, operations: [create]}, {allow: owner, operations: [read]}"),
            "@auth Memo:userPools:owner:owner:sub::username already exists for Memo"
        ),
        (
            "8", .v2,
            memo(#"{allow: groups, groups: ["A", "B"]}, {allow: groups, groups: ["A"], operations: [read]}"#),
            "@auth Memo:userPools:staticGroup:A:cognito:groups already exists for Memo"
        ),
        (
            "10", .v2, memo("{allow: private}", "a: String! @auth(rules: [{allow: owner}])"),
            required + #" Found model "Memo" with required fields ["a"] missing field-level authorization rules."#
        ),
        (
            "11", .v2,
            memo("{allow: owner}", #"a: String @auth(rules: [{allow: owner}, {allow: groups, groups: ["X"]}])"#),
            required + #" Found model "Memo" with required fields ["id"] missing field-level authorization rules."#
        ),
        (
            "14", .v1, memo("{allow: owner}", "a: String! @auth(rules: [{allow: owner, operations: [read]}])"),
            "Per-field auth on the required field a is not supported with subscriptions."
        ),
        ("15", .v1, "type Memo @auth(rules: [{allow: owner}]) { id: ID! }", withoutModel),
        ("15", .v2, "type Memo @auth(rules: [{allow: owner}]) { id: ID! }", withoutModel),
        ("16", .v1, memo("{allow: owner, provider: iam}"), ownerProvider),
        ("16", .v2, memo("{allow: owner, provider: iam}"), ownerProvider),
        ("18", .v1, "type Query { a: String @auth(rules: [{allow: private, operations: [read]}]) }", onRoot),
        (
            "18", .v2,
            memo("{allow: owner}") + " type Query { a: String @auth(rules: [{allow: private, operations: [read]}]) }",
            onRoot
        ),
        (
            "19", .v1, memo(#"{allow: groups, groups: ["a"], identityClaim: "x"}"#),
            "@auth identityField/Claim can only be used for 'allow: owner'"
        ),
        (
            "19", .v2, memo(#"{allow: groups, groups: ["a"], identityClaim: "x"}"#),
            "@auth identityClaim can only be used for 'allow: owner'"
        ),
        (
            "20", .v2, memo(#"{allow: owner, groupClaim: "x"}"#), "@auth groupClaim can only be used 'allow: groups'"
        ),
    ]
    private static let bothGroups = "This rule has groupsField and groups, please use one or the other"
    private static let ownerProvider =
        "@auth directive with 'owner' strategy only supports 'userPools' (default) and 'oidc' providers, but found 'iam' assigned."

    private static func memo(_ rules: String, _ fields: String = "") -> String {
        "type Memo @model @auth(rules: [\(rules)]) { id: ID! \(fields) }"
    }

    @Test("a schema is refused with Amplify's message", arguments: faults.indices)
    func refused(row: Int) {
        let (number, version, schema, message) = Self.faults[row]
        let messages = build(schema, version).messages
        // Some begin with a line feed and spaces.
        let text = messages.first?.drop { $0.isWhitespace }
        #expect(messages.count == 1 && text?.hasPrefix(message) == true, "case \(number): \(messages)")
    }

    /// Case 17.
    @Test("a rule of a mode that the API does not have is refused")
    func missingModes() {
        for version in [TransformOptions.TransformerVersion.v1, .v2] {
            let schema = "type Memo @model @auth(rules: [{allow: public}]) { id: ID! }"
            #expect(
                build(schema, version, modes: [.userPools]).messages == [
                    "@auth directive with 'apiKey' provider found, but the project has no API Key authentication provider configured."
                ])
            #expect(build(schema, version).messages == [])
        }
    }

    /// Cases 12, 13 and 14.
    @Test("a required field is refused only where some reader of the model lacks it and subscribers are sent it")
    func accepted() {
        let schemas: [(TransformOptions.TransformerVersion, String)] = [
            (
                .v2,
                #"type Memo @model @auth(rules: [{allow: owner}, {allow: private, operations: [read]}]) { id: ID! a: String @auth(rules: [{allow: owner}, {allow: groups, groups: ["X"]}]) }"#
            ),
            (
                .v2,
                "type Memo @model @auth(rules: [{allow: owner}]) { id: ID! a: String! @auth(rules: [{allow: owner, operations: [read]}]) }"
            ),
            (
                .v1,
                "type Memo @model(subscriptions: {level: off}) { id: ID! a: String! @auth(rules: [{allow: owner, operations: [read]}]) }"
            ),
        ]
        for (version, schema) in schemas { #expect(build(schema, version).messages == [], "\(schema)") }
    }

    /// Cases 9, 29, 40 and 118.
    @Test("subscriptions have an argument for each owner, once, and none for owners in a list")
    func arguments() {
        /// What stands between the parentheses of a field, on one line.
        func arguments(
            _ schema: String, _ version: TransformOptions.TransformerVersion, _ field: String
        ) -> String? {
            guard let definition = build(schema, version).definition else { return nil }
            let text = Printer.print(definition.document)
            guard let start = text.firstRange(of: field + "(")?.upperBound,
                let end = text[start...].firstIndex(of: ")")
            else { return nil }
            return text[start..<end].split { " \n,".contains($0) }.joined(separator: " ")
        }
        #expect(
            arguments(
                """
                type Memo @model @auth(rules: [
                  {allow: owner, identityClaim: "sub"}, {allow: owner, identityClaim: "username"}
                ]) { id: ID! }
                """, .v2, "onCreateMemo") == "filter: ModelSubscriptionMemoFilterInput owner: String")
        #expect(
            arguments(
                """
                type Board @model @auth(rules: [{allow: owner}, {allow: owner, ownerField: "viewers", operations: [read]}]) {
                  id: ID! viewers: [String]
                }
                """, .v2, "onUpdateBoard") == "filter: ModelSubscriptionBoardFilterInput owner: String")
        #expect(
            arguments(
                #"type Ledger @model @auth(rules: [{allow: owner}, {allow: groups, groups: ["Audit"]}]) { id: ID! }"#,
                .v1, "onUpdateLedger") == "owner: String")
        #expect(
            arguments("type Diary @model @auth(rules: [{allow: owner}]) { id: ID! }", .v1, "onCreateDiary")
                == "owner: String!")
    }
}
