import ArgumentParser
import Server

/// The command line: one verb a file. Each says its name: made of the types' names, they took two milliseconds of a start.
@main
struct Syncline: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "syncline",
        abstract: "Serves an Amplify schema as a GraphQL API, as AWS AppSync would.",
        discussion: """
            Start with 'syncline dev' in a folder with a schema.graphql, or in that of an Amplify project.

            Exit codes: 0 success; 1 failed while running; 2 usage; 3 schema or configuration invalid; 4 port taken or \
            not allowed; 5 data folder or backup locked, damaged or from a newer version; 7 refused without --yes or \
            --force; 8 a check found differences or loss.
            """,
        version: version,
        subcommands: [
            Serve.self, Dev.self, Check.self, Schema.self, Migrate.self, Backup.self, Restore.self, Trust.self,
            ConsoleVerb.self, OperatorsVerb.self, KeysVerb.self, UsersVerb.self, AuthVerb.self, OutboxVerb.self,
            FilesVerb.self,
            AnalyticsVerb.self, CodegenVerb.self, PullVerb.self, ReachVerb.self, ProxyVerb.self, ConfigVerb.self,
            ImportVerb.self, Version.self,
        ])

    static func main() async {
        do {
            if let word = CommandLine.arguments.dropFirst().first, let error = AmplifyCommands.error(for: word) {
                throw error
            }
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let error as ServerError {
            Terminal.complain(error.text)
            Terminal.end(error.code.rawValue)
        } catch {
            let code = exitCode(for: error)
            let message = fullMessage(for: error)
            if !message.isEmpty { code.isSuccess ? Terminal.say(message) : Terminal.complain(uniform(message)) }
            // sysexits.h numbers usage errors 64; here they are 2, as in most shells and tools.
            Terminal.end(code == .validationFailure ? ServerError.Code.usage.rawValue : code.rawValue)
        }
    }

    /// The parser's own errors in the form of all others: `error: …`.
    private static func uniform(_ message: String) -> String {
        let prefix = "Error: "
        return message.hasPrefix(prefix) ? "error: " + message.dropFirst(prefix.count) : message
    }
}
