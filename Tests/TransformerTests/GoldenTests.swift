import Foundation
import GraphQL
import Testing

@testable import Transformer

/// A pair of the original transformer's input and output, and the options of its first line.
struct Golden: CustomTestStringConvertible {
    let name: String
    let input: String
    let output: String
    let settings: [String: String]

    var testDescription: String { name }

    static let all: [Golden] = {
        let folder = Bundle.module.resourceURL?.appending(path: "Fixtures/golden")
        let names = folder.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0.path) } ?? []
        return names.filter { $0.hasSuffix(".in.graphql") }.sorted().compactMap { file in
            let name = String(file.dropLast(".in.graphql".count))
            guard let folder,
                let input = try? String(contentsOf: folder.appending(path: file), encoding: .utf8),
                let output = try? String(contentsOf: folder.appending(path: "\(name).out.graphql"), encoding: .utf8)
            else { return nil }
            let words = input.split(separator: "\n")[0].dropFirst("# golden: ".count).split(separator: " ")
            let settings = words.map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
            return Golden(
                name: name, input: input, output: output,
                settings: Dictionary(
                    settings.map { ($0[0], $0.count > 1 ? $0[1] : "") }, uniquingKeysWith: { first, _ in first }))
        }
    }()

    var options: TransformOptions {
        var options = TransformOptions(
            transformerVersion: settings["gen"] == "v2" ? .v2 : .v1,
            improvePluralization: settings["pluralize"] == "improved",
            conflictDetection: settings["mode"] == "datastore" ? .version : .none,
            authModes: (settings["auth"] ?? "apiKey").split(separator: ",")
                .compactMap { name in TransformOptions.AuthMode.allCases.first { "\($0)" == name } })
        if settings["flags"] == "legacy" {
            options.addMissingOwnerFields = false
            options.skipOverrideMutationInputTypes = false
            options.secondaryKeyAsGSI = false
        }
        return options
    }

    /// What the pairs that are not served wait for.
    static let waiting = [
        "searchable": "searchable", "versioned-default": "versioned",
    ]

    var isServed: Bool { Golden.waiting[name] == nil }
}

@Suite("Golden pairs of the original transformer")
struct GoldenTests {
    @Test("the fixtures are there")
    func fixtures() {
        #expect(Golden.all.count >= 42)
        #expect(Set(Golden.waiting.keys).isSubset(of: Golden.all.map(\.name)))
    }

    @Test("a pair is printed byte for byte", arguments: Golden.all.filter(\.isServed))
    func served(golden: Golden) throws {
        let definition = try definition(golden.input, options: golden.options)
        #expect(Printer.print(definition.document) == golden.output)
        try definition.expectIsConsistent()
    }

    @Test("a pair that waits is refused as a whole", arguments: Golden.all.filter { !$0.isServed })
    func waiting(golden: Golden) {
        let diagnostics = refusal(golden.input, options: golden.options)
        #expect(diagnostics.contains { $0.kind == "NotServedError" })
        let directive = Golden.waiting[golden.name] ?? ""
        #expect(diagnostics.contains { $0.message.contains("@\(directive) ") })
    }
}
