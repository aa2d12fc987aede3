import Amplify
import JSON

/// What a data folder remembers of the Amplify project whose data it keeps: `amplify-project.json`. Data of one environment
/// is not served as that of another.
enum AmplifyDataNote {
    static let name = "amplify-project.json"

    /// Refuses the data of another project, API or environment.
    static func check(_ configuration: Configuration) throws(ServerError) {
        guard let project = configuration.amplify, !configuration.data.isEphemeral,
            let bytes = try? Files.read(path(configuration), bytesMax: 1 << 16),
            let note = try? JSONReader.read(bytes)
        else { return }
        let members: [(key: String, words: String, now: String)] = [
            ("project", "the Amplify project", project.name), ("api", "the API", project.api ?? ""),
            ("environment", "the environment", project.environment),
        ]
        let differences = members.compactMap { key, words, now -> (key: String, then: String, words: String)? in
            let then = note[key]?.stringValue ?? ""
            func quoted(_ name: String) -> String { name.isEmpty ? "none" : "'\(name)'" }
            return then == now ? nil : (key, then, "\(words) \(quoted(then)), not \(quoted(now))")
        }
        guard !differences.isEmpty else { return }
        let flags = ["api": Setting.api, "environment": .environment]
        let choices = differences.compactMap { key, then, _ in
            then.isEmpty ? nil : flags[key].map { ", or choose \($0.flag) \(then)" }
        }
        throw ServerError(
            .invalid,
            "The data folder \(configuration.data.folder) belongs to "
                + differences.map(\.words).joined(separator: "; ") + ".",
            hint: "Name another folder with \(Setting.data.flag)\(choices.joined()).")
    }

    /// Notes the project in the folder, once the data is open.
    static func write(_ configuration: Configuration) {
        guard let project = configuration.amplify, !configuration.data.isEphemeral else { return }
        let note: JSONValue = [
            "project": .string(project.name), "api": .string(project.api ?? ""),
            "environment": .string(project.environment),
        ]
        // Without the note the next start is not checked; it serves the same data.
        try? Files.write("\(note)\n", to: path(configuration), isPrivate: true)
    }

    private static func path(_ configuration: Configuration) -> String {
        Files.path(name, in: configuration.data.folder)
    }
}
