import Amplify
import Analytics
import Buckets
import JSON

/// What a data folder remembers of the Amplify project whose data it keeps: `amplify-project.json`. Data of one environment
/// is not served as that of another, nor under other ids of the pools.
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
        guard !differences.isEmpty else { return try checkIDs(configuration, project, note) }
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

    /// Refuses the data of ids that the same project no longer has: nobody of a pool's users could sign in, and no app would find its
    /// objects. A note of an earlier release has no ids, or only those of pools.
    private static func checkIDs(
        _ configuration: Configuration, _ project: AmplifyProject, _ note: JSONValue
    ) throws(ServerError) {
        let changes = ids(of: configuration).compactMap { key, words, now -> String? in
            let then = (note[key]?.arrayValue ?? []).compactMap(\.stringValue)
            return change(of: words, from: then, to: now)
        }
        guard !changes.isEmpty else { return }
        throw ServerError(
            .invalid,
            "The data folder \(configuration.data.folder) has the data of \(changes.joined(separator: "; ")).",
            hint:
                "\(adviceOnIDs(project)) To serve the new ids, name another folder with \(Setting.data.flag), or remove "
                + "\(path(configuration)): the data of the old ids stays in the folder and is not served.")
    }

    private static func adviceOnIDs(_ project: AmplifyProject) -> String {
        project.generation == 2
            ? "The ids are those of \(project.prefix)\(AmplifyProject.outputs): bring the file back."
            : "The ids of '\(project.environment)' are in amplify-meta.json or in client files: bring them back with "
                + "'amplify env checkout \(project.environment)'."
    }

    /// The ids under which users, objects and events are found, in the order of messages. Those that `dev` adds by itself are not
    /// among them.
    private static func ids(of configuration: Configuration) -> [(key: String, words: String, ids: [String])] {
        let (pools, storage) = (configuration.userPools, configuration.storage)
        return [
            ("userPools", "the user pool", pools.pools.isEmpty ? [] : pools.ids),
            ("identityPools", "the identity pool", pools.identityPools.map(pools.identityPoolID)),
            ("buckets", "the bucket", storage.isConfigured ? storage.buckets.map(\.name) : []),
            ("analyticsApps", "the analytics app", configuration.analytics.apps.map(\.id)),
        ]
    }

    /// What is said of ids that are there no longer; nil where all are.
    private static func change(of words: String, from old: [String], to new: [String]) -> String? {
        let lost = old.filter { !new.contains($0) }
        let added = new.filter { !old.contains($0) }
        func list(_ ids: [String]) -> String { ids.isEmpty ? "none" : ids.map(quoted).joined(separator: ", ") }
        return lost.isEmpty ? nil : "\(words) \(list(lost)), and the project now has \(list(added))"
    }

    /// Refuses a change after which a running server would serve another project than it began with, or none, or one where it
    /// had none, or other ids of the same: its data, keys and users are those of the first.
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
            guard !differences.isEmpty else { return try checkIDs(of: new, changed, replacing: served) }
            throw ServerError(
                .invalid, "The server began with \(differences.joined(separator: "; ")).",
                hint: "To serve the other one, \(restart), with a data folder of its own.")
        }
    }

    /// Refuses to serve a project without ids or the key that it had, as when the git-ignored files of its environment are
    /// removed or replaced by those of another one.
    private static func checkIDs(
        of project: AmplifyProject, _ changed: Configuration, replacing served: Configuration
    ) throws(ServerError) {
        var changes = zip(ids(of: served), ids(of: changed)).compactMap { old, new in
            change(of: old.words, from: old.ids, to: new.ids)
        }
        if project.lacksAPIKey, changed.apiKeys.configured.isEmpty, !served.apiKeys.configured.isEmpty {
            changes.append("an API key, and the project now has none")
        }
        guard !changes.isEmpty else { return }
        throw ServerError(
            .invalid, "The server began with \(changes.joined(separator: "; ")).",
            hint: "\(adviceOnIDs(project)) To serve what the project has now, stop the server and start it again.")
    }

    /// Notes the project in the folder, once the data is open.
    static func write(_ configuration: Configuration) {
        guard let project = configuration.amplify, !configuration.data.isEphemeral else { return }
        var note: JSONObject = [
            "project": .string(project.name), "api": .string(project.api ?? ""),
            "environment": .string(project.environment),
        ]
        for (key, _, ids) in ids(of: configuration) { note[key] = .array(ids.map(JSONValue.string)) }
        // Without the note the next start is not checked; it serves the same data.
        try? Files.write("\(JSONValue.object(note))\n", to: path(configuration), isPrivate: true)
    }

    private static func path(_ configuration: Configuration) -> String {
        Files.path(name, in: configuration.data.folder)
    }
}
