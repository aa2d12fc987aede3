import Amplify
import JSON
import Transformer

/// A configuration file, or one merged over the settings of an Amplify project, and where each value comes from.
struct ConfigurationFile {
    /// The keys and array indexes that lead to a value.
    typealias Path = [String]

    private(set) var value: JSONObject
    /// Whether it is a file of an Amplify project, rather than the configuration.
    let isProjectFile: Bool
    /// The text of the file; nil where there is none.
    private let text: LocatedJSON?
    /// What messages call it.
    let name: String
    /// The settings of an Amplify project that the file overrides.
    private let base: ProjectSettings?

    /// Reads `bytes`; says what is wrong when they are no object in relaxed JSON.
    init(name: String, bytes: [UInt8], isProjectFile: Bool = false) throws(Diagnostic) {
        self.isProjectFile = isProjectFile
        let text = try LocatedJSON(name: name, bytes: bytes, kind: "ConfigurationError")
        guard let object = text.value.objectValue else {
            throw Diagnostic(
                kind: "ConfigurationError", message: "A configuration is one JSON object, { … }.",
                place: text.place(of: []))
        }
        (value, self.text, self.name, base) = (object, text, name, nil)
    }

    /// The file with the paths in it as seen from the working folder.
    ///
    /// - Parameter folder: The folder that they are relative to, as seen from there: empty, or ending in `/`.
    func withPaths(in folder: String) -> ConfigurationFile {
        guard !folder.isEmpty else { return self }
        var file = self
        file.value = JSONObject(
            value.map { key, value in
                switch key {
                case "schema", "data": (key, Self.mapped(value) { Self.path($0, in: folder) })
                case "tls":
                    // Certificate and key, and not one of the words.
                    (
                        key,
                        Self.mapped(value) { text in
                            guard text.contains(",") else { return text }
                            return text.split(separator: ",", omittingEmptySubsequences: false)
                                .map { Self.path(String($0), in: folder) }.joined(separator: ",")
                        }
                    )
                default: (key, Self.withFiles(value, in: folder))
                }
            })
        return file
    }

    private static func path(_ path: String, in folder: String) -> String {
        path.hasPrefix("/") || path == ":memory:" ? path : folder + path
    }

    /// A text, or each of a list.
    private static func mapped(_ value: JSONValue, _ change: (String) -> String) -> JSONValue {
        if let text = value.stringValue { return .string(change(text)) }
        return value.arrayValue.map { .array($0.map { mapped($0, change) }) } ?? value
    }

    /// A value with each `{"file": PATH}` in it.
    private static func withFiles(_ value: JSONValue, in folder: String) -> JSONValue {
        if let elements = value.arrayValue { return .array(elements.map { withFiles($0, in: folder) }) }
        guard let object = value.objectValue else { return value }
        if object.count == 1, let file = object["file"]?.stringValue {
            return ["file": .string(path(file, in: folder))]
        }
        return .object(JSONObject(object.map { ($0.key, withFiles($0.value, in: folder)) }))
    }

    /// Reads the file of this name; nil where there is none and nothing names it.
    ///
    /// - Parameter origin: What names the file.
    static func read(_ name: String, origin: String? = nil) throws(ServerError) -> ConfigurationFile? {
        guard origin != nil || Files.exists(name) else { return nil }
        let bytes: [UInt8]
        do {
            bytes = try Files.read(name, bytesMax: bytesMax)
        } catch {
            let place = origin.map { " (named by \($0))" } ?? ""
            throw ServerError(.invalid, "Cannot read the configuration file \(name)\(place): \(error.reason).")
        }
        do {
            return try ConfigurationFile(name: name, bytes: bytes)
        } catch {
            throw ServerError(.invalid, [error])
        }
    }

    /// The largest file, in bytes.
    static let bytesMax = 1 << 20

    /// The settings of a file over those of an Amplify project.
    ///
    /// - Parameter name: What messages call the project where it says nothing.
    init(merging file: ConfigurationFile?, over base: ProjectSettings, name: String) {
        value = Self.merged(file?.value ?? [:], over: base.value)
        isProjectFile = false
        text = file?.text
        self.name = file?.name ?? name
        self.base = base
    }

    /// Settings over others, key by key: objects are merged one level deep, lists and all else are replaced.
    static func merged(_ own: JSONObject, over base: JSONObject) -> JSONObject {
        var merged = base
        for (key, value) in own where !value.isNull {
            if let own = value.objectValue, var object = merged[key]?.objectValue {
                for (name, inner) in own where !inner.isNull { object[name] = inner }
                merged[key] = .object(object)
            } else {
                merged[key] = value
            }
        }
        if let storage = merged["storage"]?.objectValue, let own = own["storage"]?.objectValue {
            merged["storage"] = .object(withOneForm(storage, of: own))
        }
        // A flag of the file overrides that of the project, whatever its letter case and its group.
        let flags = keys(of: own["featureFlags"])
        if let all = merged["featureFlags"]?.objectValue {
            let kept = all.filter { own["featureFlags"]?[$0.key] != nil || !flags.contains($0.key.lowercased()) }
            merged["featureFlags"] = .object(JSONObject(kept.map { ($0.key, $0.value) }))
        }
        // A version among the flags of the file overrides the project's.
        let versionFlags = [FlagTable.version, FlagTable.pipelined].map { $0.lowercased() }
        if own["transformerVersion"] == nil, !flags.isDisjoint(with: versionFlags) {
            merged["transformerVersion"] = nil
        }
        // So does a flag of client code among them.
        if let codegen = merged["codegen"]?.objectValue {
            let kept = codegen.filter { own["codegen"]?[$0.key] != nil || !flags.contains($0.key.lowercased()) }
            merged["codegen"] = .object(JSONObject(kept.map { ($0.key, $0.value) }))
        }
        return merged
    }

    /// The keys of `storage` by which the access to a bucket is given.
    private static let accessLevels = ["guestAccess", "authAccess", "groupAccess"]

    /// `storage` without what the base says of buckets in another form than the file: the access to a bucket is given by
    /// paths or by access levels, and a list of buckets excludes a single one.
    private static func withOneForm(_ storage: JSONObject, of own: JSONObject) -> JSONObject {
        func has(_ key: String) -> Bool { own[key].map { !$0.isNull } ?? false }
        let dropped =
            has("buckets")
            ? storage.map(\.key).filter { $0 != "baseHosts" }
            : (has("paths") ? accessLevels : []) + (accessLevels.contains(where: has) ? ["paths"] : [])
        return JSONObject(storage.filter { has($0.key) || !dropped.contains($0.key) }.map { ($0.key, $0.value) })
    }

    /// The keys of an object and of those in it, in lower case.
    private static func keys(of value: JSONValue?) -> Set<String> {
        (value?.objectValue ?? [:]).reduce(into: []) { keys, member in
            keys.insert(member.key.lowercased())
            keys.formUnion(self.keys(of: member.value))
        }
    }

    /// Whether the file itself says something at a path. A null says nothing over the project.
    private func isInText(_ path: Path) -> Bool {
        guard let text, text.contains(path) else { return false }
        guard base != nil else { return true }
        let value = path.reduce(Optional(text.value)) { value, key in
            value?[key]
                ?? Int(key).flatMap { index in
                    value?.arrayValue.flatMap { $0.indices.contains(index) ? $0[index] : nil }
                }
        }
        return value?.isNull == false
    }

    /// Whether a value comes from the Amplify project.
    func isOfProject(_ path: Path) -> Bool { !isInText(path) && base != nil }

    /// Where a value comes from: a file and a line, or a default of Amplify.
    func origin(of path: Path) -> String {
        if !isInText(path), let base {
            let isDefault = base.defaults.contains(path)
            var path = path
            while base.places[path] == nil, path.count > 1 { path.removeLast() }
            guard !isDefault, let place = base.places[path] else { return "default (Amplify)" }
            return place.sourceName.hasPrefix("env ") ? place.sourceName : "\(place.sourceName):\(place.line)"
        }
        let place = place(of: path)
        return "\(place.sourceName):\(place.line)"
    }

    /// Where a key stands, or the nearest key above it that is in the text.
    func place(of path: Path) -> Diagnostic.Place {
        var path = path
        while !isInText(path), !path.isEmpty {
            if let place = base?.places[path] { return place }
            path.removeLast()
        }
        return text?.place(of: path) ?? Diagnostic.Place(sourceName: name, line: 1, column: 1, sourceLine: "")
    }
}
