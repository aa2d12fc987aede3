import Foundation
import GraphQL
import Testing
import Transformer

@testable import Codegen

/// A folder `Fixtures/statements/NAME` with a schema and what is generated of it.
///
/// `SYNCLINE_WRITE_GOLDENS=1` writes the files anew; the difference is reviewed.
struct StatementGolden: CustomTestStringConvertible, Sendable {
    let name: String

    var testDescription: String { name }

    static let all = ["blog-v1", "blog-v2"].map(StatementGolden.init)

    static let isWriting = ProcessInfo.processInfo.environment["SYNCLINE_WRITE_GOLDENS"] != nil

    private var folder: URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/statements/\(name)")
    }

    var input: String {
        get throws { try String(contentsOf: folder.appending(path: "schema.graphql"), encoding: .utf8) }
    }

    /// The schema that is served.
    var schema: Schema { get throws { try servedSchema(try input) } }

    /// Compares files with those of a folder, in which each name ends in `.txt`: no tool takes them for sources.
    func expect(_ files: [GeneratedFile], in kind: String) throws {
        let folder = folder.appending(path: kind)
        if Self.isWriting {
            try? FileManager.default.removeItem(at: folder)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for file in files {
                try file.text.write(to: folder.appending(path: "\(file.name).txt"), atomically: true, encoding: .utf8)
            }
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names) == Set(files.map { "\($0.name).txt" }))
        for file in files {
            let text = try String(contentsOf: folder.appending(path: "\(file.name).txt"), encoding: .utf8)
            #expect(file.text == text, "\(kind)/\(file.name)")
        }
    }
}

@Suite("Golden statements and types")
struct StatementGoldenTests {
    @Test("the statements of a schema are those of its folder", arguments: StatementGolden.all)
    func statements(golden: StatementGolden) throws {
        let schema = try golden.schema
        try golden.expect(try statementFiles(schema), in: "graphql")
        try golden.expect(try statementFiles(schema, .javascript), in: "javascript")
        try golden.expect(
            try statementFiles(schema, .typescript, StatementOptions(maxDepth: 1, typesModule: "../API")),
            in: "typescript")
        #expect(try statementFiles(schema, .swift) == statementFiles(schema))
    }

    @Test("the types of a schema's statements are those of its folder", arguments: StatementGolden.all)
    func types(golden: StatementGolden) throws {
        let schema = try golden.schema
        let files = try TypesTarget.allCases.map { try typesFile(schema, $0, maxDepth: 1) }
        try golden.expect(files, in: "types")
    }

    @Test("the models of a schema for amplify-js are those of its folder", arguments: StatementGolden.all)
    func models(golden: StatementGolden) throws {
        let options = CodegenOptions(golden.name == "blog-v1" ? .v1Timestamps : .v2)
        try golden.expect(try generatedFiles(try golden.input, .typescript, options), in: "models")
    }
}
