import GraphQL
import Testing

@testable import Transformer

@Suite("Random schemas")
struct RandomSchemaTests {
    /// The text of a random valid schema of this version.
    private func text(seed: UInt64, isVersionTwo: Bool) -> String {
        if isVersionTwo {
            var schema = RandomVersionTwoSchema(seed: seed)
            return schema.text()
        }
        var schema = RandomSchema(seed: seed)
        return schema.text()
    }

    @Test(
        "every valid schema transforms; its print is read again and builds; its resolvers find what they name",
        arguments: [false, true])
    func transforms(isVersionTwo: Bool) throws {
        let first = UInt64.testSeed(in: 0...UInt64.max >> 1)
        print("Random schemas from seed \(first).")
        for seed in first..<first + 100 {
            let text = text(seed: seed, isVersionTwo: isVersionTwo)
            // In version 2 models that have each other cannot detect conflicts, and random ones often do.
            let options = TransformOptions(
                improvePluralization: seed % 2 == 0,
                conflictDetection: seed % 3 == 0 && !isVersionTwo ? .version : .none)
            let outcome = Transform.transform([Source(text)], options: options)
            guard case .success(let definition) = outcome else {
                if case .failure(let diagnostics) = outcome {
                    Issue.record("seed \(seed): \(diagnostics.map { $0.render() }.joined(separator: "\n"))\n\(text)")
                }
                return
            }
            let printed = Printer.print(definition.document)
            let parsed = Parser.parseTypeSystem([Source(printed)])
            #expect(parsed.errors.isEmpty, "seed \(seed)\n\(text)")
            #expect(Printer.print(parsed.document) == printed, "seed \(seed)\n\(text)")
            let errors = SchemaValidation.errors(in: parsed.document, requiresQuery: false)
            #expect(errors.isEmpty, "seed \(seed)\n\(text)")
            try definition.expectIsConsistent()
            let report = DirectiveReport(of: [Source(text)], options: options)
            #expect(report.transformerVersion == (isVersionTwo ? .v2 : .v1), "seed \(seed)")
            #expect(report.count(of: .notServed) == 0, "seed \(seed)\n\(text)")
        }
    }

    @Test(
        "a schema with a letter exchanged is refused or served, and never ends the process", arguments: [false, true])
    func mutations(isVersionTwo: Bool) {
        let first = UInt64.testSeed(in: 0...UInt64.max >> 1)
        print("Random schemas from seed \(first).")
        for seed in first..<first + 100 {
            var random = SeededGenerator(seed: seed)
            var bytes = Array(text(seed: seed, isVersionTwo: isVersionTwo).utf8)
            for _ in 0..<3 {
                let position = Int.random(in: 0..<bytes.count, using: &random)
                bytes[position] = bytes[Int.random(in: 0..<bytes.count, using: &random)]
            }
            switch Transform.transform([Source(bytes, name: "schema.graphql")]) {
            case .success(let definition): #expect(definition.models.count == definition.tables.count, "seed \(seed)")
            case .failure(let diagnostics): #expect(!diagnostics.isEmpty, "seed \(seed)")
            }
        }
    }
}
