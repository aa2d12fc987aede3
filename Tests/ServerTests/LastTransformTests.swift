import GraphQL
import Synchronization
import Testing
import Transformer

@testable import Server

@Suite("The last transform of a schema is kept")
struct LastTransformTests {
    private static let schema = "type Room @model { id: ID! name: String! }\n"

    private typealias Check = (text: String, name: String, options: TransformOptions)

    /// How many transforms the checks of some texts take.
    private func transformCount(_ checks: [Check]) -> Int {
        let count = Mutex(0)
        let last = LastTransform { sources, options in
            count.withLock { $0 += 1 }
            return Transform.transform(sources, options: options)
        }
        for check in checks {
            let sources = [Source(check.text, name: check.name)]
            let expected = Self.words(Transform.transform(sources, options: check.options))
            #expect(Self.words(last.outcome(of: sources, check.options)) == expected)
        }
        return count.withLock { $0 }
    }

    private static func words(_ outcome: TransformOutcome) -> [String] {
        switch outcome {
        case .success(let definition): definition.schema.types.map(\.name) + definition.warnings.map(\.message)
        case .failure(let diagnostics): diagnostics.map(\.message)
        }
    }

    @Test("a text that is checked again is transformed once, also one with errors")
    func again() {
        let options = TransformOptions()
        let valid: Check = (Self.schema, "schema.graphql", options)
        let faulty: Check = (Self.schema + "type Bed { room: Rom }\n", "schema.graphql", options)
        #expect(transformCount([valid, valid, valid]) == 1)
        #expect(transformCount([faulty, faulty]) == 1)
        #expect(transformCount([valid, faulty, valid]) == 3, "only the last one is kept")
    }

    @Test("another text, another name and other options are transformed anew")
    func others() {
        let options = TransformOptions(transformerVersion: .v2)
        let first: Check = (Self.schema + "# caf\u{E9}\n", "schema.graphql", options)
        #expect(transformCount([first, (Self.schema + "# cafe\u{301}\n", "schema.graphql", options)]) == 2)
        #expect(transformCount([first, (first.text, "other.graphql", options)]) == 2)
        var sandbox = options
        sandbox.sandboxModeEnabled = true
        #expect(transformCount([first, (first.text, "schema.graphql", sandbox)]) == 2)
        let large = Self.schema + String(repeating: "#", count: SchemaLimits.keptTransformBytesMax)
        #expect(transformCount([(large, "schema.graphql", options), (large, "schema.graphql", options)]) == 2)
    }
}
