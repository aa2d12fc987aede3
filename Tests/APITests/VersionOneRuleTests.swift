import JSON
import Tables
import Testing
import Transformer

@testable import API

@Suite("Rules of version 1, served", .bothExecutors) struct VersionOneRuleTests {
    private static let cy = Identity.user("cy", in: ["Audit"])
    private static let dee = Identity.user("dee", in: ["north"])

    private func stage(
        _ schema: String, adding added: [String: String] = [:], functions: FakeFunctions? = nil,
        transform: TransformOptions = TransformOptions()
    ) throws -> RuledStage {
        try RuledStage(schema, .v1, adding: added, transform: transform, functions: functions)
    }

    // MARK: - Owners

    private static let diary = "type Diary @model @auth(rules: [{allow: owner}]) { id: ID! text: String }"

    private func diaries() throws -> RuledStage {
        let stage = try stage(Self.diary, adding: ["Diary": "owner: String"])
        try stage.seed("createDiary(input: {id: '1', owner: 'ann'})")
        return stage
    }

    @Test("an owner is stored by name, and another's item is absent from lists, refused to gets and fails conditions")
    func owners() throws {
        let stage = try diaries()
        try stage.check([
            (.ann, "createDiary(input: {id: '2', text: 't'}) { owner }", "{owner:ann}"),
            (.bob, "updateDiary(input: {id: '1', text: 'x'})", "C"),
            (.bob, "deleteDiary(input: {id: '1'})", "C"), (.bob, "deleteDiary(input: {id: '9'})", "C"),
            (.ann, "deleteDiary(input: {id: '9'})", "C"), (.bob, "getDiary(id: '1')", "U"),
            (.bob, "getDiary(id: '9')", "null"), (.bob, "listDiarys { items { id } }", "[]"),
            (.apiKey, "createDiary(input: {id: '3'})", "U"), (.accessToken("ann"), "getDiary(id: '1')", "ok"),
            (.accessToken(nil), "createDiary(input: {id: '4'})", "U"),
        ])
        #expect(
            try stage.stored("listDiarys { items { id text owner } }")
                == "[{id:1,text:null,owner:ann},{id:2,text:t,owner:ann}]")
    }

    @Test("a page is short where rules leave items out, and its token leads on")
    func shortPages() throws {
        let stage = try diaries()
        try stage.seed("createDiary(input: {id: '2', owner: 'bob'})", "createDiary(input: {id: '3', owner: 'ann'})")
        func page(_ token: String?) throws -> (String, String?) {
            stage.ruled.caller = .bob
            let next = token.map { #", nextToken: "\#($0)""# } ?? ""
            let page = try stage.ruled.run("{ listDiarys(limit: 2\(next)) { items { id } nextToken } }")["data"]?[
                "listDiarys"]
            return (page?["items"]?.description ?? "", page?["nextToken"]?.stringValue)
        }
        let (first, token) = try page(nil)
        #expect(first == #"[{"id":"2"}]"# && token != nil)
        let (second, end) = try page(token)
        #expect(second == "[]" && end == nil)
    }

    @Test("a subscriber names the owner that it is")
    func ownersSubscribe() throws {
        let stage = try diaries()
        try stage.check(starts: [
            (.bob, "onCreateDiary(owner: 'ann')", "U"), (.bob, "onCreateDiary(owner: 'bob')", "accepted"),
        ])
        #expect(try stage.start(.ann, "onCreateDiary").contains("Missing field argument owner"))
    }

    @Test("a refused write of a versioned item shows nothing of it, whatever version it names")
    func versions() throws {
        let stage = try stage(
            Self.diary, adding: ["Diary": "owner: String"],
            transform: TransformOptions(conflictDetection: .version, conflictHandler: .optimisticConcurrency))
        try stage.seed("createDiary(input: {id: '1', owner: 'ann', text: 'private'})")
        for version in [1, 7] {
            for write in [
                #"updateDiary(input: {id: "1", text: "x", _version: \#(version)}) { id text _version }"#,
                #"deleteDiary(input: {id: "1", _version: \#(version)}) { id text _version }"#,
            ] {
                let text = try stage.ruled.send(body: Service.body("mutation { \(write) }", nil), as: .bob).text
                #expect(text.contains("ConditionalCheckFailedException") && !text.contains("private"), "\(text)")
            }
        }
        let stale = #"mutation { updateDiary(input: {id: "1", text: "x", _version: 7}) { text } }"#
        let answer = try stage.ruled.send(body: Service.body(stale, nil), as: .ann).text
        #expect(answer.contains("ConflictUnhandled") && answer.contains("private"))
        try stage.check([(.ann, "updateDiary(input: {id: '1', text: 'x', _version: 1}) { text }", "{text:x}")])
    }

    // MARK: - Owners and groups

    private static let ledger = """
        type Ledger @model @auth(rules: [
          {allow: owner}, {allow: groups, groups: ["Audit"]},
          {allow: groups, groupsField: "desks", operations: [read, update]}
        ]) { id: ID! desks: [String] sum: Int }
        """

    @Test("owners, static groups and groups of a field are alternatives")
    func alternatives() throws {
        let stage = try stage(Self.ledger, adding: ["Ledger": "owner: String"])
        try stage.seed("createLedger(input: {id: '1', owner: 'ann', desks: ['north']})")
        try stage.check([
            (Self.cy, "createLedger(input: {id: '2', sum: 1}) { owner }", "{owner:cy}"),
            (Self.dee, "createLedger(input: {id: '3', desks: ['north']}) { owner }", "{owner:dee}"),
            (Self.dee, "updateLedger(input: {id: '1', sum: 2}) { sum }", "{sum:2}"),
            (Self.dee, "deleteLedger(input: {id: '1'})", "C"),
            (.bob, "updateLedger(input: {id: '1', sum: 3})", "C"),
            (Self.cy, "listLedgers { items { id } }", "[{id:1},{id:2},{id:3}]"),
            (.user("eve", in: ["south"]), "listLedgers { items { id } }", "[]"),
        ])
        try stage.check(starts: [
            (Self.dee, "onUpdateLedger", "U"), (Self.cy, "onUpdateLedger", "accepted"),
        ])
        let all = try stage.listen(Self.cy, "onUpdateLedger { id }")
        try stage.check([
            (.ann, "updateLedger(input: {id: '1', desks: null}) { id }", "{id:1}"),
            (Self.dee, "getLedger(id: '1')", "U"), (Self.dee, "updateLedger(input: {id: '1', sum: 4})", "C"),
        ])
        #expect(try stage.events(all) == "{id:1}")
    }

    // MARK: - Other models

    @Test("a list of owners is filled in, reads without a rule are open to the default mode")
    func lists() throws {
        let stage = try stage(
            """
            type Song @model @auth(rules: [{allow: owner, ownerField: "band", operations: [create, update, delete]}]) {
              id: ID! band: [String]
            }
            """)
        try stage.check([
            (.ann, "createSong(input: {id: '1'}) { band }", "{band:[ann]}"),
            (.ann, "createSong(input: {id: '2', band: ['bob']})", "U"),
            (.ann, "createSong(input: {id: '2', band: []})", "U"),
            (.ann, "createSong(input: {id: '2', band: null})", "U"), (.bob, "getSong(id: '1') { id }", "{id:1}"),
            (.bob, "updateSong(input: {id: '1'})", "C"),
            (.ann, "updateSong(input: {id: '1', band: ['ann', 'bob']})", "ok"),
            (.bob, "updateSong(input: {id: '1', band: ['bob']}) { band }", "{band:[bob]}"),
        ])
        try stage.check(starts: [(.ann, "onCreateSong", "accepted"), (.bob, "onCreateSong", "accepted")])
    }

    @Test("a private rule opens its operation, and an operation without a rule is open to the default mode")
    func openOperations() throws {
        let lamps = try stage(
            "type Lamp @model @auth(rules: [{allow: private}, {allow: owner, operations: [update]}]) { id: ID! n: Int }",
            adding: ["Lamp": "owner: String"])
        try lamps.seed("createLamp(input: {id: '1', owner: 'ann'})")
        try lamps.check([(.bob, "updateLamp(input: {id: '1', n: 1}) { n }", "{n:1}")])
        let cups = try stage(
            "type Cup @model @auth(rules: [{allow: owner, operations: [delete]}]) { id: ID! }",
            adding: ["Cup": "owner: String"])
        try cups.seed("createCup(input: {id: '1', owner: 'ann'})")
        try cups.check([
            (.apiKey, "listCups { items { id } }", "U"), (.bob, "listCups { items { id } }", "[{id:1}]"),
            (.bob, "deleteCup(input: {id: '1'})", "C"),
        ])
        let old = try stage(
            """
            type Old @model @auth(rules: [{allow: owner, queries: [get], mutations: [create]}]) { id: ID! n: Int }
            """, adding: ["Old": "owner: String"])
        try old.seed("createOld(input: {id: '1', owner: 'ann'})")
        try old.check([
            (.bob, "getOld(id: '1')", "U"), (.bob, "listOlds { items { id } }", "[{id:1}]"),
            (.bob, "updateOld(input: {id: '1', n: 1})", "ok"),
        ])
        try old.check(starts: [(.bob, "onCreateOld", "accepted")])
        let kites = try stage(
            "type Kite @model @auth(rules: [{allow: public, operations: [read]}, {allow: owner}]) { id: ID! }",
            adding: ["Kite": "owner: String"])
        try kites.seed("createKite(input: {id: '1', owner: 'ann'})")
        try kites.check([
            (.apiKey, "listKites { items { id } }", "[{id:1}]"), (.apiKey, "createKite(input: {id: '2'})", "U"),
            (.bob, "getKite(id: '1')", "U"), (.ann, "getKite(id: '1')", "ok"),
        ])
    }

    @Test("groups of a field are never filled in, and are not asked of subscribers")
    func fieldGroups() throws {
        let stage = try stage(
            """
            type Vane @model @auth(rules: [{allow: groups, groupsField: "crew"}]) { id: ID! crew: String n: Int }
            """)
        try stage.seed("createVane(input: {id: '1', crew: 'red'})")
        let red = Identity.user("ann", in: ["red"])
        try stage.check([
            (red, "createVane(input: {id: '2'})", "U"), (red, "createVane(input: {id: '2', crew: 'red'})", "ok"),
            (red, "createVane(input: {id: '3', crew: 'blue'})", "U"),
            (.ann, "updateVane(input: {id: '1', n: 1})", "U"), (.ann, "updateVane(input: {id: '9', n: 1})", "U"),
        ])
        try stage.check(starts: [(.ann, "onCreateVane", "accepted")])
        let claims = try self.stage(
            """
            type Fan @model @auth(rules: [{allow: groups, groups: ["A"], groupClaim: "org"}]) { id: ID! }
            """)
        try claims.seed("createFan(input: {id: '1'})")
        for (claim, expected) in [
            (JSONValue.array(["A"]), "[{id:1}]"), ("A", "[{id:1}]"), (#"["A","B"]"#, "[{id:1}]"), ("AB", "[]"),
        ] { try claims.check([(.user("x", claims: ["org": claim]), "listFans { items { id } }", expected)]) }
    }

    @Test("what a connection leads to is left out of lists, and refused where it is one")
    func connections() throws {
        let stage = try stage(
            """
            type Reed @model {
              id: ID! leaves: [Blade] @connection(keyName: "byReed", fields: ["id"])
              bladeId: ID blade: Blade @connection(fields: ["bladeId"])
            }
            type Blade @model @key(name: "byReed", fields: ["reedId"]) @auth(rules: [{allow: owner}]) {
              id: ID! reedId: ID
            }
            """, adding: ["Blade": "owner: String"])
        try stage.seed(
            "createReed(input: {id: '1', bladeId: 'a'})", "createReed(input: {id: '2', bladeId: 'z'})",
            "createBlade(input: {id: 'a', reedId: '1', owner: 'ann'})",
            "createBlade(input: {id: 'b', reedId: '1', owner: 'bob'})")
        try stage.check([
            (.bob, "getReed(id: '1') { leaves { items { id } } }", "{leaves:{items:[{id:b}]}}"),
            (.bob, "getReed(id: '1') { id blade { id } }", "{id:1,blade:null} | blade U"),
            (.bob, "getReed(id: '2') { blade { id } }", "{blade:null}"),
            (.ann, "getReed(id: '1') { blade { id } }", "{blade:{id:a}}"),
        ])
    }

    // MARK: - Fields

    private static let tin = """
        type Tin @model { id: ID! name: String pin: String @auth(rules: [{allow: owner}]) }
        """

    @Test("rules of a field come on top where the field is written or read")
    func fields() throws {
        let stage = try stage(Self.tin, adding: ["Tin": "owner: String"])
        let events = try stage.listen(.bob, "onCreateTin { id pin }")
        try stage.check([
            (.ann, "createTin(input: {id: '1', pin: '1'}) { pin }", "{pin:null}"),
            (.ann, "getTin(id: '1') { pin }", "{pin:1}"),
            (.bob, "updateTin(input: {id: '1', pin: '2'})", "C"),
            (.bob, "updateTin(input: {id: '1', name: 'x'})", "ok"),
            (.bob, "getTin(id: '1') { name pin }", "{name:x,pin:null} | pin U"),
            (.bob, "createTin(input: {id: '2', name: 'n'}) { owner }", "{owner:null}"),
            (.bob, "getTin(id: '2') { pin }", "{pin:null} | pin U"),
            (.bob, "createTin(input: {id: '3', pin: null}) { owner }", "{owner:bob}"),
        ])
        #expect(try stage.stored("getTin(id: '1') { pin name owner }") == "{pin:1,name:x,owner:ann}")
        _ = try stage.answer(.ann, "createTin(input: {id: '4', pin: '1'}) { id pin }")
        #expect(try stage.events(events).hasSuffix("{id:4,pin:null}"))
        let loud = try self.stage(Self.tin.replacing("@model", with: "@model(subscriptions: {level: public})"))
        try loud.check([(.ann, "createTin(input: {id: '1', pin: '1'}) { pin }", "{pin:1}")])
        let readOnly = try self.stage(
            """
            type Tin @model @auth(rules: [{allow: owner}]) {
              id: ID! pin: String @auth(rules: [{allow: owner, operations: [read]}])
            }
            """)
        try readOnly.check([(.ann, "createTin(input: {id: '1', pin: '1'}) { pin }", "{pin:1}")])
    }

    @Test("an operator's write publishes no field with rules of its own for reading, and an app's what it selects")
    func operatorsWrites() throws {
        let stage = try self.stage(
            """
            type Tin @model @auth(rules: [{allow: groups, groups: ["Audit"]}]) {
              id: ID! name: String owner: String pin: String @auth(rules: [{allow: owner, operations: [read]}])
            }
            """)
        let events = try stage.listen(Self.cy, "onCreateTin { id name pin }")
        let selection = "{ id name other: name pin again: pin }"
        #expect(
            try stage.answer(
                .administrator, "createTin(input: {id: '1', name: 'n', owner: 'ann', pin: '1'}) \(selection)")
                == "{id:1,name:n,other:n,pin:1,again:1}")
        #expect(try stage.events(events) == "{id:1,name:n,pin:null}")
        let kai = Identity.user("kai", in: ["Audit"])
        _ = try stage.answer(kai, "createTin(input: {id: '2', name: 'n', owner: 'kai', pin: '2'}) \(selection)")
        #expect(try stage.events(events) == "{id:2,name:n,pin:2}")
    }

    @Test("events contain related items only if every subscriber may read them all")
    func relatedItemsInEvents() throws {
        func event(_ own: String, _ related: String) throws -> String {
            let stage = try self.stage(
                """
                type Post @model @auth(rules: [\(own)]) {
                  id: ID! comments: [Comment] @connection(keyName: "byPost", fields: ["id"])
                }
                type Comment @model @key(name: "byPost", fields: ["postID"]) @auth(rules: [\(related)]) {
                  id: ID! postID: ID owner: String
                }
                """)
            try stage.seed(
                "createPost(input: {id: '1'})",
                "createComment(input: {id: 'c', postID: '1', owner: 'kai'})")
            let comments = "{ id comments { items { id } } }"
            let events = try stage.listen(Self.cy, "onUpdatePost \(comments)")
            let kai = Identity.user("kai", in: ["Audit"])
            #expect(
                try stage.answer(kai, "updatePost(input: {id: '1'}) \(comments)") == "{id:1,comments:{items:[{id:c}]}}")
            return try stage.events(events)
        }
        let (audit, whole) = ("{allow: groups, groups: [\"Audit\"]}", "{id:1,comments:{items:[{id:c}]}}")
        #expect(try event(audit, "{allow: owner}") == "{id:1,comments:null}")
        #expect(try event("{allow: private}", audit) == "{id:1,comments:null}")
        #expect(try event(audit, audit) == whole)
        #expect(try event(audit, "{allow: private}") == whole)
    }

    @Test("a relation to many that is left out of a result is null")
    func redactedRelation() throws {
        let stage = try stage(
            """
            type Post @model @auth(rules: [{allow: owner}]) {
              id: ID!
              comments: [Comment] @connection(keyName: "byPost", fields: ["id"]) @auth(rules: [{allow: owner}])
            }
            type Comment @model @key(name: "byPost", fields: ["postID"]) { id: ID! postID: ID }
            """)
        let comments = "{ id comments { items { id } nextToken } }"
        try stage.check([
            (.ann, "createPost(input: {id: '1'}) \(comments)", "{id:1,comments:null}"),
            (.ann, "updatePost(input: {id: '1'}) \(comments)", "{id:1,comments:null}"),
            (.ann, "getPost(id: '1') \(comments)", "{id:1,comments:{items:[],nextToken:null}}"),
        ])
    }

    @Test("a refused field that must not be null is two errors, and its item is null")
    func refusedRequiredFields() throws {
        let stage = try stage(
            """
            type Tin @model(subscriptions: {level: off}) {
              id: ID! pin: String! @auth(rules: [{allow: groups, groups: ["S"], operations: [read]}])
            }
            """)
        try stage.seed("createTin(input: {id: '1', pin: 'p'})")
        func null(_ path: String) -> String {
            "Cannot return null for non-nullable type: 'String' within parent 'Tin' (/\(path))"
        }
        try stage.check([
            (.ann, "getTin(id: '1') { pin }", "pin U | pin \(null("getTin/pin"))"),
            (
                .ann, "listTins { items { id pin } }",
                "[null] | items/0/pin U | items/0/pin \(null("listTins/items[0]/pin"))"
            ),
        ])
    }

    @Test("setting a field to null is held to its rules for delete, which the delete of the item is not")
    func deletedFields() throws {
        let stage = try stage(
            """
            type Jar @model @auth(rules: [{allow: owner}]) {
              id: ID! pin: String @auth(rules: [{allow: groups, groups: ["S"], operations: [delete]}])
            }
            """)
        try stage.check([
            (.ann, "createJar(input: {id: '1', pin: '1'})", "ok"),
            (.ann, "updateJar(input: {id: '1', pin: null})", "U"),
            (.ann, "updateJar(input: {id: '1', pin: '2'})", "ok"),
            (.user("ann", in: ["S"]), "updateJar(input: {id: '1', pin: null})", "ok"),
            (.ann, "deleteJar(input: {id: '1'})", "ok"),
        ])
    }

    @Test("an update must meet the rules of the model and those of the field")
    func bothRules() throws {
        let stage = try stage(
            """
            type Pot @model @auth(rules: [{allow: owner}]) {
              id: ID! keeper: String
              note: String @auth(rules: [{allow: owner, ownerField: "keeper", operations: [update]}])
            }
            """, adding: ["Pot": "owner: String"])
        try stage.seed("createPot(input: {id: '1', owner: 'ann', keeper: 'bob'})")
        try stage.check([
            (.ann, "updatePot(input: {id: '1', note: 'a'})", "C"),
            (.bob, "updatePot(input: {id: '1', note: 'a'})", "C"),
            (.ann, "updatePot(input: {id: '1', keeper: 'ann'})", "ok"),
            (.ann, "updatePot(input: {id: '1', note: 'b'})", "ok"),
        ])
    }

    // MARK: - Root fields and providers

    @Test("of a root field static groups alone are asked, before its function is called")
    func rootFields() throws {
        let functions = FakeFunctions(["roll": { _ in .json(#""called""#) }])
        let stage = try stage(
            """
            type Any @model { id: ID! }
            type Query {
              roll: String @function(name: "roll") @auth(rules: [{allow: groups, groups: ["Staff"]}])
              mine: String @function(name: "roll") @auth(rules: [{allow: owner}])
            }
            """, functions: functions)
        #expect(try stage.answer(.ann, "roll", isScalar: true) == "U")
        #expect(functions.names == [])
        #expect(try stage.answer(.user("ann", in: ["Staff"]), "roll", isScalar: true) == "called")
        #expect(try stage.answer(.bob, "mine", isScalar: true) == "called")
    }

    @Test("guests of the identity pool read no field, model or nested field that rules leave to signed-in identities")
    func guests() throws {
        let stage = try stage(
            """
            type A @model @auth(rules: [{allow: public, provider: iam}, {allow: private, provider: iam}]) {
              id: ID!
              t: String
              secret: String @auth(rules: [{allow: private, provider: iam}])
              late: String @auth(rules: [{allow: private, provider: iam, operations: [update]}])
              b: B @connection
              c: C @connection
              obj: Obj
            }
            type B @model @auth(rules: [{allow: private, provider: iam}]) { id: ID! s: String }
            type C @model @auth(rules: [
              {allow: public, provider: iam, operations: [create]}, {allow: private, provider: iam}
            ]) { id: ID! s: String }
            type Obj { x: String y: String @auth(rules: [{allow: private, provider: iam}]) }
            """)
        try stage.seed(
            "createB(input: {id: 'b', s: 'bs'})", "createC(input: {id: 'c', s: 'cs'})",
            "createA(input: {id: 'a', t: 't', secret: 's', late: 'l', obj: {x: 'x', y: 'y'}, aBId: 'b', aCId: 'c'})")
        let field = "getA(id: 'a') { t secret late b { s } c { s } obj { x y } }"
        try stage.check([
            (.signedIn, field, "{t:t,secret:s,late:l,b:{s:bs},c:{s:cs},obj:{x:x,y:y}}"),
            (
                .guest, field,
                "{t:t,secret:null,late:l,b:null,c:null,obj:{x:x,y:null}} | secret U | b U | c U | obj/y U"
            ),
            (.guest, "listAs { items { t b { id } } }", "[{t:t,b:null}] | items/0/b U"),
            (.guest, "getB(id: 'b')", "Permission denied"),
            (.guest, "createA(input: {id: 'g', t: 'g'}) { t secret }", "{t:g,secret:null} | secret U"),
            (.guest, "createC(input: {id: 'g', s: 'g'}) { s }", "{s:g}"),
        ])
    }

    @Test("where signed requests are the default mode, a relation opens no model whose queries the pool's roles lack")
    func modelWithoutRules() throws {
        let stage = try RuledStage(
            """
            type Reed @model @auth(rules: [{allow: private, provider: iam}]) {
              id: ID! blade: Blade @connection leaves: [Leaf] @connection(keyName: "byReed", fields: ["id"])
            }
            type Blade @model { id: ID! s: String }
            type Leaf @model @key(name: "byReed", fields: ["reedID"]) { id: ID! reedID: ID! s: String }
            """, .v1, modes: [.iam, .userPools])
        try stage.seed(
            "createBlade(input: {id: 'b', s: 's'})", "createReed(input: {id: 'r', reedBladeId: 'b'})",
            "createLeaf(input: {id: 'l', reedID: 'r', s: 's'})")
        try stage.check([
            (.signedIn, "getBlade(id: 'b') { s }", "Permission denied"),
            (
                .signedIn, "getReed(id: 'r') { id blade { s } leaves { items { s } } }",
                "{id:r,blade:null,leaves:null} | blade U | leaves U"
            ),
            // Signed callers without a policy of the pool have what the gates give.
            (
                .server, "getReed(id: 'r') { blade { s } leaves { items { s } } }",
                "{blade:{s:s},leaves:{items:[{s:s}]}}"
            ),
            (.server, "getBlade(id: 'b') { s }", "{s:s}"),
        ])
    }

    @Test("callers are asked for all owners of an operation, whichever provider the rules name")
    func providers() throws {
        let stage = try stage(
            """
            type Oak @model @auth(rules: [
              {allow: owner, provider: oidc, identityClaim: "sub"}, {allow: owner, ownerField: "o2"}
            ]) { id: ID! o2: String }
            """)
        try stage.check([
            (.ann, "createOak(input: {id: '1'}) { owner o2 }", "{owner:s-ann,o2:ann}"),
            (.oann, "createOak(input: {id: '2'}) { owner o2 }", "{owner:s-ann,o2:null}"),
        ])
        let two = try self.stage(
            """
            type Two @model @auth(rules: [
              {allow: owner}, {allow: owner, ownerField: "editors", operations: [read, update]}
            ]) { id: ID! owner: String editors: [String] }
            """)
        try two.seed("createTwo(input: {id: '1', owner: 'ann', editors: ['bob']})")
        try two.check([
            (.bob, "updateTwo(input: {id: '1', editors: ['bob', 'cy']})", "ok"),
            (.bob, "deleteTwo(input: {id: '1'})", "C"),
            (.user("cy"), "updateTwo(input: {id: '1', owner: 'cy'}) { owner }", "{owner:cy}"),
        ])
        try two.check(starts: [
            (.bob, "onCreateTwo(editors: 'bob')", "accepted"), (.bob, "onCreateTwo(owner: 'ann')", "U"),
        ])
    }
}
