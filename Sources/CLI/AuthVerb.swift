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
                "Asks the cases of a file of the schema's rules, without a server, and counts rules that none met.",
            discussion: "The data folder is not touched. Ends with 1 when a case does not come to what it expects.")

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
