import Foundation
import JSON
import Testing

extension TemporaryFolder {
    /// A folder with a copy of a sample project of `AmplifyTests`.
    static func sampleProject(_ name: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "AmplifyTests/Fixtures/\(name)")
        for inner in try FileManager.default.contentsOfDirectory(atPath: source.path) {
            try FileManager.default.copyItem(at: source.appending(path: inner), to: folder.url.appending(path: inner))
        }
        return folder
    }

    /// Takes the GraphQL API out of a sample project.
    func removeAPI() throws {
        let path = "amplify/backend/backend-config.json"
        var config = try #require(try JSONReader.read(text(path)).objectValue)
        config["api"] = nil
        try write("\(JSONValue.object(config))", to: path)
    }

    func text(_ name: String) throws -> String { try String(contentsOf: url.appending(path: name), encoding: .utf8) }

    /// Replaces a text in a file.
    func replace(_ text: String, with other: String, in name: String) throws {
        let old = try self.text(name)
        precondition(old.contains(text), "\(name) has no \(text)")
        try write(old.replacing(text, with: other), to: name)
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(at: url.appending(path: name)) }

    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path(name), withDestinationPath: target)
    }
}
