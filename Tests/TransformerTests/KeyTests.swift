import GraphQL
import Tables
import Testing

@testable import Transformer

@Suite("@key")
struct KeyTests {
    @Test("an id that is declared and not in the primary key stays, and is optional")
    func declaredIdentifier() throws {
        let definition = try definition(
            "type Post @model @key(fields: [\"slug\", \"day\"]) { id: ID! slug: String! day: AWSDate! title: String }")
        #expect(definition.text(of: "Post", field: "id") == "id: ID!")
        #expect(definition.text(of: "CreatePostInput", field: "id") == "id: ID")
        #expect(definition.text(of: "UpdatePostInput", field: "id") == "id: ID")
        #expect(
            definition.text(of: "DeletePostInput") == "input DeletePostInput {\n  slug: String!\n  day: AWSDate!\n}")
        #expect(
            definition.text(of: "ModelPostConditionInput")?.split(separator: "\n").dropFirst().first
                == "  title: ModelStringInput")
        #expect(definition.models[0].primaryKey == ["slug", "day"])
        #expect(definition.models[0].generatesID)
    }

    @Test("an id that is not declared is not there at all")
    func undeclaredIdentifier() throws {
        let definition = try definition("type Post @model @key(fields: [\"slug\"]) { slug: ID! n: Int }")
        #expect(definition.text(of: "Post", field: "id") == nil)
        #expect(definition.tables[0].columns.map(\.name) == ["slug", "n", "createdAt", "updatedAt"])
        #expect(!definition.models[0].generatesID)
        #expect(
            definition.text(of: "Query", field: "listPosts")
                == "listPosts(slug: ID, filter: ModelPostFilterInput, limit: Int, nextToken: String, "
                + "sortDirection: ModelSortDirection): ModelPostConnection")
        #expect(
            definition.resolver(type: "Query", field: "listPosts")
                == .query(
                    QueryItems(
                        model: 0, access: .primaryKey, partitionKey: .argument("slug", isRequired: false), kind: .list))
        )
    }

    @Test("an index has a query when it is named one, with sortDirection before the filter")
    func queryField() throws {
        let definition = try definition(
            """
            enum Status { ON OFF }
            type Task @model(queries: null)
              @key(name: "byOwner", fields: ["owner", "status"], queryField: "tasksByOwner")
              @key(name: "byDay", fields: ["owner", "status", "at"], queryField: "tasksByDay")
              @key(name: "quiet", fields: ["status"]) {
              owner: ID! status: Status! at: AWSTimestamp!
            }
            """)
        #expect(
            definition.text(of: "Query", field: "tasksByOwner")
                == "tasksByOwner(owner: ID, status: ModelStringKeyConditionInput, "
                + "sortDirection: ModelSortDirection, filter: ModelTaskFilterInput, limit: Int, nextToken: String): "
                + "ModelTaskConnection")
        #expect(
            definition.text(of: "Query", field: "tasksByDay")
                == "tasksByDay(owner: ID, statusAt: ModelTaskByDayCompositeKeyConditionInput, "
                + "sortDirection: ModelSortDirection, filter: ModelTaskFilterInput, limit: Int, nextToken: String): "
                + "ModelTaskConnection")
        #expect(
            definition.text(of: "ModelTaskByDayCompositeKeyInput")
                == "input ModelTaskByDayCompositeKeyInput {\n  status: Status\n  at: Int\n}")
        let table = definition.tables[0]
        #expect(table.indexes.map(\.name) == ["byOwner", "byDay", "quiet"])
        #expect(table.indexes[1].key.columns.map { table.columns[$0].name } == ["owner", "status", "at"])
        #expect(
            definition.models[0].compositeSortKeys == [CompositeSortKey(indexName: "byDay", fields: ["status", "at"])])
        #expect(
            definition.resolver(type: "Query", field: "tasksByDay")
                == .query(
                    QueryItems(
                        model: 0, access: .index(1), partitionKey: .argument("owner", isRequired: true),
                        sortKey: .argument(name: "statusAt", fields: ["status", "at"]),
                        indexSortFields: ["status", "at"], kind: .queryField)))
        #expect(definition.indexCount == 3)
    }

    @Test("sortDirection is allowed only where there is a sort key")
    func sortDirection() throws {
        let definition = try definition(
            "type A @model @key(name: \"n\", fields: [\"x\"], queryField: \"byX\") { id: ID! x: Int y: Int }")
        guard case .query(let query) = definition.resolver(type: "Query", field: "byX") else {
            Issue.record("A queryField has a query.")
            return
        }
        #expect(!query.allowsSortDirection)
    }

    @Test("an input of the author's is rewritten only when its mutation is generated, unless the old flag is set")
    func ownInputs() throws {
        let schema = """
            type A @model(mutations: { create: "make" }) @key(fields: ["x"]) { x: Int! y: Int }
            input UpdateAInput { x: Int y: Int }
            """
        let new = try definition(schema)
        #expect(new.text(of: "UpdateAInput", field: "x") == "x: Int")
        let old = try definition(schema, options: TransformOptions(skipOverrideMutationInputTypes: false))
        #expect(old.text(of: "UpdateAInput", field: "x") == "x: Int!")
    }

    @Test(
        "a key against the rules is refused at its place",
        arguments: [
            (
                "type A @key(fields: [\"x\"]) { x: Int! }",
                "@key may only be on an object type with @model; A has none."
            ),
            (
                "type A @model @key(fields: [\"x\"]) @key(fields: [\"y\"]) { x: Int! y: Int! }",
                "Type 'A' may have only one primary @key, which is the one without a name."
            ),
            (
                "type A @model @key(fields: [\"x\"], queryField: \"q\") { x: Int! }",
                "The primary @key of type 'A' cannot have a 'queryField'."
            ),
            (
                "type A @model @key(name: \"n\", fields: [\"x\"]) @key(name: \"n\", fields: [\"y\"]) { x: Int! y: Int! }",
                "Type 'A' may have only one @key with the name 'n'."
            ),
            (
                "type A @model @key(name: \"n\", fields: [\"z\"]) { x: Int! }",
                "The @key 'n' of type 'A' names 'z', which is not a field."
            ),
            (
                "type A @model @key(fields: [\"z\"]) { x: Int! }",
                "The @key '<unnamed>' of type 'A' names 'z', which is not a field."
            ),
            (
                "type A @model @key(fields: [\"x\"]) { x: Int }",
                "The fields of the primary @key of type 'A' must be non-null; x is not."
            ),
            (
                "type A @model @key(name: \"n\", fields: [\"x\"]) { x: B } type B { c: Int }",
                "A key field must be a scalar or an enum; A.x is of type B."
            ),
            (
                "type A @model @key(name: \"n\", fields: [\"x\"]) { x: Boolean }",
                "Boolean values cannot be used as keys: A.x."
            ),
            (
                "type A @model @key(fields: [\"x\"]) @key(name: \"n\", fields: [\"x\", \"y\"]) { x: Int! y: Int! }",
                "The @key 'n' of type 'A' begins with the field of the primary @key, which has no sort key."
            ),
            (
                "type A @model @key(name: \"n\", fields: []) { x: Int! }",
                "A @key on type 'A' must name at least one field."
            ),
            (
                "type A @model @key(name: \"n\", fields: [\"x\", \"x\"]) { x: Int! }",
                "The @key 'n' of type 'A' names 'x' twice."
            ),
        ])
    func rules(schema: String, message: String) {
        let diagnostics = refusal(schema)
        #expect(diagnostics.map(\.message) == [message])
        #expect(diagnostics.map(\.kind) == ["InvalidDirectiveError"])
        #expect(diagnostics.first?.place?.sourceLine.dropFirst((diagnostics[0].place?.column ?? 1) - 1).first == "@")
    }
}
