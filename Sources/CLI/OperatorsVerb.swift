public import ArgumentParser
import Server

/// `syncline operators create`, `list` and `revoke`
struct OperatorsVerb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operators",
        abstract: "Creates, lists and revokes those who may use the operators' paths; a server may run meanwhile.",
        discussion: """
            /metrics and /api-config of 'syncline serve' require an operator's token, as 'Authorization: Bearer TOKEN', and \
            so do the paths by which 'syncline pull' reads the files of clients and apps are connected. API keys do not \
            open them.
            """,
        subcommands: [Create.self, List.self, Revoke.self, Audit.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Creates an operator and prints the token, once; only its hash is kept.")

        @Argument(help: "The operator's name.")
        var name: String

        @Option(
            name: .long,
            help: """
                What the operator may do: viewer reads all but secrets, editor also reads the files of clients and changes \
                data, owner everything.
                """)
        var role: OperatorRole

        @Flag(name: .long, help: "Make a token: the credential of programs; 'syncline console' signs a browser in.")
        var token = false

        @OptionGroup var folder: DataOptions

        func validate() throws {
            if !token { throw ValidationError("Give --token: an operator is created with a token.") }
        }

        func run() async throws {
            let configuration = try Configuration.load(folder.texts)
            let token = try await OperatorClient(configuration).createOperator(name, role: role)
            // The token alone is on standard output, so that a script can take it.
            Terminal.complain("The token of \(name) (\(role.rawValue)) is shown this once:")
            Terminal.say(token)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists the operators with role and time of creation.")

        @OptionGroup var folder: DataOptions

        func run() async throws {
            let operators = try await OperatorClient(try Configuration.load(folder.texts)).operators()
            guard !operators.isEmpty else {
                return Terminal.say("There are no operators. 'syncline operators create' makes one.")
            }
            let width = operators.map(\.name.count).max() ?? 0
            Terminal.say(
                operators.map { person in
                    let name = person.name + String(repeating: " ", count: width - person.name.count)
                    let role = person.role.rawValue
                    return "\(name)  \(role)\(String(repeating: " ", count: 6 - role.count))  \(person.created)"
                }.joined(separator: "\n"))
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "Revokes an operator: the token is refused from the next request on.")

        @Argument(help: "The operator's name.")
        var name: String

        @OptionGroup var folder: DataOptions

        func run() async throws {
            try await OperatorClient(try Configuration.load(folder.texts)).revokeOperator(name)
            Terminal.say("\(name) is revoked.")
        }
    }
}

extension OperatorsVerb {
    struct Audit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "audit", abstract: "Prints what operators did, one entry of JSON a line, the oldest first.")

        @OptionGroup var folder: DataOptions

        func run() async throws {
            try await OperatorClient(try Configuration.load(folder.texts)).audit { Terminal.say($0) }
        }
    }
}

extension OperatorRole: ExpressibleByArgument {}
