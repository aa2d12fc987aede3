import GraphQL
import Testing
import Transformer

@testable import Codegen

@Suite("Swift models")
struct SwiftTests {
    @Test("each scalar has its type in Swift and in the schema")
    func scalars() throws {
        let rows = [
            ("ID", "String", ".string"), ("String", "String", ".string"), ("Int", "Int", ".int"),
            ("Float", "Double", ".double"), ("Boolean", "Bool", ".bool"), ("AWSDate", "Temporal.Date", ".date"),
            ("AWSTime", "Temporal.Time", ".time"), ("AWSDateTime", "Temporal.DateTime", ".dateTime"),
            ("AWSTimestamp", "Int", ".int"), ("AWSEmail", "String", ".string"), ("AWSJSON", "String", ".string"),
            ("AWSURL", "String", ".string"), ("AWSPhone", "String", ".string"), ("AWSIPAddress", "String", ".string"),
        ]
        let fields = rows.map { "f\($0.0): \($0.0)!" }.joined(separator: "\n")
        let files = try swiftModels("type Item @model {\n\(fields)\n}", .legacy)
        for (name, type, schema) in rows {
            #expect(files["Item.swift"]?.contains("  public var f\(name): \(type)\n") == true)
            #expect(
                files["Item+Schema.swift"]?.contains(".field(item.f\(name), is: .required, ofType: \(schema))") == true)
        }
    }

    @Test("a list and its elements are optional as the schema says, or both as the elements are")
    func lists() throws {
        let schema = "type Item @model { id: ID! a: [Int] b: [Int]! c: [Int!] d: [Int!]! }"
        let transparent = try swiftModels(schema, .v1Timestamps)["Item.swift"] ?? ""
        for line in [
            "a: [Int?]? = nil", "b: [Int?] = []", "c: [Int]? = nil", "d: [Int] = []", "public var a: [Int?]?\n",
        ] { #expect(transparent.contains(line), "\(line)") }
        let legacy = try swiftModels(schema, .legacy)["Item.swift"] ?? ""
        for line in ["a: [Int]? = []", "b: [Int]? = []", "c: [Int] = []", "d: [Int] = []"] {
            #expect(legacy.contains(line), "\(line)")
        }
        let fields = try swiftModels(schema, .v1Timestamps)["Item+Schema.swift"] ?? ""
        #expect(fields.contains(".field(item.b, is: .required, ofType: .embeddedCollection(of: Int.self))"))
        #expect(fields.contains(".field(item.c, is: .optional, ofType: .embeddedCollection(of: Int.self))"))
    }

    @Test("an enum has cases in camel case, and raw values where they differ")
    func enums() throws {
        let schema = """
            type Item @model { id: ID! state: item_state! states: [item_state!] }
            enum item_state { RED published IN_REVIEW default inProgress HTTP2Server }
            """
        let files = try swiftModels(schema, .v2Lazy)
        #expect(files["item_state+Schema.swift"] == nil)
        #expect(
            files["item_state.swift"] == """
                // swiftlint:disable all
                import Amplify
                import Foundation

                public enum ItemState: String, EnumPersistable {
                  case red = "RED"
                  case published
                  case inReview = "IN_REVIEW"
                  case `default`
                  case inProgress
                  case http2Server = "HTTP2Server"
                }
                """)
        #expect(files["Item.swift"]?.contains("public var state: ItemState\n") == true)
        let fields = files["Item+Schema.swift"] ?? ""
        #expect(fields.contains(".field(item.state, is: .required, ofType: .enum(type: ItemState.self))"))
        #expect(fields.contains(".embeddedCollection(of: ItemState.self)"))
        #expect(!fields.contains("FieldPath<ItemState>"), "paths have no enums")
    }

    @Test("an enum has one name wherever it stands, also one that changes when it is written in Pascal case twice")
    func enumNames() throws {
        let schema = """
            type Item @model { id: ID! state: a_b! states: [a_b!] place: Place }
            type Place { state: a_b states: [a_b] }
            enum a_b { RED }
            """
        #expect(CaseStyle.pascal("a_b") == "AB" && CaseStyle.pascal("AB") == "Ab")
        for profile in CodegenProfile.allCases {
            let files = try swiftModels(schema, profile)
            #expect(files["a_b.swift"]?.contains("public enum AB: String, EnumPersistable {") == true)
            #expect(files["Item.swift"]?.contains("public var state: AB\n") == true, "\(profile)")
            #expect(files["Place.swift"]?.contains("var state: AB?") == true, "\(profile)")
            #expect(files["Item+Schema.swift"]?.contains(".enum(type: AB.self)") == true, "\(profile)")
            #expect(files["Item+Schema.swift"]?.contains(".embeddedCollection(of: AB.self)") == true, "\(profile)")
            #expect(!files.contains { $0.text.contains("Ab") || $0.text.contains("a_b") }, "\(profile)")
        }
    }

    @Test("keywords are escaped as by Amplify's generator, which warns of none; ours warns of what does not compile")
    func keywords() throws {
        let schema = "type Item @model { id: ID! in: String class: String where: Int! }"
        let files = try swiftModels(schema, .legacy)
        #expect(files["Item.swift"]?.contains("public var `in`: String?") == true)
        #expect(files["Item.swift"]?.contains("`where`: Int)") == true)
        #expect(files["Item.swift"]?.contains("public var class: String?") == true)
        #expect(files["Item+Schema.swift"]?.contains("    case `in`\n    case class\n") == true)
        #expect(files["Item+Schema.swift"]?.contains(".field(item.in, ") == true)
        guard
            case .success(_, let warnings) = Codegen.models(
                [.init(schema, name: "schema.graphql")], target: .swift, options: CodegenOptions(.legacy))
        else { return #expect(Bool(false)) }
        #expect(warnings.map(\.message) == ["The Swift of Item.class does not compile: class is a keyword."])
        #expect(warnings.first?.place?.column == 39)
    }

    @Test("timestamps are named, left out or ordinary fields as @model and the fields say")
    func timestamps() throws {
        func item(_ arguments: String, _ fields: String = "") throws -> String {
            try swiftModels("type Item @model\(arguments) { id: ID! \(fields) }", .v1Timestamps)["Item+Schema.swift"]
                ?? ""
        }
        #expect(try item("").contains(".field(item.createdAt, is: .optional, isReadOnly: true, ofType: .dateTime)"))
        let named = try item("(timestamps: { createdAt: \"madeAt\" })")
        #expect(named.contains("item.madeAt") && named.contains("item.updatedAt") && !named.contains("createdAt"))
        #expect(try !item("(timestamps: null)").contains("isReadOnly"))
        let declared = try item("", "createdAt: AWSDateTime!")
        #expect(declared.contains(".field(item.createdAt, is: .required, ofType: .dateTime)"))
        #expect(declared.contains("item.updatedAt, is: .optional, isReadOnly: true"))
    }

    @Test("rules have their defaults, and a provider where the flags say so and one is known")
    func rules() throws {
        let schema = """
            type Item @model @auth(rules: [
              { allow: owner }, { allow: owner, ownerField: "writer", identityClaim: "username", operations: [create, read] },
              { allow: groups, groups: ["Admins", "Editors"], provider: oidc }, { allow: groups, groupsField: "moderators" },
              { allow: public, provider: iam, mutations: [create] }, { allow: private }
            ]) { id: ID! writer: String moderators: [String] }
            """
        let all = "operations: [.create, .update, .delete, .read]"
        let claim = "identityClaim: \"cognito:username\""
        #expect(
            try swiftModels(schema, .v1Timestamps)["Item+Schema.swift"]?.contains(
                """
                    model.authRules = [
                      rule(allow: .owner, ownerField: "owner", \(claim), provider: .userPools, \(all)),
                      rule(allow: .owner, ownerField: "writer", \(claim), provider: .userPools, operations: [.create, .read]),
                      rule(allow: .groups, groupClaim: "cognito:groups", groups: ["Admins", "Editors"], provider: .oidc, \(all)),
                      rule(allow: .groups, groupClaim: "cognito:groups", groupsField: "groups", provider: .userPools, \(all)),
                      rule(allow: .public, provider: .iam, operations: [.create]),
                      rule(allow: .private, \(all))
                    ]
                """) == true)
        let legacy = try swiftModels(schema, .legacy)["Item+Schema.swift"] ?? ""
        #expect(!legacy.contains("provider:") && legacy.contains("rule(allow: .private, \(all))"))
    }

    @Test("an embedded type has properties without access and no identifier")
    func embedded() throws {
        let schema = """
            type Item @model { id: ID! place: Place! places: [Place] }
            type Place { lat: Float! names: [String!] }
            """
        let files = try swiftModels(schema, .v2)
        #expect(
            files["Place.swift"]?.hasSuffix(
                "public struct Place: Embeddable {\n  var lat: Double\n  var names: [String]?\n}") == true)
        #expect(files["Place+Schema.swift"]?.contains("ModelIdentifiable") == false)
        #expect(files["Item+Schema.swift"]?.contains("ofType: .embedded(type: Place.self)") == true)
        #expect(files["Item+Schema.swift"]?.contains(".embeddedCollection(of: Place.self)") == true)
        #expect(files["AmplifyModels.swift"]?.contains("Place.self") == false)
    }

    @Test("operations, inputs, unions and interfaces make no file")
    func otherTypes() throws {
        let schema = """
            type Query { search(filter: Filter): [Item] }
            input Filter { text: String }
            interface Named { name: String }
            union Any1 = Item
            type Item implements Named @model { id: ID! name: String }
            extend type Item { rank: Int }
            """
        let files = try swiftModels(schema, .legacy)
        #expect(files.map(\.name) == ["Item.swift", "Item+Schema.swift", "AmplifyModels.swift"])
        #expect(files["Item.swift"]?.contains("rank: Int?") == true, "an extension belongs to its type")
    }

    @Test("texts of rules and keys stay inside their literals, whatever characters they have")
    func literals() throws {
        let hostile = #"a"]), { fatalError() }(), \\(exit(1))\u0007"#
        let escaped = #"a\"]), { fatalError() }(), \\(exit(1))\u{7}"#
        let graphQL = hostile.replacing("\"", with: "\\\"")
        let schema = """
            type Item @model @auth(rules: [
              { allow: groups, groups: ["\(graphQL)"], groupClaim: "\(graphQL)" }
              { allow: owner, identityClaim: "\(graphQL)" }
            ]) { id: ID! }
            """
        let text = try #require(try swiftModels(schema, .v2)["Item+Schema.swift"])
        #expect(text.contains("groups: [\"\(escaped)\"]") && text.contains("groupClaim: \"\(escaped)\""), "\(text)")
        #expect(text.contains("identityClaim: \"\(escaped)\""))
        #expect(SwiftLiteral.string("\u{2028}é\u{202E}") == #""\u{2028}é\u{202e}""#)
        #expect(!SwiftLiteral.isName("read]); x") && SwiftLiteral.isName("userPools"))
    }

    @Test("types that share a name in Swift, or have one that generated code uses, are warned of")
    func typeNames() throws {
        let schema = """
            type Model @model { id: ID! a: my_enum b: MyEnum c: Any }
            enum my_enum { A }
            enum MyEnum { B }
            type Any { name: String }
            """
        let outcome = Codegen.models(
            [Source(schema, name: "schema.graphql")], target: .swift, options: CodegenOptions(.v2))
        guard case .success(_, let warnings) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        let messages = warnings.map(\.message)
        for name in ["Model", "Any"] { #expect(messages.contains { $0.hasPrefix("The Swift of \(name) does not") }) }
        #expect(messages.contains { $0.contains("my_enum and MyEnum are both called MyEnum") }, "\(messages)")
        #expect(messages.count == 3, "\(messages)")
    }
}
