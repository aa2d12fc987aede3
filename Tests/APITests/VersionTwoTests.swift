import JSON
import Tables
import Testing
import Transformer

@testable import API

@Suite("Schemas of version 2", .bothExecutors) struct VersionTwoTests {
    @Test("every relation is walked in both directions")
    func relations() throws {
        let service = try Service(
            """
            type Post @model {
              id: ID! title: String comments: [Comment] @hasMany cover: Cover @hasOne
              tags: [Tag] @manyToMany(relationName: "PostTags")
              notes: [Note] @hasMany(references: ["postId"])
              sorted: [Note] @hasMany(indexName: "byPost", fields: ["id"])
            }
            type Comment @model { id: ID! post: Post @belongsTo }
            type Cover @model { id: ID! post: Post @belongsTo }
            type Tag @model { id: ID! posts: [Post] @manyToMany(relationName: "PostTags") }
            type Note @model {
              id: ID! rank: Int!
              postId: ID @index(name: "byPost", sortKeyFields: ["rank"]) post: Post @belongsTo(references: ["postId"])
            }
            """)
        try service.seed(
            """
            mutation {
              createPost(input: {id: "p", postCoverId: "v"}) { id }
              createComment(input: {id: "c", postCommentsId: "p"}) { id }
              createCover(input: {id: "v", coverPostId: "p"}) { id }
              createTag(input: {id: "t"}) { id }
              createPostTags(input: {id: "j", postId: "p", tagId: "t"}) { id }
              n1: createNote(input: {id: "n1", rank: 10, postId: "p"}) { id }
              n2: createNote(input: {id: "n2", rank: 9, postId: "p"}) { id }
            }
            """)
        let walks = [
            ("comments { items { id post { id } } }", #"{"comments":{"items":[{"id":"c","post":{"id":"p"}}]}}"#),
            ("cover { id post { id } }", #"{"cover":{"id":"v","post":{"id":"p"}}}"#),
            (
                "tags { items { tag { id posts { items { post { id } } } } } }",
                #"{"tags":{"items":[{"tag":{"id":"t","posts":{"items":[{"post":{"id":"p"}}]}}}]}}"#
            ),
            (
                "notes { items { id post { id } } }",
                #"{"notes":{"items":[{"id":"n1","post":{"id":"p"}},{"id":"n2","post":{"id":"p"}}]}}"#
            ),
            ("sorted { items { id } }", #"{"sorted":{"items":[{"id":"n2"},{"id":"n1"}]}}"#),
            ("sorted(rank: {gt: 9}) { items { id } }", #"{"sorted":{"items":[{"id":"n1"}]}}"#),
        ]
        for (selection, post) in walks {
            try service.expect("{ getPost(id: \"p\") { \(selection) } }", data: "{\"getPost\":\(post)}")
        }
        try service.expect(
            #"{ postTagsByTagId(tagId: "t") { items { id postId } } }"#,
            data: #"{"postTagsByTagId":{"items":[{"id":"j","postId":"p"}]}}"#)
    }

    @Test("an update stores a null for a required field, and the answer has the error of a Non-Null field that is null")
    func nullForRequiredField() throws {
        let service = try Service(
            """
            type Post @model {
              id: ID! title: String! body: String
              status: String! @index(name: "byStatus", queryField: "postsByStatus")
            }
            """)
        try service.seed(#"mutation { createPost(input: {id: "p", title: "t", body: "b", status: "new"}) { id } }"#)
        func null(_ field: String, at path: String) -> String {
            "\(path)/\(field) Cannot return null for non-nullable type: 'String' within parent 'Post' (/\(path)/\(field))"
        }
        try service.expect(
            #"mutation { updatePost(input: {id: "p", title: null, body: "c"}) { id title body } }"#,
            data: #"{"updatePost":null}"#, errors: [null("title", at: "updatePost")])
        try service.expect(
            #"{ getPost(id: "p") { id body status } }"#, data: #"{"getPost":{"id":"p","body":"c","status":"new"}}"#)
        try service.expect(
            #"{ getPost(id: "p") { title } }"#, data: #"{"getPost":null}"#, errors: [null("title", at: "getPost")])
        // Who does not select the field has no error; an attribute that is gone takes the item out of its index.
        try service.expect(
            #"mutation { updatePost(input: {id: "p", status: null}) { id } }"#, data: #"{"updatePost":{"id":"p"}}"#)
        try service.expect(
            #"{ postsByStatus(status: "new") { items { id } } }"#, data: #"{"postsByStatus":{"items":[]}}"#)
        try service.expect(
            #"mutation { updatePost(input: {id: "p", title: "u", status: "old"}) { title status } }"#,
            data: #"{"updatePost":{"title":"u","status":"old"}}"#)
    }

    @Test("a model leads to itself: as a tree, and through a join model of the author's")
    func ownRelations() throws {
        let service = try Service(
            """
            type Person @model {
              id: ID! children: [Person] @hasMany parent: Person @belongsTo
              following: [Follow] @hasMany(indexName: "byFollower", fields: ["id"])
              followers: [Follow] @hasMany(indexName: "byFollowed", fields: ["id"])
            }
            type Follow @model {
              id: ID!
              followerId: ID! @index(name: "byFollower", sortKeyFields: ["createdAt"])
              followedId: ID! @index(name: "byFollowed", sortKeyFields: ["createdAt"])
              follower: Person! @belongsTo(fields: ["followerId"]) followed: Person! @belongsTo(fields: ["followedId"])
              createdAt: AWSDateTime!
            }
            """)
        try service.seed(
            """
            mutation {
              a: createPerson(input: {id: "a"}) { id }
              b: createPerson(input: {id: "b", personChildrenId: "a"}) { id }
              c: createPerson(input: {id: "c", personChildrenId: "a"}) { id }
              m: createFollow(input: {id: "m", followerId: "a", followedId: "c", createdAt: "2020-01-02T00:00:00Z"}) { id }
              n: createFollow(input: {id: "n", followerId: "a", followedId: "b", createdAt: "2020-01-01T00:00:00Z"}) { id }
              o: createFollow(input: {id: "o", followerId: "c", followedId: "b", createdAt: "2020-01-03T00:00:00Z"}) { id }
            }
            """)
        try service.expect(
            #"{ getPerson(id: "a") { parent { id } children { items { id parent { id } children { items { id } } } } } }"#,
            data: #"{"getPerson":{"parent":null,"children":{"items":["#
                + #"{"id":"b","parent":{"id":"a"},"children":{"items":[]}},"#
                + #"{"id":"c","parent":{"id":"a"},"children":{"items":[]}}]}}}"#)
        try service.expect(
            "{ listPeople { items { following { items { followed { id } } } followers { items { follower { id } } } } } }",
            data: #"{"listPeople":{"items":["#
                + #"{"following":{"items":[{"followed":{"id":"b"}},{"followed":{"id":"c"}}]},"followers":{"items":[]}},"#
                + #"{"following":{"items":[]},"#
                + #""followers":{"items":[{"follower":{"id":"a"}},{"follower":{"id":"c"}}]}},"#
                + #"{"following":{"items":[{"followed":{"id":"b"}}]},"#
                + #""followers":{"items":[{"follower":{"id":"a"}}]}}]}}"#)
    }

    @Test("an item found by its references is the oldest that has the whole key")
    func hasOneByReferences() throws {
        let service = try Service(
            """
            type Post @model { id: ID! cover: Cover @hasOne(references: ["postId"]) }
            type Cover @model { id: ID! postId: ID post: Post @belongsTo(references: ["postId"]) }
            type Shop @model {
              city: String! @primaryKey(sortKeyFields: ["street", "number"]) street: String! number: Int!
              sign: Sign @hasOne(references: ["city", "street", "number"])
            }
            type Sign @model {
              id: ID! city: String street: String number: Int
              shop: Shop @belongsTo(references: ["city", "street", "number"])
            }
            """)
        try service.seed(
            """
            mutation {
              p: createPost(input: {id: "p"}) { id }
              q: createPost(input: {id: "q"}) { id }
              b: createCover(input: {id: "b", postId: "p"}) { id }
              a: createCover(input: {id: "a", postId: "p"}) { id }
              c: createCover(input: {id: "c"}) { id }
              s: createShop(input: {city: "Rome", street: "Corso", number: 7}) { city }
              t: createShop(input: {city: "Rome", street: "Corso", number: 70}) { city }
              x: createSign(input: {id: "x", city: "Rome", street: "Corso"}) { id }
              y: createSign(input: {id: "y", city: "Rome", street: "Corso", number: 8}) { id }
              z: createSign(input: {id: "z", city: "Rome", street: "Corso", number: 7}) { id }
            }
            """)
        try service.expect(
            "{ listPosts { items { id cover { id post { cover { id } } } } } }",
            data: #"{"listPosts":{"items":[{"id":"p","cover":{"id":"b","post":{"cover":{"id":"b"}}}},"#
                + #"{"id":"q","cover":null}]}}"#)
        try service.expect(
            "{ listShops { items { number sign { id shop { number } } } } }",
            data: #"{"listShops":{"items":[{"number":7,"sign":{"id":"z","shop":{"number":7}}},"#
                + #"{"number":70,"sign":null}]}}"#)
        try service.expect(
            #"mutation { deleteCover(input: {id: "b"}) { post { cover { id } } } }"#,
            data: #"{"deleteCover":{"post":{"cover":{"id":"a"}}}}"#)
    }

    @Test("keys of several parts are found whole, and what lacks a part is in no list")
    func compositeKeys() throws {
        let service = try Service(
            """
            type Project @model {
              pid: Int! @primaryKey(sortKeyFields: ["name"]) name: String! members: [Member] @hasMany
            }
            type Member @model { id: ID! project: Project @belongsTo }
            """)
        try service.seed(
            """
            mutation {
              createProject(input: {pid: 1, name: "a"}) { pid }
              m: createMember(input: {id: "m", projectMembersPid: 1, projectMembersName: "a"}) { id }
              n: createMember(input: {id: "n", projectMembersPid: 1}) { id }
              o: createMember(input: {id: "o", projectMembersPid: 1, projectMembersName: "b"}) { id }
            }
            """)
        try service.expect(
            #"{ getProject(pid: 1, name: "a") { members { items { id project { name } } } } }"#,
            data: #"{"getProject":{"members":{"items":[{"id":"m","project":{"name":"a"}}]}}}"#)
        try service.expect(
            "{ listMembers { items { id project { pid } } } }",
            data: #"{"listMembers":{"items":[{"id":"m","project":{"pid":1}},{"id":"n","project":null},"#
                + #"{"id":"o","project":null}]}}"#)
    }

    @Test("create fills defaults in where the input has no value or null, and update does not")
    func defaults() throws {
        let service = try Service(
            """
            enum Kind { A B }
            type Todo @model {
              id: ID! text: String @default(value: "hi") count: Int @default(value: "3") done: Boolean @default(value: "true")
              kind: Kind @default(value: "B") ratio: Float @default(value: "0.5")
            }
            """)
        let fields = "text count done kind ratio"
        try service.expect(
            "mutation { createTodo(input: {id: \"a\", count: null}) { \(fields) } }",
            data: #"{"createTodo":{"text":"hi","count":3,"done":true,"kind":"B","ratio":0.5}}"#)
        try service.expect(
            "mutation { createTodo(input: {id: \"b\", text: \"\", count: 0, done: false, kind: A}) { \(fields) } }",
            data: #"{"createTodo":{"text":"","count":0,"done":false,"kind":"A","ratio":0.5}}"#)
        try service.expect(
            "mutation { updateTodo(input: {id: \"b\", kind: null}) { kind } }", data: #"{"updateTodo":{"kind":null}}"#)
    }

    @Test("a renamed model and a renamed field keep their data")
    func renames() throws {
        let old = try Service(
            """
            type Post @model { id: ID! title: String comments: [Comment] @hasMany }
            type Comment @model { id: ID! post: Post @belongsTo n: Int @default(value: "1") }
            """)
        try old.seed(
            """
            mutation {
              createPost(input: {id: "p", title: "T"}) { id }
              createComment(input: {id: "c", postCommentsId: "p"}) { id }
            }
            """)
        let new = try old.reloaded(
            """
            type Article @model @mapsTo(name: "Post") {
              id: ID! headline: String @refersTo(name: "title") comments: [Comment] @hasMany
            }
            type Comment @model { id: ID! post: Article @belongsTo n: Int }
            """)
        try new.expect(
            #"{ getArticle(id: "p") { headline comments { items { id articleCommentsId post { headline } } } } }"#,
            data: #"{"getArticle":{"headline":"T","comments":{"items":[{"id":"c","articleCommentsId":"p","#
                + #""post":{"headline":"T"}}]}}}"#)
        try new.expect(
            #"{ listArticles(filter: {headline: {eq: "T"}}) { items { id } } }"#,
            data: #"{"listArticles":{"items":[{"id":"p"}]}}"#)
        try new.expect(
            #"mutation { updateArticle(input: {id: "p", headline: "U"}) { headline } }"#,
            data: #"{"updateArticle":{"headline":"U"}}"#)
        #expect(new.definition.tables[0].name == "Post")
    }

    @Test("a filter by an id that the model does not have is a filter by an attribute that is missing")
    func missingAttribute() throws {
        let service = try Service("type Post @model { slug: ID! @primaryKey text: String }")
        try service.seed(#"mutation { createPost(input: {slug: "s"}) { slug } }"#)
        let filters = [
            ("{id: {eq: \"s\"}}", ""), ("{id: {ne: \"s\"}}", "s"), ("{id: {attributeExists: false}}", "s"),
            ("{id: {attributeExists: true}}", ""), ("{not: {id: {beginsWith: \"s\"}}}", "s"),
            ("{id: {notContains: \"x\", size: {gt: 0}}}", ""),
        ]
        for (filter, slugs) in filters {
            let items = slugs.isEmpty ? "" : "{\"slug\":\"\(slugs)\"}"
            try service.expect(
                "{ listPosts(filter: \(filter)) { items { slug } } }", data: "{\"listPosts\":{\"items\":[\(items)]}}")
        }
    }
}
