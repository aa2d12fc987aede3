import JSON
import Testing

@testable import API

@Suite("Connections", .bothExecutors) struct ConnectionTests {
    @Test("named pairs: from both sides, with keys that are in the inputs only")
    func namedPair() throws {
        let service = try Service(
            """
            type Post @model { id: ID! title: String comments: [Comment] @connection(name: "PostComments") }
            type Comment @model { id: ID! body: String post: Post @connection(name: "PostComments") }
            """)
        try service.seed(
            """
            mutation {
              createPost(input: {id: "p"}) { id }
              a: createComment(input: {id: "a", commentPostId: "p"}) { id }
              b: createComment(input: {id: "b", commentPostId: "p"}) { id }
              c: createComment(input: {id: "c", commentPostId: "gone"}) { id }
              d: createComment(input: {id: "d"}) { id }
            }
            """)
        try service.expect(
            "{ listComments { items { id post { id } } } }",
            data: #"{"listComments":{"items":[{"id":"a","post":{"id":"p"}},{"id":"b","post":{"id":"p"}},"#
                + #"{"id":"c","post":null},{"id":"d","post":null}]}}"#)
        try service.expect(
            #"{ getPost(id: "p") { comments { items { id post { comments(limit: 1) { items { id } } } } nextToken } } }"#,
            data: #"{"getPost":{"comments":{"items":[{"id":"a","post":{"comments":{"items":[{"id":"a"}]}}},"#
                + #"{"id":"b","post":{"comments":{"items":[{"id":"a"}]}}}],"nextToken":null}}}"#)
        // The key moves the comment from list to list.
        try service.seed(#"mutation { updateComment(input: {id: "a", commentPostId: null}) { id } }"#)
        #expect(
            try service.ids(#"{ getPost(id: "p") { comments { items { id } } } }"#, at: "getPost", "comments") == "b")
        // Deleting the one side leaves the other as it is.
        try service.seed(#"mutation { deletePost(input: {id: "p"}) { id } }"#)
        try service.expect(
            #"{ getComment(id: "b") { id post { id } } }"#, data: #"{"getComment":{"id":"b","post":null}}"#)
    }

    @Test("a pair has its keyField, sortField and limit")
    func keyField() throws {
        let service = try Service(
            """
            type Post @model { id: ID! comments: [Comment] @connection(name: "C", keyField: "postKey", sortField: "rank", limit: 2) }
            type Comment @model { id: ID! rank: Int! post: Post @connection(name: "C", keyField: "postKey", sortField: "rank") }
            """)
        try service.seed(#"mutation { createPost(input: {id: "p"}) { id } }"#)
        for rank in [10, 9, 100, -1] {
            try service.seed(
                #"mutation { createComment(input: {id: "c\#(rank)", rank: \#(rank), postKey: "p"}) { id } }"#)
        }
        let cases = [
            ("", "c-1 c9"), ("(limit: 3)", "c-1 c9 c10"), ("(limit: 9, sortDirection: DESC)", "c100 c10 c9 c-1"),
            ("(limit: 9, rank: {between: [9, 10]})", "c9 c10"), ("(rank: {gt: 9}, sortDirection: DESC)", "c100 c10"),
            ("(limit: 9, filter: {rank: {ne: 10}})", "c-1 c9 c100"), ("(limit: null, sortDirection: null)", "c-1 c9"),
        ]
        for (arguments, ids) in cases {
            let found = try service.ids(
                #"{ getPost(id: "p") { comments\#(arguments) { items { id } } } }"#, at: "getPost", "comments")
            #expect(found == ids, "\(arguments)")
        }
    }

    @Test("a nested filter is applied for every parent, with each request's own values")
    func nestedFilter() throws {
        let service = try Service(
            """
            type Post @model { id: ID! comments: [Comment] @connection(name: "C") }
            type Comment @model { id: ID! rank: Int body: String post: Post @connection(name: "C") }
            """)
        for post in ["p", "q"] {
            try service.seed("mutation { createPost(input: {id: \"\(post)\"}) { id } }")
            for rank in 1...3 {
                try service.seed(
                    "mutation { createComment(input: {id: \"\(post)\(rank)\", rank: \(rank), "
                        + "body: \"b\(rank)\", commentPostId: \"\(post)\"}) { id } }")
            }
        }
        func found(_ filter: String) throws -> String {
            let query = """
                query Q($f: ModelCommentFilterInput) { p: getPost(id: "p") { ...posts } q: getPost(id: "q") { ...posts } }
                fragment posts on Post { comments(filter: $f) { items { id post { comments(filter: $f) { items { id } } } } } }
                """
            let data = try service.data(query, "{\"f\": \(filter)}")
            // The identifiers in the order of the answer: of each comment itself, then those of its post.
            return data.split(separator: "\"").filter { $0.count == 2 && "pq".contains($0.prefix(1)) }
                .joined(separator: " ")
        }
        let cases = [
            (#"{"rank": {"lt": 2}}"#, "p1 p1 q1 q1"), (#"{"rank": {"lt": 3}}"#, "p1 p1 p2 p2 p1 p2 q1 q1 q2 q2 q1 q2"),
            (#"{"rank": {"gt": 2}}"#, "p3 p3 q3 q3"), (#"{"body": {"eq": "b2"}}"#, "p2 p2 q2 q2"),
            (#"{"body": {"eq": null}}"#, ""), (#"{"rank": {"lt": 2}}"#, "p1 p1 q1 q1"),
        ]
        for (filter, ids) in cases { #expect(try found(filter) == ids, "\(filter)") }
    }

    @Test("a one-way connection without a name reads many or one")
    func oneWay() throws {
        let service = try Service(
            """
            type Blog @model { id: ID! posts: [Entry] @connection drafts: [Entry!]! @connection first: Entry @connection }
            type Entry @model { id: ID! title: String! }
            """)
        try service.seed(
            """
            mutation {
              a: createEntry(input: {id: "a", title: "a", blogPostsId: "x"}) { id }
              b: createEntry(input: {id: "b", title: "b", blogPostsId: "x", blogDraftsId: "x"}) { id }
              createBlog(input: {id: "x", blogFirstId: "b"}) { id }
              y: createBlog(input: {id: "y"}) { id }
            }
            """)
        let selection = "posts { items { id } } drafts { items { id } } first { title }"
        try service.expect(
            #"{ x: getBlog(id: "x") { \#(selection) } y: getBlog(id: "y") { \#(selection) } }"#,
            data:
                #"{"x":{"posts":{"items":[{"id":"a"},{"id":"b"}]},"drafts":{"items":[{"id":"b"}]},"first":{"title":"b"}},"#
                + #""y":{"posts":{"items":[]},"drafts":{"items":[]},"first":null}}"#)
    }

    @Test("a model connected with itself")
    func selfRelation() throws {
        let service = try Service(
            """
            type Todo @model { id: ID! children: [Todo] @connection(name: "Tree") parent: Todo @connection(name: "Tree") }
            """)
        try service.seed(
            """
            mutation {
              r: createTodo(input: {id: "r"}) { id }
              a: createTodo(input: {id: "a", todoParentId: "r"}) { id }
              b: createTodo(input: {id: "b", todoParentId: "a"}) { id }
              s: createTodo(input: {id: "s", todoParentId: "s"}) { id }
            }
            """)
        try service.expect(
            """
            { r: getTodo(id: "r") { parent { id } children { items { id children { items { id parent { parent { id } } } } } } }
              s: getTodo(id: "s") { parent { parent { parent { id } } } children { items { id } } } }
            """,
            data: #"{"r":{"parent":null,"children":{"items":[{"id":"a","children":{"items":[{"id":"b","parent":"#
                + #"{"parent":{"id":"r"}}}]}}]}},"s":{"parent":{"parent":{"parent":{"id":"s"}}},"children":{"items":[{"id":"s"}]}}}"#
        )
    }

    @Test("by fields and keyName: sorted by the rest of the key, which is an argument")
    func keyName() throws {
        let service = try Service(
            """
            type Post @model { id: ID! title: String! comments: [Comment] @connection(keyName: "byPost", fields: ["id"]) }
            type Comment @model @key(name: "byPost", fields: ["postID", "content"]) {
              id: ID! postID: ID! content: String! post: Post @connection(fields: ["postID"])
            }
            """)
        try service.seed(#"mutation { createPost(input: {id: "p", title: "t"}) { id } }"#)
        for content in ["b", "ab", "Z", "é"] {
            try service.seed(
                #"mutation { createComment(input: {id: "\#(content)", postID: "p", content: "\#(content)"}) { id } }"#)
        }
        let cases = [
            ("", "Z ab b é"), ("(sortDirection: DESC)", "é b ab Z"), ("(content: {beginsWith: \"a\"})", "ab"),
            ("(content: {ge: \"b\"}, limit: 1)", "b"), ("(filter: {content: {contains: \"b\"}})", "ab b"),
        ]
        for (arguments, ids) in cases {
            let found = try service.ids(
                #"{ getPost(id: "p") { comments\#(arguments) { items { id } } } }"#, at: "getPost", "comments")
            #expect(found == ids, "\(arguments)")
        }
        try service.expect(
            #"{ getComment(id: "b") { post { title } } }"#, data: #"{"getComment":{"post":{"title":"t"}}}"#)
    }

    @Test("by fields alone: to one by a composite primary key, to many with the sort key fixed by the parent")
    func fieldsOnly() throws {
        let service = try Service(
            """
            type Shop @model @key(fields: ["city", "street", "number"]) { city: String! street: String! number: Int! name: String }
            type Visit @model {
              id: ID! city: String street: String number: Int
              shop: Shop @connection(fields: ["city", "street", "number"])
              neighbours: [House] @connection(keyName: "byStreet", fields: ["city", "street"])
            }
            type House @model @key(name: "byStreet", fields: ["city", "street"]) { id: ID! city: String! street: String! }
            """)
        try service.seed(
            """
            mutation {
              createShop(input: {city: "Rome", street: "Corso", number: 7, name: "Bar"}) { name }
              a: createHouse(input: {id: "a", city: "Rome", street: "Corso"}) { id }
              b: createHouse(input: {id: "b", city: "Rome", street: "Via"}) { id }
              v: createVisit(input: {id: "v", city: "Rome", street: "Corso", number: 7}) { id }
              w: createVisit(input: {id: "w", city: "Rome", number: 7}) { id }
              x: createVisit(input: {id: "x", city: "Rome", street: "Corso", number: 8}) { id }
            }
            """)
        try service.expect(
            "{ listVisits { items { id shop { name } neighbours { items { id } nextToken } } } }",
            data:
                #"{"listVisits":{"items":[{"id":"v","shop":{"name":"Bar"},"neighbours":{"items":[{"id":"a"}],"nextToken":null}},"#
                + #"{"id":"w","shop":null,"neighbours":{"items":[],"nextToken":null}},"#
                + #"{"id":"x","shop":null,"neighbours":{"items":[{"id":"a"}],"nextToken":null}}]}}"#)
    }

    @Test("many to many through a join model, from both sides, sorted and narrowed by the other key")
    func manyToMany() throws {
        let service = try Service(Schemas.chat)
        for user in ["u1", "u2"] {
            try service.seed(
                #"mutation { createUser(input: {id: "\#(user)", sub: "s", username: "\#(user)"}) { id } }"#)
        }
        for thread in ["t2", "t1", "t3"] {
            try service.seed(
                #"mutation { createThread(input: {id: "\#(thread)", name: "\#(thread)", location: "here"}) { id } }"#)
        }
        for (user, thread) in [("u1", "t2"), ("u1", "t1"), ("u2", "t2"), ("u1", "t3")] {
            try service.seed(
                """
                mutation { createUserThread(input: {id: "\(user)\(thread)", userThreadUserId: "\(user)",
                    userThreadThreadId: "\(thread)"}) { id user { id } thread { id } } }
                """)
        }
        let threads = { (arguments: String) in
            try service.ids(
                #"{ getUser(id: "u1") { threads\#(arguments) { items { id } } } }"#, at: "getUser", "threads")
        }
        #expect(try threads("") == "u1t1 u1t2 u1t3")
        #expect(try threads("(sortDirection: DESC, limit: 2)") == "u1t3 u1t2")
        #expect(try threads(#"(userThreadThreadId: {eq: "t2"})"#) == "u1t2")
        #expect(try threads(#"(userThreadThreadId: {beginsWith: "t"}, filter: {id: {ne: "u1t1"}})"#) == "u1t2 u1t3")
        try service.expect(
            #"{ getThread(id: "t2") { associated { items { user { username threads { items { thread { name } } } } } } } }"#,
            data:
                #"{"getThread":{"associated":{"items":[{"user":{"username":"u1","threads":{"items":[{"thread":{"name":"t1"}},"#
                + #"{"thread":{"name":"t2"}},{"thread":{"name":"t3"}}]}}},"#
                + #"{"user":{"username":"u2","threads":{"items":[{"thread":{"name":"t2"}}]}}}]}}}"#)
    }

    @Test("the selection of a write walks connections, and sees itself")
    func ofWrite() throws {
        let service = try Service(Schemas.chat)
        try service.seed(#"mutation { createUser(input: {id: "u", sub: "s", username: "n"}) { id } }"#)
        try service.expect(
            """
            mutation { createMessage(input: {id: "m", body: "hi", messageAuthorId: "u"}) {
                body author { messages { items { id } } } thread { id } replies { items { id } nextToken } } }
            """,
            data: #"{"createMessage":{"body":"hi","author":{"messages":{"items":[{"id":"m"}]}},"thread":null,"#
                + #""replies":{"items":[],"nextToken":null}}}"#)
        try service.expect(
            #"mutation { deleteMessage(input: {id: "m"}) { author { messages { items { id } } } } }"#,
            data: #"{"deleteMessage":{"author":{"messages":{"items":[]}}}}"#)
    }
}
