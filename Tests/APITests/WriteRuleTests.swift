import JSON
import Synchronization
import Tables
import Testing
import Transformer

@testable import API

@Suite("Rules decide what is written", .bothExecutors) struct WriteRuleTests {
    private static let schema = """
        type Post @model {
          id: ID! title: String rating: Int owner: String editors: [String] teams: [String]
          comments: [Comment] @hasMany(indexName: "byPost", fields: ["id"])
        }
        type Comment @model {
          id: ID! body: String owner: String postID: ID @index(name: "byPost") post: Post @belongsTo(fields: ["postID"])
        }
        """

    private func service(_ rules: [AuthorizationRule], transform: TransformOptions = TransformOptions()) throws
        -> Service
    {
        let open = try Service(Self.schema, transform: transform)
        try open.seed(
            #"mutation { createPost(input: {id: "1", title: "a", owner: "ann", teams: ["red"]}) { id } }"#,
            #"mutation { createComment(input: {id: "c1", owner: "bob", postID: "1"}) { id } }"#)
        return try open.reloaded(Self.schema, enforcing: rules, transform: transform)
    }

    private func create(_ input: String) -> String { "mutation { createPost(input: {\(input)}) { id owner editors } }" }
    private func update(_ input: String, if condition: String = "") -> String {
        "mutation { updatePost(input: {\(input)}\(condition.isEmpty ? "" : ", condition: {\(condition)}")) { id title } }"
    }
    private func delete(_ id: String) -> String { #"mutation { deletePost(input: {id: "\#(id)"}) { id } }"# }
    private func refused(_ field: String, _ reason: String = "U") -> String {
        #"{"\#(field)":null} | \#(field) \#(reason)"#
    }

    /// What is stored of the posts, as JSON.
    private func stored(_ service: Service, _ selection: String) throws -> String {
        let open = try service.reloaded(Self.schema)
        return try open.data("{ listPosts { items { \(selection) } } }")
    }

    // MARK: - Create

    @Test("a create is filled with its owner, and refused for another")
    func owner() throws {
        let service = try service([
            .owner("Post"), .owner("Post", of: "editors", Set<AuthorizationRule.Operation>.readOnly.union([.update])),
        ])
        try service.expect(.ann, create(#"id: "2""#), #"{"createPost":{"id":"2","owner":"ann","editors":null}}"#)
        try service.expect(
            .ann, create(#"id: "3", owner: "ann""#), #"{"createPost":{"id":"3","owner":"ann","editors":null}}"#)
        for owner in [#""bob""#, "null", #""""#] {
            try service.expect(.ann, create(#"id: "4", owner: \#(owner)"#), refused("createPost"))
        }
        try service.expect(.apiKey, create(#"id: "4""#), refused("createPost"))
        #expect(
            try stored(service, "id owner")
                == #"{"listPosts":{"items":[{"id":"1","owner":"ann"},{"id":"2","owner":"ann"},{"id":"3","owner":"ann"}]}}"#
        )
    }

    @Test("a list of owners is filled, too, and an owner is stored under all their claims")
    func listOfOwners() throws {
        let service = try service([.owner("Post", claim: "sub::username"), .owner("Post", of: "editors", claim: "sub")])
        try service.expect(
            .ann, create(#"id: "2""#), #"{"createPost":{"id":"2","owner":"ann","editors":["s-ann"]}}"#)
        // Each of the names is theirs, and one owner is enough.
        for owner in ["ann", "s-ann", "s-ann::ann"] {
            try service.expect(
                .ann, create(#"owner: "\#(owner)", editors: ["x"]"#).replacing("id owner", with: "owner"),
                #"{"createPost":{"owner":"\#(owner.hasSuffix("::ann") ? "ann" : owner)","editors":["x"]}}"#)
        }
        try service.expect(.ann, create(#"owner: "x", editors: ["x"]"#), refused("createPost"))
        // With a claim missing there is nobody to be filled in.
        let emails = try service.reloaded(Self.schema, enforcing: [.owner("Post", claim: "org::email")])
        try emails.expect(
            .user("ann", claims: ["org": "o", "email": "a@x"]), create(#"id: "5""#),
            #"{"createPost":{"id":"5","owner":"a@x","editors":null}}"#)
        try emails.expect(.user("ann", claims: ["email": "a@x"]), create(#"id: "6""#), refused("createPost"))
        try emails.expect(
            .user("ann", claims: ["email": "a@x"]), #"{ getPost(id: "5") { id } }"#, #"{"getPost":null} | getPost U"#)
        try emails.expect(
            .user("ann", claims: ["email": "a@x"]), "{ listPosts { items { id } } }", #"{"listPosts":{"items":[]}}"#)
    }

    @Test("a create names a group of its caller, who is not filled in; members of a static group may create anything")
    func groups() throws {
        let service = try service([
            .groups(in: "teams", "Post"), .owner("Post", [.update]), .group("Staff", "Post", .create),
        ])
        let red = Identity.user("r", in: ["red", "x"])
        try service.expect(
            red, create(#"id: "2", teams: ["red", "y"]"#), #"{"createPost":{"id":"2","owner":null,"editors":null}}"#)
        for input in [#"teams: ["green"]"#, "teams: null", #"title: "t""#] {
            try service.expect(red, create(input), refused("createPost"))
        }
        try service.expect(
            .user("cy", in: ["Staff"]), create(#"id: "3", owner: "zed""#),
            #"{"createPost":{"id":"3","owner":"zed","editors":null}}"#)
    }

    @Test("a create is refused for the fields that its caller's roles do not have, in the order of the input type")
    func fieldsOfCreate() throws {
        let service = try service([
            .group("A", "Post", [.list]), .group("Z", "Post"), .group("C", "Post", field: "title"), .private("Comment"),
        ])
        let (c, z) = (Identity.user("x", in: ["C"]), Identity.user("x", in: ["Z"]))
        func create(_ input: String) -> String { "mutation { createPost(input: {\(input)}) { __typename } }" }
        let done = #"{"createPost":{"__typename":"Post"}}"#
        try service.expect(c, create(#"title: "x""#), done)
        try service.expect(c, create(""), done)
        try service.expect(
            c, create(#"rating: 1, title: "x", owner: "o", id: "9""#), refused("createPost", "F[id, rating, owner]"))
        try service.expect(z, create(#"title: "x""#), refused("createPost", "F[title]"))
        try service.expect(.user("x", in: ["C", "Z"]), create(#"title: "x", rating: 1"#), done)
        try service.expect(
            z, update(#"id: "1", rating: 2"#).replacing("id title", with: "__typename"),
            #"{"updatePost":{"__typename":"Post"}}"#)
        try service.expect(z, delete("1"), refused("deletePost"))
        try service.expect(.user("x", in: ["A"]), create(""), refused("createPost"))
    }

    // MARK: - Update

    @Test("an update of another's item is unauthorized, whatever the condition; of one's own the condition decides")
    func update() throws {
        let service = try service([.owner("Post")])
        try service.expect(.ann, update(#"id: "1", title: "b""#), #"{"updatePost":{"id":"1","title":"b"}}"#)
        try service.expect(.ann, update(#"id: "1", title: "c""#, if: #"title: {eq: "z"}"#), refused("updatePost", "C"))
        for condition in ["", #"title: {eq: "b"}"#, #"title: {eq: "z"}"#] {
            try service.expect(.bob, update(#"id: "1", title: "x""#, if: condition), refused("updatePost"))
            // Nobody learns whether it exists.
            try service.expect(.bob, update(#"id: "9", title: "x""#, if: condition), refused("updatePost"))
        }
        #expect(try stored(service, "title") == #"{"listPosts":{"items":[{"title":"b"}]}}"#)
        let both =
            "mutation { a: updatePost(input: {id: \"1\", title: \"x\"}) { id } b: createPost(input: {id: \"2\"}) { id } }"
        try service.expect(
            .bob, both,
            #"{"a":null,"b":{"id":"2"}} | a Unauthorized: Not Authorized to access updatePost on type Mutation"#)
    }

    @Test("an owner gives an item away, and has it no more")
    func givingAway() throws {
        let service = try service([.owner("Post")])
        try service.expect(
            .ann, update(#"id: "1", owner: "bob", title: "g""#), #"{"updatePost":{"id":"1","title":"g"}}"#)
        try service.expect(.ann, update(#"id: "1", owner: "ann""#), refused("updatePost"))
        try service.expect(.bob, update(#"id: "1", title: "h""#), #"{"updatePost":{"id":"1","title":"h"}}"#)
    }

    @Test(
        "a null needs a role that may delete the field, and a missing item is the condition's to those who need no item"
    )
    func nulls() throws {
        let nurse = [AuthorizationRule.Operation.update] + Array(AuthorizationRule.Operation.read)
        let service = try service([.owner("Post"), .group("Nurse", "Post", Set(nurse))])
        let nia = Identity.user("nia", in: ["Nurse"])
        try service.expect(nia, update(#"id: "1", title: "x""#), #"{"updatePost":{"id":"1","title":"x"}}"#)
        try service.expect(nia, update(#"id: "1", title: null"#), refused("updatePost", "F[title]"))
        try service.expect(
            nia, update(#"id: "1", rating: 1, owner: null, title: null"#), refused("updatePost", "F[title, owner]"))
        try service.expect(nia, update(#"id: "9", title: null"#), refused("updatePost", "F[title]"))
        try service.expect(nia, update(#"id: "9", title: "x""#), refused("updatePost", "C"))
        try service.expect(nia, update(#"id: "1", title: "x""#, if: #"title: {eq: "no"}"#), refused("updatePost", "C"))
        try service.expect(.ann, update(#"id: "1", title: null"#), #"{"updatePost":{"id":"1","title":null}}"#)
        // Who is both owner and nurse may do what the owner may.
        try service.expect(
            .user("ann", in: ["Nurse"]), update(#"id: "1", title: null"#), #"{"updatePost":{"id":"1","title":null}}"#)
        try service.expect(nia, delete("1"), refused("deletePost"))
    }

    @Test("the fields that a group may write depend on the stored item")
    func dynamicFields() throws {
        let service = try service([
            .owner("Post"), .private("Post", .readOnly),
            .groups(in: "teams", "Post", field: "title", [.update, .create]),
            .owner("Post", field: "title"),
        ])
        let red = Identity.user("r", in: ["red"])
        func update(_ input: String) -> String { "mutation { updatePost(input: {\(input)}) { id } }" }
        try service.expect(red, update(#"id: "1", title: "x""#), #"{"updatePost":{"id":"1"}}"#)
        try service.expect(red, update(#"id: "1", rating: 1, title: "x""#), refused("updatePost", "F[rating]"))
        try service.expect(red, update(#"id: "1", title: null"#), refused("updatePost", "F[title]"))
        try service.expect(.user("g", in: ["green"]), update(#"id: "1", title: "x""#), refused("updatePost"))
        try service.expect(
            .user("ann", in: ["red"]), update(#"id: "1", rating: 1, title: null"#), #"{"updatePost":{"id":"1"}}"#)
    }

    // MARK: - Delete

    @Test("a delete needs a role that may delete every field")
    func delete() throws {
        let service = try service([
            .owner("Post"), .group("Staff", "Post", .delete), .owner("Comment"),
            .owner("Comment", field: "body", .readOnly),
        ])
        try service.expect(.bob, delete("1"), refused("deletePost"))
        try service.expect(.ann, delete("9"), refused("deletePost"))
        try service.expect(.user("cy", in: ["Staff"]), delete("9"), refused("deletePost", "C"))
        try service.expect(.bob, #"mutation { deleteComment(input: {id: "c1"}) { id } }"#, refused("deleteComment"))
        try service.expect(.ann, delete("1"), #"{"deletePost":{"id":"1"}}"#)
        #expect(try stored(service, "id") == #"{"listPosts":{"items":[]}}"#)
    }

    // MARK: - Versions

    @Test("a versioned write is refused by rules before its version is, and shows nothing of the item")
    func versions() throws {
        let service = try service(
            [.owner("Post")],
            transform: TransformOptions(conflictDetection: .version, conflictHandler: .optimisticConcurrency))
        func update(_ version: Int) -> String {
            #"mutation { updatePost(input: {id: "1", title: "x", _version: \#(version)}) { id _version } }"#
        }
        for version in [1, 7] {
            let body = Service.body(update(version), nil)
            let answer = try JSONReader.read(try service.send(body: body, as: .bob).text)
            #expect(
                answer["errors"]?.arrayValue?.map(Service.described) == [
                    "updatePost Unauthorized: Not Authorized to access updatePost on type Mutation"
                ])
            #expect(answer["errors"]?[0]?["data"]?.isNull == true)
        }
        #expect(try service.brief(update(7), as: .ann).contains("ConflictUnhandled"))
        try service.expect(.ann, update(1), #"{"updatePost":{"id":"1","_version":2}}"#)
        try service.expect(
            .bob, #"mutation { deletePost(input: {id: "1", _version: 2}) { id } }"#, refused("deletePost"))
        try service.expect(
            .ann, #"mutation { createPost(input: {id: "2", _version: 0}) { owner } }"#,
            #"{"createPost":{"owner":"ann"}}"#)
    }

    @Test("what a function decides about a conflict is held to the rules by the item as it is then")
    func decidedConflict() throws {
        let decide = Mutex<(@Sendable (ConflictAnswer) -> Void)?>(nil)
        let home = try Service.Home(resolveConflict: { _, completion in decide.withLock { $0 = completion } })
        let transform = TransformOptions(conflictDetection: .version, conflictHandler: .lambda)
        let open = try Service(Self.schema, transform: transform, home: home)
        try open.seed(#"mutation { createPost(input: {id: "1", owner: "ann"}) { id } }"#)
        let service = try open.reloaded(Self.schema, enforcing: [.owner("Post")], transform: transform)
        let answer = Mutex<String?>(nil)
        let body = Service.body(#"mutation { updatePost(input: {id: "1", title: "x", _version: 7}) { id } }"#, nil)
        let request = try unsafe Array(body.utf8).withUnsafeBytes {
            try unsafe service.context.readRequest($0, for: service.api)
        }
        unsafe service.api.respond(to: request, as: .ann, on: service.context) { _, bytes in
            answer.withLock { $0 = unsafe String(decoding: bytes, as: UTF8.self) }
        }
        try service.loop.run { decide.withLock { $0 != nil } }
        // Meanwhile the item is given away.
        try open.seed(#"mutation { updatePost(input: {id: "1", owner: "bob", _version: 1}) { id } }"#)
        let decision = #"{"action": "RESOLVE", "item": {"id": "1", "title": "decided", "owner": "ann"}}"#
        decide.withLock { $0 }?(.answered(Array(decision.utf8)))
        try service.loop.run { answer.withLock { $0 != nil } }
        #expect(answer.withLock { $0 }?.contains("Not Authorized to access updatePost on type Mutation") == true)
        #expect(
            try open.data("{ listPosts { items { owner title } } }")
                == #"{"listPosts":{"items":[{"owner":"bob","title":null}]}}"#)
    }

    // MARK: - Results

    @Test("a result leaves out, without an error, what not all readers may read, also to those who may")
    func redaction() throws {
        let service = try service([
            .owner("Post"), .private("Post", .readOnly), .owner("Post", field: "rating"),
            .private("Comment", .readOnly),
            .owner("Comment"),
        ])
        let selection = "id rating comments { items { id } nextToken }"
        try service.expect(
            .ann, #"mutation { updatePost(input: {id: "1", rating: 5}) { \#(selection) } }"#,
            #"{"updatePost":{"id":"1","rating":null,"comments":{"items":[],"nextToken":null}}}"#)
        try service.expect(
            .ann, #"{ getPost(id: "1") { \#(selection) } }"#,
            #"{"getPost":{"id":"1","rating":5,"comments":{"items":[{"id":"c1"}],"nextToken":null}}}"#)
        try service.expect(
            .bob, #"mutation { createComment(input: {id: "c2", postID: "1"}) { id owner post { id } } }"#,
            #"{"createComment":{"id":"c2","owner":"bob","post":null}}"#)
        // Equal static roles are resolved.
        let equal = try service.reloaded(Self.schema, enforcing: [.group("M", "Post"), .group("M", "Comment")])
        try equal.expect(
            .user("m", in: ["M"]), #"mutation { createComment(input: {id: "c3", postID: "1"}) { post { id } } }"#,
            #"{"createComment":{"post":{"id":"1"}}}"#)
    }

    @Test("who may write but not read a field gets an error for it in the result")
    func unreadable() throws {
        let service = try service([.private("Post"), .private("Post", field: "title", [.create, .update])])
        try service.expect(
            .ann, update(#"id: "1", title: "pin""#), #"{"updatePost":{"id":"1","title":null}} | updatePost/title U"#)
        try service.expect(.ann, update(#"id: "1", title: null"#), refused("updatePost", "F[title]"))
        try service.expect(.ann, delete("1"), refused("deletePost"))
        #expect(try stored(service, "title") == #"{"listPosts":{"items":[{"title":"pin"}]}}"#)
    }
}
