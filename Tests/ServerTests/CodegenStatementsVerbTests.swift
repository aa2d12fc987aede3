import Foundation
import Testing

/// `syncline codegen statements`, `types` and the models of amplify-js, as a script runs them.
@Suite("Statements and types by the command line")
struct CodegenStatementsVerbTests {
    private static let schema = "type Post @model { id: ID! title: String }\n"
    private static let statements = ["codegen", "statements", "--out", "src/graphql"]

    private func text(_ name: String, in folder: TemporaryFolder) throws -> String {
        try String(contentsOfFile: folder.path(name), encoding: .utf8)
    }

    private func inFolder(_ body: (TemporaryFolder) throws -> Void) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.schema, to: "schema.graphql")
        try body(folder)
    }

    @Test("statements are written once, compared by a check, and removed when the schema no longer has them")
    func statements() throws {
        try inFolder { folder in
            let first = try run(Self.statements + ["--target", "typescript"], in: folder)
            #expect(
                first.code == 0 && first.output.contains("3 files in src/graphql: 3 written, 0 removed."), "\(first)")
            #expect(
                folder.names.filter { $0.hasPrefix("src/graphql/") } == [
                    "src/graphql/.syncline-codegen.json", "src/graphql/mutations.ts", "src/graphql/queries.ts",
                    "src/graphql/subscriptions.ts",
                ])
            #expect(try !text("src/graphql/queries.ts", in: folder).contains("import"))
            let again = try run(Self.statements + ["--target", "typescript"], in: folder)
            #expect(again.output.contains("0 written, 0 removed."), "\(again)")
            let check = Self.statements + ["--target", "typescript", "--check"]
            #expect(try run(check, in: folder).code == 0)

            try folder.write("type Query { now: AWSDateTime @function(name: \"now\") }", to: "schema.graphql")
            let differences = try run(check, in: folder)
            #expect(differences.code == 8, "\(differences)")
            #expect(
                differences.complaint == """
                    differs: src/graphql/queries.ts
                    stale: src/graphql/mutations.ts
                    stale: src/graphql/subscriptions.ts

                    """)
            let next = try run(Self.statements + ["--target", "typescript"], in: folder)
            #expect(next.output.contains("1 file in src/graphql: 1 written, 2 removed."), "\(next)")

            // Another language takes the place of the first.
            let other = try run(Self.statements + ["--target", "javascript"], in: folder)
            #expect(other.output.contains("1 written, 1 removed."), "\(other)")
            #expect(folder.names.contains("src/graphql/queries.js") && !folder.names.contains("src/graphql/queries.ts"))
        }
    }

    @Test("a file of the app's author is not replaced, and one of Amplify's generator is")
    func foreign() throws {
        try inFolder { folder in
            try folder.write("export const mine = 1;\n", to: "src/graphql/queries.js")
            let refused = try run(Self.statements + ["--target", "javascript"], in: folder)
            #expect(refused.code == 7 && refused.complaint.contains("src/graphql/queries.js"), "\(refused)")
            #expect(!folder.names.contains("src/graphql/mutations.js"))
            try folder.write(
                "/* eslint-disable */\n// this is an auto generated file. This will be overwritten\n\nexport const a = 1;\n",
                to: "src/graphql/queries.js")
            #expect(try run(Self.statements + ["--target", "javascript"], in: folder).code == 0)
            #expect(try text("src/graphql/queries.js", in: folder).contains("export const getPost = /* GraphQL */"))
        }
    }

    @Test("types are written to the file that is named, beside statements that import them")
    func types() throws {
        try inFolder { folder in
            let types = ["codegen", "types", "--target", "typescript", "--out", "src/API.ts"]
            let outcome = try run(types, in: folder)
            #expect(outcome.code == 0 && outcome.output.contains("1 file in src: 1 written"), "\(outcome)")
            #expect(
                try text("src/API.ts", in: folder).contains("export type GetPostQueryVariables = {\n  id: string,\n};"))
            #expect(try run(types + ["--check"], in: folder).code == 0)
            #expect(try run(types + ["--check", "--max-depth", "1"], in: folder).code == 8)
            #expect(try run(Self.statements + ["--target", "typescript", "--types", "../API"], in: folder).code == 0)
            #expect(
                try text("src/graphql/queries.ts", in: folder).contains("import * as APITypes from \"../API\";\n"))
            let swift = try run(["codegen", "types", "--target", "swift", "--out", "."], in: folder)
            #expect(swift.code == 0 && folder.names.contains("API.swift"), "\(swift)")
            // A folder may have the types of several schemas and languages.
            let other = try run(types.dropLast() + ["src/Other.ts"], in: folder)
            #expect(other.code == 0 && other.output.contains("1 written, 0 removed"), "\(other)")
            #expect(folder.names.contains("src/API.ts") && folder.names.contains("src/Other.ts"))
            #expect(try run(types + ["--check"], in: folder).code == 0)
            try folder.write("type Post @model { id: ID! title: String rank: Int }", to: "schema.graphql")
            let check = try run(types + ["--check"], in: folder)
            #expect(check.code == 8 && check.complaint.contains("differs: src/API.ts"), "\(check)")
        }
    }

    @Test("the models of amplify-js are written beside others, each with its own list")
    func models() throws {
        try inFolder { folder in
            let outcome = try run(["codegen", "models", "--target", "typescript", "--out", "src/models"], in: folder)
            #expect(outcome.code == 0 && outcome.output.contains("4 files in src/models: 4 written"), "\(outcome)")
            #expect(
                try run(["codegen", "models", "--target", "typescript", "--out", "src/models"], in: folder).code == 0)
            #expect(try text("src/models/index.js", in: folder).contains("const { Post } = initSchema(schema);"))
            #expect(try run(["codegen", "models", "--out", "src/models"], in: folder).code == 0)
            #expect(folder.names.contains("src/models/schema.d.ts") && folder.names.contains("src/models/Post.swift"))
        }
    }

    @Test(
        "a language that is not generated is refused by its name, with what to do",
        arguments: [
            (
                "models", "kotlin", "--target is swift, introspection or typescript; Kotlin is not generated.",
                "--target java"
            ),
            ("models", "Java", "Java is not generated", "amplify codegen models --target java"),
            ("models", "dart", "Dart is not generated", "amplify codegen models --target dart"),
            ("statements", "kotlin", "Kotlin is not generated", "--target graphql"),
            ("statements", "java", "Java is not generated", "--target graphql"),
            ("types", "dart", "--target is swift or typescript; Dart is not generated.", "--target graphql"),
            ("types", "angular", "Angular is not generated", "--target typescript"),
            ("types", "flow", "Flow is not generated", "--target javascript"),
        ])
    func refused(verb: String, target: String, message: String, hint: String) throws {
        try inFolder { folder in
            let outcome = try run(["codegen", verb, "--target", target, "--out", "out"], in: folder)
            #expect(outcome.code == 2 && outcome.complaint.contains(message), "\(outcome)")
            #expect(outcome.complaint.contains("hint: ") && outcome.complaint.contains(hint), "\(outcome)")
            #expect(folder.names == ["schema.graphql"])
            let unknown = try run(["codegen", verb, "--target", "cobol", "--out", "out"], in: folder)
            #expect(unknown.code == 2 && unknown.complaint.contains("and not \"cobol\"."), "\(unknown)")
        }
    }

    @Test("a depth out of bounds, or one at which a statement is too large, is refused")
    func depth() throws {
        try inFolder { folder in
            for depth in ["0", "51"] {
                let outcome = try run(Self.statements + ["--max-depth", depth], in: folder)
                #expect(outcome.code == 2 && outcome.complaint.contains("--max-depth is from 1 to 50"), "\(outcome)")
            }
            let fields = (0..<9).map { "f\($0): T" }.joined(separator: " ")
            try folder.write(
                "type T { \(fields) x: Int }\ntype Query { t: T @function(name: \"t\") }", to: "schema.graphql")
            let outcome = try run(Self.statements + ["--max-depth", "50"], in: folder)
            #expect(outcome.code == 3 && outcome.complaint.contains("The statement of t has more than 10000 fields"))
            #expect(outcome.complaint.contains("hint: Generate fewer levels: --max-depth 49."), "\(outcome)")
            #expect(!folder.names.contains("src"))
        }
    }

    @Test("options that are not given are those of the project's .graphqlconfig.yml")
    func project() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for name in ["amplify", ".graphqlconfig.yml"] {
            try FileManager.default.copyItem(
                at: TidyTests.root.appending(path: "Tests/AmplifyTests/Fixtures/chat-v1/\(name)"),
                to: folder.url.appending(path: name))
        }
        let statements = try run(["codegen", "statements"], in: folder)
        #expect(statements.code == 0 && folder.names.contains("graphql/queries.graphql"), "\(statements)")
        let types = try run(["codegen", "types"], in: folder)
        #expect(types.code == 0 && folder.names.contains("API.swift"), "\(types)")
        #expect(try text("API.swift", in: folder).contains("public final class GetThreadQuery: GraphQLQuery {"))

        try folder.write(
            """
            projects:
              isolationchat:
                schemaPath: src/graphql/schema.json
                includes:
                  - src/graphql/**/*.ts
                extensions:
                  amplify:
                    codeGenTarget: typescript
                    generatedFileName: 'src/API.ts'
                    docsFilePath: src/graphql
                    maxDepth: 3 # levels
              other:
                extensions:
                  amplify:
                    codeGenTarget: kotlin
            """, to: ".graphqlconfig.yml")
        // From a folder below the project's.
        let below = TemporaryFolder(url: folder.url.appending(path: "app"))
        try FileManager.default.createDirectory(at: below.url, withIntermediateDirectories: true)
        let typed = try run(["codegen", "statements"], in: below)
        #expect(typed.code == 0, "\(typed)")
        #expect(try text("src/graphql/queries.ts", in: folder).contains("import * as APITypes from \"../API\";"))
        #expect(try run(["codegen", "types"], in: below).code == 0 && folder.names.contains("src/API.ts"))
        #expect(try run(["codegen", "types", "--check"], in: below).code == 0)
        #expect(try run(["codegen", "types", "--check", "--max-depth", "2"], in: below).code == 8)
        #expect(try run(["codegen", "statements", "--out", "amplify/x"], in: folder).code == 2)
        try folder.write(
            try text(".graphqlconfig.yml", in: folder).replacing("maxDepth: 3", with: "maxDepth: deep"),
            to: ".graphqlconfig.yml")
        let deep = try run(["codegen", "statements"], in: folder)
        #expect(deep.code == 2 && deep.complaint.contains("maxDepth is a number"), "\(deep)")
    }

    @Test("what is missing is named")
    func missing() throws {
        try inFolder { folder in
            let out = try run(["codegen", "statements"], in: folder)
            #expect(out.code == 2 && out.complaint.contains("--out is missing"), "\(out)")
            let target = try run(["codegen", "types", "--out", "API.ts"], in: folder)
            #expect(target.code == 2 && target.complaint.contains("--target is missing"), "\(target)")
            let file = try run(["codegen", "types", "--target", "swift"], in: folder)
            #expect(file.code == 2 && file.complaint.contains("such as API.swift"), "\(file)")
        }
    }

    @Test(
        "paths of .graphqlconfig.yml that leave the project are written to only if they are named; a byte order mark is none"
    )
    func pathsOfProject() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try FileManager.default.copyItem(
            at: TidyTests.root.appending(path: "Tests/AmplifyTests/Fixtures/chat-v1/amplify"),
            to: folder.url.appending(path: "project/amplify"))
        let project = TemporaryFolder(url: folder.url.appending(path: "project"))
        func write(_ statements: String, _ types: String) throws {
            try project.write(
                "\u{FEFF}projects:\r\n  isolationchat:\r\n    extensions:\r\n      amplify:\r\n        codeGenTarget: typescript\r\n"
                    + "        generatedFileName: \(types)\r\n        docsFilePath: \(statements)\r\n        maxDepth: 2\r\n",
                to: ".graphqlconfig.yml")
        }
        for out in ["../outside", folder.path("outside"), "src/../../outside"] {
            try write(out, "\(out)/API.ts")
            for verb in ["statements", "types"] {
                let refused = try run(["codegen", verb], in: project)
                #expect(
                    refused.code == 2 && refused.complaint.contains("leads out of the folder of the project")
                        && refused.complaint.contains("--out"), "\(refused)")
            }
            #expect(!folder.names.contains { $0.hasPrefix("outside") })
        }
        #expect(try run(["codegen", "statements", "--out", "../outside"], in: project).code == 0)
        #expect(folder.names.contains("outside/queries.ts"))
        try write("src/graphql", "src/API.ts")
        #expect(try run(["codegen", "statements"], in: project).code == 0)
        #expect(project.names.contains("src/graphql/queries.ts"))
    }
}
