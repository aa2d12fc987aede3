import Foundation
import JSON
import Testing
import Transformer

@testable import API
@testable import Tables

@Suite("Callers share plans and rows, and never see each other's items", .bothExecutors) struct SharedCacheRuleTests {
    private static let schema = """
        type Post @model @auth(rules: [{allow: owner}, {allow: groups, groups: ["Staff"]}]) {
          id: ID! title: String owner: String comments: [Comment] @hasMany(indexName: "byPost", fields: ["id"])
        }
        type Comment @model @auth(rules: [{allow: owner}, {allow: groups, groupsField: "team"}]) {
          id: ID! owner: String team: String text: String
          postID: ID @index(name: "byPost", queryField: "commentsByPost") post: Post @belongsTo(fields: ["postID"])
        }
        """

    private static let versionOne = """
        type Post @model @auth(rules: [{allow: owner}, {allow: groups, groups: ["Staff"]}]) {
          id: ID! title: String owner: String comments: [Comment] @connection(keyName: "byPost", fields: ["id"])
        }
        type Comment @model @key(name: "byPost", fields: ["postID"], queryField: "commentsByPost")
          @auth(rules: [{allow: owner}, {allow: groups, groupsField: "team"}]) {
          id: ID! owner: String team: String text: String postID: ID post: Post @connection(fields: ["postID"])
        }
        """

    @Test(
        "of thousands of requests by several callers in random order none is answered with a foreign item",
        arguments: [TransformOptions.TransformerVersion.v1, .v2], [false, true])
    func interleaved(version: TransformOptions.TransformerVersion, isVersioned: Bool) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("Interleaved callers from seed \(seed).")
        var random = SeededGenerator(seed: seed)
        let stage = try RuledStage(
            version == .v1 ? Self.versionOne : Self.schema, version,
            transform: TransformOptions(conflictDetection: isVersioned ? .version : .none))
        for id in 1...6 {
            let owner = id % 2 == 0 ? "ann" : "bob"
            try stage.seed(
                "createPost(input: {id: '\(id)', title: 'of-\(owner)', owner: '\(owner)'})",
                "createComment(input: {id: 'c\(id)', text: 'of-\(owner)', owner: '\(owner)', postID: '\(id % 3 + 1)'})")
        }
        let callers = [Identity.ann, .bob, .user("cy"), .user("ann", in: ["x"]), .user("s", in: ["Staff"]), .apiKey]
        for _ in 0..<1500 {
            let caller = callers.randomElement(using: &random) ?? .ann
            let id = "\(Int.random(in: 1...7, using: &random))"
            let isExpecting = isVersioned && Bool.random(using: &random)
            let expected = isExpecting ? ", _version: \(Int.random(in: 1...4, using: &random))" : ""
            // The same few documents for everyone.
            let field =
                [
                    #"getPost(id: "\#(id)") { id owner title comments { items { id owner text } } }"#,
                    #"getPost(id: "\#(id)") { title }"#,
                    #"getComment(id: "c\#(id)") { id owner text post { owner title } }"#,
                    "listPosts { items { id owner title comments(limit: 1) { items { owner text } } } }",
                    "listComments(limit: 3) { items { owner text post { owner title } } nextToken }",
                    #"commentsByPost(postID: "\#(id)") { items { owner text post { title } } }"#,
                    #"updatePost(input: {id: "\#(id)"\#(expected)}) { owner title }"#,
                    #"updateComment(input: {id: "c\#(id)"\#(expected)}) { owner text post { owner title } }"#,
                    #"createPost(input: {id: "\#(id)", title: "of-\#(caller.username ?? "x")"}) { owner title }"#,
                ].randomElement(using: &random) ?? ""
            let query = (field.hasPrefix("update") || field.hasPrefix("create") ? "mutation " : "") + "{ \(field) }"
            let text = try stage.ruled.send(body: Service.body(query, nil), as: caller).text
            let isStaff = caller.groups.contains("Staff")
            for owner in ["ann", "bob"] where owner != caller.username {
                // Staff reads all posts, and no comment.
                guard isStaff else {
                    #expect(
                        !text.contains("of-\(owner)") && !text.contains(#""owner":"\#(owner)""#), "\(query) \(seed)")
                    continue
                }
                #expect(!field.contains("text") || !text.contains(#""text":"of-"#), "\(query) \(seed)")
            }
            // Nor does an error name more than the field.
            for error in try JSONReader.read(text)["errors"]?.arrayValue ?? [] {
                let message = error["message"]?.stringValue ?? ""
                #expect(
                    ["Not Authorized to access ", "The conditional request failed", "Conflict resolver"].contains {
                        message.hasPrefix($0)
                    }, "\(message)")
            }
        }
        // Both callers were given what is theirs.
        for (caller, id) in [(Identity.ann, "2"), (.bob, "1")] {
            try stage.check([(caller, "getPost(id: '\(id)') { title }", "{title:of-\(caller.username ?? "")}")])
        }
    }

    @Test("an item that a loop keeps after its owner has read it is shown to nobody else")
    func keptItems() throws {
        let stage = try RuledStage(Self.schema, .v2)
        for (id, owner) in [("1", "ann"), ("2", "bob"), ("3", "ann")] {
            try stage.seed("createPost(input: {id: '\(id)', title: 'of-\(owner)', owner: '\(owner)'})")
        }
        // Nothing is written meanwhile, so that what is kept stays.
        let callers = [Identity.ann, .bob, .user("cy"), .user("ann"), .user("s", in: ["Staff"]), .apiKey]
        for round in 0..<3 {
            for caller in callers {
                for (id, owner) in [("1", "ann"), ("2", "bob"), ("3", "ann")] {
                    let query = "query($id: ID!) { getPost(id: $id) { title owner } }"
                    let body = Service.body(query, #"{"id": "\#(id)"}"#)
                    let text = try stage.ruled.send(body: body, as: caller).text
                    let isShown = caller.username == owner || caller.groups == ["Staff"]
                    #expect(text.contains("of-\(owner)") == isShown, "\(id) in round \(round): \(text)")
                }
            }
        }
        // Ann's two and Bob's one, Ann's two by another token of hers, and three for the staff.
        let context = stage.ruled.context
        if case .live = context.reads { #expect(context.rows?.entryCount == 8) }
    }

    @Test("an item that is given away is no longer given to its former owner, nor are its relations")
    func givenAway() throws {
        let stage = try RuledStage(Self.schema, .v2)
        try stage.seed("createPost(input: {id: '1', title: 't', owner: 'ann'})")
        var (owner, other) = (Identity.ann, Identity.bob)
        for _ in 0..<50 {
            try stage.check([
                (owner, "getPost(id: '1') { title }", "{title:t}"), (other, "getPost(id: '1') { title }", "U"),
                (owner, "updatePost(input: {id: '1', owner: '\(other.username ?? "")'}) { title }", "{title:t}"),
            ])
            swap(&owner, &other)
        }
    }

    @Test("introspection and type names are the same for every caller, and reveal no item")
    func introspection() throws {
        let stage = try RuledStage(Self.schema, .v2)
        try stage.seed("createPost(input: {id: '1', title: 't', owner: 'ann'})")
        let callers = [Identity.ann, .bob, .apiKey, .oann, .lambda, .server]
        for query in [
            "{ __typename }", "{ __schema { types { name fields { name } } } }", #"{ __type(name: "Post") { name } }"#,
        ] { #expect(Set(try callers.map { try stage.ruled.brief(query, as: $0) }).count == 1, "\(query)") }
        try stage.check([
            (.bob, "getPost(id: '1') { __typename }", "U"),
            (.bob, "listPosts { __typename items { __typename } }", "[]"),
        ])
    }

    // MARK: - What is read

    private static let keys = """
        type Parcel @model @auth(rules: [{allow: owner, ownerField: "sender", identityClaim: "username"}]) {
          sender: String! @primaryKey(sortKeyFields: ["no"]) no: String!
          kind: String! @index(name: "byKind", sortKeyFields: ["sender"], queryField: "parcelsByKind")
        }
        type Task @model @auth(rules: [{allow: groups, groupsField: "team"}]) {
          id: ID! team: String! @index(name: "byTeam", queryField: "tasksByTeam")
          kind: String! @index(name: "byKind", sortKeyFields: ["team"], queryField: "tasksByKind")
        }
        """

    /// How many steps of SQLite's virtual machine a query takes.
    private func steps(_ query: String, _ service: Service, as caller: Identity) throws -> Int {
        _ = try service.send(body: Service.body(query, nil), as: caller)
        let (context, api) = (service.context, service.api)
        let request = try unsafe Array(Service.body(query, nil).utf8).withUnsafeBytes {
            try unsafe context.readRequest($0, for: api)
        }
        unsafe api.respond(to: request, as: caller, on: context) { _, _ in }
        defer { service.loop.drain() }
        return try #require(context.liveReader).statements.progress.steps
    }

    @Test("where the owner or the group is the key, only the caller's rows are read")
    func rowsRead() throws {
        guard !BothExecutors.gathers else { return }
        var limits = APILimits()
        limits.rowCacheBytesMax = 0
        limits.readMillisecondsMax = 60_000
        let open = try Service(
            Self.keys.replacing(/@auth\(rules: \[.*\]\)/, with: ""),
            transform: TransformOptions(transformerVersion: .v2), home: try Service.Home(stepsPerLook: 1))
        let ruled = try open.reloaded(
            Self.keys, options: APIOptions(limits: limits),
            transform: TransformOptions(transformerVersion: .v2, authModes: RuledStage.modes))
        func seed(_ owner: String, _ numbers: Range<Int>) throws {
            for n in numbers {
                try open.seed(
                    """
                    mutation { createParcel(input: {sender: "\(owner)", no: "\(n)", kind: "k"}) { no }
                      createTask(input: {id: "\(owner)\(n)", team: "\(owner)", kind: "k"}) { id } }
                    """)
            }
        }
        try seed("bob", 0..<8)
        try seed("ann", 0..<5)
        let caller = Identity.user("ann", in: ["ann"])
        let queries = [
            #"{ listParcels(sender: "ann") { items { no } } }"#, #"{ parcelsByKind(kind: "k") { items { no } } }"#,
            #"{ tasksByTeam(team: "ann") { items { id } } }"#, #"{ tasksByKind(kind: "k") { items { id } } }"#,
        ]
        let before = try queries.map { try steps($0, ruled, as: caller) }
        #expect(before.allSatisfy { $0 > 0 })
        for query in queries {
            let answer = try ruled.brief(query, as: caller)
            #expect(answer.components(separatedBy: "},{").count == 5, "\(answer)")
        }
        try seed("aaa", 0..<60)
        try seed("zed", 0..<60)
        let after = try queries.map { try steps($0, ruled, as: caller) }
        #expect(after == before)
        let several = Identity.user("ann", in: ["ann", "zoo"])
        let ofSeveral = try steps(queries[3], ruled, as: several)
        try seed("abc", 0..<60)
        #expect(try steps(queries[3], ruled, as: several) == ofSeveral)
        #expect(try ruled.brief(queries[3], as: several) == ruled.brief(queries[3], as: caller))
        // Who is refused by the key reads nothing.
        #expect(try steps(queries[0], ruled, as: .user("eve")) == 0)
    }
}
