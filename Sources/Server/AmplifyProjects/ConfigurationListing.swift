public import JSON

/// Every effective setting, and where it comes from: what `syncline config show` prints. Secrets are masked.
public struct ConfigurationListing: Sendable {
    /// A setting.
    public struct Row: Sendable, Hashable {
        /// The key in the configuration file, dotted.
        public var key: String
        /// The value, or what of it may be shown.
        public var value: JSONValue
        /// A flag, a variable, `file:line`, or `default`.
        public var origin: String
    }

    /// The settings: those of the command line first, then the rest as the file has them.
    public private(set) var rows: [Row] = []

    /// Lists what flags, environment, file and Amplify project say, or says all that is wrong with it.
    public init(_ texts: SettingTexts) throws(ServerError) {
        let configuration = try Configuration.load(texts)
        var listed: Set<String> = []
        for setting in Setting.allCases {
            guard let key = setting.key else { continue }
            listed.insert(key)
            if let given = texts.given(setting) {
                add(
                    key, given.texts.count == 1 ? .string(given.texts[0]) : .array(given.texts.map(JSONValue.string)),
                    given.origin)
            } else if let value = Self.value(key, of: configuration.source?.value), !value.isNull {
                add(key, value, configuration.source?.origin(of: Self.path(key)) ?? "default")
            } else if key == "data" {
                add(key, .string(configuration.data.folder), "default")
            } else if let text = setting.defaultText {
                add(key, .string(text), "default")
            }
        }
        if let source = configuration.source {
            for (key, value) in source.value where !listed.contains(key) { addAll([key], value, source, listed) }
        }
    }

    private mutating func addAll(
        _ path: [String], _ value: JSONValue, _ source: ConfigurationFile, _ listed: Set<String>
    ) {
        let key = path.joined(separator: ".")
        guard !listed.contains(key), !value.isNull else { return }
        if let object = value.objectValue, !object.isEmpty {
            for (name, inner) in object { addAll(path + [name], inner, source, listed) }
        } else if let elements = value.arrayValue, elements.contains(where: { $0.objectValue != nil }) {
            for (index, element) in elements.enumerated() { addAll(path + [String(index)], element, source, listed) }
        } else {
            add(key, value, source.origin(of: path))
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
        return ["secret", "clientSecret", "password", "privateKey"].contains(name) ? "…" : value
    }

    /// The listing for people, a setting a line.
    public func text(withOrigins: Bool) -> String {
        let width = min(rows.map(\.key.count).max() ?? 0, 60)
        let lines = rows.map { row in
            let key = row.key + String(repeating: " ", count: max(0, width - row.key.count))
            return withOrigins ? "\(key)  \(row.value)  \(row.origin)" : "\(key)  \(row.value)"
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
