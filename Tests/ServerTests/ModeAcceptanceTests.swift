import Foundation
import JSON
import Testing
import Transformer

@testable import Server

/// The acceptance cases (reference: appsync-protocol, "Acceptance cases") that are about the modes of an API, by their
/// numbers, over real sockets.
@Suite("Acceptance: the modes of authorization")
struct ModeAcceptanceTests {
    /// The cases that are tested here.
    static let numbers = Array(15...28) + Array(99...102) + [126, 127, 143]

    private static let schema = """
        type Query {
          todo: Todo @function(name: "todo") @aws_api_key @aws_iam @aws_lambda @aws_cognito_user_pools @aws_oidc
          iamOnly: Plain @function(name: "todo") @aws_iam
          admin: Todo @function(name: "todo") @aws_cognito_user_pools(cognito_groups: ["admin"])
        }
        type Todo @aws_api_key @aws_iam @aws_lambda @aws_cognito_user_pools @aws_oidc {
          id: ID
          name: String
          secret: String @aws_iam
        }
        type Plain { id: ID name: String }
        type Note @model { id: ID! name: String }
        type Mutation { makeNote: Note @function(name: "todo") }
        type Subscription {
          onKey: Note @aws_subscribe(mutations: ["createNote"]) @aws_api_key @aws_cognito_user_pools
          onIam: Note @aws_subscribe(mutations: ["createNote"]) @aws_iam
        }
        """
    private static let query = "{ todo { id } }"
    private static let found = #"{"data":{"todo":{"id":"1"}}}"#
    private static let denied = "You are not authorized to make this call."

    /// `200`, or the status, the type and the text of the one error of a refusal.
    private static func brief(_ answer: Client.Answer) throws -> String {
        if answer.status == 200 { return answer.body == found ? "200" : answer.body }
        let value = try JSONReader.read(answer.bytes)
        let error = try #require(value["errors"]?.arrayValue?.first)
        #expect(value.objectValue?.count == 1 && answer["x-amzn-ErrorType"] == [error["errorType"]?.stringValue])
        return "\(answer.status) \(error["errorType"]?.stringValue ?? "") \(error["message"]?.stringValue ?? "")"
    }

    private static func unauthorized(_ message: String) -> String { "401 UnauthorizedException \(message)" }

    private static func error(_ path: [String], on type: String, column: Int) -> String {
        let names = path.map { "\"\($0)\"" }.joined(separator: ",")
        return #"{"path":[\#(names)],"data":null,"errorType":"Unauthorized","errorInfo":null,"locations":[{"line":1,"#
            + #""column":\#(column),"sourceName":null}],"message":"Not Authorized to access \#(path[path.count - 1]) on "#
            + #"type \#(type)"}"#
    }

    @Test("case 15: a key that has expired is refused as an unknown one is")
    func expiredKey() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await ModesStage.with(
            schema: Self.schema, { ($0.data.isEphemeral, $0.data.folder) = (false, folder.path("d")) }
        ) { stage in
            let made = try await OperatorClient(stage.server.configuration).createKey("short", days: 1)
            let headers = ["x-api-key": try #require(made["key"]?.stringValue)]
            let body = Client.envelope(Self.query)
            #expect(try Self.brief(stage.ask(headers: headers, body: body)) == "200")
            stage.clock.advance(seconds: 86_400 + 3_600)
            #expect(try Self.brief(stage.ask(headers: headers, body: body)) == Self.unauthorized(Self.denied))
        }
    }

    @Test("cases 16 to 22: tokens of the user pool, and what is none")
    func tokens() async throws {
        try await ModesStage.with(schema: Self.schema, modes: [.apiKey, .userPools, .oidc]) { stage in
            let body = Client.envelope(Self.query)
            func ask(_ token: String) throws -> String {
                try Self.brief(stage.ask(headers: ["authorization": token], body: body))
            }
            let unreadable = Self.unauthorized("Unable to parse JWT token.")
            #expect(try ask("junk") == unreadable, "case 16")
            let foreign = stage.issuer.token(["iss": "https://elsewhere", "sub": "x", "exp": 4_000_000_000])
            #expect(try ask(foreign) == Self.unauthorized(Self.denied), "case 18")
            let access = try #require(try stage.headers(.ana, signing: "")["authorization"])
            let id = try #require(try stage.headers(.anaByID, signing: "")["authorization"])
            #expect(try ask(id) == "200", "case 19")
            #expect(try ask(access) == "200", "case 20")
            for token in [id, access] { #expect(try ask("Bearer \(token)") == "200", "case 21") }
            stage.clock.advance(seconds: 3_600 + 61)
            for token in [id, access] {
                #expect(try ask(token) == Self.unauthorized("Token has expired."), "case 17")
            }
        }
        for (text, answer) in [("web.*", Self.unauthorized(Self.denied)), ("ios|iosap.", "200")] {
            let pattern = try WholePattern(text)
            try await ModesStage.with(
                schema: Self.schema,
                { $0.userPoolProviders = [UserPoolProvider(poolID: "us-east-1_One", clientIDPattern: pattern)] }
            ) { stage in
                for caller in [ModesStage.Caller.ana, .anaByID] {
                    let found = try Self.brief(stage.ask(caller, Self.query))
                    #expect(found == answer, "case 22")
                }
            }
        }
    }

    @Test("cases 23 to 26: signed requests")
    func signatures() async throws {
        try await ModesStage.with(schema: Self.schema) { stage in
            let body = Client.envelope(Self.query)
            #expect(try Self.brief(stage.ask(.signer, Self.query)) == "200", "case 23")
            let headers = try stage.headers(.signer, signing: body)
            let altered = try Self.brief(stage.ask(headers: headers, body: body.replacing("id", with: "name")))
            #expect(altered.hasPrefix("403 InvalidSignatureException "), "case 24: \(altered)")
            let ported = headers.merging(["Host": "localhost:\(stage.server.port)"]) { $1 }
            #expect(try Self.brief(stage.ask(headers: ported, body: body)) == "200", "case 25")
            let onlySigned = Client.envelope("{ iamOnly { __typename } }")
            let both = try stage.headers(.signer, signing: onlySigned).merging(["x-api-key": TestServer.key]) { $1 }
            let answer = try stage.ask(headers: both, body: onlySigned).body
            #expect(answer == #"{"data":{"iamOnly":{"__typename":"Plain"}}}"#, "case 26")
        }
    }

    @Test("cases 27 and 28: a Lambda authorizer that refuses, and one that denies a field")
    func lambda() async throws {
        try await ModesStage.with(schema: Self.schema) { stage in
            #expect(try Self.brief(stage.ask(.lambda, Self.query)) == "200")
            let refused = try stage.ask(headers: ["authorization": "stranger"], body: Client.envelope(Self.query))
            #expect(try Self.brief(refused) == Self.unauthorized(Self.denied), "case 27")
            let denied = try stage.text(.limitedLambda, Self.query)
            let error = Self.error(["todo"], on: "Query", column: 3)
            #expect(denied == #"{"data":{"todo":null},"errors":[\#(error)]}"#, "case 28")
        }
    }

    @Test("cases 99 to 102: fields and types of another mode")
    func gates() async throws {
        let inner = { (path: [String], type: String, column: Int) in Self.error(path, on: type, column: column) }
        let rows: [(caller: ModesStage.Caller, query: String, data: String, errors: [String], number: Int)] = [
            (
                .apiKey, "{ iamOnly { id } todo { name } }", #"{"iamOnly":null,"todo":{"name":"first"}}"#,
                [inner(["iamOnly"], "Query", 3)], 99
            ),
            (
                .apiKey, "{ todo { secret name } }", #"{"todo":{"secret":null,"name":"first"}}"#,
                [inner(["todo", "secret"], "Todo", 10)], 100
            ),
            (.signer, "{ todo { secret name } }", #"{"todo":{"secret":"sesame","name":"first"}}"#, [], 100),
            (.ana, "{ admin { id } }", #"{"admin":null}"#, [inner(["admin"], "Query", 3)], 101),
            (.admin, "{ admin { id } }", #"{"admin":{"id":"1"}}"#, [], 101),
            (
                .signer, "{ iamOnly { id name } }", #"{"iamOnly":{"id":null,"name":null}}"#,
                [inner(["iamOnly", "id"], "Plain", 13), inner(["iamOnly", "name"], "Plain", 16)], 102
            ),
        ]
        try await ModesStage.with(schema: Self.schema) { stage in
            for row in rows {
                let answer = try stage.text(row.caller, row.query)
                let errors = row.errors.isEmpty ? "" : #","errors":[\#(row.errors.joined(separator: ","))]"#
                #expect(answer == #"{"data":\#(row.data)\#(errors)}"#, "case \(row.number)")
            }
        }
    }

    @Test(
        "@aws_auth is about groups where the user pool is the only mode, and defaultAction: DENY closes what names no mode"
    )
    func onlyMode() async throws {
        let schema = """
            type Query {
              plain: Plain @function(name: "todo")
              named: Todo @function(name: "todo") @aws_cognito_user_pools
              half: Plain @function(name: "todo") @aws_cognito_user_pools
              staff: Todo @function(name: "todo") @aws_auth(cognito_groups: ["admin"])
            }
            type Plain { id: ID }
            type Todo @aws_cognito_user_pools { id: ID }
            type Note @model @auth(rules: [{allow: private}]) { id: ID! }
            """
        func found(_ field: String) -> String { #"{"data":{"\#(field)":{"id":"1"}}}"# }
        func denied(_ field: String) -> String {
            #"{"data":{"\#(field)":null},"errors":[\#(Self.error([field], on: "Query", column: 3))]}"#
        }
        let half = #"{"data":{"half":{"id":null}},"errors":[\#(Self.error(["half", "id"], on: "Plain", column: 10))]}"#
        let notes = #"{"data":{"listNotes":{"items":[]}}}"#
        let (ana, admin) = (ModesStage.Caller.ana, ModesStage.Caller.admin)
        let rows: [(modes: [TransformOptions.AuthMode], denies: Bool, [(ModesStage.Caller, String, String)])] = [
            (
                [.userPools], false,
                [
                    (ana, "plain", found("plain")), (ana, "half", found("half")), (ana, "named", found("named")),
                    (ana, "staff", denied("staff")), (admin, "staff", found("staff")), (ana, "listNotes", notes),
                ]
            ),
            (
                [.userPools], true,
                [
                    (ana, "plain", denied("plain")), (ana, "half", half), (ana, "named", found("named")),
                    (ana, "staff", denied("staff")), (admin, "staff", found("staff")),
                    (admin, "plain", denied("plain")),
                    // Directives are generated only where another mode has to be named.
                    (ana, "listNotes", denied("listNotes")),
                ]
            ),
            ([.userPools, .apiKey], false, [(ana, "staff", found("staff"))]),
            ([.userPools, .apiKey], true, [(ana, "staff", denied("staff")), (ana, "named", found("named"))]),
        ]
        for (modes, denies, cases) in rows {
            try await ModesStage.with(schema: schema, modes: modes, { $0.transform.deniesByDefault = denies }) {
                stage in
                for (caller, field, expected) in cases {
                    let selection = field == "listNotes" ? "items { id }" : "id"
                    let answer = try stage.text(caller, "{ \(field) { \(selection) } }")
                    #expect(answer == expected, "\(modes) DENY: \(denies), \(caller) \(field)")
                }
            }
        }
    }

    @Test("cases 126, 127 and 143: subscriptions of another mode, signed ones, and several modes on one connection")
    func subscriptions() async throws {
        try await ModesStage.with(schema: Self.schema) { stage in
            let (byKey, bySignature) = ("subscription { onKey { id } }", "subscription { onIam { __typename } }")
            let socket = try stage.socket(.apiKey)
            func error(_ id: String, _ type: String, _ message: String) -> String {
                #"{"id":"\#(id)","type":"error","payload":{"errors":[{"errorType":"\#(type)","message":"\#(message)"}]}}"#
            }
            let unauthorized = "Not Authorized to access onIam on type Subscription"
            #expect(
                try stage.start("a", bySignature, as: .apiKey, on: socket) == error("a", "Unauthorized", unauthorized),
                "case 126")
            #expect(
                try stage.start("b", bySignature, as: .signer, on: socket) == WebSocketClient.acknowledgement("b"),
                "case 127")
            let data = ModesStage.data(bySignature)
            let altered = ModesStage.start("c", data + " ", try stage.headers(.signer, signing: data))
            #expect(try socket.ask(altered) == error("c", "UnauthorizedException", "Permission denied"), "case 127")
            for (id, caller) in [("d", ModesStage.Caller.apiKey), ("e", .ana)] {
                #expect(
                    try stage.start(id, byKey, as: caller, on: socket) == WebSocketClient.acknowledgement(id),
                    "case 143")
            }
            #expect(
                try stage.start("f", byKey, as: .signer, on: socket)
                    == error("f", "Unauthorized", "Not Authorized to access onKey on type Subscription"), "case 143")
            let made = try stage.ask(.apiKey, #"mutation { createNote(input: {id: "n", name: "x"}) { id name } }"#)
            #expect(made.body == #"{"data":{"createNote":{"id":"n","name":"x"}}}"#)
            var events: [String: String] = [:]
            for _ in 0..<3 {
                let event = try JSONReader.read(try socket.receive())
                events[event["id"]?.stringValue ?? "?"] = event["payload"]?.description
            }
            #expect(
                events == [
                    "b": #"{"data":{"onIam":{"__typename":"Note"}}}"#, "d": #"{"data":{"onKey":{"id":"n"}}}"#,
                    // The type of the items is reached by the default mode alone.
                    "e": #"{"data":{"onKey":null},"errors":[{"message":"Not Authorized to access id on type Note","#
                        + #""errorType":"Unauthorized","path":["onKey","id"]},"#
                        + #"{"message":"Cannot return null for non-nullable type: 'ID' within parent 'Note' (/onKey/id)","#
                        + #""path":["onKey","id"]}]}"#,
                ])
        }
    }
}
