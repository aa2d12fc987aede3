import JSON
import Tables
import Testing
import Transformer

@testable import API

@Suite("Rules of related models, served", .bothExecutors) struct RelationRuleTests {
    private func stage(
        _ schema: String, adding added: [String: String] = [:], transform: TransformOptions = TransformOptions()
    ) throws -> RuledStage {
        try RuledStage(schema, .v2, adding: added, transform: transform)
    }

    @Test("related items are those that the caller may read, and results leave out relations whose readers differ")
    func readers() throws {
        let stage = try stage(
            """
            type Writer @model @auth(rules: [{allow: private, operations: [read]}, {allow: groups, groups: ["Press"]}]) {
              id: ID! pen: String volumes: [Volume] @hasMany(indexName: "byWriter", fields: ["id"])
            }
            type Volume @model @auth(rules: [{allow: owner}]) {
              id: ID! writerId: ID! @index(name: "byWriter") writer: Writer @belongsTo(fields: ["writerId"])
            }
            """, adding: ["Volume": "owner: String"])
        try stage.seed(
            "createWriter(input: {id: '1', pen: 'p'})", "createVolume(input: {id: 'a', writerId: '1', owner: 'ann'})",
            "createVolume(input: {id: 'z', writerId: '9', owner: 'ann'})")
        let press = Identity.user("p", in: ["Press"])
        try stage.check([
            (.bob, "getWriter(id: '1') { volumes { items { id } } }", "{volumes:{items:[]}}"),
            (.ann, "getWriter(id: '1') { volumes { items { id } } }", "{volumes:{items:[{id:a}]}}"),
            (
                press, "createWriter(input: {id: '2'}) { volumes { items { id } nextToken } }",
                "{volumes:{items:[],nextToken:null}}"
            ),
            (.ann, "createVolume(input: {id: 'b', writerId: '1'}) { writer { pen } }", "{writer:null}"),
            (.ann, "getVolume(id: 'b') { writer { pen } }", "{writer:{pen:p}}"),
            (.ann, "getVolume(id: 'z') { writer { pen } }", "{writer:null}"),
        ])
    }

    private static func stalls(_ stall: String, _ ware: String) -> String {
        """
        type Stall @model @auth(rules: [\(stall)]) {
          id: ID! n: String wares: [Ware] @hasMany(indexName: "byStall", fields: ["id"])
        }
        type Ware @model @auth(rules: [\(ware)]) {
          id: ID! stallId: ID @index(name: "byStall") stall: Stall @belongsTo(fields: ["stallId"])
        }
        """
    }

    @Test("equal static roles are resolved in results; overlapping ones are not")
    func overlapping() throws {
        let m = #"{allow: groups, groups: ["M"]}"#
        let caller = Identity.user("m", in: ["M"])
        let create = "createWare(input: {id: 'w', stallId: '1'}) { stall { n } }"
        let equal = try stage(Self.stalls(m, m))
        try equal.seed("createStall(input: {id: '1', n: 'n'})")
        try equal.check([(caller, create, "{stall:{n:n}}")])
        let wider = try stage(Self.stalls(m + #", {allow: groups, groups: ["R"], operations: [read]}"#, m))
        try wider.seed("createStall(input: {id: '1', n: 'n'})")
        try wider.check([
            (caller, create, "{stall:null}"),
            (.user("r", in: ["R"]), "getStall(id: '1') { id wares { items { id } } }", "{id:1,wares:null} | wares U"),
        ])
    }

    @Test("owners are never the same static roles, unless results inherit the authorization of their caller")
    func inherited() throws {
        let owner = "{allow: owner}"
        for inherits in [false, true] {
            let stage = try stage(
                Self.stalls(owner, owner), adding: ["Stall": "owner: String", "Ware": "owner: String"],
                transform: TransformOptions(subscriptionsInheritPrimaryAuth: inherits))
            try stage.seed(
                "createStall(input: {id: '1', n: 'n', owner: 'ann'})", "createStall(input: {id: '2', owner: 'bob'})")
            try stage.check([
                (
                    .ann, "createWare(input: {stallId: '1'}) { stall { n } }",
                    inherits ? "{stall:{n:n}}" : "{stall:null}"
                ),
                (
                    .ann, "createWare(input: {stallId: '2'}) { stall { n } }",
                    inherits ? "{stall:null} | stall U" : "{stall:null}"
                ),
            ])
        }
    }

    @Test("a relation to a model without rules is refused, and so is one whose key is another owner")
    func closedAndOwned() throws {
        let stage = try stage(
            """
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
            """)
        try stage.seed(
            "createBare(input: {id: 'b'})", "createOpen(input: {id: '1', bareId: 'b'})",
            "createPerson(input: {pid: 'ann'})", "createCard(input: {id: 'c', pid: 'ann'})",
            "createPersonO(input: {pid: 'ann'})", "createRef(input: {id: '1', pid: 'ann'})",
            "createRef(input: {id: '2', pid: 'zed'})", "createRef(input: {id: '3'})")
        try stage.check([
            (.ann, "getOpen(id: '1') { id bare { id } }", "{id:1,bare:null} | bare U"),
            (.bob, "getPerson(pid: 'ann') { cards { items { id } } }", "{cards:{items:[]}}"),
            (.ann, "getPerson(pid: 'ann') { cards { items { id } } }", "{cards:{items:[{id:c}]}}"),
            (.ann, "getRef(id: '1') { person { pid } }", "{person:{pid:ann}}"),
            (.bob, "getRef(id: '1') { id person { pid } }", "{id:1,person:null} | person U"),
            (.bob, "getRef(id: '2') { id person { pid } }", "{id:2,person:null} | person U"),
            (.bob, "getRef(id: '3') { person { pid } }", "{person:null}"),
        ])
    }

    @Test(
        "a related model that the caller's mode does not reach is refused at the relation, in version 1 at its fields")
    func modes() throws {
        let leaf = "type Leaf @model @auth(rules: [{allow: private}]) { id: ID! name: String }"
        let two = try stage(
            """
            type Tree @model @auth(rules: [{allow: public}, {allow: private}]) {
              id: ID! leafId: ID leaf: Leaf @hasOne(fields: ["leafId"])
            }
            \(leaf)
            """)
        let one = try RuledStage(
            """
            type Tree @model @auth(rules: [{allow: public}, {allow: private}]) {
              id: ID! leafId: ID leaf: Leaf @connection(fields: ["leafId"])
            }
            \(leaf)
            """, .v1)
        for stage in [two, one] {
            try stage.seed("createLeaf(input: {id: 'l', name: 'n'})", "createTree(input: {id: '1', leafId: 'l'})")
        }
        try two.check([(.apiKey, "getTree(id: '1') { id leaf { name } }", "{id:1,leaf:null} | leaf U")])
        try one.check([
            (.apiKey, "getTree(id: '1') { id leaf { name } }", "{id:1,leaf:{name:null}} | leaf/name U")
        ])
    }

    @Test("what a result leaves out is left out of the related items in it, too")
    func handedDown() throws {
        let both = #"{allow: groups, groups: ["M"]}, {allow: groups, groups: ["S"]}"#
        let stage = try stage(
            Self.stalls(both, both).replacing(
                "n: String", with: #"n: String secret: String @auth(rules: [{allow: groups, groups: ["S"]}])"#
            ).replacing("id: ID! n:", with: "id: ID n:"))
        try stage.seed("createStall(input: {id: '1', n: 'n', secret: 's'})")
        let (m, s) = (Identity.user("m", in: ["M"]), Identity.user("s", in: ["S"]))
        try stage.check([
            (s, "getStall(id: '1') { n secret }", "{n:n,secret:s}"),
            (s, "createWare(input: {stallId: '1'}) { stall { n secret } }", "{stall:{n:n,secret:null}}"),
            (
                m, "createWare(input: {stallId: '1'}) { stall { n secret } }",
                "{stall:{n:n,secret:null}} | stall/secret U"
            ),
        ])
    }

    @Test("generated foreign keys and the partition key may be written by every role, sort keys by none but their own")
    func addedKeys() throws {
        let stage = try stage(
            """
            type Post @model @auth(rules: [{allow: private}]) { id: ID! notes: [Note] @hasMany }
            type Note @model @auth(rules: [{allow: groups, groups: ["Z"]}]) {
              id: ID body: String secret: String @auth(rules: [{allow: groups, groups: ["C"]}])
            }
            type Step @model(subscriptions: {level: off}) @auth(rules: [{allow: groups, groups: ["Z"]}]) {
              a: ID! @primaryKey(sortKeyFields: ["b", "c"]) b: String! c: Int!
              note: String @auth(rules: [{allow: groups, groups: ["C"]}])
            }
            """)
        try stage.seed("createStep(input: {a: 'a', b: 'b', c: 1})")
        let c = Identity.user("c", in: ["C"])
        try stage.check([
            (c, "createNote(input: {secret: 's', postNotesId: '1'})", "ok"),
            (c, "createNote(input: {body: 'b', secret: 's', postNotesId: '1'})", "F[body]"),
            (c, "createNote(input: {id: '9', secret: 's'})", "F[id]"),
            (c, "updateStep(input: {a: 'a', b: 'b', c: 1, note: 'n'})", "F[b, c]"),
            (.user("z", in: ["Z", "C"]), "updateStep(input: {a: 'a', b: 'b', c: 1, note: 'n'})", "ok"),
        ])
        try stage.seed("createNote(input: {id: '1'})")
        try stage.check([
            (c, "updateNote(input: {id: '1', secret: 't', postNotesId: '2'})", "ok"),
            (c, "updateNote(input: {id: '1', body: 't', postNotesId: '2'})", "F[body]"),
        ])
    }

    // MARK: - Gates

    @Test("what a Lambda authorizer denies is not written, and not read")
    func deniedFields() throws {
        let stage = try stage("type Deal @model @auth(rules: [{allow: custom}]) { id: ID! v: String w: String }")
        try stage.seed("createDeal(input: {id: '1', v: 'v', w: 'w'})")
        let caller = Identity.lambda(deniedFields: ["Mutation.createDeal", "Deal.v"], context: JSONObject())
        try stage.check([
            (caller, "createDeal(input: {id: '2'})", "U"), (caller, "getDeal(id: '1') { v w }", "{v:null,w:w} | v U"),
        ])
        #expect(try stage.stored("listDeals { items { id } }") == "[{id:1}]")
    }

    @Test("a conflict shows no field that its caller may not read")
    func conflicts() throws {
        let stage = try stage(
            """
            type Chart @model @auth(rules: [{allow: private}]) {
              id: ID! ward: String secret: String @auth(rules: [{allow: groups, groups: ["S"]}])
            }
            """.replacing("id: ID!", with: "id: ID"),
            transform: TransformOptions(conflictDetection: .version, conflictHandler: .optimisticConcurrency))
        try stage.seed("createChart(input: {id: '1', ward: 'w', secret: 'private'})")
        let write = #"mutation { updateChart(input: {id: "1", ward: "x", _version: 7}) { ward secret } }"#
        let answer = try stage.ruled.send(body: Service.body(write, nil), as: .ann).text
        #expect(answer.contains("ConflictUnhandled") && answer.contains(#""ward":"w""#) && !answer.contains("private"))
    }

    @Test("of several root fields each is decided by itself, and mutations go on behind a refused one")
    func rootFields() throws {
        let stage = try stage("type Note @model @auth(rules: [{allow: owner}]) { id: ID! owner: String }")
        try stage.seed("createNote(input: {id: '1', owner: 'ann'})", "createNote(input: {id: '2', owner: 'bob'})")
        try stage.ruled.expect(
            .ann, #"{ a: getNote(id: "1") { id } b: getNote(id: "2") { id } }"#,
            #"{"a":{"id":"1"},"b":null} | b Unauthorized: Not Authorized to access getNote on type Query"#)
        try stage.ruled.expect(
            .ann,
            #"mutation { a: deleteNote(input: {id: "2"}) { id } b: createNote(input: {id: "3"}) { id owner } }"#,
            #"{"a":null,"b":{"id":"3","owner":"ann"}} | a Unauthorized: Not Authorized to access deleteNote on type Mutation"#
        )
    }

    @Test("a sync has the caller's items and tombstones, and metadata may be written by every role")
    func dataStore() throws {
        let stage = try stage(
            """
            type Note @model @auth(rules: [{allow: owner}]) { id: ID! }
            type Part @model @auth(rules: [{allow: groups, groups: ["Z"]}]) {
              id: ID a: String b: String @auth(rules: [{allow: groups, groups: ["C"]}])
            }
            """, adding: ["Note": "owner: String"], transform: TransformOptions(conflictDetection: .version))
        for (id, owner) in [("1", "ann"), ("2", "bob"), ("3", "bob"), ("4", "ann")] {
            try stage.seed("createNote(input: {id: '\(id)', owner: 's-\(owner)::\(owner)'})")
        }
        try stage.seed("deleteNote(input: {id: '3', _version: 1})", "deleteNote(input: {id: '4', _version: 1})")
        try stage.check([
            (.bob, "syncNotes { items { id _deleted } }", "[{id:2,_deleted:null},{id:3,_deleted:true}]"),
            (.apiKey, "syncNotes { items { id } }", "U"),
        ])
        #expect(try stage.ruled.brief("{ syncNotes { startedAt } }", as: .bob).contains("null") == false)
        let c = Identity.user("c", in: ["C"])
        try stage.check([
            (c, "createPart(input: {b: 'x'})", "ok"), (c, "createPart(input: {b: 'x', _version: 0})", "ok"),
            (c, "createPart(input: {a: 'x', _version: 0})", "F[a]"),
        ])
    }
}
