import Foundation
import Testing
import Transformer

@testable import Codegen

/// The generated Swift is code: all of it is type-checked at once, against the declarations of amplify-swift that it uses.
@Suite("Generated Swift compiles")
struct CompilationTests {
    private static let randomCount: UInt64 = 8

    @Test("the models of every golden schema and of random schemas type-check together")
    func compiles() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "codegen-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var paths: [String] = []
        // The types of all schemas are in one module, so their names are made different.
        func add(_ schema: String, _ profile: CodegenProfile, _ suffix: String) throws {
            for file in try swiftModels(schema, profile) {
                let name = file.name == "AmplifyModels.swift" ? "AmplifyModels\(suffix).swift" : file.name
                let url = folder.appending(path: name)
                try #require(!FileManager.default.fileExists(atPath: url.path), "\(name)")
                let text =
                    file.name == "AmplifyModels.swift"
                    ? file.text.replacing("class AmplifyModels:", with: "class AmplifyModels\(suffix):") : file.text
                try text.write(to: url, atomically: true, encoding: .utf8)
                paths.append(url.path)
            }
        }
        for (index, golden) in Golden.all.enumerated() {
            try add(Self.renamed(try golden.source, prefix: "G\(index)"), golden.profile, "G\(index)")
        }
        for (index, profile) in CodegenProfile.allCases.enumerated() {
            let twice = "type E\(index) @model { id: ID! a: e\(index)_b! b: [e\(index)_b!] } enum e\(index)_b { RED }"
            try add(twice, profile, "E\(index)")
            for round in 0..<Self.randomCount / 4 {
                let prefix = "R\(index)x\(round)"
                let schema = RandomSchema(
                    seed: Self.seed &+ round, isVersionTwo: profile.version == .v2, prefix: prefix)
                try add(schema.text, profile, prefix)
            }
        }
        let stub = folder.appending(path: "Stub-Amplify.swift")
        let fixture = try #require(Bundle.module.resourceURL).appending(path: "Fixtures/Amplify/Amplify.swift.txt")
        try FileManager.default.copyItem(at: fixture, to: stub)
        try Self.run([
            "swiftc", "-emit-module", "-parse-as-library", "-suppress-warnings", "-module-name", "Amplify", "-o",
            folder.appending(path: "Amplify.swiftmodule").path, stub.path,
        ])
        try Self.run(
            [
                "swiftc", "-typecheck", "-parse-as-library", "-suppress-warnings", "-module-name", "Models", "-I",
                folder.path,
            ] + paths)
    }

    @Test("a schema generates the same files each time", arguments: CodegenProfile.allCases)
    func deterministic(profile: CodegenProfile) throws {
        for round in 0..<UInt64(20) {
            let schema = RandomSchema(
                seed: Self.seed &+ round, isVersionTwo: profile.version == .v2, prefix: "R"
            ).text
            #expect(try swiftModels(schema, profile) == swiftModels(schema, profile), "seed \(Self.seed &+ round)")
            let options = CodegenOptions(profile)
            #expect(
                try generatedFiles(schema, .introspection, options) == generatedFiles(schema, .introspection, options))
        }
    }

    /// SYNCLINE_SEED repeats a run.
    private static let seed: UInt64 = {
        let seed = ProcessInfo.processInfo.environment["SYNCLINE_SEED"].flatMap { UInt64($0) }
        let chosen = seed ?? UInt64.random(in: 0..<1 << 32)
        FileHandle.standardError.write(Data("Codegen: SYNCLINE_SEED=\(chosen)\n".utf8))
        return chosen
    }()

    private static func renamed(_ schema: String, prefix: String) -> String {
        let names = Set(schema.matches(of: /(?m)^(?:type|enum)\s+(\w+)/).map { String($0.1) })
        return schema.replacing(/\b[A-Z]\w*\b/) { match in
            names.contains(String(match.0)) ? prefix + match.0 : String(match.0)
        }
    }

    private static func run(_ command: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        let complaint = Pipe()
        process.standardError = complaint
        process.standardOutput = complaint
        try process.run()
        let output = complaint.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let errors = String(decoding: output, as: UTF8.self).split(separator: "\n").filter { $0.contains("error:") }
        #expect(process.terminationStatus == 0, "\(errors.prefix(20).joined(separator: "\n"))")
    }
}
