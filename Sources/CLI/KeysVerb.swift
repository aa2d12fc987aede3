import ArgumentParser
import JSON
import Server

/// `syncline keys create`, `list` and `revoke`
struct KeysVerb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Creates, lists and revokes API keys that expire; a server may run meanwhile.",
        discussion: "The keys are accepted beside those of apiKey in the configuration.",
        subcommands: [Create.self, List.self, Revoke.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Creates an API key and prints it, once; only its hash is kept.")

        @Argument(help: "The key's name.")
        var name: String

        @Option(
            name: .long,
            help: "How many days it is valid, 1 to 365; if not given, apiKeyExpirationDays of the configuration, or 7.")
        var days: Int?

        @Flag(name: .long, help: "Print the answer as JSON.")
        var json = false

        @OptionGroup var folder: DataOptions

        func run() async throws {
            let configuration = try Configuration.load(folder.texts)
            let answer = try await OperatorClient(configuration).createKey(name, days: days)
            if !configuration.acceptsAPIKeys {
                Terminal.complain("API_KEY is no mode of the API (authConfig): no request by this key is accepted.")
            }
            guard !json else { return Terminal.say(answer.description) }
            // The key alone is on standard output, so that a script can take it.
            let expires = answer["expires"]?.stringValue ?? ""
            Terminal.complain("The API key \(name), valid until \(expires), is shown this once:")
            Terminal.say(answer["key"]?.stringValue ?? "")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists the API keys with the times of their creation and end.")

        @Flag(name: .long, help: "Print the answer as JSON.")
        var json = false

        @OptionGroup var folder: DataOptions

        func run() async throws {
            let keys = try await OperatorClient(try Configuration.load(folder.texts)).keys()
            guard !json else { return Terminal.say(JSONValue.array(keys).description) }
            guard !keys.isEmpty else { return Terminal.say("There are no keys. 'syncline keys create' makes one.") }
            let rows = keys.map { key in
                ["name", "created", "expires"].map { key[$0]?.stringValue ?? "-" }
                    + (key["expired"]?.boolValue == true ? ["expired"] : [])
                    + (key["source"] == "configuration" ? ["of the configuration"] : [])
            }
            let width = rows.map(\.[0].count).max() ?? 0
            Terminal.say(
                rows.map { row in
                    let name = row[0] + String(repeating: " ", count: width - row[0].count)
                    return ([name] + row.dropFirst()).joined(separator: "  ")
                }.joined(separator: "\n"))
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "Revokes an API key: it is refused from the next request on.")

        @Argument(help: "The key's name.")
        var name: String

        @Flag(name: .long, help: "Print the answer as JSON.")
        var json = false

        @OptionGroup var folder: DataOptions

        func run() async throws {
            let answer = try await OperatorClient(try Configuration.load(folder.texts)).revokeKey(name)
            Terminal.say(json ? answer.description : "\(name) is revoked.")
        }
    }
}
