import JSON
import Testing
import Transformer

@testable import API

@Suite("Rules for callers with the API key, served", .bothExecutors) struct PublicRuleTests {
    static let schema = """
        type Blog @model @auth(rules: [{ allow: public }]) { id: ID! name: String posts: [Post] @hasMany }
        type Post @model @auth(rules: [{ allow: public, operations: [create, update] }]) {
          id: ID! text: String stars: Int blog: Blog @belongsTo
        }
        """

    private func unauthorized(_ path: String, _ field: String, on type: String) -> String {
        "\(path) Unauthorized: Not Authorized to access \(field) on type \(type)"
    }

    @Test("an operation that no rule grants is refused, and the others of the document are served")
    func operations() throws {
        let service = try Service(Self.schema)
        try service.expect(
            """
            mutation { a: createBlog(input: {id: "b"}) { id } createPost(input: {id: "p", blogPostsId: "b"}) { id }
              gone: deletePost(input: {id: "p"}) { id } }
            """,
            data: #"{"a":{"id":"b"},"createPost":{"id":"p"},"gone":null}"#,
            errors: [unauthorized("gone", "deletePost", on: "Mutation")])
        try service.expect(
            #"{ getPost(id: "p") { id } listPosts { items { id } } getBlog(id: "b") { id posts { items { id } } } }"#,
            data: #"{"getPost":null,"listPosts":null,"getBlog":{"id":"b","posts":null}}"#,
            errors: [
                unauthorized("getPost", "getPost", on: "Query"), unauthorized("listPosts", "listPosts", on: "Query"),
                unauthorized("getBlog/posts", "posts", on: "Blog"),
            ])
    }

    @Test("a caller that may update but not delete may change attributes but set none to null")
    func nulls() throws {
        let service = try Service(Self.schema)
        try service.seed(#"mutation { createPost(input: {id: "p", text: "t", stars: 1}) { id } }"#)
        try service.expect(
            #"mutation { updatePost(input: {id: "p", stars: null, text: null}) { id } }"#,
            data: #"{"updatePost":null}"#,
            errors: ["updatePost Unauthorized: Unauthorized on [text, stars]"])
        try service.expect(
            #"mutation { updatePost(input: {id: "p", stars: 2}) { text stars } }"#,
            data: #"{"updatePost":{"text":"t","stars":2}}"#, errors: [])
    }
}
