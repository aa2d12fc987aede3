import GraphQL
import Testing
import Transformer

@testable import Codegen

/// Schemas whose Swift does not compile though all of their names do.
@Suite("Shapes and rules that give Swift which does not compile")
struct UncompilableShapeTests {
    private func warnings(_ schema: String, _ profile: CodegenProfile) throws -> [Diagnostic] {
        switch Codegen.models(
            [Source(schema, name: "schema.graphql")], target: .swift, options: CodegenOptions(profile))
        {
        case .success(_, let warnings): return warnings.filter { $0.message.contains("does not compile") }
        case .failure(let diagnostics): throw diagnostics[0]
        }
    }

    private func fields(_ schema: String, _ profile: CodegenProfile) throws -> [String] {
        try warnings(schema, profile).compactMap {
            $0.message.firstMatch(of: /^The Swift of (\S+) does not compile: the struct \S+ would contain itself/)
                .map { String($0.1) }
        }
    }

    @Test("models that refer to each other contain themselves, unless relations are lazy")
    func relations() throws {
        let pair = """
            type User @model { id: ID! name: String profile: Profile @hasOne posts: [Post] @hasMany }
            type Profile @model { id: ID! user: User @belongsTo }
            type Post @model { id: ID! user: User @belongsTo }
            """
        #expect(try fields(pair, .v2) == ["User.profile", "Profile.user"])
        #expect(try fields(pair, .v2Lazy) == [])
        let found = try warnings(pair, .v2)[0]
        #expect(found.place?.line == 1 && found.hint?.contains("--profile v2-lazy") == true)
        let tree = "type Tag @model { id: ID! parent: Tag @belongsTo children: [Tag] @hasMany }"
        #expect(try fields(tree, .v2) == ["Tag.parent"])
        #expect(try fields(tree, .v2Lazy) == [])
        let old = """
            type User @model { id: ID! profile: Profile @connection }
            type Profile @model { id: ID! user: User! @connection }
            """
        for profile in [CodegenProfile.legacy, .v1Timestamps] {
            #expect(try fields(old, profile) == ["User.profile", "Profile.user"])
        }
    }

    @Test("embedded types contain themselves in each profile, but for lists", arguments: [CodegenProfile.v2, .v2Lazy])
    func embedded(profile: CodegenProfile) throws {
        let schema = """
            type A { b: B c: [A] x: Int }
            type B { c: C! other: Other }
            type C { a: A }
            type Other { last: Last all: [B] }
            type Last { x: Int }
            type P @model { id: ID! a: A o: Other }
            """
        #expect(try fields(schema, profile) == ["A.b", "B.c", "C.a"])
        #expect(try fields("type A { a: A }\ntype P @model { id: ID! a: A }", profile) == ["A.a"])
    }

    @Test("a long way from type to type has no cycle, and neither one has too deep a search")
    func long() throws {
        let count = 3_000
        var schema = (0..<count).map { "type T\($0) { next: T\($0 + 1) }" }.joined(separator: "\n")
        schema += "\ntype P @model { id: ID! a: T0 }\ntype T\(count) { "
        #expect(try fields(schema + "x: Int }", .v2) == [])
        #expect(try fields(schema + "first: T0 }", .v2).count == count + 1)
    }

    @Test("operations and providers that amplify-swift does not have are named")
    func rules() throws {
        func messages(_ rule: String, _ profile: CodegenProfile = .v2) throws -> [String] {
            try warnings("type Post @model @auth(rules: [\(rule)]) { id: ID! t: String }", profile).map(\.message)
        }
        #expect(
            try messages("{allow: owner, operations: [get, list, sync, listen, search, update]}") == [
                "The Swift of Post does not compile: amplify-swift has no operation get, list, listen, search, sync in rules."
            ])
        #expect(
            try messages("{allow: private, provider: identityPool}, {allow: public, provider: identityPool}") == [
                "The Swift of Post does not compile: amplify-swift has no provider identityPool in rules."
            ])
        for sound in [
            "{allow: owner, operations: [create, read, update, delete]}", "{allow: private, provider: iam}",
            "{allow: private, provider: oidc}", "{allow: custom, operations: [get, list]}", "{allow: public}",
            #"{allow: groups, groups: ["A"], operations: [read]}"#,
        ] { #expect(try messages(sound) == [], "\(sound)") }
    }

    @Test("an id that is no text, a field of the name of its type, and a keyword in a key are named")
    func shapes() throws {
        for (schema, count) in [
            ("type T @model { id: Int! @primaryKey n: String }", 1),
            ("type T @model { id: ID! @primaryKey n: String }", 0),
            ("type T @model { id: String! @primaryKey n: String }", 0),
            ("type P @model { id: ID! P: Int }", 1), ("type P @model { id: ID! p: Int }", 0),
            (#"type K @model { x: ID! @primaryKey(sortKeyFields: ["in"]) in: Int! }"#, 1),
            (#"type K @model { x: ID! @primaryKey(sortKeyFields: ["inn"]) inn: Int! }"#, 0),
            ("type K @model { id: ID! in: Int! }", 0),
        ] { #expect(try warnings(schema, .v2).count == count, "\(schema)") }
    }

    @Test("values of an enum that are one case in Swift, or one member in TypeScript, are named")
    func values() throws {
        func messages(_ values: String, _ target: CodegenTarget = .swift) throws -> [String] {
            let schema = "type P @model { id: ID! s: S } enum S { \(values) }"
            switch Codegen.models([Source(schema, name: "s.graphql")], target: target, options: CodegenOptions(.v2)) {
            case .success(_, let warnings): return warnings.map(\.message)
            case .failure(let diagnostics): throw diagnostics[0]
            }
        }
        #expect(
            try messages("ACTIVE Active other active") == [
                "The values ACTIVE, Active, active of S are one case active in Swift: apps cannot read items with ACTIVE, "
                    + "Active."
            ])
        #expect(try messages("ACTIVE OTHER") == [])
        #expect(
            try messages("red RED Blue Red", .typescript) == [
                "The values red, RED, Red of S are one member RED in TypeScript, which stands for Red."
            ])
        #expect(try messages("red Blue", .typescript) == [])
    }
}
