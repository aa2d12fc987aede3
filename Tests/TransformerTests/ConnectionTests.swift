import GraphQL
import Tables
import Testing

@testable import Transformer

@Suite("@connection")
struct ConnectionTests {
    private let page = "filter: ModelBFilterInput, sortDirection: ModelSortDirection, limit: Int, nextToken: String"

    // MARK: - Old style

    @Test("a pair stores the key on the single side, and the list queries it")
    func pair() throws {
        let definition = try definition(
            """
            type A @model { id: ID! bs: [B!]! @connection(name: "AB", limit: 7) }
            type B @model { id: ID! a: A! @connection(name: "AB") }
            """)
        #expect(definition.text(of: "A", field: "bs") == "bs(\(page)): ModelBConnection")
        #expect(definition.text(of: "B", field: "a") == "a: A!")
        #expect(definition.text(of: "CreateBInput", field: "bAId") == "bAId: ID!")
        #expect(definition.text(of: "UpdateBInput", field: "bAId") == "bAId: ID")
        #expect(definition.text(of: "B", field: "bAId") == nil)
        #expect(definition.tables[1].columns.map(\.name) == ["id", "bAId", "createdAt", "updatedAt"])
        #expect(
            definition.tables[1].indexes == [SecondaryIndex(name: "gsi-AB", key: KeySchema(partitionKey: 1))])
        #expect(
            definition.resolver(type: "A", field: "bs")
                == .query(
                    QueryItems(
                        model: 1, access: .index(0), partitionKey: .parent("id"), limit: 7, kind: .connection)))
        #expect(definition.resolver(type: "B", field: "a") == .related(RelatedItem(model: 0, columns: ["bAId"])))
    }

    @Test("a list alone stores the key on the other type, a single one on its own")
    func alone() throws {
        let definition = try definition(
            """
            type A @model { id: ID! bs: [B] @connection b: B @connection(keyField: "chosen") }
            type B @model { id: ID! }
            """)
        #expect(definition.text(of: "CreateBInput", field: "aBsId") == "aBsId: ID")
        #expect(definition.text(of: "CreateAInput", field: "chosen") == "chosen: ID")
        #expect(definition.tables[0].columns.map(\.name) == ["id", "chosen", "createdAt", "updatedAt"])
        #expect(definition.tables[1].indexes.map(\.name) == ["gsi-A.bs"])
        #expect(definition.resolver(type: "A", field: "b") == .related(RelatedItem(model: 1, columns: ["chosen"])))
    }

    @Test("a declared key keeps its declaration")
    func declaredKey() throws {
        let definition = try definition(
            """
            type A @model { id: ID! bs: [B] @connection(name: "AB", keyField: "aKey") }
            type B @model { id: ID! aKey: String! a: A @connection(name: "AB", keyField: "aKey") }
            """)
        #expect(definition.text(of: "CreateBInput", field: "aKey") == "aKey: String!")
        #expect(definition.tables[1].columns.map(\.name) == ["id", "aKey", "createdAt", "updatedAt"])
        #expect(definition.warnings.isEmpty)
    }

    @Test("the argument comes from the single side's sortField, the order from the list side's")
    func sortField() throws {
        func schema(list: String, single: String, at: String = "at: AWSDateTime") -> String {
            """
            type A @model { id: ID! bs: [B] @connection(name: "AB"\(list)) }
            type B @model { id: ID! \(at) a: A @connection(name: "AB"\(single)) }
            """
        }
        let given = ", sortField: \"at\""
        func query(_ definition: APIDefinition) -> QueryItems? {
            if case .query(let query) = definition.resolver(type: "A", field: "bs") { query } else { nil }
        }
        let both = try definition(schema(list: given, single: given))
        #expect(
            both.text(of: "A", field: "bs") == "bs(at: ModelStringKeyConditionInput, \(page)): ModelBConnection")
        #expect(query(both)?.sortKey == .argument(name: "at", fields: ["at"]))
        #expect(query(both)?.indexSortFields == ["at"])

        let list = try definition(schema(list: given, single: ""))
        #expect(list.text(of: "A", field: "bs") == "bs(\(page)): ModelBConnection")
        #expect(query(list)?.sortKey == QueryItems.SortKey.none)
        #expect(query(list)?.indexSortFields == ["at"])

        // Where every item has the field, the argument works all the same; else it is warned of.
        let single = try definition(schema(list: "", single: given, at: "at: AWSDateTime!"))
        #expect(query(single)?.sortKey == .argument(name: "at", fields: ["at"]))
        let partly = try definition(schema(list: "", single: given))
        #expect(query(partly)?.sortKey == QueryItems.SortKey.none)
        #expect(partly.warnings.count == 1)
    }

    @Test("a key of two fields is reached by its first from a list, and whole through sortField from a single field")
    func primaryKeys() throws {
        let definition = try definition(
            """
            type A @model @key(fields: ["x", "y"]) { x: ID! y: Int! bs: [B] @connection }
            type B @model { id: ID! n: Int a: A @connection(sortField: "n") lost: A @connection }
            """)
        #expect(
            definition.resolver(type: "A", field: "bs")
                == .query(
                    QueryItems(model: 1, access: .index(0), partitionKey: .parent("x"), kind: .connection)))
        #expect(definition.resolver(type: "B", field: "a") == .related(RelatedItem(model: 0, columns: ["bAId", "n"])))
        #expect(definition.resolver(type: "B", field: "lost") == nil)
        #expect(definition.warnings.count == 1)
        #expect(definition.warnings.first?.message.contains("x, y") == true)
    }

    @Test("both sides may be single, each with its key; and a type may be paired with itself")
    func others() throws {
        let single = try definition(
            """
            type A @model { id: ID! b: B @connection(name: "AB") }
            type B @model { id: ID! a: A @connection(name: "AB") }
            """)
        #expect(single.indexCount == 0)
        #expect(single.resolver(type: "A", field: "b") == .related(RelatedItem(model: 1, columns: ["aBId"])))
        #expect(single.resolver(type: "B", field: "a") == .related(RelatedItem(model: 0, columns: ["bAId"])))
        let own = try definition(
            "type T @model { id: ID! up: T @connection(name: \"T\") down: [T] @connection(name: \"T\") }")
        #expect(own.tables[0].columns.map(\.name) == ["id", "tUpId", "createdAt", "updatedAt"])
        #expect(own.resolver(type: "T", field: "up") == .related(RelatedItem(model: 0, columns: ["tUpId"])))
    }

    // MARK: - New style

    @Test("fields are matched with the primary key, or with an index by its name")
    func byFields() throws {
        let definition = try definition(
            """
            type A @model @key(fields: ["x", "y", "z"]) { x: ID! y: Int! z: String!
              all: [B] @connection(keyName: "byX", fields: ["x"])
              some: [B] @connection(keyName: "byX", fields: ["x", "y", "z"], limit: 3)
              flat: [B] @connection(keyName: "flat", fields: ["x"])
              one: [B] @connection(keyName: "one", fields: ["x"])
              twins: [A] @connection(fields: ["x"]) }
            type B @model @key(name: "byX", fields: ["ax", "ay", "az"]) @key(name: "flat", fields: ["ax"])
              @key(name: "one", fields: ["ax", "ay"]) {
              ax: ID ay: Int az: String
              a: A @connection(fields: ["ax", "ay", "az"])
            }
            """)
        #expect(
            definition.resolver(type: "B", field: "a") == .related(RelatedItem(model: 0, columns: ["ax", "ay", "az"])))
        #expect(
            definition.text(of: "A", field: "all")
                == "all(ayAz: ModelBByXCompositeKeyConditionInput, \(page)): ModelBConnection")
        #expect(definition.text(of: "A", field: "some") == "some(\(page)): ModelBConnection")
        #expect(
            definition.text(of: "A", field: "one") == "one(ay: ModelIntKeyConditionInput, \(page)): ModelBConnection")
        #expect(
            definition.text(of: "A", field: "twins")?
                .hasPrefix("twins(yZ: ModelAPrimaryCompositeKeyConditionInput, ") == true)
        func query(_ field: String) -> QueryItems? {
            if case .query(let query) = definition.resolver(type: "A", field: field) { query } else { nil }
        }
        #expect(query("all")?.sortKey == .argument(name: "ayAz", fields: ["ay", "az"]))
        #expect(query("some")?.sortKey == .parent(["y", "z"]))
        #expect(query("some")?.limit == 3)
        #expect(query("flat")?.access == .index(1))
        #expect(query("twins")?.access == .primaryKey)
        #expect(query("twins")?.model == 0)
        #expect(definition.warnings.isEmpty)
    }

    @Test("what the original leaves to fail at runtime is served as null, with a warning")
    func warned() throws {
        let definition = try definition(
            """
            type A @model @key(fields: ["x", "y", "z"]) { x: ID! y: ID! z: ID! bs: [B] @connection }
            type B @model { id: ID! ax: ID a: A @connection(fields: ["ax"]) bs: [A] @connection(sortField: "x") }
            """)
        #expect(definition.resolver(type: "A", field: "bs") == nil)
        #expect(definition.resolver(type: "B", field: "a") == nil)
        #expect(definition.warnings.count == 3)
    }

    // MARK: - Rules

    @Test(
        "a connection against the rules is refused at its place",
        arguments: [
            (
                "type A { id: ID! b: B @connection } type B @model { id: ID! }",
                "@connection must be on a field of an object type with @model."
            ),
            (
                "type A @model { id: ID! b: B @connection } type B { c: Int }",
                "Object type B must have @model to be connected."
            ),
            ("type A @model { id: ID! b: Int @connection }", "@connection leads to an object type; Int is none."),
            (
                "type A @model { id: ID! b: B @connection(name: \"AB\") } type B @model { id: ID! }",
                "Found one half of connection 'AB' at A.b, but no field of B with the other half."
            ),
            (
                "type A @model { id: ID! b: B @connection(keyField: \"k\") k: Int } type B @model { id: ID! }",
                "The keyField 'k' on type 'A' must be of type ID or String, not Int."
            ),
            (
                "type A @model { id: ID! bs: [B] @connection(keyField: \"k\") } type B @model { id: ID! k: [ID] }",
                "The keyField 'k' on type 'B' must be of type ID or String, not [ID]."
            ),
            (
                "type A @model { id: ID! bs: [B] @connection(limit: 0) } type B @model { id: ID! }",
                "The limit of a connection must be at least 1."
            ),
            (
                "type A @model { id: ID! b: B @connection(sortField: \"id\") } type B @model { id: ID! }",
                "sortField 'id' requires a primary @key with one sort key on type 'B'."
            ),
            (
                "type A @model { id: ID! b: B @connection(sortField: \"n\") } "
                    + "type B @model @key(fields: [\"x\", \"y\"]) { x: ID! y: Int! }",
                "sortField 'n' is not a field of type 'A'."
            ),
            (
                "type A @model { id: ID! b: B @connection(sortField: \"id\") } "
                    + "type B @model @key(fields: [\"x\", \"y\"]) { x: ID! y: Int! }",
                "sortField 'id' on type 'A' is not of the type of 'y' on type 'B'."
            ),
            // New style.
            (
                "type A @model { id: ID! b: B @connection(fields: []) } type B @model { id: ID! }",
                "No fields are passed to @connection."
            ),
            (
                "type A @model { id: ID! b: B @connection(fields: [\"k\"]) } type B @model { id: ID! }",
                "'k' is not a field in A."
            ),
            (
                "type A @model { id: ID! k: [ID] b: B @connection(fields: [\"k\"]) } type B @model { id: ID! }",
                "A field of @connection must be a scalar or an enum; 'k' is not."
            ),
            (
                "type A @model { id: ID! bs: [B] @connection(keyName: \"k\", fields: [\"id\"]) } type B @model { id: ID! }",
                "Key 'k' does not exist for model B."
            ),
            (
                "type A @model { id: ID! k: Int b: B @connection(fields: [\"k\"]) } type B @model { id: ID! }",
                "The field 'k' is not of type ID."
            ),
            (
                "type A @model { id: ID! k: ID b: B @connection(fields: [\"k\"]) } type B @model { n: Int }",
                "The key field 'id' is not declared in B."
            ),
            (
                "type A @model { id: ID! k: ID b: B @connection(fields: [\"k\", \"id\"]) } type B @model { id: ID! }",
                "Too many fields are passed to @connection."
            ),
            (
                "type A @model { id: ID! b: B @connection(fields: [\"id\", \"id\"]) } "
                    + "type B @model @key(fields: [\"x\", \"y\", \"z\"]) { x: ID! y: ID! z: ID! }",
                "@connection does not accept a part of a sort key."
            ),
            (
                "type A @model { id: ID! b: B @connection(keyName: \"k\", fields: [\"id\"]) } "
                    + "type B @model @key(name: \"k\", fields: [\"x\"]) { x: ID! }",
                "A.b leads to one item, which is found by the primary key and not by 'k'."
            ),
            (
                "enum E { V } type A @model { id: ID! bs: [B] @connection(keyName: \"k\", fields: [\"id\"]) } "
                    + "type B @model @key(name: \"k\", fields: [\"x\", \"e\"]) { x: ID! e: E }",
                "Expected scalar and got E: the sort key of the key that A.bs queries cannot be an enum."
            ),
        ])
    func rules(schema: String, message: String) {
        let diagnostics = refusal(schema)
        #expect(diagnostics.map(\.message) == [message])
        #expect(diagnostics.map(\.kind) == ["InvalidDirectiveError"])
        let place = diagnostics.first?.place
        #expect(place?.sourceLine.dropFirst((place?.column ?? 1) - 1).hasPrefix("@connection") == true)
    }

    @Test("both sides of a pair are judged, each at its place")
    func pairs() {
        func messages(list: String, single: String, fields: String = "") -> [String] {
            refusal(
                """
                type A @model { id: ID! bs: [B] @connection(name: "AB"\(list)) }
                type B @model { id: ID! a: \(single) @connection(name: "AB") \(fields) }
                """
            ).map(\.message)
        }
        #expect(
            messages(list: "", single: "[A]") == [
                "A.bs is a list on both sides; many to many connections are not supported.",
                "B.a is a list on both sides; many to many connections are not supported.",
            ])
        let given = ", sortField: \"n\""
        #expect(
            messages(list: given, single: "A") == [
                "sortField 'n' is not found on type 'B', the other half of connection 'AB'."
            ])
        #expect(
            messages(list: given, single: "A", fields: "n: [Int]") == [
                "sortField 'n' is a list; it must be a scalar."
            ])
        #expect(
            messages(list: given, single: "A", fields: "n: Boolean") == [
                "sortField 'n' is of type Boolean; it must be a scalar that is a string or a number."
            ])
        #expect(
            messages(list: "", single: "A", fields: "bAId: Int") == [
                "The keyField 'bAId' on type 'B' must be of type ID or String, not Int.",
                "The keyField 'bAId' on type 'B' must be of type ID or String, not Int.",
            ])
    }

    @Test("a misspelt name is guessed")
    func hints() {
        let key = refusal(
            """
            type A @model { id: ID! bs: [B] @connection(keyName: "byAs", fields: ["id"]) }
            type B @model @key(name: "byA", fields: ["a"]) { a: ID! }
            """)
        #expect(key.map(\.hint) == ["Did you mean \"byA\"?"])
        let field = refusal("type A @model { id: ID! ownerID: ID o: A @connection(fields: [\"ownerId\"]) }")
        #expect(field.map(\.hint) == ["Did you mean \"ownerID\"?"])
    }
}
