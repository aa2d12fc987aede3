import Amplify
import JSON

/// What people have set themselves beside an Amplify project that is imported: in the configuration file of the project's
/// folder, and in the one that the import replaces.
///
/// Both override the project, as they do when it is served. A file that an earlier import has written has `"amplify": false` and all
/// settings of the project: there the project's present ones replace it, and the others are kept.
struct OwnSettings {
    private let ofProject: JSONObject
    private let ofTarget: JSONObject
    private let isTargetImported: Bool
    private let isTargetElsewhere: Bool

    /// Reads the files that exist.
    ///
    /// - Parameters:
    ///   - root: The folder of the project.
    ///   - out: The folder that is written to.
    init(root: String, out: String) throws(ServerError) {
        let name = Configuration.defaultFile
        let (source, target) = (Files.path(name, in: root), Files.path(name, in: out))
        isTargetElsewhere = Files.realPath(root) != Files.realPath(out)
        let given = try isTargetElsewhere ? ConfigurationFile.read(source)?.value ?? [:] : [:]
        ofProject = Self.isImported(given) ? [:] : given
        ofTarget = try ConfigurationFile.read(target)?.value ?? [:]
        isTargetImported = Self.isImported(ofTarget)
    }

    private static func isImported(_ file: JSONObject) -> Bool { file["amplify"]?.boolValue == false }

    /// What decides how the project is read.
    var overrides: JSONObject {
        guard isTargetImported else { return ConfigurationFile.merged(ofTarget, over: ofProject) }
        return ofTarget["functions"].map { ConfigurationFile.merged(["functions": $0], over: ofProject) } ?? ofProject
    }

    /// Whether the schema is one that the file in the target's folder names, so that it is there.
    func hasSchema(in out: String) -> Bool { !isTargetImported && ofTarget["schema"].map { !$0.isNull } ?? false }

    /// The settings of the project with those of the files, which the report then names.
    func merged(over project: inout AmplifyProject) -> JSONObject {
        let file = Configuration.defaultFile
        var own = ofProject
        if own["data"] != nil {
            own["data"] = nil
            project.addRow(
                "configuration", "data", .different, "The data folder of the project is not taken over.", file: file)
        }
        let plain = project.settings.value
        var settings = ConfigurationFile.merged(own, over: plain)
        if !isTargetImported { settings = ConfigurationFile.merged(ofTarget, over: settings) }
        report(settings, over: plain, &project) { "It is kept as the file has it\($0)." }
        guard isTargetImported else { return settings }
        let imported = settings
        settings = ConfigurationFile.merged(imported, over: ofTarget)
        // In the order of an import without such a file, so that a second one gives the same bytes.
        settings = JSONObject(
            imported.map { ($0.key, settings[$0.key] ?? $0.value) }
                + settings.filter { imported[$0.key] == nil }.map { ($0.key, $0.value) })
        report(settings, over: imported, &project) { _ in "The project does not have it: it is kept." }
        for (path, value, other) in Self.differences(of: ofTarget, from: imported)
        where other != nil && !["amplify", "schema"].contains(path) {
            // No list and no key: they may be secrets.
            let isPlain = value.objectValue == nil && value.arrayValue == nil
            let isShown = isPlain && !path.lowercased().contains("key")
            project.addRow(
                "configuration", path, .different,
                "The project's value replaces that of the file\(isShown ? ", \(value)" : "").", file: file)
        }
        return settings
    }

    private func report(
        _ settings: JSONObject, over other: JSONObject, _ project: inout AmplifyProject, _ sentence: (String) -> String
    ) {
        for (path, _, old) in Self.differences(of: settings, from: other) where path != "amplify" {
            let over = old == nil ? "" : ", over the project's value"
            project.addRow("configuration", path, .same, sentence(over), file: Configuration.defaultFile)
        }
    }

    /// The keys, and those one level below, whose values differ.
    private static func differences(
        of settings: JSONObject, from other: JSONObject
    ) -> [(path: String, value: JSONValue, other: JSONValue?)] {
        settings.flatMap { key, value -> [(path: String, value: JSONValue, other: JSONValue?)] in
            guard value != other[key] else { return [] }
            guard let object = value.objectValue, let old = other[key]?.objectValue else {
                return [(key, value, other[key])]
            }
            return object.filter { $0.value != old[$0.key] }.map { ("\(key).\($0.key)", $0.value, old[$0.key]) }
        }
    }
}
