import JSON
import Testing
import Transformer

@testable import API

@Suite("Explanations name what decided")
struct AuthorizationExplainerTests {
    private func explanation(
        _ stage: RuledStage, _ caller: Identity, _ field: String, refused: Bool = false
    ) -> AuthorizationExplanation.Entry {
        let parts = field.split(separator: ".").map(String.init)
        return AuthorizationExplainer(stage.ruled.api.schema, caller)
            .entry(FieldCoordinate(type: parts[0], field: parts[1]), refused: refused)
    }

    private func metRules(_ stage: RuledStage, _ caller: Identity, _ field: String) -> [String] {
        let parts = field.split(separator: ".").map(String.init)
        return AuthorizationExplainer(stage.ruled.api.schema, caller)
            .metRules(FieldCoordinate(type: parts[0], field: parts[1]))
    }

    private func json(_ entry: AuthorizationExplanation.Entry) -> JSONValue {
        AuthorizationExplanation(entries: [entry]).json.arrayValue?.first ?? .null
    }

    @Test("the rule that decided is the one that allows everything, not one before it that depends on the item")
    func decidingRule() throws {
        let stage = try RuledStage(
            "type Note @model @auth(rules: [{allow: owner}, {allow: private, operations: [read]}]) { id: ID! }", .v2)
        let entry = explanation(stage, .ann, "Query.listNotes")
        #expect(entry.outcome == .allowed)
        #expect(json(entry)["rule"] == "Note:userPools:private")
        #expect(json(entry)["reason"] == "the caller is a signed-in user")
        #expect(json(entry)["conditional"] == [] && json(entry)["unmet"] == [], "only the rule that decided is listed")
        #expect(metRules(stage, .ann, "Query.listNotes") == ["Note:userPools:private"])
        #expect(
            metRules(stage, .ann, "Mutation.createNote") == ["Note:userPools:owner:owner:sub::username"],
            "the rule that reads does not create")
    }

    @Test("a subscription that a rule opens to all events is allowed by this rule")
    func subscription() throws {
        let stage = try RuledStage(
            "type Note @model @auth(rules: [{allow: owner}, {allow: groups, groups: [\"Staff\"]}]) { id: ID! }", .v2)
        let staff = Identity.user("sue", in: ["Staff"])
        let entry = explanation(stage, staff, "Subscription.onCreateNote")
        #expect(
            entry.outcome == .allowed && json(entry)["rule"] == "Note:userPools:staticGroup:Staff:cognito:groups")
        let conditional = explanation(stage, .ann, "Subscription.onCreateNote")
        #expect(conditional.outcome == .conditional)
        let members = try #require(json(conditional).objectValue)
        #expect(members.keys == ["path", "subject", "outcome", "reason", "rule", "conditional", "unmet"], "each once")
        #expect(
            members["conditional"]?.arrayValue?.map { $0["rule"] } == ["Note:userPools:owner:owner:sub::username"],
            "\(members)")
        #expect(
            members["unmet"]?.arrayValue?.map { $0["rule"] } == ["Note:userPools:staticGroup:Staff:cognito:groups"],
            "\(members)")
    }

    @Test("version 1: a rule that opens an operation to a mode is named, and met")
    func versionOneModes() throws {
        let stage = try RuledStage(
            """
            type Note @model @auth(rules: [
              {allow: owner}, {allow: public, operations: [read]}, {allow: private, provider: iam, operations: [read]}
            ]) { id: ID! }
            type Open @model @auth(rules: [{allow: private}]) { id: ID! }
            """, .v1)
        let entry = explanation(stage, .apiKey, "Query.getNote")
        #expect(json(entry)["rule"] == "Note:apiKey:public")
        #expect(metRules(stage, .apiKey, "Query.getNote") == ["Note:apiKey:public"])
        #expect(metRules(stage, .signedIn, "Query.getNote") == ["Note:iam:private"])
        #expect(metRules(stage, .ann, "Query.getNote") == ["Note:userPools:owner:owner:username"])
        #expect(metRules(stage, .ann, "Query.getOpen") == ["Open:userPools:private"])
        #expect(metRules(stage, .apiKey, "Mutation.createNote") == [], "its mode does not reach it")
    }

    @Test("a schema of which all rules open everything still has rules")
    func openModel() throws {
        for version in [TransformOptions.TransformerVersion.v1, .v2] {
            let service = try Service(
                "type Note @model @auth(rules: [{allow: public}]) { id: ID! }",
                transform: TransformOptions(transformerVersion: version))
            #expect(service.api.schema.authorization == nil)
            let explainer = AuthorizationExplainer(service.api.schema, .apiKey)
            let field = FieldCoordinate(type: "Query", field: "listNotes")
            #expect(explainer.entry(field).rules.map(\.name) == ["Note:apiKey:public"], "\(version)")
            #expect(explainer.metRules(field) == ["Note:apiKey:public"], "\(version)")
        }
    }

    @Test("a rule of a field has the field in its name, and is met by reading the field")
    func fieldRules() throws {
        let stage = try RuledStage(
            """
            type Note @model @auth(rules: [{allow: private}]) {
              id: ID!
              pin: String @auth(rules: [{allow: private}, {allow: groups, groups: ["Pin"]}])
              key: String @auth(rules: [{allow: groups, groups: ["Key"]}])
            }
            type Query { ping: String @auth(rules: [{allow: groups, groups: ["G"]}]) }
            """, .v2)
        let holder = Identity.user("kim", in: ["Key", "G"])
        #expect(metRules(stage, holder, "Note.key") == ["Note.key:userPools:staticGroup:Key:cognito:groups"])
        #expect(metRules(stage, .ann, "Note.key") == [])
        #expect(metRules(stage, holder, "Query.ping") == ["Query.ping:userPools:staticGroup:G:cognito:groups"])
        #expect(!metRules(stage, holder, "Query.getNote").contains { $0.hasPrefix("Note.key:") })
        let refused = explanation(stage, .ann, "Note.key")
        #expect(refused.outcome == .denied && refused.rules.contains { $0.name.hasPrefix("Note.key:") })
    }

    @Test("a rule of a field is met only by what writes, reads or deletes the field")
    func touchedFields() throws {
        let stage = try RuledStage(
            """
            type Note @model @auth(rules: [{allow: private}]) {
              id: ID!
              text: String
              pin: String @auth(rules: [{allow: private}])
            }
            """, .v2)
        try stage.seed("createNote(input: {id: '1', text: 't', pin: 'p'})")
        let (ofModel, ofField) = ("Note:userPools:private", "Note.pin:userPools:private")
        for (query, variables, met) in [
            ("mutation { createNote(input: {text: \"t\"}) { id } }", nil, [ofModel]),
            ("mutation { createNote(input: {pin: \"t\"}) { id } }", nil, [ofField, ofModel]),
            (
                "mutation ($i: UpdateNoteInput!) { updateNote(input: $i) { id } }", #"{"i": {"id": "1", "text": "x"}}"#,
                [ofModel]
            ),
            (
                "mutation ($i: UpdateNoteInput!) { updateNote(input: $i) { id } }", #"{"i": {"id": "1", "pin": null}}"#,
                [ofField, ofModel]
            ),
            ("{ getNote(id: \"1\") { text } }", nil, [ofModel]),
            ("{ listNotes { items { id n: pin } } }", nil, [ofField, ofModel]),
            ("mutation { deleteNote(input: {id: \"1\"}) { id } }", nil, [ofField, ofModel]),
        ] as [(String, String?, [String])] {
            #expect(try stage.metRules(query, variables, as: .ann) == met, "\(query) \(variables ?? "")")
        }
    }

    @Test("a field that is denied in many items is explained once, and leaves room for the others")
    func repeatedDenials() throws {
        let stage = try RuledStage(
            """
            type Note @model @auth(rules: [{allow: private}]) {
              id: ID!
              a: String @auth(rules: [{allow: groups, groups: ["A"]}])
              b: String @auth(rules: [{allow: groups, groups: ["B"]}])
            }
            """, .v2)
        for number in 0..<40 { try stage.seed("createNote(input: {id: '\(number)', a: 'a', b: 'b'})") }
        let query = "{ listNotes(limit: 40) { items { a } } getNote(id: \"1\") { b } }"
        var options = AnswerOptions()
        options.explainsRules = true
        let kind = try stage.ruled.send(body: Service.body(query, nil), as: .ann, options: options).kind
        let denied = kind.report.explanation?.entries.filter { $0.outcome == .denied }.map(\.field)
        #expect(denied == ["Note.a", "Note.b"])
    }

    @Test("where nobody may do it, the reason is not the caller's mode")
    func closedToEveryone() throws {
        var options = TransformOptions(transformerVersion: .v2)
        options.authModes = [.apiKey, .userPools]
        let service = try Service(
            """
            type Note @model @auth(rules: [{allow: private}]) {
              id: ID
              text: String @auth(rules: [{allow: private, operations: [create, read]}])
            }
            type Shut @model { id: ID! }
            """, transform: options)
        func entry(_ field: String, _ caller: Identity) -> AuthorizationExplanation.Entry {
            AuthorizationExplainer(service.api.schema, caller).entry(FieldCoordinate(type: "Mutation", field: field))
        }
        for caller in [Identity.apiKey, .ann] {
            #expect(entry("deleteNote", caller).reason == "No role may delete every field of Note", "\(caller.name)")
            #expect(entry("createShut", caller).reason == "Shut has no @auth, which closes it to everyone")
        }
        #expect(
            entry("createNote", .apiKey).reason
                == "The caller authenticated with API_KEY; the field accepts AMAZON_COGNITO_USER_POOLS")
    }

    @Test(
        "the claims that an owner lacks are named where all are needed, and one that counts as absent is named as such")
    func missingClaims() throws {
        let stage = try RuledStage(
            "type Note @model @auth(rules: [{allow: owner, identityClaim: \"org::email\"}]) { id: ID! text: String }",
            .v2)
        func reasons(_ claims: JSONObject, _ field: String) -> String? {
            let caller = Identity.userPools(IdentityToken(claims: claims), claims: ["org", "email"])
            return explanation(stage, caller, field, refused: true).rules.first?.reason
        }
        let writes = ["Mutation.createNote", "Mutation.updateNote", "Mutation.deleteNote", "Subscription.onCreateNote"]
        for field in writes {
            #expect(reasons(["email": "a@x"], field) == "the caller lacks the claim org")
            #expect(
                reasons(["org": "a::b", "email": "a@x"], field)
                    == "the caller's claim org contains '::' and counts as absent")
        }
        for claims: JSONObject in [["email": "a@x"], ["org": "a::b", "email": "a@x"]] {
            #expect(
                reasons(claims, "Query.getNote") == "the item's field owner does not have the caller's email",
                "\(claims)")
        }
        #expect(
            reasons(["org": "a::b"], "Query.getNote")
                == "the caller lacks the claim email; the caller's claim org contains '::' and counts as absent")
        #expect(reasons([:], "Query.getNote") == "the caller has no claim org or email")
    }

    @Test("an explanation says in English who the caller is, and who is meant")
    func sentences() throws {
        let stage = try RuledStage(
            """
            type Note @model @auth(rules: [
              {allow: groups, groups: ["Staff"]}, {allow: private, provider: oidc}, {allow: custom},
              {allow: private, provider: iam}
            ]) { id: ID! }
            """, .v2)
        func reasons(_ caller: Identity) -> [String] { explanation(stage, caller, "Query.getNote").rules.map(\.reason) }
        #expect(
            reasons(.user("sue", in: ["Staff"])) == [
                "the caller is in the group Staff",
                "the caller authenticated with AMAZON_COGNITO_USER_POOLS; the rule is for OPENID_CONNECT",
                "the caller authenticated with AMAZON_COGNITO_USER_POOLS; the rule is for AWS_LAMBDA",
                "the caller authenticated with AMAZON_COGNITO_USER_POOLS; the rule is for AWS_IAM",
            ])
        #expect(reasons(.ann).first == "the caller is not in the group Staff")
        #expect(reasons(.oann)[1] == "the caller is a signed-in user")
        #expect(reasons(.lambda)[2] == "the Lambda authorizer has accepted the caller")
        #expect(reasons(.signedIn)[3] == "the caller is a signed-in identity of the identity pool")
    }
}
