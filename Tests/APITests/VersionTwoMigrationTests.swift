import Testing

@testable import API

@Suite("A schema that changes its relations keeps its data", .bothExecutors) struct VersionTwoMigrationTests {
    /// A question that both schemas are asked, or one alone, and its answer's data.
    private func change(
        _ before: String, seed: String, was: [(String, String)] = [], to after: String, _ answers: [(String, String)]
    ) throws {
        let old = try Service(before)
        try old.seed(seed)
        for (question, data) in was { try old.expect(question, data: data) }
        let new = try old.reloaded(after)
        for (question, data) in answers { try new.expect(question, data: data) }
    }

    @Test("a field that becomes an index: what was there is found by it, and what lacks a part of the key is not")
    func fieldToIndex() throws {
        try change(
            "type Post @model { id: ID! @primaryKey kind: String rank: Int state: String }",
            seed: """
                mutation {
                  a: createPost(input: {id: "a", kind: "k", rank: 10, state: "x"}) { id }
                  b: createPost(input: {id: "b", kind: "k", rank: 9, state: "x"}) { id }
                  c: createPost(input: {id: "c", kind: "k", state: "x"}) { id }
                  d: createPost(input: {id: "d", kind: "l", rank: 8, state: "x"}) { id }
                  e: createPost(input: {id: "e", kind: "k", rank: 100}) { id }
                }
                """,
            to: """
                type Post @model {
                  id: ID! @primaryKey
                  kind: String @index(name: "byKind", sortKeyFields: ["rank"], queryField: "byKind")
                    @index(name: "byBoth", sortKeyFields: ["state", "rank"], queryField: "byBoth")
                  rank: Int state: String
                }
                """,
            [
                (
                    #"{ byKind(kind: "k") { items { id } } }"#,
                    #"{"byKind":{"items":[{"id":"b"},{"id":"a"},{"id":"e"}]}}"#
                ),
                (
                    #"{ byBoth(kind: "k", stateRank: {beginsWith: {state: "x"}}) { items { id } } }"#,
                    #"{"byBoth":{"items":[{"id":"a"},{"id":"b"}]}}"#
                ),
                (
                    "{ listPosts { items { id rank } } }",
                    #"{"listPosts":{"items":[{"id":"a","rank":10},{"id":"b","rank":9},{"id":"c","rank":null},"#
                        + #"{"id":"d","rank":8},{"id":"e","rank":100}]}}"#
                ),
            ])
    }

    private static let implicit = """
        type Post @model { id: ID! comments: [Comment] @hasMany }
        type Comment @model { id: ID! post: Post @belongsTo }
        """
    private static let comments = """
        mutation {
          createPost(input: {id: "p"}) { id }
          a: createComment(input: {id: "a", postCommentsId: "p"}) { id }
          b: createComment(input: {id: "b"}) { id }
          c: createComment(input: {id: "c", postCommentsId: "p"}) { id }
        }
        """
    private static let walks = [
        (
            #"{ getPost(id: "p") { comments { items { id } } } }"#,
            #"{"getPost":{"comments":{"items":[{"id":"a"},{"id":"c"}]}}}"#
        ),
        (
            "{ listComments { items { id post { id } } } }",
            #"{"listComments":{"items":[{"id":"a","post":{"id":"p"}},{"id":"b","post":null},"#
                + #"{"id":"c","post":{"id":"p"}}]}}"#
        ),
    ]

    @Test(
        "a relation that gains fields, references or an index of its own is walked as before",
        arguments: [
            """
            type Post @model { id: ID! comments: [Comment] @hasMany }
            type Comment @model { id: ID! postCommentsId: ID post: Post @belongsTo(fields: ["postCommentsId"]) }
            """,
            """
            type Post @model { id: ID! comments: [Comment] @hasMany(references: ["postCommentsId"]) }
            type Comment @model { id: ID! postCommentsId: ID post: Post @belongsTo(references: ["postCommentsId"]) }
            """,
            """
            type Post @model { id: ID! comments: [Comment] @hasMany(indexName: "byPost", fields: ["id"]) }
            type Comment @model {
              id: ID! postCommentsId: ID @index(name: "byPost") post: Post @belongsTo(fields: ["postCommentsId"])
            }
            """,
        ])
    func relationToFields(after: String) throws {
        try change(Self.implicit, seed: Self.comments, was: Self.walks, to: after, Self.walks)
        try change(after, seed: Self.comments, was: Self.walks, to: Self.implicit, Self.walks)
    }

    @Test("a has-one that gains fields keeps the item it has")
    func hasOneToFields() throws {
        let walk = (#"{ getPost(id: "p") { cover { id } } }"#, #"{"getPost":{"cover":{"id":"c"}}}"#)
        try change(
            "type Post @model { id: ID! cover: Cover @hasOne } type Cover @model { id: ID! }",
            seed:
                #"mutation { createCover(input: {id: "c"}) { id } createPost(input: {id: "p", postCoverId: "c"}) { id } }"#,
            was: [walk],
            to: """
                type Post @model { id: ID! postCoverId: ID cover: Cover @hasOne(fields: ["postCoverId"]) }
                type Cover @model { id: ID! }
                """, [walk])
    }

    @Test("a renamed model keeps its items, its keys in others, its join models and its indexes")
    func rename() throws {
        try change(
            """
            type Post @model {
              id: ID! kind: String @index(name: "byKind", queryField: "byKind") comments: [Comment] @hasMany
              tags: [Tag] @manyToMany(relationName: "Tagging")
            }
            type Comment @model { id: ID! post: Post @belongsTo }
            type Tag @model { id: ID! posts: [Post] @manyToMany(relationName: "Tagging") }
            """,
            seed: """
                mutation {
                  createPost(input: {id: "p", kind: "k"}) { id }
                  createComment(input: {id: "c", postCommentsId: "p"}) { id }
                  createTag(input: {id: "t"}) { id }
                  createTagging(input: {id: "j", postId: "p", tagId: "t"}) { id }
                }
                """,
            to: """
                type Article @model @mapsTo(name: "Post") {
                  id: ID! kind: String @index(name: "byKind", queryField: "byKind") comments: [Comment] @hasMany
                  tags: [Tag] @manyToMany(relationName: "Tagging")
                }
                type Comment @model { id: ID! article: Article @belongsTo }
                type Tag @model { id: ID! articles: [Article] @manyToMany(relationName: "Tagging") }
                """,
            [
                (
                    #"{ byKind(kind: "k") { items { comments { items { id article { id } } } } } }"#,
                    #"{"byKind":{"items":[{"comments":{"items":[{"id":"c","article":{"id":"p"}}]}}]}}"#
                ),
                (
                    #"{ getTag(id: "t") { articles { items { id articleId article { tags { items { tag { id } } } } } } } }"#,
                    #"{"getTag":{"articles":{"items":[{"id":"j","articleId":"p","article":{"tags":{"items":"#
                        + #"[{"tag":{"id":"t"}}]}}}]}}}"#
                ),
            ])
    }
}
