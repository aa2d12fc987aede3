import JSON
import Testing
import Transformer

@testable import API

@Suite("Rules decide what is read", .bothExecutors) struct AuthorizationTests {
    static let schema = """
        type Post @model {
          id: ID! title: String secret: String owner: String teams: [String] place: Place
          comments: [Comment] @hasMany(indexName: "byPost", fields: ["id"])
        }
        type Comment @model {
          id: ID! body: String owner: String
          postID: ID @index(name: "byPost", queryField: "commentsByPost") post: Post @belongsTo(fields: ["postID"])
        }
        type Place { city: String street: String }
        """

    /// Posts and comments of ann and bob by turns; all comments are on post 1, and post 2 has the team red.
    static func open(_ schema: String = schema) throws -> Service {
        let service = try Service(schema)
        for (id, owner) in [("1", "ann"), ("2", "bob"), ("3", "ann"), ("4", "bob")] {
            let teams = id == "2" ? #", teams: ["red", "blue"]"# : ""
            let input = #"id: "\#(id)", title: "t\#(id)", secret: "s\#(id)", owner: "\#(owner)""#
            try service.seed(
                #"mutation { createPost(input: {\#(input)\#(teams), place: {city: "Rome", street: "Corso"}}) { id } }"#,
                #"mutation { createComment(input: {id: "c\#(id)", owner: "\#(owner)", postID: "1"}) { id } }"#)
        }
        return service
    }

    static func ruled(_ rules: [AuthorizationRule], options: APIOptions = APIOptions()) throws -> Service {
        try open().reloaded(schema, options: options, enforcing: rules)
    }

    @Test("what a rule allows is given, and what no rule allows is denied, in every operation")
    func allowAndDeny() throws {
        let service = try Self.ruled([.private("Post"), .private("Comment")])
        let operations: [(query: String, field: String, answer: String)] = [
            (#"{ getPost(id: "1") { id } }"#, "getPost", #"{"id":"1"}"#),
            ("{ listPosts(limit: 1) { items { id } } }", "listPosts", #"{"items":[{"id":"1"}]}"#),
            (
                #"{ commentsByPost(postID: "1", limit: 1) { items { id } } }"#, "commentsByPost",
                #"{"items":[{"id":"c1"}]}"#
            ),
            (#"mutation { createPost(input: {id: "5"}) { id } }"#, "createPost", #"{"id":"5"}"#),
            (#"mutation { updatePost(input: {id: "5", title: null}) { id } }"#, "updatePost", #"{"id":"5"}"#),
            (#"mutation { deletePost(input: {id: "5"}) { id } }"#, "deletePost", #"{"id":"5"}"#),
        ]
        for (query, field, answer) in operations {
            try service.expect(.ann, query, #"{"\#(field)":\#(answer)}"#)
        }
        // Other modes have no role, for any caller.
        for caller in [Identity.apiKey, .lambda, .iam(user: "arn", poolRole: nil)] {
            for (query, field, _) in operations {
                try service.expect(caller, query, #"{"\#(field)":null} | \#(field) U"#)
            }
            service.caller = caller
            #expect(
                try service.refusal("subscription { onCreatePost { id } }") == [
                    "Unauthorized: Not Authorized to access onCreatePost on type Subscription"
                ])
        }
        service.caller = .apiKey
        try service.expect(
            #"{ getPost(id: "1") { id } }"#, data: #"{"getPost":null}"#,
            errors: ["getPost Unauthorized: Not Authorized to access getPost on type Query"])
        try service.expect(
            .ann, #"{ getPost(id: "1") { comments(limit: 1) { items { post { id } } } } }"#,
            #"{"getPost":{"comments":{"items":[{"post":{"id":"1"}}]}}}"#)
    }

    @Test("where rules are enforced, a model without a rule is closed, and without rules nothing is")
    func noRule() throws {
        let service = try Self.ruled([.private("Post")])
        try service.expect(.ann, "{ listComments { items { id } } }", #"{"listComments":null} | listComments U"#)
        try service.expect(
            .ann, #"{ getPost(id: "1") { id comments { items { id } } } }"#,
            #"{"getPost":{"id":"1","comments":null}} | getPost/comments U"#)
        let closed = try service.reloaded(Self.schema, enforcing: [])
        try closed.expect(.ann, #"{ getPost(id: "1") { id } }"#, #"{"getPost":null} | getPost U"#)
        let open = try service.reloaded(Self.schema)
        try open.expect(.apiKey, #"{ getPost(id: "1") { id } }"#, #"{"getPost":{"id":"1"}}"#)
        #expect(try open.api.schema.plan(Array("{ listPosts { items { id } } }".utf8)).subjects == [])
    }

    @Test("an owner gets what is theirs; what is another's is null with an error, and what is missing null without")
    func ownersGet() throws {
        let service = try Self.ruled([.owner("Post"), .owner("Comment")])
        try service.expect(
            .ann, #"{ mine: getPost(id: "1") { id } theirs: getPost(id: "2") { id } none: getPost(id: "9") { id } }"#,
            #"{"mine":{"id":"1"},"theirs":null,"none":null} | "#
                + "theirs Unauthorized: Not Authorized to access getPost on type Query")
        try service.expect(
            .apiKey, #"{ getPost(id: "9") { id } }"#, #"{"getPost":null} | getPost U"#)
    }

    @Test("a list or query leaves out what is another's, after the limit and together with the caller's filter")
    func ownersList() throws {
        let service = try Self.ruled([.owner("Post"), .owner("Comment")])
        func ids(_ query: String, _ field: String, as identity: Identity = .ann) throws -> String {
            service.caller = identity
            return try service.ids("{ \(query) { items { id } } }", at: field)
        }
        #expect(try ids("listPosts", "listPosts") == "1 3")
        #expect(try ids("listPosts", "listPosts", as: .bob) == "2 4")
        #expect(try ids(#"listPosts(filter: {title: {ne: "t1"}})"#, "listPosts") == "3")
        #expect(try ids(#"listPosts(filter: {or: [{owner: {eq: "bob"}}, {}]})"#, "listPosts") == "1 3")
        #expect(try ids(#"commentsByPost(postID: "1")"#, "commentsByPost") == "c1 c3")
        // What is left out counts for the limit, unless pages are filled.
        #expect(try ids("listPosts(limit: 2)", "listPosts") == "1")
        #expect(try ids(#"commentsByPost(postID: "1", limit: 2)"#, "commentsByPost", as: .bob) == "c2")
        let page = try service.run("{ listPosts(limit: 2) { nextToken } }")
        #expect(page["data"]?["listPosts"]?["nextToken"]?.stringValue != nil)
        let full = try service.reloaded(
            Self.schema, options: APIOptions(fillsPages: true), enforcing: [.owner("Post"), .owner("Comment")])
        full.caller = .ann
        #expect(try full.ids("{ listPosts(limit: 2) { items { id } } }", at: "listPosts") == "1 3")
    }

    @Test("roles are alternatives: owners, and the groups that an item names")
    func alternatives() throws {
        let service = try Self.ruled([.owner("Post"), .groups(in: "teams", "Post", .readOnly)])
        for (caller, expected) in [
            (Identity.ann, "1 3"), (.user("ann", in: ["red"]), "1 2 3"), (.user("cy", in: ["x", "blue"]), "2"),
            (.user("cy", in: ["x"]), ""),
        ] {
            service.caller = caller
            #expect(try service.ids("{ listPosts { items { id } } }", at: "listPosts") == expected)
        }
        let static_ = try service.reloaded(
            Self.schema, enforcing: [.owner("Post"), .group("Staff", "Post", .readOnly)])
        static_.caller = .user("cy", in: ["Staff"])
        #expect(try static_.ids("{ listPosts { items { id } } }", at: "listPosts") == "1 2 3 4")
        // Groups by the hundred are one parameter.
        service.caller = .user("cy", in: (0..<900).map { "g\($0)" } + ["red"])
        #expect(try service.ids("{ listPosts { items { id } } }", at: "listPosts") == "2")
    }

    @Test("connections are held to the rules of the model that they lead to, whatever the parent's")
    func connections() throws {
        let service = try Self.ruled([.private("Post", .readOnly), .owner("Comment")])
        try service.expect(
            .ann, #"{ getPost(id: "1") { comments { items { id } } } }"#,
            #"{"getPost":{"comments":{"items":[{"id":"c1"},{"id":"c3"}]}}}"#)
        let one = try service.reloaded(Self.schema, enforcing: [.owner("Post"), .private("Comment")])
        try one.expect(
            .bob, "{ listComments(limit: 2) { items { id post { id } } } }",
            #"{"listComments":{"items":[{"id":"c1","post":null},{"id":"c2","post":null}]}} | "#
                + "listComments/items/0/post U | listComments/items/1/post U")
        try one.expect(
            .ann, #"{ getComment(id: "c2") { post { id } } }"#, #"{"getComment":{"post":{"id":"1"}}}"#)
        try one.expect(
            .ann, #"{ getComment(id: "c2") { post { id comments { items { id } } } } }"#,
            #"{"getComment":{"post":{"id":"1","comments":{"items":[{"id":"c1"},{"id":"c2"},{"id":"c3"},{"id":"c4"}]}}}}"#
        )
    }

    @Test("a field is given to the readers that its own rules name, and to the others null with an error")
    func fields() throws {
        let fixed = try Self.ruled([.private("Post"), .group("Staff", "Post", field: "secret"), .private("Comment")])
        let list = "{ listPosts(limit: 2) { items { id secret } } }"
        try fixed.expect(
            .ann, list,
            #"{"listPosts":{"items":[{"id":"1","secret":null},{"id":"2","secret":null}]}} | "#
                + "listPosts/items/0/secret U | listPosts/items/1/secret U")
        try fixed.expect(
            .ann, #"{ getPost(id: "1") { hidden: secret } }"#,
            #"{"getPost":{"hidden":null}} | getPost/hidden Unauthorized: Not Authorized to access secret on type Post"#)
        // Staff may read the secret, and nothing else of the type, whose rule is about signed-in callers: they are.
        try fixed.expect(
            .user("cy", in: ["Staff"]), list,
            #"{"listPosts":{"items":[{"id":"1","secret":"s1"},{"id":"2","secret":"s2"}]}}"#)
        let dynamic = try fixed.reloaded(
            Self.schema,
            enforcing: [
                .owner("Post"), .private("Post", .readOnly), .owner("Post", field: "secret"), .private("Comment"),
            ])
        try dynamic.expect(
            .bob, list,
            #"{"listPosts":{"items":[{"id":"1","secret":null},{"id":"2","secret":"s2"}]}} | listPosts/items/0/secret U"#
        )
        // The check looks at the item in which the field stands, by whatever way it was reached.
        try dynamic.expect(
            .bob, #"{ getComment(id: "c2") { post { id secret } } }"#,
            #"{"getComment":{"post":{"id":"1","secret":null}}} | getComment/post/secret U"#)
        try dynamic.expect(
            .ann, #"{ getComment(id: "c2") { post { secret title } } }"#,
            #"{"getComment":{"post":{"secret":"s1","title":"t1"}}}"#)
    }

    @Test("a relation with rules of its own is checked before it is followed")
    func checkedRelations() throws {
        let service = try Self.ruled([
            .owner("Post"), .private("Post", .readOnly), .owner("Post", field: "comments"), .private("Comment"),
        ])
        try service.expect(
            .ann, "{ listPosts(limit: 2) { items { comments(limit: 1) { items { id } } } } }",
            #"{"listPosts":{"items":[{"comments":{"items":[{"id":"c1"}]}},{"comments":null}]}} | "#
                + "listPosts/items/1/comments U")
    }

    @Test("fields of pages, of nested types and of root types have static rules")
    func otherFields() throws {
        let staff = [("ModelPostConnection", "nextToken"), ("Place", "street"), ("Query", "getPost")].map {
            AuthorizationRule.group("Staff", $0.0, field: $0.1)
        }
        let service = try Self.ruled(
            staff + [.private("Post"), .owner("ModelCommentConnection", field: "items"), .private("Comment")])
        let query = "{ listPosts(limit: 1) { nextToken items { id place { city street } } } }"
        try service.expect(
            .ann, query,
            #"{"listPosts":{"nextToken":null,"items":[{"id":"1","place":{"city":"Rome","street":null}}]}} | "#
                + "listPosts/nextToken U | listPosts/items/0/place/street U")
        try service.expect(.ann, #"{ getPost(id: "1") { id } }"#, #"{"getPost":null} | getPost U"#)
        try service.expect(
            .user("cy", in: ["Staff"]), #"{ getPost(id: "1") { place { street } } }"#,
            #"{"getPost":{"place":{"street":"Corso"}}}"#)
        // A rule that needs an item is void where there is none.
        #expect(
            try service.brief("{ listComments { items { id } } }", as: .ann).contains(" | listComments/items U | "))
    }

    @Test("kept rows of one caller are not shown to another")
    func keptRows() throws {
        let service = try Self.ruled([
            .owner("Post"), .group("Staff", "Post"), .owner("Comment"), .group("Staff", "Comment"),
        ])
        let staff = Identity.user("cy", in: ["Staff"])
        for _ in 0..<3 {
            try service.expect(staff, #"{ getPost(id: "1") { id } }"#, #"{"getPost":{"id":"1"}}"#)
            try service.expect(.bob, #"{ getPost(id: "1") { id } }"#, #"{"getPost":null} | getPost U"#)
            try service.expect(
                staff, #"{ commentsByPost(postID: "1", limit: 2) { items { id } } }"#,
                #"{"commentsByPost":{"items":[{"id":"c1"},{"id":"c2"}]}}"#)
            try service.expect(
                .bob, #"{ commentsByPost(postID: "1", limit: 2) { items { id } } }"#,
                #"{"commentsByPost":{"items":[{"id":"c2"}]}}"#)
        }
    }

    @Test("a sync has the items of its caller, deleted ones included, and needs a rule for it")
    func sync() throws {
        let options = TransformOptions(conflictDetection: .version)
        let open = try Service(Self.schema, transform: options)
        for (id, owner) in [("1", "ann"), ("2", "bob"), ("3", "ann")] {
            try open.seed(#"mutation { createPost(input: {id: "\#(id)", owner: "\#(owner)"}) { id } }"#)
        }
        try open.seed(#"mutation { deletePost(input: {id: "3", _version: 1}) { id } }"#)
        let service = try open.reloaded(
            Self.schema, enforcing: [.owner("Post"), .private("Comment", [.get])], transform: options)
        let sync = "{ syncPosts { items { id _deleted } } }"
        try service.expect(
            .ann, sync, #"{"syncPosts":{"items":[{"id":"1","_deleted":null},{"id":"3","_deleted":true}]}}"#)
        try service.expect(.bob, sync, #"{"syncPosts":{"items":[{"id":"2","_deleted":null}]}}"#)
        try service.expect(.user("cy"), sync, #"{"syncPosts":{"items":[]}}"#)
        try service.expect(.apiKey, sync, #"{"syncPosts":null} | syncPosts U"#)
        try service.expect(.ann, "{ syncComments { items { id } } }", #"{"syncComments":null} | syncComments U"#)
    }
}

extension ExecutableSchema {
    /// The plan of an operation that must be fine.
    func plan(_ text: [UInt8]) throws -> Plan {
        guard case .plan(let plan) = plan(text, operationName: nil) else { throw TestFailure("no plan") }
        return plan
    }
}
