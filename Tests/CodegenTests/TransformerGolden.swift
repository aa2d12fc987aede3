import Foundation
import GraphQL
import Testing
import Transformer

@testable import Codegen

/// A schema of the transformer's golden pairs, as it is served.
struct TransformerGolden: CustomTestStringConvertible, Sendable {
    let name: String
    let input: String

    var testDescription: String { name }

    /// The pairs whose directives are served.
    static let all: [TransformerGolden] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "TransformerTests/Fixtures/golden")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".in.graphql") }.sorted().compactMap { file in
            let name = String(file.dropLast(".in.graphql".count))
            guard !["searchable", "versioned-default"].contains(name),
                let input = try? String(contentsOf: folder.appending(path: file), encoding: .utf8)
            else { return nil }
            return TransformerGolden(name: name, input: input)
        }
    }()

    /// The schema that is served. The first line of a pair has its options.
    var schema: Schema {
        get throws {
            let words = input.split(separator: "\n").first?.split(separator: " ").map(String.init) ?? []
            return try servedSchema(
                input,
                TransformOptions(
                    transformerVersion: words.contains("gen=v2") ? .v2 : .v1,
                    improvePluralization: words.contains("pluralize=improved"),
                    conflictDetection: words.contains("mode=datastore") ? .version : .none,
                    authModes: TransformOptions.AuthMode.allCases))
        }
    }
}

/// What an API with this schema serves.
func servedSchema(
    _ text: String, _ options: TransformOptions = TransformOptions(),
    sourceLocation: Testing.SourceLocation = #_sourceLocation
) throws -> Schema {
    switch Transform.transform([Source(text, name: "schema.graphql")], options: options) {
    case .success(let definition): return definition.schema
    case .failure(let diagnostics):
        for diagnostic in diagnostics { Issue.record("\(diagnostic.render())", sourceLocation: sourceLocation) }
        throw diagnostics[0]
    }
}

/// The statements of a schema, which must be sound.
func statementFiles(
    _ schema: Schema, _ target: StatementTarget = .graphql, _ options: StatementOptions = StatementOptions(),
    sourceLocation: Testing.SourceLocation = #_sourceLocation
) throws -> [GeneratedFile] {
    switch Codegen.statements(of: schema, target: target, options: options) {
    case .success(let files, _): return files
    case .failure(let diagnostics):
        for diagnostic in diagnostics { Issue.record("\(diagnostic.render())", sourceLocation: sourceLocation) }
        throw diagnostics[0]
    }
}
