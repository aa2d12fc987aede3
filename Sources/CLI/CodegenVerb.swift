public import ArgumentParser
public import Codegen
import Server
import Transformer

/// `syncline codegen`
struct CodegenVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "codegen",
        abstract: "Generates client code from the schema, without a server.", subcommands: [Models.self])

    struct Models: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "models",
            abstract: "Generates the models of the schema: Swift for amplify-swift, or model introspection.",
            discussion: """
                Writes into the folder only what differs, and removes what it generated before and the schema no longer \
                has. The folder's .syncline-codegen.json lists what was generated. Without --profile the feature flags of \
                the project decide. Exits with code 8 when --check finds differences, and with code 7 when a file would be \
                replaced that was not generated.
                """)

        @OptionGroup var schema: SchemaOptions

        @Option(name: .long, help: "What to generate: swift or introspection.")
        var target = CodegenTarget.swift

        @Option(
            name: .long, help: "A preset of feature flags: legacy, v1-timestamps, v2 or v2-lazy.")
        var profile: CodegenProfile?

        @Option(name: .long, help: "The folder to write to, such as AmplifyModels.")
        var out: String

        @Option(
            name: .long,
            help: "The file that lists what was generated; by default .syncline-codegen.json in the folder.")
        var list: String?

        @Flag(name: .long, help: "Write nothing; name the files that differ, and exit with code 8 if there are any.")
        var check = false

        @Flag(name: .long, help: "Replace files of the same names that were not generated.")
        var force = false

        func run() throws {
            if !check {
                try AmplifyFolder.refuseWriting(to: out, of: "--out")
                if let list { try AmplifyFolder.refuseWriting(to: list, of: "--list") }
            }
            let configuration = try Configuration.load(schema.texts)
            let run = CodegenRun(target: target, profile: profile)
            func warn(_ warning: String) { Terminal.complain(warning) }
            guard check else {
                return Terminal.say(
                    try run.write(configuration, to: out, listPath: list, replaces: force, warn: warn))
            }
            let (files, warnings) = try run.files(configuration)
            Diagnostic.texts(warnings, "warning").forEach(warn)
            let differences = try GeneratedFolder(out, target: target, listPath: list).differences(from: files)
            guard differences.isEmpty else {
                Terminal.complain(differences.joined(separator: "\n"))
                throw ExitCode(ServerError.Code.differences.rawValue)
            }
            Terminal.say("\(CodegenRun.count(files)) in \(out) as the schema has them.")
        }
    }
}

extension CodegenTarget: ExpressibleByArgument {}

extension CodegenProfile: ExpressibleByArgument {}
