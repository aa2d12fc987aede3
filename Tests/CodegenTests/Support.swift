import GraphQL
import Testing
import Transformer

@testable import Codegen

/// The files of a schema, which must be sound.
func generatedFiles(
    _ schema: String, _ target: CodegenTarget, _ options: CodegenOptions,
    sourceLocation: Testing.SourceLocation = #_sourceLocation
) throws -> [GeneratedFile] {
    switch Codegen.models([Source(schema, name: "schema.graphql")], target: target, options: options) {
    case .success(let files, _): return files
    case .failure(let diagnostics):
        for diagnostic in diagnostics { Issue.record("\(diagnostic.render())", sourceLocation: sourceLocation) }
        throw diagnostics[0]
    }
}

func swiftModels(
    _ schema: String, _ profile: CodegenProfile, sourceLocation: Testing.SourceLocation = #_sourceLocation
) throws -> [GeneratedFile] {
    try generatedFiles(schema, .swift, CodegenOptions(profile), sourceLocation: sourceLocation)
}

/// What is wrong with a schema that cannot be generated from.
func refusal(_ schema: String, _ options: CodegenOptions, _ target: CodegenTarget = .swift) -> [Diagnostic] {
    switch Codegen.models([Source(schema, name: "schema.graphql")], target: target, options: options) {
    case .success: []
    case .failure(let diagnostics): diagnostics
    }
}

extension [GeneratedFile] {
    subscript(name: String) -> String? { first { $0.name == name }?.text }
}
