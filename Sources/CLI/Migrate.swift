import ArgumentParser
import Server
import Transformer

/// `syncline migrate plan`, `apply` and `drop`
struct Migrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Shows or takes the steps between the stored tables and the schema.",
        subcommands: [Plan.self, Apply.self, Drop.self])

    /// What `plan` and `apply` have in common.
    struct RenameOptions: ParsableArguments {
        @Option(
            name: .long,
            help: ArgumentHelp(
                "What the schema has under another name, so that its data stays: Model.old=new of a field, Old=New of a "
                    + "model. Repeatable.", valueName: "old=new"))
        var rename: [String] = []

        /// The renames that are asked for.
        func requests() throws -> [RenameRequest] {
            try rename.map { text in
                guard let request = RenameRequest(text) else {
                    throw ServerError(.usage, "--rename \(text) is no rename: write Model.old=new or Old=New.")
                }
                return request
            }
        }
    }

    struct Plan: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "plan",
            abstract: "Shows the steps with their counts; a server may run meanwhile.",
            discussion: """
                Also shows items that the schema does not fit, what seems to be renamed, and what is left over. Counting \
                reads the tables. Ends with 8 when a step loses data or items do not fit.
                """)

        @OptionGroup var project: ProjectOptions
        @OptionGroup var renames: RenameOptions

        func run() throws {
            let configuration = try Configuration.load(project.texts)
            let plan = try Migrations.plan(
                try configuration.loadServedDefinition(), configuration, renaming: try renames.requests())
            Terminal.say(plan.text)
            if plan.findsLoss { throw ExitCode(ServerError.Code.differences.rawValue) }
        }
    }

    struct Apply: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "apply",
            abstract: "Takes the steps; asks before any that loses data.")

        @OptionGroup var project: ProjectOptions
        @OptionGroup var renames: RenameOptions

        @Flag(name: .long, help: "Take steps that lose data without asking.")
        var yes = false

        func run() throws {
            let configuration = try Configuration.load(project.texts)
            let applied = try Migrations.apply(
                try configuration.loadServedDefinition(), configuration, renaming: try renames.requests()
            ) { plan in
                if yes { return true }
                Terminal.complain(plan.text)
                return try Migrate.confirm("Take these steps?", else: "Steps that lose data need --yes")
            }
            Terminal.say(applied.steps.isEmpty ? applied.text : "\(applied.text)\nDone.")
        }
    }

    struct Drop: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "drop",
            abstract: "Removes tables and columns that the schema no longer has; asks before data is lost.",
            discussion: "'syncline migrate plan' shows them, with how many items and values they hold.")

        @OptionGroup var project: ProjectOptions

        @Flag(name: .long, help: "Remove what holds data without asking.")
        var yes = false

        func run() throws {
            let configuration = try Configuration.load(project.texts)
            let dropped = try Migrations.drop(try configuration.loadServedDefinition(), configuration) { plan in
                if yes { return true }
                Terminal.complain("LOSES DATA: remove \(plan.leftovers.joined(separator: ", ")).")
                return try Migrate.confirm("Remove them?", else: "What holds data is removed with --yes only")
            }
            let list = dropped.leftovers.joined(separator: ", ")
            Terminal.say(list.isEmpty ? "Nothing is left over." : "Removed \(list).")
        }
    }

    /// Asks on the terminal; throws for a no, and without a terminal.
    fileprivate static func confirm(_ question: String, else need: String) throws -> Bool {
        switch Terminal.confirms(question) {
        case true?: return true
        case false?: throw ServerError(.refused, "Nothing was changed.")
        case nil: throw ServerError(.refused, "\(need) without a terminal. Nothing was changed.")
        }
    }
}
