import Foundation
import JSON
import Testing
import Transformer

@testable import Server

/// Rules of version 2 over real sockets, with the credentials of callers of every mode. The same and others are asked of the API
/// itself by `VersionTwoRuleTests`. Cases by their numbers: (reference: authorization, "Acceptance cases").
@Suite("Acceptance: rules of version 2 over HTTP and the realtime channel")
struct RuleAcceptanceTests {
    private typealias Row = (caller: Who, field: String, expected: String)

    /// A caller of the stage, or who bears a token.
    private enum Who {
        case caller(ModesStage.Caller)
        case token(String)

        static let (ana, anaByAccess, admin) = (caller(.anaByID), caller(.ana), caller(.admin))
        static let (key, lambda, openID) = (caller(.apiKey), caller(.lambda), caller(.openID))
        static let (member, guest) = (caller(.member), caller(.guest))
        static let (server, tools) = (caller(.signer), caller(.tools))
    }

    private static let schema = """
        type Quip @model { id: ID a: String @auth(rules: [{allow: owner}]) b: String }
        type Paper @model @auth(rules: [
          {allow: public, operations: [read]}, {allow: private, operations: [read]}, {allow: owner},
          {allow: private, provider: iam, operations: [create, read]},
          {allow: groups, groupsField: "g", operations: [update]}
        ]) { id: ID! t: String g: String }
        type Memo @model @auth(rules: [{allow: owner, identityClaim: "email"}]) { id: ID! }
        type Letter @model @auth(rules: [{allow: owner, provider: oidc, identityClaim: "org::email"}]) {
          id: ID! t: String owner: String
        }
        type Pair @model @auth(rules: [
          {allow: owner, ownerField: "a", operations: [create, read]},
          {allow: owner, ownerField: "b", operations: [read, update]}
        ]) { id: ID! a: String b: String }
        type Folder @model @auth(rules: [
          {allow: groups, groupsField: "teams", provider: oidc, groupClaim: "org"}
        ]) { id: ID! teams: [String] }
        type Desk @model @auth(rules: [{allow: groups, groups: ["Boss"], provider: oidc, groupClaim: "org"}]) { id: ID! }
        type Bare @model { id: ID! }
        type Ship @model @auth(rules: [{allow: private}]) { id: ID! c: Cargo }
        type Cargo { w: Int s: String @auth(rules: [{allow: groups, groups: ["K"]}]) }
        type Pong @aws_cognito_user_pools @aws_iam @aws_api_key { id: ID }
        type Query {
          ping: Pong @function(name: "todo") @auth(rules: [
            {allow: groups, groups: ["admin"]}, {allow: owner}, {allow: private, provider: iam}])
          pong: Pong @function(name: "todo") @auth(rules: [{allow: owner}])
        }
        """
    private static let modes: [TransformOptions.AuthMode] = [.userPools, .apiKey, .iam, .oidc, .lambda]

    private static func with(schema: String = schema, _ body: (ModesStage) async throws -> Void) async throws {
        try await ModesStage.with(schema: schema, modes: modes, { $0.transform.transformerVersion = .v2 }, body)
    }

    private static func headers(_ who: Who, signing body: String, _ stage: ModesStage) throws -> [String: String] {
        switch who {
        case .caller(let caller): try stage.headers(caller, signing: body)
        case .token(let token): ["authorization": token]
        }
    }

    /// A token of the OpenID provider with claims beside those of every token.
    private static func token(_ stage: ModesStage, _ claims: JSONObject) -> Who {
        var all = ModesStage.claims(of: stage.issuer, at: stage.clock)
        for (name, value) in claims { all[name] = value }
        return .token(stage.issuer.token(all))
    }

    /// The answer in short: the data of the field without quotes, `ok` of `__typename`, and errors as `path U` or `F[…]`.
    private static func answer(_ who: Who, _ field: String, _ stage: ModesStage) throws -> String {
        var text = field.replacing("'", with: "\"")
        if !text.hasSuffix("}") { text += " { __typename }" }
        let isMutation = ["create", "update", "delete"].contains { text.hasPrefix($0) }
        let body = Client.envelope("\(isMutation ? "mutation " : ""){ \(text) }")
        let answer = try JSONReader.read(stage.ask(headers: headers(who, signing: body, stage), body: body).bytes)
        let errors = (answer["errors"]?.arrayValue ?? []).map { error in
            let path = (error["path"]?.arrayValue ?? []).map { $0.stringValue ?? $0.description }
            let message = error["message"]?.stringValue ?? ""
            let kind =
                message.hasPrefix("Not Authorized to access \(path.last ?? "") on type ")
                ? "U" : message.hasPrefix("Unauthorized on [") ? "F" + message.dropFirst(16) : message
            return (path.dropFirst() + [kind]).joined(separator: " ")
        }
        let name = String(text.prefix { $0.isLetter })
        let value = answer["data"]?[name]
        if value?.isNull ?? true, !errors.isEmpty { return errors.joined(separator: " | ") }
        let data = (value?["items"] ?? value)?.description.replacing("\"", with: "") ?? "no data"
        return ([data.hasPrefix("{__typename:") ? "ok" : data] + errors).joined(separator: " | ")
    }

    private static func check(_ rows: [Row], _ stage: ModesStage) throws {
        for row in rows {
            let found = try answer(row.caller, row.field, stage)
            #expect(found == row.expected, "\(row.field)")
        }
    }

    /// `accepted`, or `U` of a refusal by rules.
    private static func start(_ who: Who, _ field: String, _ stage: ModesStage) throws -> String {
        let data = ModesStage.data("subscription { \(field.replacing("'", with: "\"")) { id } }")
        let socket = try stage.socket(.apiKey)
        let frame = try socket.ask(ModesStage.start("1", data, try headers(who, signing: data, stage)))
        if frame == WebSocketClient.acknowledgement("1") { return "accepted" }
        let name = field.prefix { $0.isLetter }
        return frame.contains("Not Authorized to access \(name) on type Subscription") ? "U" : frame
    }

    /// Case 139, case 140, case 149 and case 152.
    @Test("a model with rules on fields alone, one with rules for many modes, and one with two owners")
    func fieldsModesAndOwners() async throws {
        try await Self.with { stage in
            try Self.check(
                [
                    (.ana, "createQuip(input: {a: 'x'})", "ok"),
                    (.ana, "createQuip(input: {b: 'x'})", "F[b]"),
                ], stage)
            let list = try Self.answer(.tools, "listQuips { items { id } }", stage)
            let id = try #require(list.split(separator: ":").last?.dropLast(2))
            try Self.check(
                [
                    (.ana, "getQuip(id: '\(id)') { id a b owner }", "{id:null,a:x,b:null,owner:ana} | id U | b U"),
                    (.ana, "updateQuip(input: {id: '\(id)', a: null})", "ok"),
                    (.ana, "deleteQuip(input: {id: '\(id)'})", "U"),
                    (.ana, "createPaper(input: {id: '1', t: 't', g: 'admin'})", "ok"),
                    (.key, "createPaper(input: {id: '2'})", "U"),
                    (.admin, "deletePaper(input: {id: '1'})", "U"),
                    (.admin, "updatePaper(input: {id: '1', t: null})", "F[t]"),
                    (.admin, "updatePaper(input: {id: '1', t: 'x'}) { t }", "{t:x}"),
                    (.member, "updatePaper(input: {id: '1', t: 'x'})", "U"),
                    (.member, "getPaper(id: '1') { t }", "{t:x}"), (.key, "getPaper(id: '1') { t }", "{t:x}"),
                    (.guest, "getPaper(id: '1')", "Permission denied"),
                    (.ana, "deletePaper(input: {id: '1'})", "ok"),
                    (.ana, "createPair(input: {id: '1', a: 'ana', b: 'admin'})", "ok"),
                    (.ana, "updatePair(input: {id: '1', a: 'x'})", "U"),
                    (.admin, "updatePair(input: {id: '1', b: 'admin'})", "ok"),
                ], stage)
            #expect(try Self.start(.ana, "onCreatePair(a: 'ana', b: 'admin')", stage) == "accepted")
            #expect(try Self.start(.admin, "onCreatePair(a: 'ana')", stage) == "U")
        }
    }

    /// Case 150, case 151, case 153 and case 154.
    @Test("claims of a token may be absent, joined, or a list as text, and are compared exactly")
    func claims() async throws {
        try await Self.with { stage in
            let whole = Self.token(stage, ["org": "o", "email": "a@x"])
            let part = Self.token(stage, ["email": "a@x"])
            try Self.check(
                [
                    (.anaByAccess, "createMemo(input: {id: '1'})", "U"),
                    (.anaByAccess, "listMemos { items { id } }", "U"),
                    (whole, "createLetter(input: {id: '1'}) { owner }", "{owner:a@x}"),
                    (whole, "createLetter(input: {id: '2', owner: 'a@x'}) { owner }", "{owner:a@x}"),
                    (part, "createLetter(input: {id: '3'})", "U"),
                    (part, "updateLetter(input: {id: '2', t: 'x'})", "U"),
                    (part, "listLetters { items { id } }", "[{id:2}]"),
                ], stage)
            let stored = try Self.answer(whole, "listLetters(filter: {owner: {eq: 'o::a@x'}}) { items { id } }", stage)
            #expect(stored == "[{id:1}]")
            for (org, expected) in [
                (JSONValue.string("red"), "ok"), (#"["red","blue"]"#, "ok"), (.array(["red"]), "ok"), (.null, "U"),
            ] {
                let caller = Self.token(stage, ["org": org])
                #expect(
                    try Self.answer(caller, "createFolder(input: {teams: ['red']})", stage) == expected)
            }
            for (org, expected) in [("Bossy", "U"), ("boss", "U"), ("Boss", "[]")] {
                let caller = Self.token(stage, ["org": .string(org)])
                #expect(try Self.answer(caller, "listDesks { items { id } }", stage) == expected)
            }
            #expect(try Self.start(.anaByAccess, "onCreateMemo", stage) == "U")
            #expect(try Self.start(part, "onCreateLetter", stage) == "U")
            #expect(try Self.start(whole, "onCreateLetter", stage) == "accepted")
        }
    }

    /// Case 155, case 156, case 157 and case 158.
    @Test("a model without rules, root fields with rules, and a nested field with rules")
    func withoutItems() async throws {
        try await Self.with { stage in
            for caller in [Who.ana, .admin, .key, .lambda, .openID, .server, .tools, .member, .guest] {
                let refusals = ["U", "Permission denied"]
                for field in ["listBares { items { id } }", "getBare(id: '1')", "createBare(input: {id: '1'})"] {
                    #expect(try refusals.contains(Self.answer(caller, field, stage)), "\(caller) \(field)")
                }
                let listening = try Self.start(caller, "onCreateBare", stage)
                #expect(listening == "U" || listening.contains("Permission denied"), "\(listening)")
            }
            try Self.check(
                [
                    (.ana, "ping { id }", "U"), (.admin, "ping { id }", "{id:1}"),
                    (.member, "ping { id }", "{id:1}"), (.guest, "ping { id }", "Permission denied"),
                    (.key, "ping { id }", "U"), (.ana, "pong { id }", "U"), (.admin, "pong { id }", "U"),
                    (.ana, "createShip(input: {id: '1', c: {w: 1, s: 's'}})", "ok"),
                    (.ana, "getShip(id: '1') { c { w s } }", "{c:{w:1,s:null}} | c s U"),
                ], stage)
        }
        let sandbox = "input AMPLIFY { globalAuthRule: AuthRule = { allow: public } }\ntype Bare @model { id: ID! }"
        try await Self.with(schema: sandbox) { stage in
            try Self.check(
                [
                    (.key, "createBare(input: {id: '1'})", "ok"), (.key, "getBare(id: '1') { id }", "{id:1}"),
                    (.ana, "getBare(id: '1')", "U"),
                ], stage)
        }
    }
}
