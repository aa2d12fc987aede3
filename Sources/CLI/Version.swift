import ArgumentParser
import Server

/// The version of this program.
let version = BuildInformation.version

/// `syncline version`
struct Version: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "version", abstract: "Prints the version.")

    func run() { Terminal.say("syncline \(version)") }
}
