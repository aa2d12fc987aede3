import JSON
import Tables
import Testing
import Transformer

@testable import API

@Suite("Rules in their slot", .bothExecutors) struct AuthorizationTests {
    static let schema = """
        type Post @model { id: ID! title: String owner: String place: Place comments: [Comment] @connection(name: "C") }
        type Comment @model { id: ID! body: String owner: String post: Post @connection(name: "C") }
        type Place { city: String street: String }
        """
    /// Columns of `Post` and of `Comment` as the schema declares what is stored: `owner` is the third of both.
    private static let owner = 2

    private static let allow = AuthorizationCheck { _ in .allow }
    private static let deny = AuthorizationCheck { _ in .deny }
    private static func narrow(to owner: String) -> AuthorizationCheck {
        AuthorizationCheck { _ in .narrow(.compare(column: Self.owner, .eq, .text(owner))) }
    }

    /// Posts and comments of ada and ben, and the rules on some fields, given as `Type.field`.
    private func service(_ rules: [String: [AuthorizationCheck]], fillsPages: Bool = false) throws -> Service {
        let coordinates = rules.map { name, rules in
            let parts = name.split(separator: ".").map(String.init)
            return (FieldCoordinate(type: parts[0], field: parts[1]), rules)
        }
        let service = try Service(
            Self.schema, options: APIOptions(fillsPages: fillsPages),
            rules: Dictionary(uniqueKeysWithValues: coordinates))
        let post = service.definition.tables[0]
        #expect(post.name == "Post" && post.position(of: "owner") == Self.owner)
        for (id, owner) in [("1", "ada"), ("2", "ben"), ("3", "ada"), ("4", "ben")] {
            let input = #"{id: "\#(id)", title: "t\#(id)", owner: "\#(owner)", place: {city: "Rome", street: "Corso"}}"#
            try service.seed(
                #"mutation { seedPost: createPost(input: \#(input)) { __typename } }"#,
                #"mutation { createComment(input: {id: "c\#(id)", owner: "\#(owner)", commentPostId: "1"}) { __typename } }"#
            )
        }
        return service
    }

    private func unauthorized(_ path: String, _ field: String, on type: String) -> String {
        "\(path) Unauthorized: Not Authorized to access \(field) on type \(type)"
    }

    @Test("rules are alternatives; none is no restriction, and one that allows is enough")
    func decide() {
        func name(_ rules: [AuthorizationCheck]) -> String {
            switch Authorization.decide(rules, for: .apiKey) {
            case .allow: "allow"
            case .deny: "deny"
            case .narrow(.or(let conditions)): "narrow \(conditions.count)"
            case .narrow: "narrow"
            }
        }
        #expect(name([]) == "allow")
        #expect(name([Self.deny]) == "deny")
        #expect(name([Self.deny, Self.allow]) == "allow")
        #expect(name([Self.narrow(to: "a"), Self.allow]) == "allow")
        #expect(name([Self.narrow(to: "a"), Self.deny, Self.narrow(to: "b")]) == "narrow 2")
    }

    @Test("a denied field is null with an error, and the others stand")
    func deny() throws {
        let service = try service(["Query.getPost": [Self.deny], "Query.listPosts": [Self.allow]])
        try service.expect(
            #"{ a: getPost(id: "1") { id } listPosts(limit: 1) { items { id } } }"#,
            data: #"{"a":null,"listPosts":{"items":[{"id":"1"}]}}"#, errors: [unauthorized("a", "getPost", on: "Query")]
        )
    }

    @Test("a narrowed get refuses what is another's; what is missing is null as ever")
    func narrowedGet() throws {
        let service = try service(["Query.getPost": [Self.narrow(to: "ada")]])
        try service.expect(
            #"{ mine: getPost(id: "1") { id } theirs: getPost(id: "2") { id } none: getPost(id: "9") { id } }"#,
            data: #"{"mine":{"id":"1"},"theirs":null,"none":null}"#,
            errors: [unauthorized("theirs", "getPost", on: "Query")])
    }

    @Test("a narrowed list leaves out what is another's, together with the caller's filter")
    func narrowedList() throws {
        let service = try service(["Query.listPosts": [Self.narrow(to: "ada")]])
        #expect(try service.ids("{ listPosts { items { id } } }", at: "listPosts") == "1 3")
        #expect(
            try service.ids(#"{ listPosts(filter: {title: {ne: "t1"}}) { items { id } } }"#, at: "listPosts") == "3")
        #expect(
            try service.ids(#"{ listPosts(filter: {owner: {eq: "ben"}}) { items { id } } }"#, at: "listPosts") == "")
        #expect(
            try service.ids(
                #"{ listPosts(filter: {or: [{owner: {eq: "ben"}}, {}]}) { items { id } } }"#, at: "listPosts") == "1 3")
        // What is left out counts for the limit, unless pages are filled.
        #expect(try service.ids("{ listPosts(limit: 2) { items { id } } }", at: "listPosts") == "1")
        let full = try self.service(["Query.listPosts": [Self.narrow(to: "ada")]], fillsPages: true)
        #expect(try full.ids("{ listPosts(limit: 2) { items { id } } }", at: "listPosts") == "1 3")
    }

    @Test("two narrowing rules give what either gives")
    func eitherRule() throws {
        let service = try service(["Query.listPosts": [Self.narrow(to: "ada"), Self.narrow(to: "ben")]])
        #expect(try service.ids("{ listPosts { items { id } } }", at: "listPosts") == "1 2 3 4")
    }

    @Test("connections are narrowed and denied like every field")
    func connections() throws {
        let narrowed = try service([
            "Post.comments": [Self.narrow(to: "ben")], "Comment.post": [Self.narrow(to: "ben")],
        ])
        try narrowed.expect(
            #"{ getPost(id: "1") { comments { items { id post { id } } } } }"#,
            data: #"{"getPost":{"comments":{"items":[{"id":"c2","post":null},{"id":"c4","post":null}]}}}"#,
            errors: [
                unauthorized("getPost/comments/items/0/post", "post", on: "Comment"),
                unauthorized("getPost/comments/items/1/post", "post", on: "Comment"),
            ])
        let denied = try service(["Post.comments": [Self.deny]])
        try denied.expect(
            #"{ getPost(id: "1") { id comments { items { id } } } }"#, data: #"{"getPost":{"id":"1","comments":null}}"#,
            errors: [unauthorized("getPost/comments", "comments", on: "Post")])
    }

    @Test("a denied column, a denied part of a connection, a denied property of a nested type")
    func denyInside() throws {
        let service = try service([
            "Post.title": [Self.deny], "ModelPostConnection.nextToken": [Self.deny],
            "ModelCommentConnection.items": [Self.deny],
            "Place.street": [Self.deny],
        ])
        try service.expect(
            #"{ listPosts(limit: 1) { nextToken items { id title place { city street } } } }"#,
            data:
                #"{"listPosts":{"nextToken":null,"items":[{"id":"1","title":null,"place":{"city":"Rome","street":null}}]}}"#,
            errors: [
                unauthorized("listPosts/nextToken", "nextToken", on: "ModelPostConnection"),
                unauthorized("listPosts/items/0/title", "title", on: "Post"),
                unauthorized("listPosts/items/0/place/street", "street", on: "Place"),
            ])
        let answer = try service.run("{ listComments { items { id } } }")
        #expect(
            answer["errors"]?.arrayValue?.map(Service.told) == [
                unauthorized("listComments/items", "items", on: "ModelCommentConnection")
            ])
    }

    @Test("a condition on what is not fetched cannot be met, so it denies")
    func narrowedColumn() throws {
        let service = try service(["Post.title": [Self.narrow(to: "ada")], "Post.place": [Self.narrow(to: "ada")]])
        try service.expect(
            #"{ getPost(id: "1") { id title place { city } } }"#,
            data: #"{"getPost":{"id":"1","title":null,"place":null}}"#,
            errors: [
                unauthorized("getPost/title", "title", on: "Post"), unauthorized("getPost/place", "place", on: "Post"),
            ])
    }

    @Test("denied writes do not happen; narrowed ones fail their condition")
    func writes() throws {
        let service = try service([
            "Mutation.deletePost": [Self.deny], "Mutation.updatePost": [Self.narrow(to: "ada")],
            "Mutation.deleteComment": [Self.narrow(to: "ada")],
        ])
        try service.expect(
            """
            mutation {
              deletePost(input: {id: "1"}) { id }
              mine: updatePost(input: {id: "1", title: "new"}) { title }
              theirs: updatePost(input: {id: "2", title: "new"}) { title }
              both: updatePost(input: {id: "1", title: "no"}, condition: {title: {eq: "old"}}) { title }
              c1: deleteComment(input: {id: "c1"}) { id }
              c2: deleteComment(input: {id: "c2"}) { id }
            }
            """,
            data: #"{"deletePost":null,"mine":{"title":"new"},"theirs":null,"both":null,"c1":{"id":"c1"},"c2":null}"#,
            errors: [
                unauthorized("deletePost", "deletePost", on: "Mutation"), conditionFailed("theirs"),
                conditionFailed("both"),
                conditionFailed("c2"),
            ])
        try service.expect(
            "{ listPosts { items { id title } } listComments { items { id } } }",
            data: #"{"listPosts":{"items":[{"id":"1","title":"new"},{"id":"2","title":"t2"},{"id":"3","title":"t3"},"#
                + #"{"id":"4","title":"t4"}]},"listComments":{"items":[{"id":"c2"},{"id":"c3"},{"id":"c4"}]}}"#)
    }

    @Test("the rules of a model's fields hold in the answer of a write")
    func writeSelection() throws {
        let service = try service(["Post.title": [Self.deny]])
        try service.expect(
            #"mutation { updatePost(input: {id: "1", title: "new"}) { id title } }"#,
            data: #"{"updatePost":{"id":"1","title":null}}"#,
            errors: [unauthorized("updatePost/title", "title", on: "Post")])
    }

    @Test("a denied create writes nothing")
    func deniedCreate() throws {
        let rules = [FieldCoordinate(type: "Mutation", field: "createPost"): [Self.deny]]
        let service = try Service(Self.schema, rules: rules)
        try service.expect(
            #"mutation { createPost(input: {id: "1"}) { id } }"#, data: #"{"createPost":null}"#,
            errors: [unauthorized("createPost", "createPost", on: "Mutation")])
        #expect(try service.ids("{ listPosts { items { id } } }", at: "listPosts") == "")
    }
}
