import Tables
import Testing
import Transformer

@testable import Server

@Suite("What is advised when a backup cannot be restored")
struct RestoreAdviceTests {
    @Test(
        "a backup that is damaged or is none is not to be restored from a backup",
        arguments: ["no database at all", String(repeating: "x", count: 8192), "SQLite format 3\u{0}and no more"])
    func damaged(text: String) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(text, to: "backup")
        var configuration = Configuration()
        configuration.data.folder = folder.path("data")
        let error = try #require(
            #expect(throws: ServerError.self) {
                _ = try Backups.restore(folder.path("backup"), to: configuration) { true }
            })
        #expect(error.code == .data && error.diagnostics.count == 1)
        let hint = error.diagnostics[0].hint ?? ""
        #expect(!hint.isEmpty && !hint.contains("from a backup"), "\(error.text)")
        #expect(error.text.contains("\(folder.path("backup")): ") && error.text.contains("\n  hint: "), "\(error.text)")
    }

    @Test("a hint about the data folder stands in a line of its own")
    func hint() {
        let error = ServerError(opening: "data", StoreError(.corrupt, "It is malformed.", hint: "Restore it."))
        #expect(error.text == "error: data: It is malformed.\n  hint: Restore it.")
    }
}
