/// `schema`: where the schema is.
public struct SchemaLocation: Sendable, Hashable {
    /// Schema files and folders, relative to the working folder.
    public var paths = ["schema.graphql"]
    /// Whether a source of the configuration names them; otherwise they are the default.
    public var isNamed = false

    /// The default.
    public init() {}

    mutating func read(_ file: ConfigurationSection) {
        if let paths = file.strings("schema") { (self.paths, isNamed) = (paths, true) }
    }

    mutating func read(_ settings: SettingReader) {
        if let paths = settings.texts.given(.schema)?.texts { (self.paths, isNamed) = (paths, true) }
    }
}
