import Foundation
import GraphQL
import Testing
import Transformer

@testable import Codegen

/// The compiler of TypeScript, which `scripts/install-dependencies --typescript` installs.
enum TypeScriptCompiler {
    static let isInstalled = (try? run(["--version"], in: FileManager.default.temporaryDirectory))?.code == 0

    static func run(_ arguments: [String], in folder: URL) throws -> (code: Int32, output: String) {
        try runTool(["tsc"] + arguments, in: folder)
    }

    /// The errors of all files of a folder, by the strictest rules.
    static func errors(in folder: URL, checksJavaScript: Bool = false) throws -> [String] {
        let files = (FileManager.default.subpaths(atPath: folder.path) ?? []).sorted().filter {
            $0.hasSuffix(".ts") || checksJavaScript && $0.hasSuffix(".js")
        }
        let options = [
            "--strict", "--noEmit", "--target", "es2020", "--module", "es2020", "--moduleResolution", "node",
        ]
        let outcome = try run(options + (checksJavaScript ? ["--allowJs", "--checkJs"] : []) + files, in: folder)
        let lines = outcome.output.split(separator: "\n").map(String.init)
        return outcome.code == 0 ? [] : lines.isEmpty ? ["exit code \(outcome.code)"] : lines
    }
}

/// Runs a tool of the developer's machine and waits for its end.
func runTool(_ command: [String], in folder: URL) throws -> (code: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    process.currentDirectoryURL = folder
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
}

/// A folder of the test, and its files.
func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "codegen-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
}

func write(_ files: [GeneratedFile], to folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for file in files { try file.text.write(to: folder.appending(path: file.name), atomically: true, encoding: .utf8) }
}

/// The file of the types of a schema, which must be sound.
func typesFile(
    _ schema: Schema, _ target: TypesTarget, maxDepth: Int = CodegenLimits.depthDefault
) throws -> GeneratedFile {
    let outcome = Codegen.types(of: schema, target: target, options: StatementOptions(maxDepth: maxDepth))
    switch outcome {
    case .success(let files, _): return try #require(files.first)
    case .failure(let diagnostics): throw diagnostics[0]
    }
}

@Suite("Types in TypeScript")
struct TypeScriptTests {
    /// Names that mean something else in TypeScript or JavaScript, and descriptions that would end a comment.
    static let names = """
        enum class { NaN Infinity default true_ _1 }
        type keyof { unique: unique }
        type unique { readonly: readonly }
        type readonly { infer: infer as: as }
        type infer { x: Int }
        type as { x: Int }
        type Array { of: [[Int!]!] any: any map: Map }
        type any { x: Int }
        type Map { name: String }
        type Promise { name: Promise }
        scalar Anything
        \"\"\"
        one */ export const a = 1;
        two
        \"\"\"
        type string implements object { id: ID! self: string }
        interface object { id: ID! }
        interface Nobody { id: ID! }
        union unknown = string | any | keyof
        input function { in: function for: class! = default new: Anything }
        type Query {
          delete(new: function, class: class): Array class(x: Int): [unknown!] var: object!
          let: Nobody getX: Int GetX: Int APITypes: Anything string: string Promise: Promise
        }
        """

    @Test(
        "typed statements and their types are accepted by tsc --strict",
        .enabled(if: TypeScriptCompiler.isInstalled, "tsc is not installed: scripts/install-dependencies --typescript"))
    func compiles() throws {
        var schemas = try StatementGolden.all.map { try $0.schema } + [try servedSchema(Self.names)]
        schemas += try TransformerGolden.all.filter { $0.input.utf8.count < 900 }.map { try $0.schema }
        #expect(schemas.count > 15)
        try withFolder { folder in
            for (index, schema) in schemas.enumerated() {
                let depth = 1 + index % 4
                let own = folder.appending(path: "schema\(index)")
                try write([try typesFile(schema, .typescript, maxDepth: depth)], to: own)
                let options = StatementOptions(maxDepth: depth, typesModule: "../API")
                try write(try statementFiles(schema, .typescript, options), to: own.appending(path: "graphql"))
            }
            #expect(try TypeScriptCompiler.errors(in: folder) == [])
        }
    }

    @Test(
        "the types accept what the API takes and gives, and nothing else",
        .enabled(if: TypeScriptCompiler.isInstalled, "tsc is not installed: scripts/install-dependencies --typescript"))
    func usage() throws {
        let schema = try StatementGolden(name: "blog-v2").schema
        let usage = """
            import { MarkMutationVariables, SearchQuery, ClassQuery, GetPostQueryVariables, Post } from "./API";
            import { search } from "./queries";

            const times = "2026-01-01T00:00:00.000Z";
            export const found: SearchQuery = {
              search: [
                { __typename: "Page", name: "a", hits: [{ __typename: "Page", name: "b" }] },
                { __typename: "Post", slug: "a", year: 1, published_at: null, createdAt: times, updatedAt: times },
              ],
            };
            // @ts-expect-error: a page has no year
            export const wrong: SearchQuery = { search: [{ __typename: "Page", name: "a", hits: [], year: 1 }] };
            export const named: ClassQuery = { class: null };
            export const none: ClassQuery = {};
            export const marks: MarkMutationVariables = { marks: [{ text: "a", inner: { text: "b" } }] };
            // @ts-expect-error: the text of a mark is required
            export const unmarked: MarkMutationVariables = { marks: [{ times: [1] }] };
            // @ts-expect-error: each part of the key is required
            export const half: GetPostQueryVariables = { slug: "a" };
            export function year(query: SearchQuery): number {
              const hit = query.search[0];
              return hit.__typename === "Post" ? hit.year : hit.name.length;
            }
            export function title(post: Post): string | null | undefined { return post.comments?.nextToken; }
            export const output: SearchQuery = search.__generatedQueryOutput;
            """
        try withFolder { folder in
            try write([try typesFile(schema, .typescript)], to: folder)
            try write(try statementFiles(schema, .typescript, StatementOptions(typesModule: "./API")), to: folder)
            try write([GeneratedFile(name: "usage.ts", text: usage)], to: folder)
            #expect(try TypeScriptCompiler.errors(in: folder) == [])
        }
    }

    @Test("a description stays a comment, whatever it has")
    func comments() throws {
        let schema = try servedSchema(
            "\"a\\u2028export const x = 1\\r\\nb\\u0000\\u202Ec\" type T { \"f\" x: Int } type Query { t: T }")
        let text = try typesFile(schema, .typescript).text
        #expect(text.contains("// a\n// export const x = 1\n// bc\nexport type T = {\n"), "\(text)")
        #expect(text.contains("  // f\n  x?: number | null,\n"))
    }
}
