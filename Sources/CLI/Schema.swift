import ArgumentParser
import GraphQL
import Server
import Transformer

/// `syncline schema print`
struct Schema: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Shows the generated schema.", subcommands: [Print.self])

    struct Print: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "print",
            abstract: "Prints the generated API schema as Amplify generates it.")

        @OptionGroup var project: ProjectOptions

        func run() throws {
            let definition = try Configuration.load(project.texts).loadDefinition()
            Terminal.say(Printer.print(definition.document))
        }
    }
}
