import ArgumentParser

/// The version of this program.
let version = "0.1.0"

/// `syncline version`
struct Version: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "version", abstract: "Prints the version.")

    func run() { Terminal.say("syncline \(version)") }
}
