import Amplify
import Encodings
public import JSON

/// Every effective setting, and where it comes from: what `syncline config show` prints. Secrets are masked.
public struct ConfigurationListing: Sendable {
    /// A setting.
    public struct Row: Sendable, Hashable {
        /// The key in the configuration file, dotted.
        public var key: String
        /// The value, or what of it may be shown.
        public var value: JSONValue
        /// A flag such as `--port`, `env` and a variable, `file:line`, `default`, `default (Amplify)` for what the Amplify CLI takes
        /// where its files say nothing, or `invented`.
        public var origin: String
    }

    /// The settings: those of the command line first, then the rest as the file has them.
    public private(set) var rows: [Row] = []

    /// Lists what flags, environment, file and Amplify project say, or says all that is wrong with it.
    public init(_ texts: SettingTexts) throws(ServerError) {
        let configuration = try Configuration.load(texts)
        let source = configuration.source
        addSources(configuration, texts)
        var listed: Set<String> = []
        for setting in Setting.allCases {
            guard let key = setting.key else { continue }
            listed.insert(key)
            if key == "data", let ephemeral = Self.given(.ephemeral, texts), configuration.data.isEphemeral {
                add(key, ":memory:", ephemeral.origin)
            } else if key == "apiKey", !configuration.acceptsAPIKeys {
                let cause = configuration.schema.isOff ? ["schema"] : ["authConfig", "defaultAuthentication"]
                add(key, "none: API_KEY is no mode of the API", source?.origin(of: cause) ?? "default")
            } else if let given = Self.given(setting, texts) {
                add(key, given.value, given.origin)
            } else if let value = Self.value(key, of: source?.value), !value.isNull {
                add(key, value, source?.origin(of: Self.path(key)) ?? "default")
            } else if key == "apiKey", configuration.apiKeys.isClosed {
                add(key, "none: the Amplify project makes no key", source?.origin(of: [key]) ?? "default")
            } else if key == "schema", !configuration.schema.isOff {
                add(key, Self.value(of: configuration.schema.paths), "default")
            } else if key == "data" {
                add(key, .string(configuration.data.folder), "default")
            } else if let text = setting.defaultText {
                add(key, .string(text), "default")
            }
        }
        if let datastore = Self.given(.datastore, texts), texts.isSet(.datastore) {
            listed.insert("resolverConfig")
            add("resolverConfig", "AUTOMERGE in all models", datastore.origin)
        }
        for (key, value) in source?.value ?? [:] where !listed.contains(key) {
            guard key != "environmentName" || source?.isOfProject([key]) != true else {
                add(key, value, Self.originOfEnvironment(configuration, texts))
                continue
            }
            if let source { addAll([key], value, source, listed, configuration.amplify?.inventedIDs ?? []) }
        }
        addTransformConfigs(configuration, except: listed)
    }

    /// Where the settings come from that are none of a flag, a variable or a default.
    private mutating func addSources(_ configuration: Configuration, _ texts: SettingTexts) {
        if let file = configuration.file {
            add("config", .string(file), Self.given(.config, texts)?.origin ?? "default")
        }
        if texts.isSet(.noAmplify) {
            add("amplify", false, Self.given(.noAmplify, texts)?.origin ?? "default")
        } else if let project = configuration.amplify {
            let folder = project.prefix.isEmpty ? "." : SchemaFiles.withoutSlash(project.prefix)
            add("amplify", .string(folder), Self.given(.amplify, texts)?.origin ?? "default")
        }
    }

    /// transform.conf.json beside a schema, where the configuration does not say the same.
    private mutating func addTransformConfigs(_ configuration: Configuration, except listed: Set<String>) {
        guard configuration.amplify == nil else { return }
        for path in FilesBesideSchema(SchemaFiles(configuration)).transformConfigs {
            guard let file = try? ConfigurationFile.read(path) else { continue }
            for (key, value) in file.value {
                let isResolver = key == "ResolverConfig"
                let section = isResolver ? "resolverConfig" : "transformConfig"
                let isOverridden =
                    isResolver
                    ? configuration.source?.value[section] != nil : configuration.source?.value[section]?[key] != nil
                guard !listed.contains(section), !isOverridden else { continue }
                addAll([key], value, file, listed, [], as: isResolver ? section : "\(section).\(key)")
            }
        }
    }

    /// What a flag or a variable says, and which one.
    private static func given(_ setting: Setting, _ texts: SettingTexts) -> (value: JSONValue, origin: String)? {
        texts.given(setting).map {
            (value(of: $0.texts), texts.hasFlag(setting) ? setting.flag : "env \(setting.variable)")
        }
    }

    private static func value(of texts: [String]) -> JSONValue {
        texts.count == 1 ? .string(texts[0]) : .array(texts.map(JSONValue.string))
    }

    /// What has chosen the environment of the Amplify project.
    private static func originOfEnvironment(_ configuration: Configuration, _ texts: SettingTexts) -> String {
        if let given = given(.environment, texts) { return given.origin }
        let path = ["amplify", "environment"]
        let isAsked = configuration.source?.value["amplify"]?["environment"] != nil
        return configuration.source?.origin(of: isAsked ? path : ["environmentName"]) ?? "default"
    }

    /// Adds a setting, or each of its members.
    ///
    /// - Parameter name: What it is called; nil for its path.
    private mutating func addAll(
        _ path: [String], _ value: JSONValue, _ source: ConfigurationFile, _ listed: Set<String>,
        _ invented: Set<String>, as name: String? = nil
    ) {
        let key = name ?? path.joined(separator: ".")
        guard !listed.contains(key), !value.isNull else { return }
        if let object = value.objectValue, !object.isEmpty {
            for (name, inner) in object { addAll(path + [name], inner, source, listed, invented, as: "\(key).\(name)") }
        } else if let elements = value.arrayValue, elements.contains(where: { $0.objectValue != nil }) {
            for (index, element) in elements.enumerated() {
                addAll(path + [String(index)], element, source, listed, invented, as: "\(key).\(index)")
            }
        } else {
            let isInvented = value.stringValue.map(invented.contains) ?? false
            add(key, value, isInvented && source.isOfProject(path) ? "invented" : source.origin(of: path))
        }
    }

    private mutating func add(_ key: String, _ value: JSONValue, _ origin: String) {
        rows.append(Row(key: key, value: Self.masked(value, key), origin: origin))
    }

    private static func path(_ key: String) -> [String] { key.split(separator: ".").map(String.init) }

    private static func value(_ key: String, of object: JSONObject?) -> JSONValue? {
        path(key).reduce(object.map(JSONValue.object)) { $0?[$1] }
    }

    /// The value without what gives access.
    private static func masked(_ value: JSONValue, _ key: String) -> JSONValue {
        if let elements = value.arrayValue { return .array(elements.map { masked($0, key) }) }
        if let object = value.objectValue {
            return .object(JSONObject(object.map { ($0.key, masked($0.value, "\(key).\($0.key)")) }))
        }
        guard let text = value.stringValue else { return value }
        let name = key.split(separator: ".").last.map(String.init) ?? key
        if key == "apiKey" || key.hasPrefix("apiKey.") && name == "key" {
            return text == APIKeys.defaultKey || text.contains(" ") ? value : .string("\(text.prefix(8))…")
        }
        let isFunction = key.hasPrefix("functions.") || key.contains(".lambdaConfig.") || name == "function"
        if isFunction { return .string(Function.shown(text)) }
        return ["secret", "clientSecret", "password", "privateKey"].contains(name) ? "…" : value
    }

    /// The listing for people, a setting a line.
    public func text(withOrigins: Bool) -> String {
        // Names of files and of their members may have line breaks.
        let keys = rows.map { PrintableText.line($0.key) }
        let width = min(keys.map(\.count).max() ?? 0, 60)
        let lines = zip(rows, keys).map { row, name in
            let key = name + String(repeating: " ", count: max(0, width - name.count))
            return withOrigins ? "\(key)  \(row.value)  \(PrintableText.line(row.origin))" : "\(key)  \(row.value)"
        }
        return lines.joined(separator: "\n")
    }

    /// The listing for machines: a list of objects.
    public func json(withOrigins: Bool) -> String {
        let list = rows.map { row -> JSONValue in
            var object: JSONObject = ["key": .string(row.key), "value": row.value]
            if withOrigins { object["origin"] = .string(row.origin) }
            return .object(object)
        }
        return JSONValue.array(list).description
    }
}
