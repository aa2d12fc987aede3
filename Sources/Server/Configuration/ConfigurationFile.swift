import Amplify
import GraphQL
import JSON
import Transformer

/// A configuration file, or one merged over the settings of an Amplify project, and where each value comes from.
struct ConfigurationFile {
    /// The keys and array indexes that lead to a value.
    typealias Path = [String]

    let value: JSONObject
    /// Whether it is a file of an Amplify project, rather than the configuration.
    let isProjectFile: Bool
    private let source: Source
    private let offsets: [Path: Int]
    /// The settings of an Amplify project that the file overrides.
    private let base: ProjectSettings?

    /// Reads `bytes`; says what is wrong when they are no object in relaxed JSON.
    init(name: String, bytes: [UInt8], isProjectFile: Bool = false) throws(Diagnostic) {
        self.isProjectFile = isProjectFile
        let source = Source(bytes, name: name)
        let value: JSONValue
        do {
            value = try JSONReader.readRelaxed(bytes)
        } catch {
            throw Diagnostic(
                kind: "ConfigurationError", message: error.message, place: Self.place(of: error.offset, in: source),
                hint: "The file is JSON; comments (// and /* */) and trailing commas are allowed.")
        }
        guard let object = value.objectValue else {
            throw Diagnostic(
                kind: "ConfigurationError", message: "A configuration is one JSON object, { … }.",
                place: Self.place(of: 0, in: source))
        }
        self.value = object
        self.source = source
        offsets = JSONKeyOffsets(bytes).offsets
        base = nil
    }

    /// The settings of a file over those of an Amplify project, key by key: objects are merged one level deep, lists and
    /// all else are replaced.
    ///
    /// - Parameter name: What messages call the project where it says nothing.
    init(merging file: ConfigurationFile?, over base: ProjectSettings, name: String) {
        var merged = base.value
        for (key, value) in file?.value ?? [:] where !value.isNull {
            if let own = value.objectValue, var object = merged[key]?.objectValue {
                for (name, inner) in own where !inner.isNull { object[name] = inner }
                merged[key] = .object(object)
            } else {
                merged[key] = value
            }
        }
        // A version among the flags of the file overrides the project's.
        let versionFlags = ["transformerversion", "useexperimentalpipelinedtransformer"]
        let hasVersionFlag = file?.offsets.keys.contains { path in
            path.first == "featureFlags" && versionFlags.contains(path.last?.lowercased() ?? "")
        }
        if file?.value["transformerVersion"] == nil, hasVersionFlag == true { merged["transformerVersion"] = nil }
        value = merged
        isProjectFile = false
        source = file?.source ?? Source([], name: name)
        offsets = file?.offsets ?? [:]
        self.base = base
    }

    var name: String { source.name }

    /// Whether a value comes from the Amplify project.
    func isOfProject(_ path: Path) -> Bool { offsets[path] == nil && base != nil }

    /// Where a value comes from: a file and a line, or a default of Amplify.
    func origin(of path: Path) -> String {
        if offsets[path] == nil, let base {
            var path = path
            while base.places[path] == nil, path.count > 2 { path.removeLast() }
            guard let place = base.places[path] else { return "default (Amplify)" }
            return place.sourceName.hasPrefix("env ") ? place.sourceName : "\(place.sourceName):\(place.line)"
        }
        let place = place(of: path)
        return "\(place.sourceName):\(place.line)"
    }

    /// Where a key stands, or the nearest key above it that is in the text.
    func place(of path: Path) -> Diagnostic.Place {
        var path = path
        while offsets[path] == nil, !path.isEmpty {
            if let place = base?.places[path] { return place }
            path.removeLast()
        }
        return Self.place(of: offsets[path] ?? 0, in: source)
    }

    /// Whether a line may show an API key, which is never printed: it names one, or stands in a list of them. Also in a
    /// file that is no JSON, and under a misspelt name. The same holds for clients' secrets and users' passwords.
    private static func showsKey(_ line: String, in source: Source) -> Bool {
        if line.lowercased().contains(/secret|private[-_ ]?key|password["']?\s*:\s*["']/) { return true }
        if line.lowercased().contains(/api[-_ ]?key/) { return true }
        let text = String(decoding: source.bytes, as: UTF8.self).lowercased()
        guard let list = text.firstMatch(of: /api[-_ ]?key[^\[\]{},]*\[[^\]]*/) else { return false }
        return list.output.split(whereSeparator: \.isNewline).contains { part in
            part.contains("\"") && line.lowercased().contains(part)
        }
    }

    private static func place(of offset: Int, in source: Source) -> Diagnostic.Place {
        let location = source.location(of: min(max(offset, 0), source.bytes.count))
        let line = source.line(location.line)
        return Diagnostic.Place(
            sourceName: source.name, line: location.line, column: location.column,
            sourceLine: showsKey(line, in: source) ? "" : line)
    }
}
