import ArgumentParser
import Server
import Transformer

/// `syncline migrate plan` and `apply`
struct Migrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Shows or takes the steps between the stored tables and the schema.",
        subcommands: [Plan.self, Apply.self])

    struct Plan: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "plan",
            abstract: "Shows the steps; a server may run meanwhile.")

        @OptionGroup var project: ProjectOptions

        func run() throws {
            let configuration = try Configuration.load(project.texts)
            let plan = try Migrations.plan(try configuration.loadDefinition(), inFolder: configuration.data)
            Terminal.say(plan.text)
        }
    }

    struct Apply: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "apply",
            abstract: "Takes the steps; asks before any that loses data.")

        @OptionGroup var project: ProjectOptions

        @Flag(name: .long, help: "Take steps that lose data without asking.")
        var yes = false

        func run() throws {
            let configuration = try Configuration.load(project.texts)
            let applied = try Migrations.apply(try configuration.loadDefinition(), configuration) { plan in
                if yes { return true }
                Terminal.complain(plan.text)
                switch Terminal.confirms("Take these steps?") {
                case true?: return true
                case false?: throw ServerError(.refused, "Nothing was changed.")
                case nil:
                    throw ServerError(
                        .refused, "Steps that lose data need --yes where nobody can be asked. Nothing was changed.")
                }
            }
            Terminal.say(applied.steps.isEmpty ? applied.text : "\(applied.text)\nDone.")
        }
    }
}

extension Migrations {
    /// The steps for people, one a line.
    fileprivate var text: String {
        guard !steps.isEmpty else { return "The stored tables fit the schema; there is nothing to do." }
        return steps.map { step in
            let line = "\(step.losesData ? "LOSES DATA: " : "")\(step.summary)"
            return step.hint.map { "\(line)\n  hint: \($0)" } ?? line
        }.joined(separator: "\n")
    }
}
