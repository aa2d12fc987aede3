import ArgumentParser
import Server

/// `syncline auth test`
struct AuthVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "auth", abstract: "Tests the rules of a schema.", subcommands: [Test.self])

    struct Test: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test",
            abstract:
                "Runs the test cases of a file against the schema's rules, without a server, and lists rules that none covered.",
            discussion: "The data folder is not used. The exit code is 1 if a case fails, and 3 if the file is invalid."
        )

        @Argument(help: "The file with identities, given items and cases.")
        var file: String

        @OptionGroup var schema: SchemaOptions

        @OptionGroup var form: ReportOptions

        func run() throws {
            let test = try AuthorizationTest(path: file, try Configuration.load(schema.texts))
            Terminal.say(form.isJSON ? test.json : test.text)
            if test.hasFailures { throw ExitCode(ServerError.Code.failed.rawValue) }
        }
    }
}
