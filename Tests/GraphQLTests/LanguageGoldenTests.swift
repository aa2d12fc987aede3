import Foundation
import GraphQL
import Testing

@Suite("Printer, against Amplify's own output")
struct LanguageGoldenTests {
    /// The transformer's golden files serve twice.
    static let fixtures: [URL] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../TransformerTests/Fixtures/golden").standardized
        let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return (files ?? []).filter { $0.lastPathComponent.hasSuffix(".out.graphql") }.sorted { $0.path < $1.path }
    }()

    @Test("there are fixtures") func thereAreFixtures() { #expect(Self.fixtures.count >= 42) }

    @Test("a schema printed by graphql-js parses and prints the same, byte by byte", arguments: fixtures)
    func printsTheSame(_ file: URL) throws {
        let text = try String(contentsOf: file, encoding: .utf8)
        let (document, errors) = Parser.parseTypeSystem([Source(text, name: file.lastPathComponent)])
        #expect(errors.map(\.description) == [])
        #expect(Printer.print(document) == text)
    }
}
