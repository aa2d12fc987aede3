import JSON
import Testing
import Transformer

@testable import Server

/// The acceptance cases about relations of version 2 and about what comes before rules, by their numbers
/// (reference: authorization, "Acceptance cases").
@Suite("Acceptance: relations and gates of version 2 over HTTP")
struct RuleCaseRelationTests {
    private static func stalls(_ suffix: String, _ stall: String, _ ware: String, _ owner: String = "") -> String {
        """
        type Stall\(suffix) @model @auth(rules: [\(stall)]) {
          id: ID! n: String wares: [Ware\(suffix)] @hasMany(indexName: "byStall", fields: ["id"]) \(owner)
        }
        type Ware\(suffix) @model @auth(rules: [\(ware)]) {
          id: ID! stallId: ID @index(name: "byStall") stall: Stall\(suffix) @belongsTo(fields: ["stallId"]) \(owner)
        }

        """
    }

    private static let m = #"{allow: groups, groups: ["M"]}"#
    private static let owner = "{allow: owner}"
    private static let schema =
        """
        type Writer @model @auth(rules: [{allow: private, operations: [read]}, {allow: groups, groups: ["Press"]}]) {
          id: ID! pen: String volumes: [Volume] @hasMany(indexName: "byWriter", fields: ["id"])
        }
        type Volume @model @auth(rules: [{allow: owner}]) {
          id: ID! writerId: ID! @index(name: "byWriter") writer: Writer @belongsTo(fields: ["writerId"]) «owner: String»
        }
        type Open @model @auth(rules: [{allow: private}]) { id: ID! bareId: ID bare: Bare @hasOne(fields: ["bareId"]) }
        type Bare @model { id: ID! }
        type Person @model @auth(rules: [{allow: private}]) {
          pid: ID! @primaryKey cards: [Card] @hasMany(indexName: "byPerson", fields: ["pid"])
          refs: [Ref] @hasMany(indexName: "byPerson", fields: ["pid"])
        }
        type Card @model @auth(rules: [{allow: owner, ownerField: "pid", identityClaim: "username"}]) {
          id: ID! pid: ID @index(name: "byPerson")
        }
        type PersonO @model @auth(rules: [{allow: owner, ownerField: "pid", identityClaim: "username"}]) {
          pid: ID! @primaryKey
        }
        type Ref @model @auth(rules: [{allow: private}]) {
          id: ID! pid: ID @index(name: "byPerson") person: PersonO @hasOne(fields: ["pid"])
        }
        type Leaf @model @auth(rules: [{allow: private}]) { id: ID! name: String }
        type Tree @model @auth(rules: [{allow: public}, {allow: private}]) {
          id: ID! leafId: ID leaf: Leaf @hasOne(fields: ["leafId"])
        }
        type Note @model @auth(rules: [{allow: owner}]) { id: ID! owner: String }

        """ + stalls("A", m, m) + stalls("B", m + #", {allow: groups, groups: ["R"], operations: [read]}"#, m)
        + stalls("C", owner, owner, "«owner: String»")

    @Test("related items are those of the caller's roles, and results leave out relations with other readers")
    func relations() async throws {
        try await RuleCaseStage.with(
            .v2, Self.schema,
            seeds: [
                "createWriter(input: {id: '1', pen: 'p'})",
                "createVolume(input: {id: 'a', writerId: '1', owner: 'ann'})",
                "createStallA(input: {id: '1', n: 'n'})", "createStallB(input: {id: '1', n: 'n'})",
                "createStallC(input: {id: '1', n: 'n', owner: 'ann'})", "createBare(input: {id: 'b'})",
                "createOpen(input: {id: '1', bareId: 'b'})", "createPerson(input: {pid: 'ann'})",
                "createCard(input: {id: 'c', pid: 'ann'})", "createPersonO(input: {pid: 'ann'})",
                "createRef(input: {id: '1', pid: 'ann'})", "createRef(input: {id: '3'})",
                "createLeaf(input: {id: 'l', name: 'n'})", "createTree(input: {id: '1', leafId: 'l'})",
                "createNote(input: {id: '1', owner: 'ann'})", "createNote(input: {id: '2', owner: 'bob'})",
            ]
        ) { stage in
            let cards = "getPerson(pid: 'ann') { cards { items { id } } }"
            try await stage.check([
                ("159", "bob", "getWriter(id: '1') { volumes { items { id } } }", "{volumes:{items:[]}}"),
                (
                    "160", "p+Press", "createWriter(input: {id: '2'}) { volumes { items { id } nextToken } }",
                    "{volumes:{items:[],nextToken:null}}"
                ),
                ("161", "ann", "createVolume(input: {id: 'b', writerId: '1'}) { writer { pen } }", "{writer:null}"),
                ("162", "ann", "getVolume(id: 'b') { writer { pen } }", "{writer:{pen:p}}"),
                ("163", "m+M", "createWareA(input: {stallId: '1'}) { stall { n } }", "{stall:{n:n}}"),
                ("164", "m+M", "createWareB(input: {stallId: '1'}) { stall { n } }", "{stall:null}"),
                ("164", "r+R", "getStallB(id: '1') { id wares { items { id } } }", "{id:1,wares:null} | wares U"),
                ("165", "ann", "createWareC(input: {stallId: '1'}) { stall { n } }", "{stall:null}"),
                ("166", "ann", "getOpen(id: '1') { id bare { id } }", "{id:1,bare:null} | bare U"),
                ("167", "bob", cards, "{cards:{items:[]}}"), ("167", "ann", cards, "{cards:{items:[{id:c}]}}"),
                ("168", "ann", "getRef(id: '1') { person { pid } }", "{person:{pid:ann}}"),
                ("168", "bob", "getRef(id: '1') { id person { pid } }", "{id:1,person:null} | person U"),
                ("168", "bob", "getRef(id: '3') { person { pid } }", "{person:null}"),
                ("169", "key", "getTree(id: '1') { id leaf { name } }", "{id:1,leaf:null} | leaf U"),
            ])
            try await Self.checkGates(stage)
        }
        try await RuleCaseStage.with(
            .v2, Self.stalls("C", Self.owner, Self.owner, "«owner: String»"),
            seeds: ["createStallC(input: {id: '1', n: 'n', owner: 'ann'})"]
        ) {
            $0.transform.subscriptionsInheritPrimaryAuth = true
        } _: { stage in
            try await stage.check([
                ("165", "ann", "createWareC(input: {stallId: '1'}) { stall { n } }", "{stall:{n:n}}")
            ])
        }
    }

    private static func checkGates(_ stage: RuleCaseStage) async throws {
        let body = Client.envelope("{ getNote(id: 1) { id } }")
        for headers in [["x-api-key": "da2-unknown"], ["authorization": "a.b.c"], [:]] {
            let answer = try stage.modes.ask(headers: headers, body: body)
            #expect(answer.status == 401 && !answer.body.contains(#""data""#), "case 170: \(answer.body)")
        }
        let denied = try stage.modes.ask(headers: stage.modes.headers(.guest, signing: body), body: body)
        #expect(
            denied.status == 401
                && denied.body == #"{"errors":[{"errorType":"UnauthorizedException","message":"Permission denied"}]}"#,
            "case 171: \(denied.body)")
        func error(_ path: String, _ field: String, _ parent: String, column: Int) -> String {
            #"{"path":["\#(path)"],"data":null,"errorType":"Unauthorized","errorInfo":null,"locations":[{"line":1,"#
                + #""column":\#(column),"sourceName":null}],"message":"Not Authorized to access \#(field) on type \#(parent)"}"#
        }
        let both = try await stage.text("ann", "{ a: getNote(id: '1') { id } b: getNote(id: '2') { id } }")
        let refused = error("b", "getNote", "Query", column: 30)
        #expect(both == #"{"data":{"a":{"id":"1"},"b":null},"errors":[\#(refused)]}"#, "case 175")
        let mutations = try await stage.text(
            "ann", "mutation { a: deleteNote(input: {id: '2'}) { id } b: createNote(input: {id: '3'}) { id } }")
        let first = error("a", "deleteNote", "Mutation", column: 12)
        #expect(mutations == #"{"data":{"a":null,"b":{"id":"3"}},"errors":[\#(first)]}"#, "case 176")
    }

    @Test("a sync has the caller's items and tombstones, and metadata may be written by every role")
    func dataStore() async throws {
        let schema = """
            type Note @model @auth(rules: [{allow: owner}]) { id: ID! «owner: String» }
            type Part @model @auth(rules: [{allow: groups, groups: ["Z"]}]) {
              id: ID a: String b: String @auth(rules: [{allow: groups, groups: ["C"]}])
            }
            """
        let notes = [("1", "ann"), ("2", "bob"), ("3", "bob"), ("4", "ann")].map { id, owner in
            "createNote(input: {id: '\(id)', owner: 's-\(owner)::\(owner)'})"
        }
        let deletes = ["3", "4"].map { "deleteNote(input: {id: '\($0)', _version: 1})" }
        try await RuleCaseStage.with(.v2, schema, seeds: notes + deletes) {
            $0.transform.conflictDetection = .version
        } _: { stage in
            try await stage.check([
                (
                    "177", "bob", "syncNotes { items { id _deleted } }",
                    "[{id:2,_deleted:null},{id:3,_deleted:true}]"
                ),
                ("178", "c+C", "createPart(input: {b: 'x'})", "ok"),
                ("178", "c+C", "createPart(input: {b: 'x', _version: 0})", "ok"),
                ("178", "c+C", "createPart(input: {a: 'x', _version: 0})", "F[a]"),
            ])
            let startedAt = try JSONReader.read(await stage.text("bob", "{ syncNotes { startedAt } }"))
            #expect(startedAt["data"]?["syncNotes"]?["startedAt"]?.intValue ?? 0 > 0, "case 177")
        }
    }
}
