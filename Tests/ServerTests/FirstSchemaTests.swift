import Foundation
import GraphQL
import Testing
import Transformer

@testable import Server

/// `syncline dev` in a folder in which nothing is modelled yet.
@Suite("The first start in an empty folder", .serialized)
struct FirstSchemaTests {
    private static let dev = ["dev", "--port", "0", "--tls", "off"]
    private static let note = "type Note @model @auth(rules: [{allow: public}]) { id: ID! text: String }"

    @Test("dev writes a file of comments, serves an API without models, and then what is written into the file")
    func emptyFolder() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let server = try Running(Self.dev, in: folder)
        defer { _ = server.stop() }
        let written = try String(contentsOf: folder.url.appending(path: "schema.graphql"), encoding: .utf8)
        #expect(written.split(separator: "\n").allSatisfy { $0.hasPrefix("#") })
        #expect(server.complaint.contains("has no models yet"), "\(server.complaint)")
        let client = try server.connect()
        #expect(try client.graphql("{ __typename }") == #"{"data":{"__typename":"Query"}}"#)

        try folder.write(Self.note, to: "schema.graphql")
        try await eventually {
            try client.graphql("{ listNotes { items { id } } }") == #"{"data":{"listNotes":{"items":[]}}}"#
        }
        try await eventually { server.complaint.contains("Reloaded in") }
        #expect(server.complaint.ranges(of: "Reloaded in").count == 1, "\(server.complaint)")
        // An editor that writes the file anew has it empty for a moment.
        try folder.write("", to: "schema.graphql")
        try await eventually { server.complaint.contains("there is nothing to serve") }
        #expect(try client.graphql("{ listNotes { items { id } } }") == #"{"data":{"listNotes":{"items":[]}}}"#)
    }

    @Test("a schema that is gone from a folder with data is an error, and no other command makes one")
    func missingLater() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for arguments in [["serve", "--port", "0"], ["check"], ["codegen", "statements", "--out", "q"]] {
            let outcome = try run(arguments, in: folder)
            #expect(outcome.code == 3 && outcome.complaint.contains("./schema.graphql"), "\(arguments): \(outcome)")
            #expect(folder.names.isEmpty)
        }
        #expect(try Running(Self.dev, in: folder).stop().code == 0)
        try folder.remove("schema.graphql")
        let outcome = try run(Self.dev, in: folder)
        #expect(outcome.code == 3 && outcome.complaint.contains("Cannot read the schema"), "\(outcome)")
        #expect(!folder.names.contains("schema.graphql"))
    }

    @Test("a link to a schema that is not there stays, and the error names where it leads")
    func danglingLink() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("schema.graphql"), withDestinationPath: "../shared/hotel.graphql")
        let outcome = try run(Self.dev, in: folder)
        #expect(outcome.code == 3, "\(outcome)")
        #expect(outcome.complaint.contains("schema.graphql, a link to ../shared/hotel.graphql: "), "\(outcome)")
        #expect(folder.names == ["schema.graphql"])
        var configuration = Configuration()
        configuration.schema.paths = [folder.path("schema.graphql")]
        #expect(try FirstSchema.write(configuration).isEmpty)
        let target = try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("schema.graphql"))
        #expect(target == "../shared/hotel.graphql")
    }

    @Test("the file that dev has written is no change to reload, and another one is")
    func watched() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = Configuration()
        configuration.schema.paths = [folder.path("schema.graphql")]
        var watcher = Watcher(Watcher.view(of: configuration))
        let written = try FirstSchema.write(configuration)
        #expect(written.keys.sorted() == configuration.schema.paths)
        watcher.accept(written)
        func notices() -> Bool { watcher.hasSettledChange(Watcher.view(of: configuration)) }
        #expect(!notices() && !notices())
        try folder.write(Self.note, to: "schema.graphql")
        #expect(!notices() && notices(), "two looks agree on it")
        #expect(try FirstSchema.write(configuration).isEmpty, "what somebody has written stays")
        #expect(try String(contentsOf: folder.url.appending(path: "schema.graphql"), encoding: .utf8) == Self.note)
    }

    @Test("a first model breaks no app")
    func firstModel() throws {
        let outcome = Transform.transform([Source(Self.note, name: "schema.graphql")])
        let new: APIDefinition? = if case .success(let definition) = outcome { definition } else { nil }
        let difference = APIDifference(
            from: try FirstSchema.definition(options: TransformOptions()), to: try #require(new))
        #expect(difference.breaking.isEmpty && difference.removed.isEmpty && difference.added.contains("Query.getNote"))
    }
}
