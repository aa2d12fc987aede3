import ArgumentParser
import Codegen
import Server
import Transformer

/// How the files of every verb of `codegen` are written.
struct GeneratedOutputOptions: ParsableArguments {
    @Option(
        name: .long,
        help: "The file that lists what was generated; by default .syncline-codegen.json in the folder.")
    var list: String?

    @Flag(name: .long, help: "Write nothing; name the files that differ, and exit with code 8 if there are any.")
    var check = false

    @Flag(name: .long, help: "Replace files of the same names that were not generated.")
    var force = false

    /// Throws where a folder or the list may not be written to.
    func checkPaths(_ out: String) throws(ServerError) {
        try OutputPath.checkIsNamed(out, of: "--out")
        if let list { try OutputPath.checkIsNamed(list, of: "--list") }
        guard !check else { return }
        try AmplifyFolder.refuseWriting(to: out, of: "--out")
        if let list { try AmplifyFolder.refuseWriting(to: list, of: "--list") }
    }

    /// Writes the files to the folder, or compares them with those that are there.
    func finish(_ output: GeneratedOutput, in out: String) throws {
        func warn(_ warning: String) { Terminal.complain(warning) }
        guard check else {
            return Terminal.say(try output.write(to: out, listPath: list, replaces: force, warn: warn))
        }
        Diagnostic.texts(output.warnings, "warning").forEach(warn)
        let folder = try GeneratedFolder(out, kind: output.kind, listPath: list)
        let differences = folder.differences(from: output.files)
        guard differences.isEmpty else {
            Terminal.complain(differences.joined(separator: "\n"))
            throw ExitCode(ServerError.Code.differences.rawValue)
        }
        Terminal.say("\(out) is up to date: \(output.count).")
    }
}
