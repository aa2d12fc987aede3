import Amplify
import JSON

/// What a data folder remembers of the Amplify project whose data it keeps: `amplify-project.json`. Data of one environment
/// is not served as that of another.
enum AmplifyDataNote {
    static let name = "amplify-project.json"

    /// What identifies the project whose data is kept, in the order of messages.
    private static func members(of project: AmplifyProject) -> [(key: String, words: String, value: String)] {
        [
            ("project", "the Amplify project", project.name), ("api", "the API", project.api ?? ""),
            ("environment", "the environment", project.environment),
        ]
    }

    private static func quoted(_ name: String) -> String { name.isEmpty ? "none" : "'\(name)'" }

    /// Refuses the data of another project, API or environment.
    static func check(_ configuration: Configuration) throws(ServerError) {
        guard let project = configuration.amplify, !configuration.data.isEphemeral,
            let bytes = try? Files.read(path(configuration), bytesMax: 1 << 16),
            let note = try? JSONReader.read(bytes)
        else { return }
        let differences = members(of: project).compactMap {
            key, words, now -> (key: String, then: String, words: String)? in
            let then = note[key]?.stringValue ?? ""
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

    /// Refuses a change after which a running server would serve another project than it began with, or none, or one where it
    /// had none: its data, keys and users are those of the first.
    static func check(_ changed: Configuration, replacing served: Configuration) throws(ServerError) {
        let restart = "stop the server and start it again"
        switch (served.amplify, changed.amplify) {
        case (nil, nil): return
        case (_?, nil):
            throw ServerError(
                .invalid, "The Amplify project that is served is not found any more.",
                hint: "Bring its folder amplify/ back. To serve without it, \(restart).")
        case (nil, let project?):
            throw ServerError(
                .invalid, "There is an Amplify project now, \(quoted(project.name)), and the server began without one.",
                hint: "To serve the project, \(restart).")
        case (let old?, let new?):
            var differences = zip(members(of: old), members(of: new)).compactMap { old, new in
                old.value == new.value ? nil : "\(old.words) \(quoted(old.value)), not \(quoted(new.value))"
            }
            if old.prefix != new.prefix {
                differences.append("the project in '\(old.prefix)amplify', not '\(new.prefix)amplify'")
            }
            guard !differences.isEmpty else { return }
            throw ServerError(
                .invalid, "The server began with \(differences.joined(separator: "; ")).",
                hint: "To serve the other one, \(restart), with a data folder of its own.")
        }
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
