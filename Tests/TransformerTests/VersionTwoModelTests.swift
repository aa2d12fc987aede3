import GraphQL
import Tables
import Testing

@testable import Transformer

private let versionTwo = TransformOptions(transformerVersion: .v2)

@Suite("@model of version 2")
struct VersionTwoModelTests {
    private func mutations(_ definition: APIDefinition) -> [String: [String]] {
        var found: [String: [String]] = [:]
        for (field, resolver) in definition.resolvers {
            if case .subscription(let mutations) = resolver { found[field.field] = mutations }
        }
        return found
    }

    @Test(
        "a map changes what it names, and the rest keeps its default",
        arguments: [
            ("(queries: {})", ["getPost", "listPosts"], ["createPost", "updatePost", "deletePost"]),
            (
                "(queries: { get: \"one\" }, mutations: { create: \"mk\" })", ["one", "listPosts"],
                ["mk", "updatePost", "deletePost"]
            ),
            ("(queries: { list: null }, mutations: { delete: null })", ["getPost"], ["createPost", "updatePost"]),
            ("(queries: null, mutations: { update: \"\" })", [], ["createPost", "deletePost"]),
        ])
    func operations(arguments: String, queries: [String], mutations: [String]) throws {
        let definition = try definition("type Post @model\(arguments) { id: ID! }", options: versionTwo)
        let names = { (root: String) in Set(definition.resolvers.keys.filter { $0.type == root }.map(\.field)) }
        #expect(names("Query") == Set(queries))
        #expect(names("Mutation") == Set(mutations))
    }

    @Test("without the feature flag that merges, a map names all operations")
    func withoutMerging() throws {
        var options = versionTwo
        options.shouldDeepMergeDirectiveConfigDefaults = false
        let maps = "queries: { get: \"one\" }, mutations: { create: \"mk\" }, subscriptions: { level: public }"
        let definition = try definition("type Post @model(\(maps)) { id: ID! }", options: options)
        #expect(definition.resolver(type: "Query", field: "one") != nil)
        #expect(definition.resolver(type: "Query", field: "listPosts") == nil)
        #expect(definition.resolver(type: "Mutation", field: "updatePost") == nil)
        #expect(mutations(definition) == ["onCreatePost": ["mk"]])
        let listed = "type Post @model(subscriptions: { onUpdate: \"changed\" }) { id: ID! }"
        #expect(try mutations(self.definition(listed, options: options)) == ["changed": ["updatePost"]])
    }

    private func definition(_ schema: String, options: TransformOptions) throws -> APIDefinition {
        try TransformerTests.definition(schema, options: options)
    }

    @Test(
        "subscriptions follow the mutations that exist, by the names a list gives them",
        arguments: [
            ("", ["onCreatePost": ["createPost"], "onUpdatePost": ["updatePost"], "onDeletePost": ["deletePost"]]),
            ("(subscriptions: null)", [:]), ("(subscriptions: { level: off, onCreate: [\"a\"] })", [:]),
            (
                "(subscriptions: { onCreate: [\"a\", \"b\"], onUpdate: \"a\", onDelete: null })",
                ["a": ["createPost", "updatePost"], "b": ["createPost"]]
            ),
            (
                "(subscriptions: { level: on, onCreate: [] }, mutations: { update: null })",
                ["onCreatePost": ["createPost"], "onDeletePost": ["deletePost"]]
            ),
            ("(mutations: null, subscriptions: { onCreate: [\"a\"] })", [:]),
        ])
    func subscriptions(arguments: String, expected: [String: [String]]) throws {
        let definition = try definition("type Post @model\(arguments) { id: ID! }", options: versionTwo)
        #expect(mutations(definition) == expected)
        for name in expected.keys {
            let field = definition.text(of: "Subscription", field: name)
            #expect(field?.hasPrefix("\(name)(filter: ModelSubscriptionPostFilterInput): Post @aws_subscribe(") == true)
        }
    }

    @Test("an undeclared id comes after the declared fields and before the timestamps; inputs have it last")
    func undeclaredID() throws {
        let definition = try definition("type Post @model { title: String! }", options: versionTwo)
        #expect(
            definition.text(of: "Post")
                == "type Post {\n  title: String!\n  id: ID!\n  createdAt: AWSDateTime!\n  updatedAt: AWSDateTime!\n}")
        #expect(definition.text(of: "CreatePostInput") == "input CreatePostInput {\n  title: String!\n  id: ID\n}")
        #expect(definition.text(of: "UpdatePostInput") == "input UpdatePostInput {\n  title: String\n  id: ID!\n}")
        #expect(definition.text(of: "ModelPostFilterInput", field: "id") == "id: ModelIDInput")
        #expect(definition.text(of: "ModelPostConditionInput", field: "id") == nil)
        #expect(definition.models[0].generatesID)
        #expect(definition.tables[0].columns.map(\.name) == ["id", "title", "createdAt", "updatedAt"])
    }

    /// As in the original, version 2 has dates of the usual names optional even where no directive names them; then
    /// they are filled if no item can be without.
    @Test(
        "a date is optional when created if the service fills it; in version 2 the usual names always are",
        arguments: [
            ("", "AWSDateTime!", [true, true]), ("", "String!", [true, true]), ("", "AWSTimestamp!", [false, false]),
            ("", "Int!", [false, false]), ("", "[String!]!", [false, false]),
            ("(timestamps: null)", "AWSDateTime!", [false, true]), ("(timestamps: null)", "Int!", [false, false]),
            ("(timestamps: { createdAt: null })", "String!", [false, true]),
            ("(timestamps: { createdAt: \"made\" })", "AWSDateTime!", [false, true]),
            ("(timestamps: { createdAt: \"made\", updatedAt: \"createdAt\" })", "AWSDateTime!", [true, true]),
            ("(timestamps: { updatedAt: \"changed\" })", "AWSDateTime!", [true, true]),
        ])
    func filledDates(arguments: String, type: String, isFilled: [Bool]) throws {
        let bare = String(type.dropLast())
        for (version, isFilled) in zip([TransformOptions.TransformerVersion.v1, .v2], isFilled) {
            let definition = try definition(
                "type Post @model\(arguments) { id: ID! createdAt: \(type) }",
                options: TransformOptions(transformerVersion: version))
            #expect(
                definition.text(of: "CreatePostInput", field: "createdAt") == "createdAt: \(isFilled ? bare : type)")
            #expect(definition.text(of: "UpdatePostInput", field: "createdAt") == "createdAt: \(bare)")
            #expect(definition.models[0].filledDates.count { $0 == "createdAt" } == (isFilled ? 1 : 0))
            #expect(definition.models[0].requiredFields.contains("createdAt"))
        }
        let nullable = try definition(
            "type Post @model\(arguments) { id: ID! updatedAt: String createdAt: AWSDateTime }", options: versionTwo)
        let model = nullable.models[0]
        #expect(model.filledDates == [model.createdAt, model.updatedAt].compactMap { $0 }, "no other is filled")
    }

    @Test("an id that is text is made up as one that is an ID is")
    func textID() throws {
        let definition = try definition("type Post @model { id: String! }", options: versionTwo)
        #expect(definition.text(of: "CreatePostInput") == "input CreatePostInput {\n  id: String\n}")
        #expect(definition.text(of: "ModelPostConditionInput", field: "id") == "id: ModelStringInput")
        #expect(definition.models[0].generatesID)
    }

    @Test("a list of an enum is filtered as lists are unless it is non-null; subscriptions filter it as a string")
    func enumLists() throws {
        let definition = try definition(
            "enum E { A B } type Post @model { id: ID! one: E many: [E!] all: [E]! }", options: versionTwo)
        let filter = ["one: ModelEInput", "many: ModelEListInput", "all: ModelEInput"]
        for entry in filter {
            let name = String(entry.prefix { $0 != ":" })
            #expect(definition.text(of: "ModelPostFilterInput", field: name) == entry)
            #expect(
                definition.text(of: "ModelSubscriptionPostFilterInput", field: name)
                    == "\(name): ModelSubscriptionStringInput")
        }
        #expect(
            definition.text(of: "ModelEListInput")
                == "input ModelEListInput {\n  eq: [E]\n  ne: [E]\n  contains: E\n  notContains: E\n}")
    }

    @Test("a model with versions has them after its timestamps, a sync after its list, and can be filtered by deletion")
    func versions() throws {
        let options = TransformOptions(
            transformerVersion: .v2, modelConflictDetection: ["Reply": .version, "Post": .none])
        let definition = try TransformerTests.definition(
            "type Post @model { id: ID! } type Reply @model(queries: { list: null }) { id: ID! text: String }",
            options: options)
        #expect(
            definition.text(of: "Reply")?.hasSuffix(
                "updatedAt: AWSDateTime!\n  _version: Int!\n  _deleted: Boolean\n  _lastChangedAt: AWSTimestamp!\n}")
                == true)
        #expect(
            definition.text(of: "Query", field: "syncReplies")
                == "syncReplies(filter: ModelReplyFilterInput, limit: Int, nextToken: String, lastSync: AWSTimestamp): "
                + "ModelReplyConnection")
        #expect(definition.text(of: "ModelReplyConnection", field: "startedAt") == "startedAt: AWSTimestamp")
        for verb in ["Create", "Update", "Delete"] {
            #expect(definition.text(of: "\(verb)ReplyInput")?.hasSuffix("  _version: Int\n}") == true)
        }
        #expect(
            definition.text(of: "ModelReplyFilterInput")?.hasSuffix(
                "not: ModelReplyFilterInput\n  _deleted: ModelBooleanInput\n}") == true)
        #expect(
            definition.text(of: "ModelReplyConditionInput")?.hasSuffix(
                "_deleted: ModelBooleanInput\n  createdAt: ModelStringInput\n  updatedAt: ModelStringInput\n}") == true)
        #expect(definition.text(of: "Post")?.contains("_version") == false)
        #expect(definition.text(of: "ModelPostConnection")?.contains("startedAt") == false)
        #expect(definition.resolvers[FieldName(type: "Query", field: "syncReplies")] == .sync(model: 1))
        #expect(definition.table("Reply")?.isVersioned == true)
        #expect(definition.table("Post")?.isVersioned == false)
    }

    @Test("each model's conflicts have a handler, and each page of a model with versions says when its sync started")
    func conflictHandlers() throws {
        var options = TransformOptions(
            transformerVersion: .v2, conflictDetection: .version, modelConflictDetection: ["C": .none],
            conflictHandler: .optimisticConcurrency, modelConflictHandlers: ["B": .lambda, "C": .lambda])
        let schema = """
            type A @model { id: ID! b: [B] @manyToMany(relationName: "AB") }
            type B @model { id: ID! a: [A] @manyToMany(relationName: "AB") }
            type C @model { id: ID! }
            """
        let definition = try TransformerTests.definition(schema, options: options)
        let handlers = Dictionary(uniqueKeysWithValues: definition.models.map { ($0.name, $0.conflictHandler) })
        #expect(handlers == ["A": .optimisticConcurrency, "B": .lambda, "C": nil, "AB": .optimisticConcurrency])
        for model in ["A", "B", "AB"] {
            #expect(definition.text(of: "Model\(model)Connection", field: "startedAt") != nil)
        }
        options.conflictDetection = .none
        let plain = try TransformerTests.definition(schema, options: options)
        #expect(plain.models.allSatisfy { $0.conflictHandler == nil })
    }

    @Test("a field cannot be called as what conflict detection keeps", arguments: ["_version", "_deleted", "_ttl"])
    func versionFields(name: String) throws {
        let schema = "type Post @model { id: ID! \(name): Int }"
        let diagnostics = refusal(schema, options: TransformOptions(conflictDetection: .version))
        #expect(diagnostics.first?.message == "Post.\(name) is what conflict detection keeps of each item.")
        _ = try TransformerTests.definition(schema)
    }
}

@Suite("@primaryKey and @index")
struct IndexTests {
    private func definition(_ schema: String, options: TransformOptions = versionTwo) throws -> APIDefinition {
        try TransformerTests.definition(schema, options: options)
    }

    @Test("an index and its query are named by its model and fields, unless the author or the flag says otherwise")
    func names() throws {
        let schema = """
            type Reply @model {
              id: ID!
              rep: ID! @index(sortKeyFields: ["name", "at"])
              name: String! @index(queryField: null)
              at: AWSTimestamp! @index(name: "byTime", sortKeyFields: "name", queryField: "timed")
            }
            """
        let definition = try definition(schema)
        #expect(
            definition.text(of: "Query", field: "repliesByRepAndNameAndAt")
                == "repliesByRepAndNameAndAt(rep: ID!, nameAt: ModelReplyRepliesByRepAndNameAndAtCompositeKeyConditionInput, "
                + "sortDirection: ModelSortDirection, filter: ModelReplyFilterInput, limit: Int, nextToken: String): "
                + "ModelReplyConnection")
        #expect(
            definition.text(of: "Query", field: "timed")?.hasPrefix(
                "timed(at: AWSTimestamp!, name: ModelStringKeyConditionInput, sortDirection") == true)
        #expect(definition.tables[0].indexes.map(\.name) == ["repliesByRepAndNameAndAt", "repliesByName", "byTime"])
        #expect(definition.resolver(type: "Query", field: "repliesByName") == nil)
        #expect(
            definition.models[0].compositeSortKeys == [
                CompositeSortKey(
                    directiveName: "index", indexName: "repliesByRepAndNameAndAt", fields: ["name", "at"])
            ])
        // The last part is reduced to what it is compared as.
        #expect(
            definition.text(of: "ModelReplyRepliesByRepAndNameAndAtCompositeKeyInput")
                == "input ModelReplyRepliesByRepAndNameAndAtCompositeKeyInput {\n  name: String\n  at: Int\n}")
        var options = versionTwo
        options.enableAutoIndexQueryNames = false
        let unnamed = try self.definition(schema, options: options)
        #expect(unnamed.resolver(type: "Query", field: "repliesByRepAndNameAndAt") == nil)
        #expect(unnamed.resolver(type: "Query", field: "timed") != nil)
    }

    @Test("an index of a model without a list brings what its query needs, of the declared fields")
    func withoutList() throws {
        let definition = try definition(
            "enum E { A } type Post @model(queries: null, mutations: null) { id: ID! slug: String @index e: E }")
        #expect(
            definition.text(of: "ModelPostFilterInput")
                == "input ModelPostFilterInput {\n  id: ModelIDInput\n  slug: ModelStringInput\n  e: ModelEInput\n"
                + "  and: [ModelPostFilterInput]\n  or: [ModelPostFilterInput]\n  not: ModelPostFilterInput\n}")
        #expect(definition.text(of: "ModelPostConnection") != nil)
    }

    @Test("a primary key takes the place of the id, of which the filters alone know")
    func primaryKey() throws {
        let definition = try definition("type Post @model { slug: String! @primaryKey title: String }")
        #expect(definition.models[0].primaryKey == ["slug"] && !definition.models[0].generatesID)
        #expect(definition.text(of: "Post", field: "id") == nil)
        #expect(definition.text(of: "ModelPostFilterInput", field: "id") == "id: ModelIDInput")
        #expect(
            definition.text(of: "Query", field: "listPosts")?.hasPrefix("listPosts(slug: String, filter:") == true)
        let declared = try self.definition("type Post @model { id: ID! slug: String! @primaryKey }")
        #expect(declared.text(of: "UpdatePostInput", field: "id") == "id: ID")
        #expect(declared.text(of: "DeletePostInput", field: "id") == nil)
        #expect(declared.models[0].generatesID)
    }

    @Test(
        "a key against its rules is refused",
        arguments: [
            ("type P @model { a: ID @primaryKey }", "must reference non-null fields"),
            ("type P @model { a: ID! @primaryKey b: ID! @primaryKey }", "only supply one primary key"),
            ("type P @model { a: ID! @primaryKey(sortKeyFields: [\"a\"]) }", "cannot reference itself"),
            ("type P @model { a: ID! @primaryKey(sortKeyFields: [\"b\", \"b\"]) b: ID! }", "names 'b' twice"),
            ("type P @model { a: ID! @primaryKey(sortKeyFields: [\"c\"]) b: ID! }", "Can't find field 'c'"),
            ("type P @model { a: [ID!]! @primaryKey }", "cannot be part of a key"),
            ("type P @model { a: Boolean! @primaryKey }", "cannot be part of a key"),
            ("type P { a: ID! @primaryKey }", "may only be on a field of an object type with @model"),
            ("type P @model { id: ID! a: ID @index(name: \"xy\") }", "cannot be the name of an @index"),
            (
                "type P @model { id: ID! a: ID @index(name: \"a-b\", sortKeyFields: [\"b\", \"c\"]) b: ID c: ID }",
                "cannot be the name of an @index"
            ),
            (
                "type P @model { id: ID! a: ID @index(name: \"one\") b: ID @index(name: \"one\") }",
                "only supply one @index with the name 'one'"
            ),
            ("type P @model { a: ID! @primaryKey @index }", "begins with the primary key"),
            ("type P @model { id: ID! a: ID @index(queryField: \"a b\") }", "cannot be the name of a field"),
            ("type P @model { id: ID! a: ID @index(name: null) }", "null is none"),
            ("type P @model { id: ID! a: P2 @index } type P2 { b: Int }", "cannot be part of a key"),
        ])
    func refused(schema: String, message: String) {
        let diagnostics = refusal(schema, options: versionTwo)
        #expect(diagnostics.contains { $0.message.contains(message) }, "\(diagnostics.map(\.message))")
    }
}
