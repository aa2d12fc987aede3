import Encodings
import JSON
import Testing
import Transformer

@testable import Server

@Suite("Which rules allow an identity an item, by the operators' API")
struct ItemAccessTests {
    private static let schema = """
        type Note @model @auth(rules: [
          {allow: owner}, {allow: groups, groups: ["Staff"], operations: [read, update]},
          {allow: groups, groupsField: "teams", operations: [read]}, {allow: public, operations: [create]}
        ]) {
          id: ID!
          text: String
          secret: String @auth(rules: [{allow: owner}])
          owner: String
          teams: [String]
        }
        type Page @model @auth(rules: [{allow: public, operations: [read]}, {allow: private}]) { id: ID! }
        type Closed @model(queries: {get: "getClosed"}, mutations: {create: "createClosed"}) @auth(rules: [{allow: private}]) { id: ID! }
        """

    private func access(
        _ path: String, as caller: String, _ stage: OperatorStage, _ role: OperatorRole = .owner
    ) throws -> JSONValue {
        let answer = try stage.ask("GET", "/data/\(path)/access?as=\(Percent.encode(caller))", as: role)
        try #require(answer.status == 200, "\(answer)")
        return answer.value
    }

    private func allowed(_ answer: JSONValue) -> [Bool?] {
        ["read", "update", "delete"].map { answer[$0]?["allowed"]?.boolValue }
    }

    private func claims(_ name: String) -> String {
        #"claims:{"sub":"s-\#(name)","username":"\#(name)","cognito:username":"\#(name)"}"#
    }

    @Test("the rule that allows each of read, update and delete is named, or why none does")
    func rules() async throws {
        try await OperatorStage.with(schema: Self.schema) {
            $0.authModes = [.apiKey, .userPools]
        } _: { stage in
            for (model, values) in [
                ("Note", ["id": "1", "text": "x", "owner": "ada", "teams": ["Red"]]), ("Page", ["id": "p"]),
                ("Closed", ["id": "c"]),
            ] as [(String, JSONValue)] {
                let answer = try stage.ask("POST", "/data/\(model)/items", as: .editor, values)
                try #require(answer.status == 201, "\(answer)")
            }
            let ada = try access("Note/items/1", as: claims("ada"), stage)
            #expect(allowed(ada) == [true, true, true], "\(ada)")
            #expect(ada["read"]?["rule"] == "Note:userPools:owner:owner:username", "\(ada)")
            #expect(ada["read"]?["text"]?.stringValue?.hasPrefix("{allow: owner, ") == true)
            #expect(ada["read"]?["why"]?.stringValue?.contains("owner has the caller's username") == true)
            #expect(ada["read"]?["fields"] == .null)

            let ben = try access("Note/items/1", as: claims("ben"), stage)
            #expect(allowed(ben) == [false, false, false], "\(ben)")
            let unmet = ben["delete"]?["unmet"]?.arrayValue ?? []
            #expect(
                unmet.contains { $0["why"] == "the item's field owner does not have the caller's username" },
                "\(unmet)")
            #expect(ben["read"]?["rule"] == .null)

            let staff = try access("Note/items/1", as: "group:Staff", stage, .viewer)
            #expect(allowed(staff) == [true, true, false], "\(staff)")
            #expect(staff["read"]?["rule"]?.stringValue?.contains("staticGroup:Staff") == true)
            #expect(staff["read"]?["fields"]?.arrayValue?.contains("text") == true, "\(staff)")
            #expect(staff["read"]?["fields"]?.arrayValue?.contains("secret") == false)
            #expect(staff["update"]?["fields"]?.arrayValue?.contains("secret") == false, "\(staff)")
            let red = try access("Note/items/1", as: "group:Red", stage)
            #expect(allowed(red) == [true, false, false], "\(red)")

            let key = try access("Note/items/1", as: "key:default", stage)
            #expect(allowed(key) == [false, false, false], "\(key)")
            #expect(allowed(try access("Page/items/p", as: "key:default", stage)) == [true, false, false])
            #expect(allowed(try access("Page/items/p", as: "group:Any", stage)) == [true, true, true])
            let closed = try access("Closed/items/c", as: "group:Any", stage)
            #expect(allowed(closed) == [true, false, false], "the API does not change or delete them")
            #expect(closed["update"]?["why"] == "The API has no field that updates items of Closed")
            let admin = try access("Note/items/1", as: "admin", stage)
            #expect(
                allowed(admin) == [true, true, true]
                    && admin["read"]?["why"] == "The caller is an operator of the server")
            #expect(allowed(try access("Note/items/1", as: "none", stage)) == [false, false, false])
            #expect(try stage.ask("GET", "/data/Note/items/1/access", as: .viewer).value["as"] == "admin")
        }
    }

    @Test("a rule that opens everything to all callers is named, and only an API without rules has none")
    func openRules() async throws {
        for version in [TransformOptions.TransformerVersion.v1, .v2] {
            try await OperatorStage.with(schema: "type Room @model @auth(rules: [{allow: public}]) { id: ID! }") {
                $0.transform.transformerVersion = version
            } _: { stage in
                try #require(try stage.ask("POST", "/data/Room/items", as: .editor, ["id": "r"]).status == 201)
                let key = try access("Room/items/r", as: "key:default", stage)
                #expect(allowed(key) == [true, true, true], "\(key)")
                for operation in ["read", "update", "delete"] {
                    #expect(key[operation]?["rule"] == "Room:apiKey:public", "\(version) \(key)")
                    #expect(key[operation]?["text"]?.stringValue?.hasPrefix("{allow: public") == true, "\(key)")
                    #expect(key[operation]?["why"] == "the caller has an API key", "\(version) \(key)")
                }
            }
        }
        try await OperatorStage.with(schema: "type Room @model { id: ID! }") {
            $0.transform.transformerVersion = .v1
        } _: { stage in
            try #require(try stage.ask("POST", "/data/Room/items", as: .editor, ["id": "r"]).status == 201)
            let key = try access("Room/items/r", as: "key:default", stage)
            #expect(key["read"] != nil && key["read"]?["rule"] == .null, "\(key)")
            #expect(key["read"]?["allowed"] == true && key["read"]?["why"] == "The API has no rules", "\(key)")
        }
    }

    @Test("what is answered is what requests of the identity are answered")
    func agreement() async throws {
        try await OperatorStage.with(schema: Self.schema) {
            $0.authModes = [.apiKey, .userPools]
        } _: { stage in
            let callers = [claims("ada"), claims("ben"), "group:Staff", "group:Red", "group:Blue", "key:default"]
            for (number, caller) in callers.enumerated() {
                let id = "n\(number)"
                let values: JSONValue = ["id": .string(id), "text": "x", "owner": "ada", "teams": ["Red"]]
                try #require(try stage.ask("POST", "/data/Note/items", as: .editor, values).status == 201)
                let found = try access("Note/items/\(id)", as: caller, stage)
                for (operation, query) in [
                    ("read", #"{ getNote(id: "\#(id)") { id text } }"#),
                    ("update", #"mutation { updateNote(input: {id: "\#(id)", text: "y"}) { id } }"#),
                    ("delete", #"mutation { deleteNote(input: {id: "\#(id)"}) { id } }"#),
                ] {
                    let answer = try stage.client.ask(
                        "POST", "/operators/v1/graphql",
                        headers: [
                            "Authorization": "Bearer \(stage.tokens[.owner] ?? "")", "Content-Type": "application/json",
                            "x-syncline-as": caller,
                        ], body: JSONValue.object(["query": .string(query)]).description)
                    let isAllowed = try JSONReader.read(answer.body)["errors"] == nil
                    #expect(
                        found[operation]?["allowed"] == .bool(isAllowed),
                        "\(caller) \(operation) \(answer.body) \(found)")
                }
            }
        }
    }

    @Test("in version 1 rules are conditions on the item, and fields with rules of their own are left out")
    func versionOne() async throws {
        let schema = """
            type Note @model @auth(rules: [{allow: owner, operations: [update, delete]}, {allow: groups, groups: ["Staff"], operations: [update]}]) {
              id: ID!
              text: String @auth(rules: [{allow: groups, groups: ["Staff"], operations: [read, update]}])
              owner: String
            }
            """
        try await OperatorStage.with(schema: schema) {
            $0.transform.transformerVersion = .v1
            $0.authModes = [.userPools]
        } _: { stage in
            try #require(
                try stage.ask("POST", "/data/Note/items", as: .editor, ["id": "1", "text": "x", "owner": "ada"]).status
                    == 201)
            let ada = try access("Note/items/1", as: claims("ada"), stage)
            #expect(allowed(ada) == [true, true, true], "\(ada)")
            #expect(ada["read"]?["fields"]?.arrayValue?.contains("text") == false, "\(ada)")
            #expect(ada["update"]?["fields"]?.arrayValue?.contains("text") == false, "\(ada)")
            #expect(ada["delete"]?["rule"]?.stringValue?.contains("owner") == true, "\(ada)")
            let ben = try access("Note/items/1", as: claims("ben"), stage)
            #expect(allowed(ben) == [true, false, false], "\(ben)")
            let staff = try access("Note/items/1", as: "group:Staff", stage)
            #expect(allowed(staff) == [true, true, false] && staff["update"]?["fields"] == .null, "\(staff)")
        }
    }

    @Test("claims are for owners, and unknown items, models and identities are refused")
    func refusals() async throws {
        try await OperatorStage.with(schema: Self.schema) {
            $0.authModes = [.apiKey, .userPools]
        } _: { stage in
            try #require(try stage.ask("POST", "/data/Page/items", as: .editor, ["id": "p"]).status == 201)
            func status(_ path: String, _ role: OperatorRole = .owner) throws -> Int {
                try stage.ask("GET", path, as: role).status
            }
            #expect(try status("/data/Page/items/p/access?as=\(Percent.encode(claims("a")))", .editor) == 403)
            #expect(try status("/data/Page/items/none/access") == 404)
            #expect(try status("/data/None/items/p/access") == 404)
            #expect(try status("/data/Page/items/p/access?as=nobody") == 422)
            #expect(try status("/data/Page/items/p/access?as=key:missing") == 404)
            let capabilities = try stage.ask("GET", "/session").value["capabilities"]?.arrayValue ?? []
            #expect(capabilities.contains("access"))
        }
    }
}
