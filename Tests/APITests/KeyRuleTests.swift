import JSON
import Tables
import Testing
import Transformer

@testable import API

@Suite("Owners that are part of a key", .bothExecutors) struct KeyRuleTests {
    private static let schema = """
        type Parcel @model {
          sender: String! @primaryKey(sortKeyFields: ["no"])
          no: String! @index(name: "byNo", queryField: "parcelsByNo")
          kind: String! @index(name: "byKind", sortKeyFields: ["sender"], queryField: "parcelsByKind")
        }
        type Log @model { k: String! @primaryKey(sortKeyFields: ["owner"]) owner: String! }
        """

    private func service() throws -> Service {
        let open = try Service(Self.schema)
        for (sender, no) in [("aaa", "1"), ("ann", "1"), ("bob", "1"), ("ann", "2")] {
            try open.seed(
                #"mutation { createParcel(input: {sender: "\#(sender)", no: "\#(no)", kind: "k"}) { no } }"#)
        }
        for owner in ["s-ann::ann", "ann"] {
            try open.seed(#"mutation { createLog(input: {k: "x", owner: "\#(owner)"}) { k } }"#)
        }
        return try open.reloaded(
            Self.schema,
            enforcing: [
                .owner("Parcel", of: "sender"), .group("Depot", "Parcel"), .owner("Log", claim: "sub::username"),
            ])
    }

    /// The parcels of a page as `sender no`, or the errors.
    private func parcels(_ service: Service, _ field: String, as identity: Identity) throws -> String {
        let text = try service.brief("{ page: \(field) { items { sender no } } }", as: identity)
        return text.replacing(#"{"page":{"items":["#, with: "").replacing("]}}", with: "")
            .replacing(#"{"sender":""#, with: "").replacing(#"","no":""#, with: " ").replacing(#""}"#, with: "")
    }

    private func refused(_ field: String) -> String {
        #"{"page":null} | page Unauthorized: Not Authorized to access \#(field) on type Query"#
    }

    @Test("by its owner's key an item is refused without being looked at")
    func get() throws {
        let service = try service()
        func get(_ sender: String, _ no: String) -> String {
            #"{ getParcel(sender: "\#(sender)", no: "\#(no)") { no } }"#
        }
        try service.expect(.ann, get("ann", "1"), #"{"getParcel":{"no":"1"}}"#)
        try service.expect(.ann, get("ann", "9"), #"{"getParcel":null}"#)
        for no in ["1", "9"] { try service.expect(.bob, get("ann", no), #"{"getParcel":null} | getParcel U"#) }
        try service.expect(.user("d", in: ["Depot"]), get("ann", "9"), #"{"getParcel":null}"#)
        try service.expect(
            .bob, #"mutation { createParcel(input: {sender: "ann", no: "7", kind: "k"}) { no } }"#,
            #"{"createParcel":null} | createParcel U"#)
    }

    @Test("a page by an argument for the owner is whole or refused")
    func partitionKey() throws {
        let service = try service()
        #expect(try parcels(service, #"listParcels(sender: "ann", limit: 2)"#, as: .ann) == "ann 1,ann 2")
        #expect(try parcels(service, #"listParcels(sender: "ann")"#, as: .bob) == refused("listParcels"))
        #expect(try parcels(service, "listParcels", as: .bob) == "bob 1")
        // Without the argument what is another's counts for the limit.
        #expect(try parcels(service, "listParcels(limit: 2)", as: .bob) == "")
        #expect(try parcels(service, #"parcelsByNo(no: "1", limit: 2)"#, as: .ann) == "ann 1")
    }

    @Test("where the owner is the sort key, their items are found before the limit")
    func sortKey() throws {
        let service = try service()
        #expect(try parcels(service, #"parcelsByKind(kind: "k", limit: 1)"#, as: .ann) == "ann 1")
        #expect(try parcels(service, #"parcelsByKind(kind: "k")"#, as: .ann) == "ann 1,ann 2")
        let all = Identity.user("d", in: ["Depot"])
        for (sort, own, others) in [
            (#"{eq: "ann"}"#, "ann 1,ann 2", "ann 1,ann 2"), (#"{eq: "bob"}"#, refused("parcelsByKind"), "bob 1"),
            (#"{beginsWith: "a"}"#, refused("parcelsByKind"), "aaa 1,ann 1,ann 2"),
        ] {
            let field = #"parcelsByKind(kind: "k", sender: \#(sort))"#
            #expect(try parcels(service, field, as: .ann) == own)
            #expect(try parcels(service, field, as: all) == others)
        }
    }

    // MARK: - Syncs

    private static let versioned = """
        type Parcel @model @auth(rules: [
          {allow: owner, ownerField: "sender", identityClaim: "username"}, {allow: groups, groups: ["Depot"]}
        ]) {
          sender: String! @primaryKey(sortKeyFields: ["no"])
          no: String!
          kind: String! @index(name: "byKind", sortKeyFields: ["sender"], queryField: "parcelsByKind")
        }
        type Person @model @auth(rules: [{allow: owner, ownerField: "id", identityClaim: "username"}]) { id: ID! }
        """

    private func versionedStage() throws -> RuledStage {
        let stage = try RuledStage(Self.versioned, .v2, transform: TransformOptions(conflictDetection: .version))
        for (sender, no) in [("ann", "1"), ("bob", "1"), ("ann", "2")] {
            try stage.seed("createParcel(input: {sender: '\(sender)', no: '\(no)', kind: 'k'})")
        }
        for name in ["ann", "bob"] { try stage.seed("createPerson(input: {id: '\(name)'})") }
        return stage
    }

    @Test("the base of a sync whose filter names a key is whole or refused, as a page by this key is")
    func baseOfSync() throws {
        let stage = try versionedStage()
        let depot = Identity.user("d", in: ["Depot"])
        func sync(_ filter: String) -> String { "syncParcels(filter: {\(filter)}) { items { sender no } }" }
        let (own, foreign) = ("[{sender:ann,no:1},{sender:ann,no:2}]", "[{sender:bob,no:1}]")
        let bySender = "and: [{sender: {eq: 'ann'}}]", byKind = "and: [{kind: {eq: 'k'}}, {sender: "
        try stage.check([
            (.ann, sync(bySender), own), (.bob, sync(bySender), "U"), (depot, sync(bySender), own),
            (.bob, sync("and: [{sender: {eq: 'ann'}}, {no: {eq: '1'}}]"), "U"),
            (.bob, sync("and: [{sender: {eq: 'ann'}}], or: [{no: {eq: '1'}}, {no: {eq: '2'}}]"), "U"),
            (.ann, sync("\(byKind){eq: 'ann'}}]"), own), (.bob, sync("\(byKind){eq: 'ann'}}]"), "U"),
            (.bob, sync("\(byKind){beginsWith: 'b'}}]"), "U"), (depot, sync("\(byKind){beginsWith: 'b'}}]"), foreign),
            // No key is named: a scan, in which the rules are a condition.
            (.bob, sync("and: [{kind: {eq: 'k'}}]"), foreign), (.bob, sync("sender: {eq: 'ann'}"), "[]"),
            (.bob, sync("and: [{no: {eq: '1'}}, {sender: {eq: 'ann'}}]"), "[]"),
            (.bob, sync("and: [{sender: {ne: 'x'}}]"), foreign), (.bob, sync("and: []"), foreign),
            (.bob, sync("or: [{sender: {eq: 'ann'}}]"), "[]"),
            // A key that no directive declares is none.
            (.bob, "syncPeople(filter: {and: [{id: {eq: 'ann'}}]}) { items { id } }", "[]"),
        ])
    }

    @Test("a delta is no query of a key: its filter and the rules are conditions")
    func delta() throws {
        let stage = try versionedStage()
        stage.ruled.caller = .bob
        let started = try stage.ruled.value("{ syncParcels { startedAt } }", at: "syncParcels")?["startedAt"]
        let lastSync = try #require(started)
        let filter = "filter: {and: [{sender: {eq: 'ann'}}]}"
        try stage.check([
            (.bob, "syncParcels(\(filter), lastSync: \(lastSync)) { items { no } }", "[]"),
            (.bob, "syncParcels(\(filter), lastSync: 0) { items { no } }", "U"),
        ])
    }

    // MARK: - Key conditions

    private static func narrowing(
        _ terms: [RowDecision.Term], sortKeys: [Int] = [1], partition: Value? = .text("p"), sort: SortCondition? = nil,
        hasSortArgument: Bool = true
    ) -> String {
        let condition = RowDecision.KeyCondition(
            key: KeySchema(partitionKey: 0, sortKeys: sortKeys), partitionKey: partition,
            hasSortArgument: hasSortArgument, sort: sort)
        return switch RowDecision(terms).narrowing(of: condition) {
        case .deny: "deny"
        case .all: "all"
        case .filter(.or(let parts)): "filter by \(parts.count)"
        case .filter: "filter by 1"
        case .sortKeys(let values):
            "sort key "
                + values.map { if case .text(let text) = $0 { text } else { "of another type" } }
                .joined(separator: " or ")
        }
    }

    @Test("roles about a key pass or are void by its arguments, and those about other columns are a filter")
    func narrowing() {
        func term(_ column: Int, _ values: String..., stored: String? = nil) -> RowDecision.Term {
            RowDecision.Term(column: column, values: TextSet(texts: values), stored: stored.map(Value.text))
        }
        func sort(_ sortOperator: SortOperator, _ text: String) -> SortCondition {
            SortCondition(sortOperator: sortOperator, operands: [[.text(text)]])
        }
        let owner = term(1, "s::a", "a", stored: "s::a")
        let (other, group, groups) = (term(2, "x"), term(1, "red"), term(1, "red", "blue"))
        #expect(Self.narrowing([]) == "deny")
        #expect(Self.narrowing([term(0, "p")]) == "all" && Self.narrowing([term(0, "q")]) == "deny")
        #expect(Self.narrowing([term(0, "p")], partition: nil) == "filter by 1")
        #expect(Self.narrowing([term(0, "q"), other]) == "filter by 1")
        #expect(Self.narrowing([owner]) == "sort key s::a" && Self.narrowing([group]) == "sort key red")
        #expect(Self.narrowing([owner, group]) == "sort key s::a or red")
        #expect(Self.narrowing([groups, group]) == "sort key red or blue")
        #expect(Self.narrowing([groups, other]) == "filter by 1")
        #expect(Self.narrowing([owner, other]) == "filter by 1")
        #expect(Self.narrowing([owner], sort: sort(.eq, "a")) == "all")
        #expect(Self.narrowing([owner, other], sort: sort(.eq, "b")) == "filter by 1")
        for sort in [sort(.eq, "b"), sort(.ge, "a"), sort(.beginsWith, "a")] {
            #expect(Self.narrowing([owner], sort: sort) == "deny")
        }
        // A part of a composite sort key, and a sort key that is the parent's, are ordinary columns.
        #expect(Self.narrowing([owner], sortKeys: [1, 2]) == "filter by 1")
        #expect(Self.narrowing([owner], hasSortArgument: false) == "filter by 1")
    }

    @Test("where a group is the sort key, the items of all groups of a caller are found before the limit, page by page")
    func groupsOfASortKey() throws {
        let stage = try RuledStage(
            """
            type Task @model @auth(rules: [{allow: groups, groupsField: "team"}]) {
              id: ID! kind: String! @index(name: "byKind", sortKeyFields: ["team"], queryField: "tasksByKind")
              team: String!
            }
            type Shift @model @auth(rules: [{allow: groups, groupsField: "team"}]) {
              day: ID! @primaryKey(sortKeyFields: ["team"]) team: String!
            }
            """, .v2)
        for (number, team) in ["blue", "green", "blue", "red", "amber", "red", "zinc"].enumerated() {
            try stage.seed("createTask(input: {id: '\(number)', kind: 'k', team: '\(team)'})")
        }
        for team in ["blue", "green", "red", "amber", "zinc"] {
            try stage.seed("createShift(input: {day: 'd', team: '\(team)'})")
        }
        let caller = Identity.user("x", in: ["red", "blue", "none", "red\0"])
        func page(_ field: String, _ arguments: String, as caller: Identity) throws -> (items: String, token: String?) {
            let query = "{ page: \(field)(\(arguments)) { items { team } nextToken } }"
            let answer = try JSONReader.read(try stage.ruled.send(body: Service.body(query, nil), as: caller).text)
            let items = answer["data"]?["page"]?["items"]?.arrayValue ?? []
            return (
                items.map { $0["team"]?.stringValue ?? "?" }.joined(separator: " "),
                answer["data"]?["page"]?["nextToken"]?.stringValue
            )
        }
        func pages(_ field: String, _ arguments: String) throws -> [String] {
            var (pages, token) = ([String](), String?.none)
            repeat {
                let next = token.map { #", nextToken: "\#($0)""# } ?? ""
                let found = try page(field, arguments + next, as: caller)
                pages.append(found.items)
                token = found.token
            } while token != nil && pages.count < 9
            return pages
        }
        #expect(try pages("tasksByKind", #"kind: "k", limit: 3"#) == ["blue blue red", "red"])
        #expect(
            try pages("tasksByKind", #"kind: "k", limit: 1"#).filter { !$0.isEmpty } == ["blue", "blue", "red", "red"])
        #expect(
            try pages("tasksByKind", #"kind: "k", sortDirection: DESC, limit: 3"#) == ["red red blue", "blue"])
        #expect(try pages("listShifts", #"day: "d", limit: 2"#).first == "blue red")
        #expect(try pages("listShifts", #"day: "d", limit: 1"#).filter { !$0.isEmpty } == ["blue", "red"])
        // A token of another caller's page leads to no item of another group.
        let start = try page("tasksByKind", #"kind: "k", limit: 1"#, as: caller)
        let token = try #require(start.token)
        let rest = try page(
            "tasksByKind", #"kind: "k", nextToken: "\#(token)""#, as: .user("y", in: ["green", "zinc"]))
        #expect(start.items == "blue" && rest.items == "green zinc")
    }

    @Test("the owner of a sort key is looked for as create stores them; without the key all their names count")
    func storedOwner() throws {
        let service = try service()
        func owners(_ arguments: String) -> String { "{ listLogs\(arguments) { items { owner } } }" }
        try service.expect(.ann, owners(#"(k: "x")"#), #"{"listLogs":{"items":[{"owner":"ann"}]}}"#)
        try service.expect(.ann, owners(#"(k: "x", owner: {eq: "ann"})"#), #"{"listLogs":{"items":[{"owner":"ann"}]}}"#)
        // Both are shown alike; without the key, both are found.
        try service.expect(.ann, owners(""), #"{"listLogs":{"items":[{"owner":"ann"},{"owner":"ann"}]}}"#)
        try service.expect(.bob, owners(""), #"{"listLogs":{"items":[]}}"#)
    }
}
