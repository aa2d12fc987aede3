import Foundation
import Testing

@testable import Server

/// The built binary over data that a server of before has written.
@Suite("migrate counts what it does, keeps what is renamed, and says what does not fit", .serialized)
struct MigrateTests {
    /// Serves a schema, and sends a mutation.
    private func fill(_ schema: String, _ mutation: String, in folder: TemporaryFolder) throws {
        try folder.write(schema, to: "schema.graphql")
        let server = try Running(["serve", "--port", "0"], in: folder)
        let answer = try server.connect().graphql(mutation.replacing("\n", with: " "))
        #expect(!answer.contains("errors"), "\(answer)")
        #expect(server.stop().code == 0)
    }

    private func answer(_ query: String, in folder: TemporaryFolder) throws -> String {
        let server = try Running(["serve", "--port", "0"], in: folder)
        defer { server.stop() }
        return try server.connect().graphql(query)
    }

    @Test("plan and check refuse a folder in which a restore was interrupted, as backup does")
    func interruptedRestore() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try fill("type Post @model { id: ID! }", #"mutation { createPost(input: {id: "p"}) { id } }"#, in: folder)
        let database = folder.path(".syncline/tables.sqlite")
        try FileManager.default.moveItem(atPath: database, toPath: database + ".replaced")
        for verb in [["migrate", "plan"], ["check"], ["backup", "file"]] {
            let outcome = try run(verb, in: folder)
            #expect(outcome.code == 5 && outcome.complaint.contains("A restore was interrupted"), "\(verb): \(outcome)")
        }
        #expect(try answer("{ listPosts { items { id } } }", in: folder).contains(#""id":"p""#))
    }

    @Test("plan counts and names items without an owner, where rules are about owners")
    func ownerlessItems() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let fields = "id: ID! owner: String editors: [String]"
        try fill(
            "type Post @model { \(fields) } type Other @model { id: ID! }",
            """
            mutation { a: createPost(input: {id: "p1"}) { id } b: createPost(input: {id: "p2", editors: []}) { id }
              c: createPost(input: {id: "p3", owner: "ann"}) { id }
              d: createPost(input: {id: "p4", editors: ["bob"]}) { id } e: createOther(input: {id: "o"}) { id } }
            """, in: folder)
        #expect(try !run(["migrate", "plan"], in: folder).output.contains("WITHOUT OWNER"), "there are no rules")
        let rules = "@auth(rules: [{allow: owner}, {allow: owner, ownerField: \"editors\"}])"
        try folder.write(
            "type Post @model \(rules) { \(fields) } type Other @model { id: ID! }", to: "schema.graphql")
        let plan = try run(["migrate", "plan"], in: folder)
        let line =
            "WITHOUT OWNER: Post: 2 items have no owner (owner, editors), so no rule for owners is about them: p1, p2\n"
        #expect(plan.code == 0 && plan.output.contains(line), "\(plan)")
        let check = try run(["check", "--format", "json"], in: folder)
        let json = #""ownerless":[{"model":"Post","fields":["owner","editors"],"items":2,"examples":["p1","p2"]}]"#
        #expect(check.code == 0 && check.output.contains(json), "\(check)")
    }

    @Test("a renamed model and field of version 1 keep their data with --rename, which plan names")
    func renameVersionOne() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try fill(
            """
            type Post @model { id: ID! title: String comments: [Comment] @connection }
            type Comment @model { id: ID! text: String }
            """,
            """
            mutation { createPost(input: {id: "p", title: "t"}) { id }
              createComment(input: {id: "c", text: "x", postCommentsId: "p"}) { id } }
            """, in: folder)
        try folder.write(
            """
            type Article @model { id: ID! title: String comments: [Comment] @connection }
            type Comment @model { id: ID! text: String }
            """, to: "schema.graphql")
        let key = "Comment.postCommentsId=articleCommentsId"
        let first = try run(["migrate", "plan"], in: folder)
        for rename in ["Post=Article", key] {
            #expect(first.output.contains("'syncline migrate apply --rename \(rename)'"), "\(first)")
        }
        try folder.write(
            """
            type Article @model { id: ID! headline: String comments: [Comment] @connection }
            type Comment @model { id: ID! body: String }
            """, to: "schema.graphql")
        // A server has been started with the new schema in between.
        _ = try answer("{ listArticles { items { id } } }", in: folder)
        // Two fields have another name, so nothing says that the model is the same.
        let renames = ["Post=Article", "Article.title=headline", "Comment.text=body"].flatMap { ["--rename", $0] }
        let plan = try run(["migrate", "plan"] + renames, in: folder)
        #expect(plan.code == 0 && plan.output.contains("Rename table Post to Article. (1 item)"), "\(plan)")
        let applied = try run(["migrate", "apply"] + renames, in: folder)
        #expect(applied.code == 0 && applied.output.hasSuffix("Done.\n"), "\(applied)")
        let next = try run(["migrate", "plan"], in: folder)
        #expect(next.output.contains("--rename \(key)'"), "\(next)")
        #expect(try run(["migrate", "apply", "--rename", key], in: folder).code == 0)
        let found = try answer("{ listArticles { items { id headline comments { items { id body } } } } }", in: folder)
        #expect(found.contains(#"{"id":"p","headline":"t","comments":{"items":[{"id":"c","body":"x"}]}}"#), "\(found)")
        let wrong: [(String, Int32)] = [
            ("Post", 2), ("a.b.c=d", 2), ("Post=Nothing", 2), ("Article.nothing=headline", 2), ("Article.title=no", 2),
        ]
        for (rename, code) in wrong {
            let outcome = try run(["migrate", "apply", "--rename", rename], in: folder)
            #expect(outcome.code == code && !outcome.complaint.isEmpty, "\(rename): \(outcome)")
        }
    }

    @Test("for version 2, plan prints the lines with @refersTo and @mapsTo that keep the data")
    func renameVersionTwo() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try fill(
            """
            input AMPLIFY { globalAuthRule: AuthRule = { allow: public } }
            type Post @model { id: ID! title: String comments: [Comment] @hasMany }
            type Comment @model { id: ID! text: String! @default(value: "-") }
            """,
            """
            mutation { createPost(input: {id: "p", title: "t"}) { id }
              createComment(input: {id: "c", text: "x", postCommentsId: "p"}) { id } }
            """, in: folder)
        let after = """
            input AMPLIFY { globalAuthRule: AuthRule = { allow: public } }
            type Article @model { id: ID! title: String comments: [Comment] @hasMany }
            type Comment @model { id: ID! body: String! @default(value: "-") }
            """
        try folder.write(after, to: "schema.graphql")
        let model = #"type Article @model @mapsTo(name: "Post")"#
        let first = try run(["migrate", "plan"], in: folder)
        #expect(first.output.contains("write '\(model)'"), "\(first)")
        #expect(first.code == 8 && first.output.contains("Comment.body: 1 item lacks a value"), "\(first)")
        let mapped = after.replacingOccurrences(of: "type Article @model", with: model)
        try folder.write(mapped, to: "schema.graphql")
        let second = try run(["migrate", "plan"], in: folder)
        let field = #"body: String! @default(value: "-") @refersTo(name: "text")"#
        #expect(second.output.contains("write '\(field)' in type Comment"), "\(second)")
        try folder.write(
            mapped.replacingOccurrences(of: #"body: String! @default(value: "-")"#, with: field), to: "schema.graphql")
        let last = try run(["migrate", "plan"], in: folder)
        #expect(last.code == 0 && !last.output.contains("Add column"), "\(last)")
        #expect(!last.output.contains("RENAMED") && !last.output.contains("Left over"), "\(last)")
        let found = try answer("{ listArticles { items { title comments { items { body } } } } }", in: folder)
        #expect(found.contains(#"{"title":"t","comments":{"items":[{"body":"x"}]}}"#), "\(found)")
    }

    @Test("items that do not fit are counted by plan and check, which end with 8; what only widens is done at a start")
    func misfits() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try fill(
            """
            type Post @model {
              id: ID! title: String status: Status rank: Int day: String stars: Int tags: [String] place: Place
            }
            enum Status { DRAFT OPEN }
            type Place { x: Int y: String }
            """,
            """
            mutation {
              a: createPost(input: {id: "a", title: "t", status: DRAFT, rank: 1, day: "2020-01-01", stars: 2,
                tags: ["1", "x"], place: {x: 1}}) { id }
              b: createPost(input: {id: "b", status: OPEN, rank: 2, day: "soon", place: {x: 2, y: "y"}}) { id }
            }
            """, in: folder)
        try folder.write(
            """
            type Post @model {
              id: ID! title: String! status: Status rank: Float day: AWSDate stars: Int tags: [Int] place: Place
            }
            enum Status { OPEN DONE }
            type Place { x: Int y: String! }
            """, to: "schema.graphql")
        for verb in [["migrate", "plan"], ["check"]] {
            let outcome = try run(verb, in: folder)
            #expect(outcome.code == 8, "\(outcome)")
            for line in [
                "(2 items)", "Post.title: 1 item lacks a value, which the type String! requires.",
                #"Post.status: 1 item holds a value that is no Status, such as "DRAFT"."#,
                #"Post.day: 1 item holds a value that is no AWSDate, such as "soon"."#,
                "Post.tags: 1 item holds a value that is no [Int]", "Post.place: 1 item holds a value that is no Place",
            ] {
                #expect(outcome.output.contains(line), "\(line): \(outcome)")
            }
        }
        let json = try run(["check", "--format", "json"], in: folder)
        #expect(
            json.code == 8 && json.output.contains(#""field":"day","type":"AWSDate","lackingItems":0,"otherItems":1"#))
        let found = try answer(#"{ getPost(id: "a") { rank stars day } }"#, in: folder)
        #expect(found.contains(#""rank":1"#) && !found.contains("errors"), "\(found)")
        // A deleted item no longer counts, and one that fits neither.
        let server = try Running(["serve", "--port", "0"], in: folder)
        let client = try server.connect()
        _ = try client.graphql(#"mutation { deletePost(input: {id: "b"}) { id } }"#)
        _ = try client.graphql(
            #"mutation { updatePost(input: {id: "a", status: OPEN, tags: [1], place: {x: 1, y: "y"}}) { id } }"#)
        server.stop()
        let plan = try run(["migrate", "plan"], in: folder)
        #expect(plan.code == 0 && plan.output.contains("nothing to do"), "\(plan)")
    }

    @Test("a conversion that, counted, loses nothing needs no --yes; one that loses says how much")
    func counted() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try fill(
            "type Post @model { id: ID! a: String b: String }",
            """
            mutation { x: createPost(input: {id: "x", a: "1", b: "1"}) { id }
              y: createPost(input: {id: "y", a: "2", b: "two"}) { id } }
            """, in: folder)
        try folder.write("type Post @model { id: ID! a: Int b: Int }", to: "schema.graphql")
        let plan = try run(["migrate", "plan"], in: folder)
        #expect(plan.code == 8, "\(plan)")
        #expect(plan.output.contains("LOSES DATA: Copy table Post") && plan.output.contains("1 value lost"), "\(plan)")
        let refused = try run(["migrate", "apply"], in: folder)
        #expect(refused.code == 7 && refused.complaint.contains("2 items: 0 removed, 1 value lost"), "\(refused)")
        try folder.write("type Post @model { id: ID! a: Int b: String }", to: "schema.graphql")
        let harmless = try run(["migrate", "plan"], in: folder)
        #expect(harmless.code == 0 && !harmless.output.contains("LOSES"), "\(harmless)")
        #expect(try run(["migrate", "apply"], in: folder).code == 0)
        #expect(
            try answer("{ listPosts { items { a b } } }", in: folder).contains(#"{"a":1,"b":"1"},{"a":2,"b":"two"}"#))
    }

    @Test("what the schema no longer has stays until migrate drop, which asks if it holds anything")
    func drop() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try fill(
            "type Post @model { id: ID! a: String b: String } type Draft @model { id: ID! }",
            #"mutation { createPost(input: {id: "x", a: "1"}) { id } createDraft(input: {id: "d"}) { id } }"#,
            in: folder)
        #expect(try run(["migrate", "drop"], in: folder).output.contains("Nothing is left over."))
        try folder.write("type Post @model { id: ID! c: Int }", to: "schema.graphql")
        let list = "table Draft (1 item)"
        let plan = try run(["migrate", "plan"], in: folder)
        #expect(plan.code == 0 && plan.output.contains(list), "\(plan)")
        #expect(plan.output.contains("column Post.a (1 value), column Post.b (0 values)"), "\(plan)")
        let refused = try run(["migrate", "drop"], in: folder)
        #expect(refused.code == 7 && refused.complaint.contains(list), "\(refused)")
        #expect(try run(["migrate", "plan"], in: folder).output.contains(list))
        #expect(try run(["migrate", "drop", "--yes"], in: folder).output.hasPrefix("Removed "))
        let after = try run(["migrate", "plan"], in: folder)
        #expect(after.code == 0 && !after.output.contains("Left over"), "\(after)")
        #expect(try answer("{ listPosts { items { id c } } }", in: folder).contains(#"{"id":"x","c":null}"#))
    }

    @Test("an apply that is killed leaves the old tables or the new ones")
    func killed() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let mutation = (0..<200).map { #"m\#($0): createPost(input: {id: "\#($0)", a: "\#($0)"}) { id }"# }
        try fill(
            "type Post @model { id: ID! a: String }", "mutation { \(mutation.joined(separator: "\n")) }", in: folder)
        var type = "String"
        for round in 0..<6 {
            let next = type == "String" ? "Int" : "String"
            try folder.write("type Post @model { id: ID! a: \(next) }", to: "schema.graphql")
            let apply = try Command(["migrate", "apply"], in: folder)
            // Any moment will do.
            usleep(UInt32.random(in: 5_000...60_000))
            apply.process.send(SIGKILL)
            _ = apply.wait()
            let plan = try run(["migrate", "plan"], in: folder)
            #expect(plan.code == 0, "\(plan)")
            if plan.output.contains("nothing to do") { type = next }
            try folder.write("type Post @model { id: ID! a: \(type) }", to: "schema.graphql")
            #expect(try run(["migrate", "plan"], in: folder).output.contains("nothing to do"), "round \(round)")
            let items = try answer("{ listPosts(limit: 1000) { items { id a } } }", in: folder)
            #expect(items.components(separatedBy: #""id""#).count == 201, "round \(round)")
            #expect(items.contains(type == "Int" ? #""a":199"# : #""a":"199""#), "round \(round)")
        }
    }
}
