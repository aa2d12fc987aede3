import JSON
import Testing
import Transformer

@testable import Server

/// The acceptance cases about rules of version 1, by their numbers (reference: authorization, "Acceptance cases").
@Suite("Acceptance: rules of version 1 over HTTP and the realtime channel")
struct RuleCaseVersionOneTests {
    private static let schema = """
        type Diary @model @auth(rules: [{allow: owner}]) { id: ID! text: String «owner: String» }
        type Quill @model @auth(rules: [{allow: owner, provider: oidc}]) { id: ID! «owner: String» }
        type Ledger @model @auth(rules: [
          {allow: owner}, {allow: groups, groups: ["Audit"]},
          {allow: groups, groupsField: "desks", operations: [read, update]}
        ]) { id: ID! desks: [String] sum: Int «owner: String» }
        type Song @model @auth(rules: [{allow: owner, ownerField: "band", operations: [create, update, delete]}]) {
          id: ID! band: [String]
        }
        type Lamp @model @auth(rules: [{allow: private}, {allow: owner, operations: [update]}]) {
          id: ID! n: Int «owner: String»
        }
        type Cup @model @auth(rules: [{allow: owner, operations: [delete]}]) { id: ID! «owner: String» }
        type Vane @model @auth(rules: [{allow: groups, groupsField: "crew"}]) { id: ID! crew: String n: Int }
        type Fan @model @auth(rules: [{allow: groups, groups: ["A"], groupClaim: "org", provider: oidc}]) { id: ID! }
        type Kite @model @auth(rules: [{allow: public, operations: [read]}, {allow: owner}]) { id: ID! «owner: String» }
        type Reed @model {
          id: ID! leaves: [Blade] @connection(keyName: "byReed", fields: ["id"])
          bladeId: ID blade: Blade @connection(fields: ["bladeId"])
        }
        type Blade @model @key(name: "byReed", fields: ["reedId"]) @auth(rules: [{allow: owner}]) {
          id: ID! reedId: ID «owner: String»
        }
        type Tin @model { id: ID! name: String pin: String @auth(rules: [{allow: owner}]) «owner: String» }
        type Loud @model(subscriptions: {level: public}) {
          id: ID! pin: String @auth(rules: [{allow: owner}]) «owner: String»
        }
        type Plain @model @auth(rules: [{allow: owner}]) {
          id: ID! pin: String @auth(rules: [{allow: owner, operations: [read]}]) «owner: String»
        }
        type Oak @model @auth(rules: [
          {allow: owner, provider: oidc, identityClaim: "sub"}, {allow: owner, ownerField: "o2"}
        ]) { id: ID! o2: String «owner: String» }
        type Two @model @auth(rules: [
          {allow: owner}, {allow: owner, ownerField: "editors", operations: [read, update]}
        ]) { id: ID! owner: String editors: [String] }
        type Old @model @auth(rules: [{allow: owner, queries: [get], mutations: [create]}]) {
          id: ID! n: Int «owner: String»
        }
        type Jar @model @auth(rules: [{allow: owner}]) {
          id: ID! pin: String @auth(rules: [{allow: groups, groups: ["S"], operations: [delete]}]) «owner: String»
        }
        type Pot @model @auth(rules: [{allow: owner}]) {
          id: ID! keeper: String «owner: String»
          note: String @auth(rules: [{allow: owner, ownerField: "keeper", operations: [update]}])
        }
        type Leaf @model @auth(rules: [{allow: private}]) { id: ID! name: String }
        type Tree @model @auth(rules: [{allow: public}, {allow: private}]) {
          id: ID! leafId: ID leaf: Leaf @connection(fields: ["leafId"])
        }
        type Pong { id: ID }
        type Query {
          roll: Pong @function(name: "todo") @auth(rules: [{allow: groups, groups: ["Staff"]}])
          mine: Pong @function(name: "todo") @auth(rules: [{allow: owner}])
        }
        """

    private static func with(seeds: String..., body: (RuleCaseStage) async throws -> Void) async throws {
        try await RuleCaseStage.with(.v1, schema, seeds: seeds, { _ in }, body)
    }

    @Test("owners have their items, by get, list, page, write and subscription")
    func owners() async throws {
        try await Self.with(
            seeds: "createDiary(input: {id: '1', owner: 'ann'})", "createDiary(input: {id: '2', owner: 'bob'})",
            "createDiary(input: {id: '3', owner: 'ann'})"
        ) { stage in
            stage.tokens["nameless"] = stage.openIDToken(["sub": "nameless"])
            try await stage.check([
                ("22", "bob", "updateDiary(input: {id: '1', text: 'x'})", "C"),
                ("22", "ann", "getDiary(id: '1') { text }", "{text:null}"),
                ("23", "bob", "deleteDiary(input: {id: '1'})", "C"),
                ("23", "bob", "deleteDiary(input: {id: '9'})", "C"),
                ("24", "ann", "deleteDiary(input: {id: '9'})", "C"),
                ("25", "bob", "getDiary(id: '1')", "U"), ("25", "bob", "getDiary(id: '9')", "null"),
                ("26", "bob", "listDiarys(filter: {id: {eq: '1'}}) { items { id } }", "[]"),
                ("30", "key", "createDiary(input: {id: '4'})", "U"),
                ("31", "ann/access", "getDiary(id: '1') { id }", "{id:1}"),
                ("32", "nameless", "createQuill(input: {id: '4'})", "U"),
                ("32", "nameless", "getQuill(id: '4')", "null"),
            ])
            let page = try JSONReader.read(
                await stage.text("bob", "{ listDiarys(limit: 2) { items { id } nextToken } }"))
            let first = page["data"]?["listDiarys"]
            #expect(first?["items"]?.description == #"[{"id":"2"}]"#, "case 27")
            let token = try #require(first?["nextToken"]?.stringValue)
            try await stage.check([
                ("27", "bob", "listDiarys(limit: 2, nextToken: '\(token)') { items { id } }", "[]"),
                ("21", "ann", "createDiary(input: {id: '5', text: 't'}) { owner }", "{owner:ann}"),
                ("21", "ann", "listDiarys(filter: {id: {eq: '5'}}) { items { owner } }", "[{owner:ann}]"),
            ])
            try await stage.check(starts: [
                ("28", "bob", "onCreateDiary(owner: 'ann')", "U"),
                ("28", "bob", "onCreateDiary(owner: 'bob')", "accepted"),
                ("29", "ann", "onCreateDiary", "Missing field argument owner"),
            ])
        }
    }

    @Test("owners, static groups and groups of a field are alternatives, of which subscriptions know the first two")
    func alternatives() async throws {
        try await Self.with(seeds: "createLedger(input: {id: '1', owner: 'ann', desks: ['north']})") { stage in
            try await stage.check([
                ("33", "cy+Audit", "createLedger(input: {id: '2', sum: 1}) { owner }", "{owner:cy}"),
                ("34", "dee+north", "createLedger(input: {id: '3', desks: ['north']}) { owner }", "{owner:dee}"),
                ("35", "dee+north", "updateLedger(input: {id: '1', sum: 2}) { sum }", "{sum:2}"),
                ("36", "dee+north", "deleteLedger(input: {id: '1'})", "C"),
                ("37", "bob", "updateLedger(input: {id: '1', sum: 3})", "C"),
                ("38", "cy+Audit", "listLedgers { items { id } }", "[{id:1},{id:2},{id:3}]"),
                ("39", "eve+south", "listLedgers { items { id } }", "[]"),
            ])
            try await stage.check(starts: [
                ("40", "ann", "onUpdateLedger(owner: 'ann')", "accepted"),
                ("40", "ann", "onUpdateLedger(desks: 'north')", "Unknown field argument desks"),
                ("41", "dee+north", "onUpdateLedger", "U"), ("42", "cy+Audit", "onUpdateLedger", "accepted"),
            ])
            let all = try await stage.listen("cy+Audit", "onUpdateLedger { id }")
            try await stage.check([
                ("43", "ann", "updateLedger(input: {id: '1', desks: null}) { id }", "{id:1}"),
                ("43", "dee+north", "getLedger(id: '1')", "U"),
                ("43", "dee+north", "updateLedger(input: {id: '1', sum: 4})", "C"),
                ("42", "dee", "updateLedger(input: {id: '3', sum: 5}) { id }", "{id:3}"),
            ])
            try stage.check("42", all, receives: "{id:1} {id:3}")
        }
    }

    @Test("lists of owners, operations without a rule, private rules, groups of a field and of a claim")
    func otherModels() async throws {
        try await Self.with(
            seeds: "createLamp(input: {id: '1', owner: 'ann'})", "createCup(input: {id: '1', owner: 'ann'})",
            "createVane(input: {id: '1', crew: 'red'})", "createFan(input: {id: '1'})",
            "createKite(input: {id: '1', owner: 'ann'})"
        ) { stage in
            try await stage.check([
                ("44", "ann", "createSong(input: {id: '1'}) { band }", "{band:[ann]}"),
                ("45", "ann", "createSong(input: {id: '2', band: ['bob']})", "U"),
                ("45", "ann", "createSong(input: {id: '2', band: []})", "U"),
                ("45", "ann", "createSong(input: {id: '2', band: null})", "U"),
                ("46", "bob", "getSong(id: '1') { id }", "{id:1}"),
                ("47", "ann", "updateSong(input: {id: '1', band: ['ann', 'bob']})", "ok"),
                ("47", "bob", "updateSong(input: {id: '1', band: ['bob']}) { band }", "{band:[bob]}"),
                ("49", "bob", "updateLamp(input: {id: '1', n: 1}) { n }", "{n:1}"),
                ("50", "key", "listCups { items { id } }", "U"),
                ("50", "bob", "listCups { items { id } }", "[{id:1}]"),
                ("50", "bob", "deleteCup(input: {id: '1'})", "C"),
                ("51", "ann+red", "createVane(input: {id: '2'})", "U"),
                ("51", "ann+red", "createVane(input: {id: '2', crew: 'red'})", "ok"),
                ("51", "ann+red", "createVane(input: {id: '3', crew: 'blue'})", "U"),
                ("52", "ann", "updateVane(input: {id: '1', n: 1})", "U"),
                ("52", "ann", "updateVane(input: {id: '9', n: 1})", "U"),
                ("55", "key", "listKites { items { id } }", "[{id:1}]"),
                ("55", "key", "createKite(input: {id: '2'})", "U"),
                ("56", "bob", "getKite(id: '1')", "U"), ("56", "ann", "getKite(id: '1')", "ok"),
            ])
            try await stage.check(starts: [
                ("48", "ann", "onCreateSong", "accepted"), ("48", "bob", "onCreateSong", "accepted"),
                ("48", "bob", "onCreateSong(band: 'bob')", "Unknown field argument band"),
                ("53", "ann", "onCreateVane", "accepted"),
            ])
            let claims: [(JSONValue, String)] = [
                (["A"], "[{id:1}]"), ("A", "[{id:1}]"), (#"["A","B"]"#, "[{id:1}]"), ("AB", "[]"),
            ]
            for (claim, expected) in claims {
                stage.tokens["org"] = stage.openIDToken(["org": claim])
                try await stage.check([("54", "org", "listFans { items { id } }", expected)])
            }
        }
    }

    @Test("items of connections, fields with rules, and results that leave them out")
    func connectionsAndFields() async throws {
        try await Self.with(
            seeds: "createReed(input: {id: '1', bladeId: 'a'})",
            "createBlade(input: {id: 'a', reedId: '1', owner: 'ann'})",
            "createBlade(input: {id: 'b', reedId: '1', owner: 'bob'})"
        ) { stage in
            let events = try await stage.listen("bob", "onCreateTin { id pin }")
            try await stage.check([
                ("57", "bob", "getReed(id: '1') { leaves { items { id } } }", "{leaves:{items:[{id:b}]}}"),
                ("58", "bob", "getReed(id: '1') { id blade { id } }", "{id:1,blade:null} | blade U"),
                ("59", "ann", "createTin(input: {id: '1', pin: '1'}) { id pin }", "{id:1,pin:null}"),
                ("59", "ann", "getTin(id: '1') { pin }", "{pin:1}"),
                ("59a", "bob", "createTin(input: {id: '2', name: 'n'}) { id owner }", "{id:2,owner:null}"),
                ("59a", "bob", "getTin(id: '2') { pin }", "{pin:null} | pin U"),
                ("60", "bob", "updateTin(input: {id: '1', pin: '2'})", "C"),
                ("60", "bob", "updateTin(input: {id: '1', name: 'x'})", "ok"),
                ("61", "bob", "getTin(id: '1') { name pin }", "{name:x,pin:null} | pin U"),
                ("62", "ann", "createPlain(input: {id: '1', pin: '1'}) { pin }", "{pin:1}"),
                ("64", "ann", "createLoud(input: {id: '1', pin: '1'}) { pin }", "{pin:1}"),
            ])
            try stage.check("63", events, receives: "{id:1,pin:null} {id:2,pin:null}")
        }
    }

    @Test(
        "root fields, two providers, two owners, deprecated arguments, and rules of the model and of a field together")
    func combinations() async throws {
        try await Self.with(
            seeds: "createTwo(input: {id: '1', owner: 'ann', editors: ['bob']})",
            "createTwo(input: {id: '2', owner: 'ann', editors: ['bob']})", "createOld(input: {id: '1', owner: 'ann'})",
            "createPot(input: {id: '1', owner: 'ann', keeper: 'bob'})", "createLeaf(input: {id: 'l', name: 'n'})",
            "createTree(input: {id: '1', leafId: 'l'})"
        ) { stage in
            try await stage.check([
                ("65", "ann", "roll { id }", "U"), ("65", "ann+Staff", "roll { id }", "{id:1}"),
                ("66", "bob", "mine { id }", "{id:1}"),
                ("66a", "ann", "createOak(input: {id: '1'}) { owner o2 }", "{owner:s-ann,o2:ann}"),
                ("66a", "oidc", "createOak(input: {id: '2'}) { owner o2 }", "{owner:o1,o2:null}"),
                ("66b", "bob", "updateTwo(input: {id: '1', owner: 'bob'}) { owner }", "{owner:bob}"),
                ("66b", "bob", "deleteTwo(input: {id: '2'})", "C"),
                ("66c", "bob", "getOld(id: '1')", "U"), ("66c", "bob", "listOlds { items { id } }", "[{id:1}]"),
                ("66c", "bob", "updateOld(input: {id: '1', n: 1})", "ok"),
                ("66d", "ann", "createJar(input: {id: '1', pin: '1'})", "ok"),
                ("66d", "ann", "updateJar(input: {id: '1', pin: null})", "U"),
                ("66d", "ann", "updateJar(input: {id: '1', pin: '2'})", "ok"),
                ("66d", "ann", "deleteJar(input: {id: '1'})", "ok"),
                ("66e", "ann", "updatePot(input: {id: '1', note: 'a'})", "C"),
                ("66e", "bob", "updatePot(input: {id: '1', note: 'a'})", "C"),
                ("66e", "ann", "updatePot(input: {id: '1', keeper: 'ann'})", "ok"),
                ("66e", "ann", "updatePot(input: {id: '1', note: 'b'})", "ok"),
                ("169", "key", "getTree(id: '1') { id leaf { name } }", "{id:1,leaf:{name:null}} | leaf/name U"),
            ])
            try await stage.check(starts: [
                ("66b", "bob", "onCreateTwo(editors: 'bob')", "accepted"),
                ("66b", "bob", "onCreateTwo(owner: 'ann')", "U"), ("66c", "bob", "onCreateOld", "accepted"),
            ])
        }
    }

    /// Case 67 is about the total of a search, which waits for `@searchable`.
    @Test("a searchable model is not served, so no search forgets its rules")
    func search() async throws {
        let schema = "type Diary @model @searchable @auth(rules: [{allow: owner}]) { id: ID! text: String }"
        let error = await #expect(throws: ServerError.self, "case 67") {
            try await ModesStage.with(schema: schema, modes: [.userPools, .apiKey, .oidc]) { _ in }
        }
        #expect(error?.diagnostics.map(\.message) == ["@searchable is not served by this version."])
    }
}
