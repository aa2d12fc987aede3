import JSON
import Testing
import Transformer

@testable import API
@testable import Tables

/// What SQLite does for the lists of callers with different roles: the statements that a request ran, explained.
///
/// Where the owner or group is a key, they read the rows of the caller alone, by the index; elsewhere a page is read and then
/// filtered (reference: authorization, "Reads").
@Suite("Lists under rules are read by indexes") struct RuleAccessPathTests {
    private static let schema = """
        type Parcel @model @auth(rules: [{allow: owner, ownerField: "sender", identityClaim: "username"}]) {
          sender: String! @primaryKey(sortKeyFields: ["no"]) no: Int!
          kind: String! @index(name: "byKind", sortKeyFields: ["sender"], queryField: "parcelsByKind")
        }
        type Desk @model @auth(rules: [{allow: owner, ownerField: "company", identityClaim: "custom:company"}]) {
          id: ID! company: String! @index(name: "byCompany", queryField: "desksByCompany")
          floor: String! @index(name: "byFloor", sortKeyFields: ["company"], queryField: "desksByFloor")
        }
        type Task @model @auth(rules: [{allow: groups, groupsField: "team", groupClaim: "teams"}]) {
          id: ID! team: String! @index(name: "byTeam", queryField: "tasksByTeam")
          kind: String! @index(name: "byKind", sortKeyFields: ["team"], queryField: "tasksByKind")
        }
        type Note @model @auth(rules: [{allow: owner}, {allow: groups, groupsField: "teams"}]) {
          id: ID! owner: String teams: [String]
        }
        """

    private static let ann = Identity.user(
        "ann", claims: ["custom:company": "acme", "teams": ["red", "blue"]])

    private func stage() throws -> RuledStage {
        let stage = try RuledStage(Self.schema, .v2)
        for n in 0..<20 {
            try stage.seed(
                "createParcel(input: {sender: 'bob', no: \(n), kind: 'k'})",
                "createDesk(input: {id: '\(n)', company: 'other', floor: 'f'})",
                "createTask(input: {id: '\(n)', team: 'green', kind: 'k'})",
                "createNote(input: {id: '\(n)', owner: 's-bob::bob'})")
        }
        for n in 20..<23 {
            try stage.seed(
                "createParcel(input: {sender: 'ann', no: \(n), kind: 'k'})",
                "createDesk(input: {id: '\(n)', company: 'acme', floor: 'f'})",
                "createTask(input: {id: '\(n)', team: 'red', kind: 'k'})",
                "createNote(input: {id: '\(n)', owner: 's-ann::ann', teams: []})")
        }
        return stage
    }

    /// The steps of the statement that a request ran, and how many rows it read.
    private func explain(_ stage: RuledStage, _ field: String) throws -> (plan: [String], rowCount: Int) {
        // On a reader that has prepared nothing yet.
        let service = try stage.ruled.onAnotherLoop()
        let query = "{ \(field.replacing("'", with: "\"")) { items { __typename } } }"
        let request = try unsafe Array(Service.body(query, nil).utf8).withUnsafeBytes {
            try unsafe service.context.readRequest($0, for: service.api)
        }
        unsafe service.api.respond(to: request, as: Self.ann, on: service.context) { _, _ in }
        defer { service.loop.drain() }
        let reader = try #require(service.context.liveReader)
        let connection = try Connection(
            path: DataFolder.database(in: service.home.folder), mode: .reading, limits: StoreLimits())
        let texts = reader.statements.sqlTexts
        #expect(texts.count == 1, "\(texts)")
        let plan = try texts.flatMap { sql in
            try connection.rows("EXPLAIN QUERY PLAN " + sql, columns: 4).map { row in
                if case .text(let detail) = row.values[3] { detail } else { "" }
            }
        }
        return (plan, reader.rowCount)
    }

    /// Fields whose list is a search for the caller's rows.
    private static let searches: [(field: String, columns: Int, rows: Int)] = [
        ("listParcels(sender: 'ann')", 1, 3), ("parcelsByKind(kind: 'k')", 2, 3),
        ("parcelsByKind(kind: 'k', sender: {eq: 'ann'})", 2, 3),
        ("desksByCompany(company: 'acme')", 1, 3), ("desksByFloor(floor: 'f')", 2, 3),
        ("tasksByTeam(team: 'red')", 1, 3), ("tasksByKind(kind: 'k')", 2, 3),
    ]

    @Test("an owner, a claim or a group that is a key is looked for in the index, before any row is read")
    func keys() throws {
        let stage = try stage()
        for (field, columns, rows) in Self.searches {
            let (plan, rowCount) = try explain(stage, field)
            let searches = plan.filter { $0.hasPrefix("SEARCH t USING") }
            #expect(
                searches.count == 1 && searches.allSatisfy { $0.matches(of: /=\?/).count >= columns },
                "\(field): \(plan)")
            #expect(!plan.contains { $0.contains("TEMP B-TREE") || $0.hasPrefix("SCAN t") }, "\(field): \(plan)")
            #expect(rowCount == rows, "\(field): \(rowCount)")
        }
    }

    @Test("an owner or group that is no key filters the page, which is read in order without sorting")
    func pages() throws {
        let stage = try stage()
        for field in ["listNotes", "listTasks", "listDesks"] {
            let (plan, _) = try explain(stage, field)
            #expect(plan.contains("SCAN t"), "\(field): \(plan)")
            #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(field): \(plan)")
        }
        // Forbidden rows count towards the limit and come to nobody.
        try stage.check([
            (Self.ann, "listNotes(limit: 20) { items { id } }", "[]"),
            (Self.ann, "listNotes { items { id } }", "[{id:20},{id:21},{id:22}]"),
        ])
    }
}
