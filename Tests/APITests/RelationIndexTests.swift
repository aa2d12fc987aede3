import JSON
import Testing
import Transformer

@testable import API
@testable import Tables

@Suite("Relations read by indexes") struct RelationIndexTests {
    private static let schema = """
        type Post @model {
          id: ID! comments: [Comment] @hasMany cover: Cover @hasOne(references: ["postId"]) badge: Badge @hasOne
          tags: [Tag] @manyToMany(relationName: "PostTags") notes: [Note] @hasMany(references: ["postId"])
          sorted: [Note] @hasMany(indexName: "byPost", fields: ["id"]) sealKey: ID seal: Seal @hasOne(fields: ["sealKey"])
        }
        type Comment @model { id: ID! post: Post @belongsTo }
        type Cover @model { id: ID! postId: ID post: Post @belongsTo(references: ["postId"]) }
        type Badge @model { id: ID! post: Post @belongsTo }
        type Seal @model { id: ID! }
        type Tag @model { id: ID! posts: [Post] @manyToMany(relationName: "PostTags") }
        type Note @model {
          id: ID! rank: Int! postId: ID @index(name: "byPost", sortKeyFields: ["rank"])
          post: Post @belongsTo(references: ["postId"])
        }
        """

    /// A field of a model that leads to items, with what is selected there.
    private static let walks = [
        ("Posts", "comments { items { id } }"), ("Posts", "cover { id }"), ("Posts", "badge { id }"),
        ("Posts", "tags { items { id } }"), ("Posts", "notes { items { id } }"), ("Posts", "sorted { items { id } }"),
        ("Posts", "sorted(rank: {ge: 0}) { items { id } }"), ("Posts", "seal { id }"),
        ("Comments", "post { id }"), ("Covers", "post { id }"), ("Badges", "post { id }"), ("Notes", "post { id }"),
        ("Tags", "posts { items { id } }"), ("PostTags", "post { id }"), ("PostTags", "tag { id }"),
    ]

    /// One of everything, related to each other.
    private func seed(_ service: Service, _ numbers: Range<Int>) throws {
        for n in numbers {
            try service.seed(
                """
                mutation {
                  createPost(input: {id: "p\(n)", postBadgeId: "b\(n)", sealKey: "s\(n)"}) { id }
                  createComment(input: {id: "c\(n)", postCommentsId: "p\(n)"}) { id }
                  createCover(input: {id: "v\(n)", postId: "p\(n)"}) { id }
                  createBadge(input: {id: "b\(n)", badgePostId: "p\(n)"}) { id }
                  createSeal(input: {id: "s\(n)"}) { id }
                  createTag(input: {id: "t\(n)"}) { id }
                  createPostTags(input: {id: "j\(n)", postId: "p\(n)", tagId: "t\(n)"}) { id }
                  createNote(input: {id: "n\(n)", rank: \(n), postId: "p\(n)"}) { id }
                }
                """)
        }
    }

    @Test("each relation is one search of an index, without a scan and without sorting", arguments: walks)
    func plans(list: String, selection: String) throws {
        let service = try Service(Self.schema)
        let connection = try Connection(
            path: DataFolder.database(in: service.home.folder), mode: .reading, limits: StoreLimits())
        for sql in try Self.statements(service, "{ list\(list) { items { \(selection) } } }") {
            let details = try connection.rows("EXPLAIN QUERY PLAN " + sql, columns: 4).map { row in
                if case .text(let detail) = row.values[3] { detail } else { "" }
            }
            #expect(details.count == 1 && details[0].hasPrefix("SEARCH t USING"), "\(details) \(sql)")
        }
    }

    /// The statements of what a list's items lead to.
    private static func statements(_ service: Service, _ query: String) throws -> [String] {
        guard case .plan(let plan) = service.api.schema.plan(Array(query.utf8), operationName: nil),
            case .page(let list)? = plan.roots.first?.resolution, case .items(_, let items)? = list.parts.first?.part
        else { throw TestFailure("no list: \(query)") }
        let statements = items.fields.compactMap { field -> String? in
            switch field.resolution {
            case .item(let plan): return plan.fetch.sql
            case .page(let plan):
                guard case .items(let family, _)? = plan.parts.first?.part else { return nil }
                // The condition of the one walk that has one.
                let sort = SortCondition(sortOperator: .ge, operands: [[.integer(0)]])
                let hasCondition = query.contains("rank:")
                let request = PageRequest(
                    partitionKey: .value(.text("p")), sort: hasCondition ? sort : nil, limit: 100)
                return family.fetch(for: request).sql
            default: return nil
            }
        }
        guard !statements.isEmpty else { throw TestFailure("nothing is fetched: \(query)") }
        return statements
    }

    /// How many steps of SQLite's virtual machine a query takes.
    private func steps(_ query: String, _ service: Service) throws -> Int {
        // The first time, its statements are prepared.
        _ = try service.data(query)
        let (context, api) = (service.context, service.api)
        let request = try unsafe Array(Service.body(query, nil).utf8).withUnsafeBytes {
            try unsafe context.readRequest($0, for: api)
        }
        unsafe api.respond(to: request, as: .apiKey, on: context) { _, _ in }
        // It is answered by now; the end of the loop's turn would begin to count anew.
        defer { service.loop.drain() }
        return try #require(context.liveReader).statements.progress.steps
    }

    @Test("a list of parents costs as many reads by index as it has parents, however many items there are besides")
    func linear() throws {
        var limits = APILimits()
        limits.rowCacheBytesMax = 0
        // However slow the machine is, the steps are counted on the loop.
        limits.readMillisecondsMax = 60_000
        let service = try Service(
            Self.schema, options: APIOptions(limits: limits), home: try Service.Home(stepsPerLook: 1))
        try seed(service, 0..<100)
        let costs = try Self.walks.map { list, selection in
            try [6, 12, 24].map { try steps("{ list\(list)(limit: \($0)) { items { \(selection) } } }", service) }
        }
        for (walk, cost) in zip(Self.walks, costs) {
            #expect(cost[1] > cost[0] && cost[2] - cost[1] == 2 * (cost[1] - cost[0]), "\(walk): \(cost)")
            // A row and what it leads to: a search, and nothing that grows.
            #expect((cost[2] - cost[1]) / 12 < 60, "\(walk): \(cost)")
        }
        try seed(service, 100..<300)
        for ((list, selection), cost) in zip(Self.walks, costs) {
            let query = "{ list\(list)(limit: 24) { items { \(selection) } } }"
            #expect(try steps(query, service) == cost[2], "\(query)")
        }
    }
}
