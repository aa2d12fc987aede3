import GraphQL
import Testing
import Transformer

@testable import Codegen

/// Names whose Swift does not compile. The table was recorded from swiftc 6, which type-checked what was generated of each name.
@Suite("Names that give Swift which does not compile")
struct UncompilableNameTests {
    /// What has the name.
    private enum Kind {
        /// A model with rules and relations.
        case model
        /// A type whose values are embedded.
        case embedded
        /// A field of a model that has relations.
        case field
        /// A value of an enum.
        case value

        func schema(_ name: String, _ profile: CodegenProfile) -> String {
            let model = "@model @auth(rules: [{ allow: private }])"
            let isOld = profile.version == .v1
            let many = isOld ? "@connection(name: \"x\")" : "@hasMany"
            let one = isOld ? "@connection(name: \"x\")" : "@belongsTo"
            return switch self {
            case .model:
                """
                type \(name) \(model) { id: ID! name: String d: AWSDateTime b: Boolean l: [Int] c: [C] \(many) }
                type C \(model) { id: ID! p: \(name) \(one) }
                """
            case .embedded:
                """
                type \(name) { name: String d: AWSDateTime b: Boolean l: [Int] }
                type C \(model) { id: ID! p: \(name) q: [\(name)] t: AWSDate z: Boolean }
                """
            case .field:
                """
                type A \(model) { id: ID! \(name): String d: AWSDateTime z: [C] \(many) }
                type C \(model) { id: ID! \(name): Int p: A \(one) }
                type E { \(name): Int }
                """
            case .value: "enum E { \(name) }\ntype A \(model) { id: ID! e: E }"
            }
        }
    }

    private static let all: [CodegenProfile] = [.legacy, .v2, .v2Lazy]

    private func warns(_ schema: String, _ profile: CodegenProfile) throws -> Bool {
        switch Codegen.models(
            [Source(schema, name: "schema.graphql")], target: .swift, options: CodegenOptions(profile))
        {
        case .success(_, let warnings): return warnings.contains { $0.message.contains("does not compile") }
        case .failure(let diagnostics): throw diagnostics[0]
        }
    }

    private func expect(
        _ kind: Kind, fails failing: [CodegenProfile], in profiles: [CodegenProfile] = Self.all, _ names: String
    ) throws {
        for name in names.split(separator: " ").map(String.init) {
            for profile in profiles {
                let isWarned = try warns(kind.schema(name, profile), profile)
                #expect(isWarned == failing.contains(profile), "\(kind) \(name) \(profile)")
            }
        }
    }

    @Test("a name of a model is warned of where its Swift does not compile, and only there")
    func model() throws {
        try expect(
            .model, fails: Self.all,
            """
            AmplifyModelRegistration Any As Associatedtype Await Bool Break Case Catch Class CodingKeys Continue \
            Default Defer Deinit Do Else Enum Extension Fallthrough False Fileprivate For Func Guard If Import \
            In Init Inout Internal Is Let List Model ModelKey ModelRegistry Nil Operator Precedencegroup Private \
            Protocol Public Repeat Rethrows Return Rule Self Static Struct Subscript Super Switch Temporal Throw \
            Throws True Try Typealias UUID Var Where While _ any as associatedtype await break case catch class \
            continue default defer defineSchema deinit do each else encode enum extension fallthrough false \
            fileprivate for func guard if import in init inout internal is keys let model nil operator \
            precedencegroup private protocol public registry repeat rethrows return rootPath rule schema self \
            some static struct subscript super switch throw throws true try typealias var version where while
            """)
        try expect(
            .model, fails: [.v2, .v2Lazy],
            """
            DefaultModelIdentifier IdentifierFormat IdentifierProtocol ModelIdentifiable ModelIdentifierFormat
            """)
        try expect(
            .model, fails: [.v2Lazy],
            """
            Decoder Encoder FieldPath LazyReference ModelPath Path PropertyContainerPath bool date datetime \
            double get int string time
            """)
        try expect(
            .model, fails: [],
            """
            Actor AllCases Amplify Array Async Borrowing Codable CodingKey Consume Consuming Container \
            Convenience Copy Date Datetime Decodable DefineSchema DidSet Discard Dynamic Each Embeddable \
            Encodable Encode EnumPersistable Equatable Fields Final Foundation Get HashValue Hashable Id2 \
            Identifier Indirect Infix Key Keys Lazy Left Macro Make ModelIdentifier ModelName ModelSchema \
            Mutating None Nonisolated Nonmutating Open Optional Override Package Postfix Prefix RawRepresentable \
            RawValue Register Registry Require Required Right RootPath Schema Sendable Set Some Swift Then Time \
            Type Unowned Values Version Weak WillSet actor allCases async borrowing consume consuming container \
            convenience copy decoder didSet discard dynamic encoder fields final hashValue id2 identifier \
            indirect infix lazy left list macro make modelName mutating none nonisolated nonmutating open \
            optional override package postfix prefix rawValue register require required right set then unowned \
            values weak willSet
            """)
    }

    @Test("a name of an embedded type is warned of where its Swift does not compile, and only there")
    func embedded() throws {
        try expect(
            .embedded, fails: [.v2], in: [.v2],
            """
            AmplifyModelRegistration Any As Associatedtype Await Bool Break Case Catch Class CodingKeys Continue \
            Default DefaultModelIdentifier Defer Deinit Do Else Embeddable Enum Extension Fallthrough False \
            Fileprivate For Func Guard IdentifierFormat IdentifierProtocol If Import In Init Inout Internal Is \
            Let Model ModelIdentifiable ModelIdentifierFormat ModelKey ModelRegistry Nil Operator \
            Precedencegroup Private Protocol Public Repeat Rethrows Return Self Static Struct Subscript Super \
            Switch Temporal Throw Throws True Try Typealias UUID Var Where While _ any as associatedtype await \
            break case catch class continue default defer defineSchema deinit do each else encode enum extension \
            fallthrough false fileprivate for func guard if import in init inout internal is keys let model nil \
            operator precedencegroup private protocol public repeat rethrows return rootPath rule schema self \
            some static struct subscript super switch throw throws true try typealias var where while
            """)
        try expect(
            .embedded, fails: [], in: [.v2],
            """
            Actor AllCases Amplify Array Async Borrowing Codable CodingKey Consume Consuming Container \
            Convenience Copy Date Datetime Decodable Decoder DefineSchema DidSet Discard Dynamic Each Encodable \
            Encode Encoder EnumPersistable Equatable FieldPath Fields Final Foundation Get HashValue Hashable \
            Id2 Identifier Indirect Infix Key Keys Lazy LazyReference Left List Macro Make ModelIdentifier \
            ModelName ModelPath ModelSchema Mutating None Nonisolated Nonmutating Open Optional Override Package \
            Path Postfix Prefix PropertyContainerPath RawRepresentable RawValue Register Registry Require \
            Required Right RootPath Rule Schema Sendable Set Some Swift Then Time Type Unowned Values Version \
            Weak WillSet actor allCases async bool borrowing consume consuming container convenience copy date \
            datetime decoder didSet discard double dynamic encoder fields final get hashValue id2 identifier \
            indirect infix int lazy left list macro make modelName mutating none nonisolated nonmutating open \
            optional override package postfix prefix rawValue register registry require required right set \
            string then time unowned values version weak willSet
            """)
    }

    @Test("a name of a field is warned of where its Swift does not compile, and only there")
    func field() throws {
        try expect(
            .field, fails: Self.all,
            """
            Any CodingKeys UUID _ associatedtype await catch class defer enum fileprivate func guard init let \
            precedencegroup repeat rethrows rule self throw throws try
            """)
        try expect(
            .field, fails: [.v2Lazy],
            """
            IdentifierFormat IdentifierProtocol Int LazyReference Path String Temporal container decoder encoder \
            values
            """)
        try expect(
            .field, fails: [],
            """
            Amplify AmplifyModelRegistration Array Bool Codable CodingKey Date Decodable Decoder \
            DefaultModelIdentifier Double Embeddable Encodable Encoder EnumPersistable Equatable FieldPath Float \
            Foundation Hashable Key List Model ModelIdentifiable ModelIdentifier ModelIdentifierFormat ModelKey \
            ModelPath ModelRegistry ModelSchema Optional PropertyContainerPath Protocol RawRepresentable Self \
            Sendable Swift Type actor allCases any as async bool borrowing break case consume consuming continue \
            convenience copy date datetime default defineSchema deinit didSet discard do double dynamic each \
            else encode extension fallthrough false fields final for get hashValue id2 identifier if import in \
            indirect infix inout int internal is keys lazy left list macro make model modelName mutating nil \
            none nonisolated nonmutating open operator optional override package postfix prefix private protocol \
            public rawValue register registry require required return right rootPath schema set some static \
            string struct subscript super switch then time true typealias unowned var version weak where while \
            willSet
            """)
    }

    @Test("a name of a value of an enum is warned of where its Swift does not compile, and only there")
    func value() throws {
        try expect(
            .value, fails: [.v2], in: [.v2],
            """
            _ associatedtype catch class defer enum fileprivate func guard init let precedencegroup repeat \
            rethrows throw throws try
            """)
        try expect(
            .value, fails: [], in: [.v2],
            """
            Amplify AmplifyModelRegistration Any Array Bool Codable CodingKey CodingKeys Date Decodable Decoder \
            DefaultModelIdentifier Double Embeddable Encodable Encoder EnumPersistable Equatable FieldPath Float \
            Foundation Hashable IdentifierFormat IdentifierProtocol Int Key LazyReference List Model \
            ModelIdentifiable ModelIdentifier ModelIdentifierFormat ModelKey ModelPath ModelRegistry ModelSchema \
            Optional Path PropertyContainerPath Protocol RawRepresentable Self Sendable String Swift Temporal \
            Type UUID actor allCases any as async await bool borrowing break case consume consuming container \
            continue convenience copy date datetime decoder default defineSchema deinit didSet discard do double \
            dynamic each else encode encoder extension fallthrough fields final for get hashValue id2 identifier \
            if import in indirect infix inout int internal is keys lazy left list macro make model modelName \
            mutating nil none nonisolated nonmutating open operator optional override package postfix prefix \
            private protocol public rawValue register registry require required return right rootPath rule \
            schema self set some static string struct subscript super switch then time typealias unowned values \
            var version weak where while willSet
            """)
    }

    @Test("names are warned of where the code that uses them is generated")
    func conditions() throws {
        for (schema, profile, isWarned) in [
            ("type Rule @model { id: ID! }", CodegenProfile.v2, false),
            ("type Item @model { id: ID! rule: Int }", .v2, false),
            ("type List @model { id: ID! }", .v2Lazy, false),
            ("type Temporal @model(timestamps: null) { id: ID! }", .v2, false),
            ("type Embeddable { a: Int }\ntype Item @model { id: ID! e: Embeddable }", .v2, true),
            ("enum Class { a }\ntype Item @model { id: ID! e: Class }", .v2, false),
            ("enum _1 { a }\ntype Item @model { id: ID! e: _1 }", .v2, true),
            ("enum E { _1 a }\ntype Item @model { id: ID! e: E }", .v2, true),
            ("type A @model { id: ID! Bool: Int b: Boolean c: C @hasOne }\ntype C @model { id: ID! }", .v2Lazy, true),
            ("type A @model { id: ID! C: Int c: C @hasOne }\ntype C @model { id: ID! }", .v2Lazy, true),
            ("type A @model { id: ID! C: Int c: C @hasOne }\ntype C @model { id: ID! }", .v2, false),
        ] { #expect(try warns(schema, profile) == isWarned, "\(schema)") }
    }
}
