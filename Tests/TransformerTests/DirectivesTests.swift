import GraphQL
import Testing

@testable import Transformer

@Suite("The table of directives")
struct DirectivesTests {
    private static let versions: [TransformOptions.TransformerVersion] = [.v1, .v2]

    @Test("each definition can be read and defines the directive of its line")
    func definitions() throws {
        for entry in Directives.all {
            for version in Self.versions {
                guard let text = entry.definition(in: version) else { continue }
                let parsed = Parser.parseTypeSystem([Source(text)])
                #expect(parsed.errors.isEmpty, "\(text)")
                let names = parsed.document.definitions.compactMap { definition -> String? in
                    if case .directive(let directive) = definition { directive.name } else { nil }
                }
                #expect(names == [entry.name])
            }
        }
        #expect(Set(Directives.all.map(\.name)).count == Directives.all.count)
    }

    @Test("a directive without a definition is one that every schema has")
    func serviceDirectives() {
        let standard = StandardDefinitions.directives.definitions.compactMap { definition -> String? in
            if case .directive(let directive) = definition { directive.name } else { nil }
        }
        for entry in Directives.all where entry.definition == nil {
            #expect(standard.contains(entry.name), "\(entry.name)")
        }
    }

    @Test("the version of a schema is known by the directives that only one version has")
    func versions() {
        #expect(SchemaVersion.versionOne == ["key", "connection", "versioned"])
        #expect(
            SchemaVersion.versionTwo == [
                "primaryKey", "index", "hasOne", "hasMany", "belongsTo", "manyToMany", "default", "mapsTo", "refersTo",
            ])
    }

    @Test("the generated schema keeps the directives of AppSync and no other")
    func printed() {
        #expect(
            Directives.printed == [
                "aws_subscribe", "aws_auth", "aws_api_key", "aws_iam", "aws_oidc", "aws_cognito_user_pools",
                "aws_lambda", "deprecated",
            ])
    }

    @Test("a hint suggests the directives of the schema's version")
    func hints() {
        let one = refusal("type Post @model @kee(fields: [\"id\"]) { id: ID! }")
        #expect(one.map(\.hint) == ["Did you mean \"@key\"?"])
        let two = refusal(
            "type Post @model { id: ID! a: [Post] @hasMny }", options: TransformOptions(transformerVersion: .v2))
        #expect(two.map { $0.hint?.hasPrefix("Did you mean \"@hasMany\"") } == [true])
    }
}
