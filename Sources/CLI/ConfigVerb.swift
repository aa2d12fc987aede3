import ArgumentParser
import Server

/// `syncline config show`
struct ConfigVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Shows the effective configuration.", subcommands: [Show.self])

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Prints each effective setting; secrets are masked.",
            discussion:
                "The order is flag, environment variable, configuration file, Amplify project, default.")

        @OptionGroup var options: ServeOptions

        @Flag(name: .long, help: "Print where each value comes from.")
        var origin = false

        @OptionGroup var form: ReportOptions

        func run() throws {
            let listing = try ConfigurationListing(options.texts(for: .develop))
            Terminal.show(form.isJSON ? listing.json(withOrigins: origin) : listing.text(withOrigins: origin))
        }
    }
}
