import ArgumentParser
import Server

/// `syncline import amplify`
struct ImportVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Brings a project here.", subcommands: [AmplifyProject.self])

    struct AmplifyProject: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "amplify",
            abstract: "Writes the configuration and the schema of an Amplify project, once, with a report.",
            discussion:
                "Writes config/syncline.json, schema.graphql (or schema/) and amplify-report.md. Nothing in the project is "
                + "written. Files that exist are replaced with --force only.")

        @Argument(help: "The folder that holds amplify/, or that folder.")
        var path: String

        @Option(name: .customLong("env"), help: Setting.environment.argumentHelp("name"))
        var environment: String?

        @Option(name: .long, help: Setting.api.argumentHelp("name"))
        var api: String?

        @Option(name: .long, help: "The folder to write to.")
        var out = "."

        @Flag(name: .long, help: "Replace files that exist.")
        var force = false

        @Flag(name: .long, help: "Read and report, and write nothing.")
        var dryRun = false

        @Flag(name: .long, help: Setting.ignoreCustomTransformers.argumentHelp(nil))
        var ignoreCustomTransformers = false

        func run() throws {
            try OutputPath.checkIsNamed(out, of: "--out")
            if !dryRun { try AmplifyFolder.refuseWriting(to: out, of: "--out") }
            let flags: [Setting: [String]] = [
                .environment: [environment].compactMap(\.self), .api: [api].compactMap(\.self),
                .ignoreCustomTransformers: ignoreCustomTransformers ? ["true"] : [],
            ]
            let result = try AmplifyImport(
                path: path, SettingTexts(for: .importing, flags: flags, environment: environmentOfProcess), out: out)
            if !dryRun { try result.write(force: force) }
            Terminal.show(result.report)
            Terminal.show((dryRun ? "Would write: " : "Written: ") + result.files.joined(separator: ", "))
            guard !dryRun else { return }
            Terminal.say("Next: syncline check, then syncline dev; amplify-report.md says what is left to do.")
        }
    }
}
