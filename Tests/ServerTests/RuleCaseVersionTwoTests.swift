import JSON
import Testing
import Transformer

@testable import Server

/// The acceptance cases about rules of version 2, by their numbers (reference: authorization, "Acceptance cases"); cases 139, 140 and
/// 149 to 158 are those of `RuleAcceptanceTests`.
@Suite("Acceptance: owners, groups, keys and fields of version 2 over HTTP and the realtime channel")
struct RuleCaseVersionTwoTests {
    private static func recipe(_ name: String, _ owner: String) -> String {
        """
        type \(name) @model @auth(rules: [
          {allow: owner}, {allow: groups, groups: ["Chefs"]}, {allow: public, operations: [read]}
        ]) { id: ID! name: String! cost: Float tip: String \(owner) }

        """
    }

    private static func board(_ name: String, _ operations: String, _ fields: String) -> String {
        """
        type \(name) @model @auth(rules: [
          {allow: owner}, {allow: owner, ownerField: "viewers"\(operations)}, {allow: groups, groups: ["Staff"]}
        ]) { id: ID! title: String viewers: [String] \(fields) }

        """
    }

    /// What `listField` shows of items that an owner stored, which filters find by what is stored.
    private static func stored(_ list: String, _ owner: String) -> String {
        "\(list)(filter: {owner: {eq: '\(owner)'}}) { items { id } }"
    }

    // MARK: - Owners, a static group and the public

    @Test("owners are stored by both claims, found by each of them, and written by themselves and a group")
    func owners() async throws {
        try await RuleCaseStage.with(
            .v2, Self.recipe("Recipe", "«owner: String»") + Self.recipe("Dish", "owner: String"),
            seeds: [
                "createRecipe(input: {id: '1', name: 'n', owner: 's-ann::ann'})",
                "createRecipe(input: {id: '2', name: 'n', owner: 'ann'})",
                "createRecipe(input: {id: '3', name: 'n', owner: 's-ann'})",
            ]
        ) { stage in
            let all = "[{id:1},{id:2},{id:3}]"
            try await stage.check([
                ("73", "key", "createRecipe(input: {name: 'n'})", "U"),
                ("73", "key", "updateRecipe(input: {id: '1'})", "U"),
                ("73", "key", "deleteRecipe(input: {id: '1'})", "U"),
                ("74", "key", "getRecipe(id: '1') { id }", "{id:1}"),
                ("74", "key", "listRecipes { items { id } }", all),
                ("75", "bob", "getRecipe(id: '1')", "U"), ("75", "bob", "getRecipe(id: '9')", "null"),
                ("76", "bob", "listRecipes { items { id } }", "[]"), ("77", "ann", "listRecipes { items { id } }", all),
                ("78", "ann", "listRecipes(filter: {owner: {eq: 'ann'}}) { items { id } }", "[{id:2}]"),
                ("79", "bob", "updateRecipe(input: {id: '1', name: 'x'})", "U"),
                ("79", "bob", "updateRecipe(input: {id: '9', name: 'x'})", "U"),
                ("80", "ann", "updateRecipe(input: {id: '9', name: 'x'})", "U"),
                ("81", "cho+Chefs", "updateRecipe(input: {id: '9', name: 'x'})", "C"),
                ("81", "cho+Chefs", "deleteRecipe(input: {id: '9'})", "C"),
                ("82", "ann", "updateRecipe(input: {id: '1', cost: null})", "ok"),
                ("83", "ann", "updateRecipe(input: {id: '1', tip: 't'}, condition: {name: {eq: 'z'}})", "C"),
                ("89", "unauth", "listRecipes { items { id } }", "Permission denied"),
                ("68", "ann", "createRecipe(input: {id: '4', name: 'n'}) { owner }", "{owner:ann}"),
                ("68", "key", Self.stored("listRecipes", "s-ann::ann"), "[{id:1},{id:4}]"),
                ("71", "cho+Chefs", "createRecipe(input: {id: '5', name: 'n'}) { owner }", "{owner:cho}"),
                ("71", "key", Self.stored("listRecipes", "s-cho::cho"), "[{id:5}]"),
                ("70", "ann", "createDish(input: {name: 'n', owner: null})", "U"),
                ("70", "bob", "createDish(input: {name: 'n', owner: 'ann'})", "U"),
                ("72", "cho+Chefs", "createDish(input: {name: 'n', owner: 'ann'}) { owner }", "{owner:ann}"),
                ("72", "cho+Chefs", "createDish(input: {name: 'n', owner: null}) { owner }", "{owner:null}"),
            ])
            for (id, owner) in [("a", "ann"), ("b", "s-ann"), ("c", "s-ann::ann")] {
                try await stage.check([
                    ("69", "ann", "createDish(input: {id: '\(id)', name: 'z', owner: '\(owner)'})", "ok"),
                    (
                        "69", "key",
                        "listDishes(filter: {owner: {eq: '\(owner)'}, name: {eq: 'z'}}) { items { id } }",
                        "[{id:\(id)}]"
                    ),
                ])
            }
        }
        try await RuleCaseStage.with(.v2, Self.recipe("Recipe", "") + Self.board("Board", "", "owner: String")) {
            $0.transform.populateOwnerFieldForStaticGroupAuth = false
        } _: { stage in
            try await stage.check([
                ("71", "cho+Chefs", "createRecipe(input: {id: '1', name: 'n'}) { owner }", "{owner:null}"),
                ("113", "st+Staff", "createBoard(input: {title: 't'}) { owner viewers }", "{owner:null,viewers:null}"),
            ])
        }
    }

    @Test("subscribers receive the events of the owner that they are, or that their argument names")
    func subscribers() async throws {
        try await RuleCaseStage.with(.v2, Self.recipe("Recipe", "")) { stage in
            try await stage.check(starts: [
                ("85", "bob", "onCreateRecipe(owner: 'ann')", "U"),
                ("89", "unauth", "onCreateRecipe", "Permission denied"),
            ])
            let listeners = [
                ("84", try await stage.listen("bob", "onCreateRecipe { id }"), "{id:2}"),
                ("85", try await stage.listen("bob", "onCreateRecipe(owner: 'bob') { id }"), "{id:2}"),
                ("85", try await stage.listen("bob", "onCreateRecipe(owner: 's-bob') { id }"), ""),
                ("86", try await stage.listen("cho+Chefs", "onCreateRecipe { id }"), "{id:1} {id:2} {id:3}"),
                ("86", try await stage.listen("cho+Chefs", "onCreateRecipe(owner: 'ann') { id }"), "{id:1}"),
                ("87", try await stage.listen("key", "onCreateRecipe(owner: 'ann') { id }"), "{id:1}"),
                ("88", try await stage.listen("ann", "onCreateRecipe { id }"), "{id:1}"),
            ]
            try await stage.check([
                ("68", "ann", "createRecipe(input: {id: '1', name: 'n'}) { id owner }", "{id:1,owner:ann}"),
                ("68", "bob", "createRecipe(input: {id: '2', name: 'n'}) { id owner }", "{id:2,owner:bob}"),
                ("88", "ann", "createRecipe(input: {id: '3', name: 'n'}) { id }", "{id:3}"),
            ])
            for (number, listener, expected) in listeners { try stage.check(number, listener, receives: expected) }
        }
    }

    // MARK: - Fields, groups of a field, lists of owners

    @Test("rules of a field, groups that an item names, and owners of a list")
    func fieldsAndLists() async throws {
        let schema =
            """
            type Patient @model @auth(rules: [
              {allow: owner, ownerField: "doctor", identityClaim: "username"},
              {allow: groups, groups: ["Nurse"], operations: [read, update]}, {allow: private, operations: [get]}
            ]) {
              id: ID name: String doctor: String ward: String
              diagnosis: String @auth(rules: [{allow: owner, ownerField: "doctor", identityClaim: "username"}])
            }
            type Folder @model @auth(rules: [
              {allow: groups, groupsField: "teams"}, {allow: groups, groupsField: "lead", operations: [read, update]}
            ]) { id: ID! teams: [String] lead: String note: String }

            """ + Self.board("Board", ", operations: [read]", "«owner: String»")
            + Self.board("Shelf", "", "owner: String")
        let patient = "doctor: 'dan', name: 'n', ward: 'w', diagnosis: 'd'"
        let folder = "teams: ['red'], lead: 'blue', note: 'n'"
        try await RuleCaseStage.with(
            .v2, schema,
            seeds: [
                "createPatient(input: {id: '1', \(patient)})", "createPatient(input: {id: '2', \(patient)})",
                "createPatient(input: {id: '5', doctor: 'ann'})", "createFolder(input: {id: '1', \(folder)})",
                "createFolder(input: {id: '2', \(folder)})",
                "createBoard(input: {id: '1', owner: 's-ann::ann', viewers: ['s-bob::bob', 'cy']})",
                "createBoard(input: {id: '3', owner: 'bob', viewers: ['ann']})",
            ]
        ) { stage in
            try await Self.checkFields(stage)
            try await Self.checkGroups(stage)
            try await Self.checkLists(stage)
        }
    }

    private static func checkFields(_ stage: RuleCaseStage) async throws {
        let events = try await stage.listen("ann", "onUpdatePatient { id }")
        try await stage.check([
            (
                "90", "dan", "createPatient(input: {id: '3', name: 'n', diagnosis: 'd'}) { doctor diagnosis }",
                "{doctor:dan,diagnosis:null}"
            ),
            ("91", "dan", "createPatient(input: {doctor: 'zed'})", "U"),
            ("92", "nia+Nurse", "updatePatient(input: {id: '1', ward: 'x'}) { ward }", "{ward:x}"),
            ("93", "nia+Nurse", "updatePatient(input: {id: '1', ward: null})", "F[ward]"),
            ("94", "nia+Nurse", "updatePatient(input: {id: '1', diagnosis: 'x', ward: 'q'})", "F[diagnosis]"),
            ("95", "nia+Nurse", "deletePatient(input: {id: '1'})", "U"),
            ("96", "nia+Nurse", "getPatient(id: '1') { name diagnosis }", "{name:n,diagnosis:null} | diagnosis U"),
            ("97", "bob", "getPatient(id: '1') { name }", "{name:n}"),
            ("97", "bob", "listPatients { items { id } }", "[]"),
            (
                "98", "nia+Nurse", "listPatients(limit: 2) { items { diagnosis } }",
                "[{diagnosis:null},{diagnosis:null}] | items/0/diagnosis U | items/1/diagnosis U"
            ),
            (
                "99", "nia+Nurse", "updatePatient(input: {id: '1', ward: 'y'}) { ward diagnosis }",
                "{ward:y,diagnosis:null} | diagnosis U"
            ),
            ("100", "nia+Nurse", "updatePatient(input: {id: '5', ward: 'y'}) { id doctor }", "{id:5,doctor:ann}"),
        ])
        try stage.check("100", events, receives: "{id:5}")
    }

    private static func checkGroups(_ stage: RuleCaseStage) async throws {
        try await stage.check([
            ("101", "r+red", "createFolder(input: {id: '3', teams: ['red']})", "ok"),
            ("101", "r+red", "createFolder(input: {teams: ['green']})", "U"),
            ("101", "r+red", "createFolder(input: {note: 'n'})", "U"),
            ("101", "r+red", "createFolder(input: {lead: 'red'})", "U"),
            ("102", "r+red", "updateFolder(input: {id: '1', teams: ['zz']})", "ok"),
            ("102", "r+red", "updateFolder(input: {id: '1', note: 'x'})", "U"),
            ("103", "b+blue", "updateFolder(input: {id: '1', note: 'z'})", "ok"),
            ("103", "b+blue", "updateFolder(input: {id: '1', note: null})", "F[note]"),
            ("103", "b+blue", "deleteFolder(input: {id: '1'})", "U"),
            ("104", "no", "getFolder(id: '1')", "U"), ("104", "no", "getFolder(id: '9')", "U"),
            ("104", "no", "listFolders { items { id } }", "U"), ("105", "r+red", "getFolder(id: '9')", "null"),
            ("106", "x+green", "listFolders { items { id } }", "[]"),
        ])
        try await stage.check(starts: [
            ("104", "no", "onCreateFolder", "U"), ("108", "m+a+b+c+d+e+f+g", "onCreateFolder", "accepted"),
        ])
        let filtered = try await stage.listen("r+red", "onCreateFolder(filter: {note: {eq: 'x'}}) { id }")
        let plain = try await stage.listen("r+red", "onCreateFolder { id }")
        let create = "createFolder(input: {teams: ['red']"
        try await stage.check([
            ("107", "r+red", "\(create), id: 'a', note: 'x'}) { id teams note }", "{id:a,teams:[red],note:x}"),
            ("107", "r+red", "\(create), id: 'b', note: 'y'}) { id teams note }", "{id:b,teams:[red],note:y}"),
            ("109", "r+red", "\(create), id: 'c', note: 'x'}) { id note }", "{id:c,note:x}"),
        ])
        try stage.check("107", filtered, receives: "{id:a}")
        try stage.check("109", plain, receives: "{id:a} {id:b}")
    }

    private static func checkLists(_ stage: RuleCaseStage) async throws {
        let events = try await stage.listen("ann", "onUpdateBoard(owner: 'ann') { id }")
        try await stage.check([
            ("110", "ann", "createBoard(input: {id: '2', title: 't'}) { owner viewers }", "{owner:ann,viewers:null}"),
            ("111", "ann", "createShelf(input: {id: '1', title: 't'}) { owner viewers }", "{owner:ann,viewers:[ann]}"),
            ("112", "ann", "createShelf(input: {owner: 'x', viewers: []})", "U"),
            ("113", "st+Staff", "createShelf(input: {title: 't'}) { owner viewers }", "{owner:st,viewers:[st]}"),
            ("114", "bob", "getBoard(id: '1') { id }", "{id:1}"), ("114", "cy", "getBoard(id: '1') { id }", "{id:1}"),
            ("114", "cy", "listBoards { items { id } }", "[{id:1}]"),
            ("115", "bob", "updateBoard(input: {id: '1', title: 'x'})", "U"),
            ("116", "ann", "getBoard(id: '1') { viewers }", "{viewers:[bob,cy]}"),
            (
                "117", "st+Staff", "updateBoard(input: {id: '1', title: 'y'}) { id owner viewers }",
                "{id:1,owner:ann,viewers:[bob,cy]}"
            ),
            (
                "117", "st+Staff", "updateBoard(input: {id: '3', title: 'y'}) { id owner viewers }",
                "{id:3,owner:bob,viewers:[ann]}"
            ),
        ])
        try stage.check("117", events, receives: "{id:1} {id:3}")
        try await stage.check(starts: [
            ("118", "ann", "onUpdateBoard(owner: 'ann', filter: {title: {eq: 'x'}})", "accepted"),
            ("118", "ann", "onUpdateBoard(viewers: 'ann')", "Unknown field argument viewers"),
        ])
    }

    // MARK: - Keys

    @Test("an owner that is part of a key is found by it, before the limit")
    func keys() async throws {
        let schema = """
            type Parcel @model @auth(rules: [
              {allow: owner, ownerField: "sender", identityClaim: "username"}, {allow: groups, groups: ["Depot"]}
            ]) {
              sender: String! @primaryKey(sortKeyFields: ["no"])
              no: String! @index(name: "byNo", queryField: "parcelsByNo")
              kind: String! @index(name: "byKind", sortKeyFields: ["sender"], queryField: "parcelsByKind")
              size: Int
            }
            type Log @model @auth(rules: [{allow: owner}]) {
              k: String! @primaryKey(sortKeyFields: ["owner"]) owner: String!
            }
            """
        let parcels = [("aaa", "1"), ("ann", "1"), ("ann", "2"), ("bob", "1")].map { sender, no in
            "createParcel(input: {sender: '\(sender)', no: '\(no)', kind: 'k'})"
        }
        let logs = ["ann", "s-ann::ann"].map { "createLog(input: {k: 'x', owner: '\($0)'})" }
        try await RuleCaseStage.with(.v2, schema, seeds: parcels + logs) { stage in
            let items = "{ items { sender no } }"
            let anns = "[{sender:ann,no:1},{sender:ann,no:2}]"
            let byKind = "parcelsByKind(kind: 'k'"
            try await stage.check([
                ("119", "bob", "createParcel(input: {sender: 'ann', no: '7', kind: 'k'})", "U"),
                ("120", "ann", "getParcel(sender: 'ann', no: '9')", "null"),
                ("121", "bob", "getParcel(sender: 'ann', no: '1')", "U"),
                ("121", "bob", "getParcel(sender: 'ann', no: '9')", "U"),
                ("122", "ann", "listParcels(sender: 'ann') \(items)", anns),
                ("123", "bob", "listParcels(sender: 'ann') \(items)", "U"),
                ("124", "bob", "listParcels \(items)", "[{sender:bob,no:1}]"),
                ("124", "bob", "listParcels(limit: 2) \(items)", "[]"),
                ("125", "ann", "parcelsByNo(no: '1') \(items)", "[{sender:ann,no:1}]"),
                ("125", "bob", "parcelsByNo(no: '1', limit: 1) \(items)", "[]"),
                ("126", "ann", "\(byKind), limit: 2) \(items)", anns),
                ("127", "ann", "\(byKind), sender: {eq: 'ann'}) \(items)", anns),
                ("127", "ann", "\(byKind), sender: {beginsWith: 'a'}) \(items)", "U"),
                ("127a", "ann", "listLogs(k: 'x') { items { owner } }", "[{owner:ann}]"),
                ("127a", "ann", "listLogs(k: 'x', owner: {eq: 'ann'}) { items { owner } }", "[{owner:ann}]"),
                ("127a", "ann", "listLogs { items { owner } }", "[{owner:ann},{owner:ann}]"),
                (
                    "128", "d+Depot", "\(byKind), sender: {beginsWith: 'a'}) \(items)",
                    "[{sender:aaa,no:1},{sender:ann,no:1},{sender:ann,no:2}]"
                ),
            ])
        }
    }

    // MARK: - Operations and fields

    private static let others = """
        type Vote @model @auth(rules: [
          {allow: owner, operations: [create, read]}, {allow: groups, groups: ["Clerk"], operations: [update]},
          {allow: private, operations: [list]}
        ]) { id: ID! choice: String «owner: String» }
        type Plot @model @auth(rules: [
          {allow: owner, operations: [create, update, read]}, {allow: groups, groups: ["Del"], operations: [delete]}
        ]) { id: ID! t: String u: String owner: String }
        type Safe @model @auth(rules: [{allow: private}]) {
          id: ID! pin: String @auth(rules: [{allow: private, operations: [create, update]}])
        }
        type SafeTwo @model @auth(rules: [{allow: owner}, {allow: private, operations: [read]}]) {
          id: ID! pin: String @auth(rules: [{allow: owner}]) «owner: String»
        }
        type Menu @model @auth(rules: [
          {allow: groups, groups: ["A"], operations: [list]}, {allow: groups, groups: ["B"], operations: [read]},
          {allow: groups, groups: ["Z"]}
        ]) { id: ID a: String b: String @auth(rules: [{allow: groups, groups: ["C"]}]) }
        type CrateV @model @auth(rules: [
          {allow: owner}, {allow: groups, groups: ["W"], operations: [create, read]}
        ]) { t: String v: String @auth(rules: [{allow: owner}]) }
        type CrateO @model @auth(rules: [
          {allow: owner}, {allow: groups, groups: ["W"], operations: [create, read]}
        ]) { t: String owner: String @auth(rules: [{allow: owner}]) }
        type CrateK @model @auth(rules: [
          {allow: owner}, {allow: groups, groups: ["W"], operations: [create, read]}
        ]) { id: ID t: String owner: String @auth(rules: [{allow: owner, operations: [read, delete]}]) }
        type Deal @model @auth(rules: [{allow: custom}, {allow: owner, provider: oidc, identityClaim: "sub"}]) {
          id: ID v: String w: String @auth(rules: [{allow: custom, operations: [read]}]) «owner: String»
        }
        type Sensor @model @auth(rules: [
          {allow: private, provider: iam}, {allow: public, provider: iam, operations: [read]}
        ]) { id: ID! }
        type Kiosk @model @auth(rules: [{allow: public, provider: iam, operations: [read]}]) { id: ID! }
        """

    @Test("roles limited to operations, fields or modes")
    func operationsAndFields() async throws {
        try await RuleCaseStage.with(
            .v2, Self.others,
            seeds: [
                "createVote(input: {id: '1', owner: 's-ann::ann'})",
                "createPlot(input: {id: '1', owner: 's-ann::ann'})",
                "createSafeTwo(input: {id: '1', pin: 'p', owner: 'ann'})",
                "createMenu(input: {id: '1', a: 'a', b: 'b'})",
                "createDeal(input: {id: '1', v: 'v', w: 'w', owner: 'o1'})",
            ]
        ) { stage in
            try await stage.check([
                ("129", "ann", "updateVote(input: {id: '1', choice: 'x'})", "U"),
                ("129", "ann", "deleteVote(input: {id: '1'})", "U"),
                ("130", "c+Clerk", "updateVote(input: {id: '1', choice: 'y'})", "ok"),
                ("130", "c+Clerk", "updateVote(input: {id: '1', choice: null})", "F[choice]"),
                ("130", "c+Clerk", "getVote(id: '1')", "U"), ("131", "bob", "getVote(id: '1')", "U"),
                ("131", "bob", "listVotes { items { id } }", "[{id:1}]"),
                ("132", "ann", "updatePlot(input: {id: '1', t: null, u: 'x'})", "F[t]"),
                ("132", "ann", "updatePlot(input: {id: '1', owner: null})", "F[owner]"),
                ("133", "d+Del", "updatePlot(input: {id: '1'}) { __typename }", "ok"),
                ("133", "d+Del", "updatePlot(input: {id: '1', t: null, u: 'x'})", "F[t, u]"),
                ("133", "d+Del", "deletePlot(input: {id: '1'})", "ok"),
                ("133", "d+Del", "deletePlot(input: {id: '1'})", "C"),
                ("134", "ann", "createSafe(input: {id: '1', pin: '1'})", "ok"),
                ("134", "ann", "updateSafe(input: {id: '1', pin: '2'})", "ok"),
                ("134", "ann", "updateSafe(input: {id: '1', pin: null})", "F[pin]"),
                ("134", "ann", "deleteSafe(input: {id: '1'})", "U"),
                ("134", "ann", "getSafe(id: '1') { pin }", "{pin:null} | pin U"),
                ("135", "bob", "listSafeTwos { items { pin } }", "[{pin:null}] | items/0/pin U"),
                ("135", "ann", "updateSafeTwo(input: {id: '1', pin: 'q'}) { pin }", "{pin:null}"),
                (
                    "136", "x+A", "listMenus { items { id a b } }",
                    "[{id:null,a:null,b:null}] | items/0/id U | items/0/a U | items/0/b U"
                ),
                ("136", "x+A", "getMenu(id: '1')", "U"), ("137", "x+C", "createMenu(input: {a: 'x'})", "F[a]"),
                ("137", "x+C", "createMenu(input: {b: 'x'})", "ok"), ("137", "x+C", "createMenu(input: {})", "ok"),
                ("137", "x+C", "updateMenu(input: {id: '1', b: 'y'})", "ok"),
                ("137", "x+C", "deleteMenu(input: {id: '1'})", "U"),
                ("138", "x+Z", "createMenu(input: {b: 'x'})", "F[b]"),
                ("138", "x+Z", "updateMenu(input: {id: '1', a: 'x'})", "ok"),
                ("138", "x+Z", "deleteMenu(input: {id: '1'})", "U"),
            ])
            try await stage.check(starts: [("136", "x+A", "onCreateMenu", "U")])
            try await Self.checkCratesAndModes(stage)
        }
    }

    private static func checkCratesAndModes(_ stage: RuleCaseStage) async throws {
        try await stage.check([
            ("141", "w+W", "createCrateV(input: {t: 't', id: '9'}) { id }", "{id:9}"),
            // In the order of the input type, as graphql-java coerces it: an undeclared id is the last of its fields.
            ("142", "w+W", "createCrateO(input: {t: 't', id: '9', owner: 'zz'})", "F[owner, id]"),
            ("142", "w+W", "createCrateO(input: {t: 't', owner: 'zz'})", "F[owner]"),
            ("142", "w+W", "createCrateO(input: {t: 't', owner: 'w'})", "ok"),
            ("142a", "ann", "createCrateK(input: {id: '1', t: 't'}) { owner }", "{owner:null}"),
            ("142a", "ann", "getCrateK(id: '1') { owner }", "{owner:ann}"),
            ("142a", "ann", "createCrateK(input: {t: 't', owner: 'ann'})", "F[owner]"),
            ("142a", "ann", "updateCrateK(input: {id: '1', owner: 'bob'})", "F[owner]"),
            ("142a", "ann", "deleteCrateK(input: {id: '1'})", "ok"),
            ("143", "fn", "createDeal(input: {v: 'v'})", "ok"), ("143", "fn", "createDeal(input: {w: 'w'})", "F[w]"),
            ("143", "fn", "updateDeal(input: {id: '1', v: null})", "ok"),
            ("143", "fn", "deleteDeal(input: {id: '1'})", "U"), ("143", "fn", "getDeal(id: '1') { w }", "{w:w}"),
            ("144", "oidc", "createDeal(input: {v: 'v'}) { owner }", "{owner:o1}"),
            ("144", "oidc", "getDeal(id: '1') { w }", "{w:null} | w U"), ("145", "ann", "getDeal(id: '1')", "U"),
            ("145", "ann", "createDeal(input: {v: 'v'})", "U"), ("145", "ann", "listDeals { items { id } }", "U"),
            ("146", "pool", "createSensor(input: {id: '1'})", "ok"),
            ("146", "unauth", "createSensor(input: {id: '2'})", "U"),
            ("147", "unauth", "getSensor(id: '1')", "ok"),
            ("147", "unauth", "listSensors { items { id } }", "[{id:1}]"),
            ("147", "srv", "getSensor(id: '1')", "U"), ("147", "adm", "deleteSensor(input: {id: '1'})", "ok"),
            ("148", "pool", "listKiosks { items { id } }", "U"),
        ])
        stage.tokens["limited"] = "limitedDeals"
        try await stage.check([
            ("172", "limited", "createDeal(input: {id: 'z'})", "U"), ("172", "fn", "getDeal(id: 'z')", "null"),
            ("172", "limited", "getDeal(id: '1') { v w }", "{v:null,w:w} | v U"),
        ])
        try await stage.check(starts: [
            ("145", "ann", "onCreateDeal", "U"), ("146", "pool", "onCreateSensor", "accepted"),
            ("147", "srv", "onCreateSensor", "U"), ("143", "fn", "onCreateDeal", "accepted"),
            ("172", "limited", "onCreateDeal", "accepted"),
        ])
    }
}
