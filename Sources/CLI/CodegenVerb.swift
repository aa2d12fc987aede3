public import ArgumentParser
public import Codegen
import Server

/// `syncline codegen`
struct CodegenVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "codegen",
        abstract: "Generates client code from the schema, without a server.",
        subcommands: [Models.self, Statements.self, Types.self])

    struct Models: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "models",
            abstract: "Generates the models of the schema, for amplify-swift or amplify-js.",
            discussion: """
                Writes into the folder only what differs, and removes what it generated before and the schema no longer \
                has. The folder's .syncline-codegen.json lists what was generated. Without --profile the feature flags of \
                the project decide. Exits with code 8 when --check finds differences, and with code 7 when a file would be \
                replaced that was not generated.
                """)

        @OptionGroup var schema: SchemaOptions

        @Option(name: .long, help: "What to generate: swift, typescript (for amplify-js' DataStore) or introspection.")
        var target = CodegenTarget.swift.rawValue

        @Option(
            name: .long, help: "A preset of feature flags: legacy, v1-timestamps, v2 or v2-lazy.")
        var profile: CodegenProfile?

        @Option(name: .long, help: "The folder to write to, such as AmplifyModels or src/models.")
        var out: String

        @OptionGroup var output: GeneratedOutputOptions

        func run() throws {
            try output.checkPaths(out)
            let target = try TargetName(target, of: .models).target(of: CodegenTarget.allCases)
            let configuration = try Configuration.load(schema.texts)
            try output.finish(CodegenRun(target: target, profile: profile).output(configuration), in: out)
        }
    }
}

extension CodegenProfile: ExpressibleByArgument {}
