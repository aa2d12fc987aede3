import GraphQL
import Tables
import Testing

@testable import Transformer

@Suite("Relations of version 2")
struct VersionTwoRelationTests {
    private func definition(
        _ schema: String, options: TransformOptions = TransformOptions(transformerVersion: .v2)
    ) throws -> APIDefinition {
        let definition = try TransformerTests.definition(schema, options: options)
        try definition.expectIsConsistent()
        return definition
    }

    private func indexes(_ table: Table) -> [String] {
        table.indexes.map { index in
            "\(index.name): " + index.key.columns.map { table.columns[$0].field }.joined(separator: ", ")
        }
    }

    @Test("a foreign key has a part for each part of the key it refers to, of its type, and as non-null as the field")
    func compositeForeignKeys() throws {
        let definition = try definition(
            """
            type Project @model {
              pid: Int! @primaryKey(sortKeyFields: ["name", "at"]) name: String! at: AWSDate!
              members: [Member]! @hasMany
              lead: Member! @hasOne
            }
            type Member @model { id: ID! project: Project @belongsTo }
            """)
        let keys = ["projectMembersPid: Int!", "projectMembersName: String!", "projectMembersAt: AWSDate!"]
        for key in keys {
            let name = String(key.prefix { $0 != ":" })
            let type = key.dropFirst(name.count + 2).dropLast()
            #expect(definition.text(of: "Member", field: name) == key)
            #expect(definition.text(of: "CreateMemberInput", field: name) == key)
            #expect(definition.text(of: "UpdateMemberInput", field: name) == "\(name): \(type)")
            let base = type == "AWSDate" ? "String" : "\(type)"
            #expect(definition.text(of: "ModelMemberFilterInput", field: name) == "\(name): Model\(base)Input")
            // As in the original, the filter of the other side's subscriptions.
            #expect(
                definition.text(of: "ModelSubscriptionProjectFilterInput", field: name)
                    == "\(name): ModelSubscription\(base)Input")
            #expect(definition.text(of: "ModelSubscriptionMemberFilterInput", field: name) == nil)
            #expect(definition.models[1].requiredFields.contains(name))
        }
        #expect(definition.text(of: "Project", field: "projectLeadId") == "projectLeadId: ID!")
        #expect(
            definition.tables[1].columns.map { "\($0.name) \($0.type.rawValue)" }.dropFirst().prefix(3) == [
                "projectMembersPid integer", "projectMembersName text", "projectMembersAt text",
            ])
        #expect(
            indexes(definition.tables[1]) == [
                "gsi-Project.members: projectMembersPid, projectMembersName, projectMembersAt"
            ])
        #expect(
            definition.resolver(type: "Project", field: "members")
                == .query(
                    QueryItems(
                        model: 1, access: .index(0), partitionKey: .parent("pid"), sortKey: .parent(["name", "at"]),
                        indexSortFields: ["projectMembersName", "projectMembersAt"], kind: .connection)))
        #expect(
            definition.resolver(type: "Member", field: "project")
                == .related(
                    RelatedItem(
                        model: 0, columns: ["projectMembersPid", "projectMembersName", "projectMembersAt"])))
    }

    @Test("without the flag that respects keys, a foreign key is an ID called so")
    func legacyForeignKeys() throws {
        let options = TransformOptions(
            transformerVersion: .v2, respectPrimaryKeyAttributesOnConnectionField: false)
        let definition = try definition(
            """
            type Project @model { pid: String! @primaryKey team: Team @hasOne tags: [Tag] @manyToMany(relationName: "PT") }
            type Team @model { code: String! @primaryKey }
            type Tag @model { id: ID! projects: [Project] @manyToMany(relationName: "PT") }
            """, options: options)
        #expect(definition.text(of: "Project", field: "projectTeamId") == "projectTeamId: ID")
        #expect(definition.text(of: "PT", field: "projectID") == "projectID: String!")
        #expect(definition.resolver(type: "Query", field: "pTSByProjectID") != nil)
    }

    @Test("a list by an index takes a condition on its sort key, unless the fields match it")
    func byIndex() throws {
        let schema = { (fields: String) in
            """
            type Thread @model { id: ID! room: ID at: AWSDateTime messages: [Message]
              @hasMany(indexName: "byRoom", fields: [\(fields)], limit: 7) }
            type Message @model { id: ID! room: ID @index(name: "byRoom", sortKeyFields: ["at"]) at: AWSDateTime
              thread: Thread @belongsTo(fields: ["room"]) }
            """
        }
        let sorted = try definition(schema("\"room\""))
        #expect(
            sorted.text(of: "Thread", field: "messages")
                == "messages(at: ModelStringKeyConditionInput, filter: ModelMessageFilterInput, "
                + "sortDirection: ModelSortDirection, limit: Int, nextToken: String): ModelMessageConnection")
        #expect(
            sorted.resolver(type: "Thread", field: "messages")
                == .query(
                    QueryItems(
                        model: 1, access: .index(0), partitionKey: .parent("room"),
                        sortKey: .argument(name: "at", fields: ["at"]), indexSortFields: ["at"], limit: 7,
                        kind: .connection)))
        #expect(
            sorted.resolver(type: "Message", field: "thread") == .related(RelatedItem(model: 0, columns: ["room"])))
        #expect(sorted.text(of: "Message", field: "threadMessagesId") == nil)
        let matched = try definition(schema("\"room\", \"at\""))
        #expect(matched.text(of: "Thread", field: "messages")?.hasPrefix("messages(filter:") == true)
        if case .query(let query) = matched.resolver(type: "Thread", field: "messages") {
            #expect(query.sortKey == .parent(["at"]))
        }
    }

    @Test("the sort key of the other side's primary key is an argument that has no effect, and is warned of")
    func idleSortArgument() throws {
        let definition = try definition(
            """
            type Post @model { id: ID! comments: [Comment] @hasMany }
            type Comment @model { id: ID! @primaryKey(sortKeyFields: ["at"]) at: AWSTimestamp! }
            """)
        #expect(
            definition.text(of: "Post", field: "comments")?.hasPrefix("comments(at: ModelIntKeyConditionInput,") == true
        )
        #expect(definition.warnings.map(\.message).contains { $0.contains("has no effect") })
        if case .query(let query) = definition.resolver(type: "Post", field: "comments") {
            #expect(query.sortKey == .none && query.access == .index(0))
        }
    }

    @Test("references stand on the side that belongs to the other, and add nothing to the schema")
    func references() throws {
        let schema = """
            type Post @model { id: ID! comments: [Comment] @hasMany(references: ["postId"])
              cover: Cover @hasOne(references: "postId") }
            type Comment @model { id: ID! postId: String post: Post @belongsTo(references: ["postId"]) }
            type Cover @model { id: ID! postId: ID! post: Post @belongsTo(references: ["postId"]) }
            """
        let options = TransformOptions(transformerVersion: .v2)
        let definition = try definition(schema, options: options)
        try definition.expectIsConsistent()
        #expect(
            definition.text(of: "Comment")
                == "type Comment {\n  id: ID!\n  postId: String\n  post: Post\n  createdAt: AWSDateTime!\n"
                + "  updatedAt: AWSDateTime!\n}")
        #expect(indexes(definition.tables[1]) == ["gsi-Post.comments: postId"])
        #expect(
            definition.resolver(type: "Post", field: "comments")
                == .query(
                    QueryItems(model: 1, access: .index(0), partitionKey: .parent("id"), kind: .connection)))
        #expect(
            definition.resolver(type: "Comment", field: "post")
                == .related(RelatedItem(model: 0, columns: ["postId"])))
        #expect(
            definition.resolver(type: "Post", field: "cover")
                == .related(RelatedItem(model: 2, columns: ["id"], access: .index(0))))
    }

    @Test("a join model has the whole keys of both sides, an index on each, and queries")
    func joinModel() throws {
        let definition = try definition(
            """
            type Student @model { sid: ID! @primaryKey(sortKeyFields: ["year"]) year: Int!
              courses: [Course] @manyToMany(relationName: "enrolment", limit: 3) }
            type Course @model { id: ID! students: [Student!]! @manyToMany(relationName: "enrolment") }
            """)
        #expect(
            definition.text(of: "Enrolment")
                == """
                type Enrolment {
                  id: ID!
                  studentSid: ID!
                  studentyear: Int!
                  courseId: ID!
                  student: Student!
                  course: Course!
                  createdAt: AWSDateTime!
                  updatedAt: AWSDateTime!
                }
                """)
        #expect(
            definition.text(of: "Query", field: "enrolmentsByStudentSidAndStudentyear")?.hasPrefix(
                "enrolmentsByStudentSidAndStudentyear(studentSid: ID!, studentyear: ModelIntKeyConditionInput,") == true
        )
        #expect(indexes(definition.tables[2]) == ["byStudent: studentSid, studentyear", "byCourse: courseId"])
        #expect(
            definition.resolver(type: "Student", field: "courses")
                == .query(
                    QueryItems(
                        model: 2, access: .index(0), partitionKey: .parent("sid"), sortKey: .parent(["year"]),
                        indexSortFields: ["studentyear"], limit: 3, kind: .connection)))
        #expect(
            definition.resolver(type: "Enrolment", field: "student")
                == .related(RelatedItem(model: 0, columns: ["studentSid", "studentyear"])))
    }

    @Test("a renamed model keeps its table and the attributes its foreign keys are stored in")
    func mapsTo() throws {
        let definition = try definition(
            """
            type Article @model @mapsTo(name: "Post") {
              id: ID!
              title: String @refersTo(name: "headline")
              replies: [Reply] @hasMany
              tags: [Tag] @manyToMany(relationName: "ArticleTags")
            }
            type Reply @model @refersTo(name: "answers") { id: ID! article: Article @belongsTo }
            type Tag @model { id: ID! articles: [Article] @manyToMany(relationName: "ArticleTags") }
            """)
        #expect(definition.models.map(\.name) == ["Article", "Reply", "Tag", "ArticleTags"])
        #expect(definition.tables.map(\.name) == ["Post", "answers", "Tag", "ArticleTags"])
        let names = definition.tables.map { table in
            table.columns.filter { $0.name != $0.field }.map { "\($0.field) in \($0.name)" }
        }
        #expect(
            names == [
                ["title in headline"], ["articleRepliesId in postRepliesId"], [], ["articleId in postId"],
            ])
        #expect(definition.tables[3].indexes.map(\.name) == ["byPost", "byTag"])
        #expect(definition.tables[0].position(of: "title") == 1 && definition.tables[0].position(of: "headline") == nil)
    }

    @Test("each scalar and enum takes a default of its kind, which create knows of and the schema does not")
    func defaults() throws {
        let values: [(type: String, text: String, value: CoercedValue)] = [
            ("String", "", .string("")), ("ID", "7", .string("7")), ("Int", "-7", .int(-7)), ("Float", "3", .double(3)),
            ("Boolean", "TRUE", .bool(true)), ("AWSDate", "2020-02-29", .string("2020-02-29")),
            ("AWSTime", "10:00:00.1Z", .string("10:00:00.1Z")), ("AWSTimestamp", "12", .int(12)),
            ("AWSDateTime", "2020-01-01T00:00:00Z", .string("2020-01-01T00:00:00Z")),
            ("AWSEmail", "a@b.de", .string("a@b.de")), ("AWSURL", "https://a.b/", .string("https://a.b/")),
            ("AWSPhone", "+49 30 123456", .string("+49 30 123456")), ("AWSIPAddress", "::1", .string("::1")),
            ("AWSJSON", "{ \"a\": 1 }", .string("{\"a\":1}")),
            ("BigInt", "9007199254740993", .int(9_007_199_254_740_993)),
            ("Double", "1e3", .double(1000)), ("E", "B", .enumValue("B")),
        ]
        let fields = values.enumerated().map { index, each in
            "f\(index): \(each.type)! @default(value: \(ConstValue.string(each.text).literal))"
        }
        let definition = try definition("enum E { A B } type T @model { id: ID! \(fields.joined(separator: "\n")) }")
        #expect(
            definition.models[0].defaultValues
                == values.enumerated().map { DefaultValue(field: "f\($0)", value: $1.value) })
        #expect(definition.text(of: "CreateTInput", field: "f2") == "f2: Int!")
    }

    @Test(
        "a relation, default or mapping against its rules is refused",
        arguments: [
            ("a: B @hasMany", "", "must be used with a list"), ("a: [B] @hasOne", "", "cannot be used with lists"),
            ("a: [B] @belongsTo", "a: A @hasOne", "cannot be used with lists"),
            ("a: B @belongsTo", "", "must have a relationship with A"),
            ("a: N @hasOne", "", "must be annotated with @model"),
            ("a: Int @hasOne", "", "must be annotated with @model"),
            ("a: [B] @hasMany(limit: 0)", "", "at least 1"), ("a: B @hasOne(fields: [])", "", "No fields passed"),
            ("a: B @hasOne @belongsTo", "a: A @hasOne", "more than one relation"),
            ("a: B @hasOne(fields: [\"x\"])", "", "x is not a field in A"),
            ("n: Int a: B @hasOne(fields: [\"n\"])", "", "n field is not of type ID"),
            ("n: [ID] a: B @hasOne(fields: [\"n\"])", "", "must be scalar or enum"),
            ("n: ID a: B @hasOne(fields: [\"n\", \"n\"])", "", "Partial sort keys"),
            ("n: ID a: [B] @hasMany(indexName: \"byN\", fields: [\"n\"])", "", "Index byN does not exist"),
            (
                "n: ID a: [B] @hasMany(indexName: \"byE\", fields: [\"n\"])",
                "n: ID @index(name: \"byE\", sortKeyFields: [\"e\"]) e: E", "Expected scalar and got E"
            ),
            ("a: [B] @hasMany aBId: Int", "aAId: [Int]", "cannot be of type [Int]"),
            ("a: [B] @hasMany(references: [\"r\"])", "r: ID", "Uni-directional"),
            (
                "a: [B] @hasMany(references: [\"r\"])", "r: ID a: A @belongsTo(references: [\"s\"]) s: ID",
                "Uni-directional"
            ),
            ("a: [B] @hasMany(references: [\"r\"])", "r: Int a: A @belongsTo(references: [\"r\"])", "Type mismatch"),
            (
                "a: [B] @hasMany(references: [\"r\"])", "r: ID! a: A! @belongsTo(references: [\"r\"])",
                "must be nullable"
            ),
            (
                "a: [B] @hasMany(references: [\"r\", \"s\"])",
                "r: ID! s: ID a: A @belongsTo(references: [\"r\", \"s\"])",
                "consistent nullability"
            ),
            (
                "a: [B] @hasMany(references: [\"r\", \"s\"])",
                "r: ID s: ID a: A @belongsTo(references: [\"r\", \"s\"])",
                "number of references"
            ),
            ("a: [B] @hasMany(references: [\"r\"], fields: [\"id\"])", "", "Expecting 'fields' only"),
            ("a: [B] @manyToMany(relationName: \"R\")", "", "exactly two locations"),
            ("a: [A] @manyToMany(relationName: \"R\")", "", "exactly two locations"),
            ("a: B @manyToMany(relationName: \"R\")", "b: [A] @manyToMany(relationName: \"R\")", "used with a list"),
            (
                "a: [A] @manyToMany(relationName: \"R\") b: [A] @manyToMany(relationName: \"R\")", "",
                "You may only supply one @index with the name 'byA' on type 'R'."
            ),
            ("a: [B] @manyToMany(relationName: \"N\")", "b: [A] @manyToMany(relationName: \"N\")", "already exists"),
            (
                "a: [B] @manyToMany(relationName: \"R\")", "b: [B] @manyToMany(relationName: \"R\")",
                "expects 'B' but got"
            ),
            ("a: Int @default(value: \"3.5\")", "", "is not a valid Int"),
            ("a: E @default(value: \"C\")", "", "is not a member of E enum"),
            ("a: [Int] @default(value: \"3\")", "", "scalar or enum field types"),
            ("a: N @default(value: \"3\")", "", "scalar or enum field types"),
            ("a: Int", "id2: ID! @primaryKey @default(value: \"3\")", "fields of the primary key"),
            ("a: Int @refersTo(name: \"id\")", "", "keeps another field in 'id'"),
            ("a: Int @refersTo(name: \"a#b\")", "", "cannot be the name of an attribute"),
            ("a: B @hasOne @refersTo(name: \"b\")", "", "is not stored"),
        ])
    func refused(first: String, second: String, message: String) {
        let schema = """
            enum E { A B }
            type N { a: Int }
            type A @model { id: ID!\n\(first) }
            type B @model { \(second.contains("@primaryKey") ? "" : "id: ID!")\n\(second) }
            """
        let diagnostics = refusal(schema, options: TransformOptions(transformerVersion: .v2))
        #expect(diagnostics.contains { $0.message.contains(message) }, "\(diagnostics.map(\.message))")
        #expect(diagnostics.allSatisfy { $0.place != nil })
    }

    @Test(
        "a table that two models would share is refused",
        arguments: [
            "type A @model @mapsTo(name: \"B\") { id: ID! } type B @model { id: ID! }",
            "type A @model @mapsTo(name: \"C\") { id: ID! } type B @model @refersTo(name: \"C\") { id: ID! }",
            "type A @model @mapsTo(name: \"C\") @refersTo(name: \"D\") { id: ID! }",
            "type P @model @mapsTo(name: \"Q\") { id: ID! c: [C] @hasMany } type C @model { id: ID! qCId: ID }",
            "type A @mapsTo(name: \"C\") { id: ID! }", "type A @model @mapsTo(name: \"a b\") { id: ID! }",
        ])
    func sharedTables(schema: String) {
        let diagnostics = refusal(schema, options: TransformOptions(transformerVersion: .v2))
        #expect(diagnostics.allSatisfy { $0.kind == "InvalidDirectiveError" && $0.place != nil })
    }

    @Test("two models that have each other cannot be synced")
    func circles() {
        let schema = "type A @model { id: ID! b: B @hasOne } type B @model { id: ID! a: [A] @hasMany }"
        let options = TransformOptions(transformerVersion: .v2, conflictDetection: .version)
        guard
            case .failure(let diagnostics) = Transform.transform(
                [Source(schema)], options: options)
        else {
            Issue.record("The schema is accepted.")
            return
        }
        #expect(diagnostics.count == 2)
        #expect(diagnostics.allSatisfy { $0.message.contains("cannot refer to each other") })
    }
}

extension ConstValue {
    /// A string as SDL writes it.
    fileprivate var literal: String {
        let characters = (stringValue ?? "").map { "\"\\".contains($0) ? "\\\($0)" : "\($0)" }
        return "\"\(characters.joined())\""
    }
}
