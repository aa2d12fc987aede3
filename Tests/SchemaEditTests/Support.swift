import Foundation
import GraphQL
import SchemaEdit
import Testing

/// A schema of one file, and what edits do to it.
struct Schema {
    var files: [SchemaFile]
    var version: SchemaEditor.Version?

    init(_ text: String, version: SchemaEditor.Version? = nil) {
        files = [SchemaFile(name: "schema.graphql", text: text)]
        self.version = version
    }

    var text: String { files[0].text }

    /// The text after an edit, whose properties are checked.
    @discardableResult
    mutating func apply(_ edits: Edit..., sourceLocation: Testing.SourceLocation = #_sourceLocation) throws
        -> EditResult
    {
        let result = try SchemaEditor.apply(edits, to: files, version: version)
        expectIsConsistent(result, of: files, sourceLocation: sourceLocation)
        files = result.files
        return result
    }

    func refusal(of edit: Edit) -> EditRefusal? {
        do throws(EditRefusal) {
            _ = try SchemaEditor.apply(edit, to: files, version: version)
            return nil
        } catch {
            return error
        }
    }
}

/// The text of a schema after edits.
func edited(
    _ text: String, _ edits: Edit..., version: SchemaEditor.Version? = nil,
    sourceLocation: Testing.SourceLocation = #_sourceLocation
) throws -> String {
    let files = [SchemaFile(name: "schema.graphql", text: text)]
    let result = try SchemaEditor.apply(edits, to: files, version: version)
    expectIsConsistent(result, of: files, sourceLocation: sourceLocation)
    return result.files[0].text
}

func refusal(
    of edit: Edit, in text: String, version: SchemaEditor.Version? = nil
) -> EditRefusal? {
    Schema(text, version: version).refusal(of: edit)
}

/// The edits make the text that the result has, the bytes outside their ranges are as they were, the inverse restores each
/// byte, and the text is a schema.
func expectIsConsistent(
    _ result: EditResult, of files: [SchemaFile], _ comment: Comment? = nil,
    sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
    #expect(result.edits.applied(to: files) == result.files, comment, sourceLocation: sourceLocation)
    #expect(result.inverse.applied(to: result.files) == files, comment, sourceLocation: sourceLocation)
    for (before, after) in zip(files, result.files) {
        var position = 0
        var rest = after.bytes[...]
        for edit in result.edits.edits where edit.file == before.name {
            let kept = before.bytes[position..<edit.start]
            #expect(rest.starts(with: kept), comment, sourceLocation: sourceLocation)
            rest = rest.dropFirst(kept.count + edit.text.utf8.count)
            position = edit.end
        }
        #expect(Array(rest) == Array(before.bytes[position...]), comment, sourceLocation: sourceLocation)
        let parsed = Parser.parseTypeSystem([Source(after.bytes, name: after.name)])
        #expect(parsed.errors.isEmpty, comment, sourceLocation: sourceLocation)
    }
}

/// The schemas of the transformer's golden files, by name.
enum GoldenSchemas {
    static let all: [(name: String, text: String)] = {
        let folder = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "TransformerTests/Fixtures/golden")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".in.graphql") }.sorted().compactMap { name in
            (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)).map {
                (String(name.dropLast(".in.graphql".count)), $0)
            }
        }
    }()

    static func text(_ name: String) throws -> String {
        try #require(all.first { $0.name == name }).text
    }
}
