import JSON

/// `schema`: where the schema is.
public struct SchemaLocation: Sendable, Hashable {
    /// Schema files and folders, relative to the working folder.
    public var paths = ["schema.graphql"]
    /// Whether a source of the configuration names them; otherwise they are the default.
    public var isNamed = false
    /// Whether no GraphQL API is served (`"schema": false`): users, files and events alone.
    public var isOff = false
    /// The text of the schema, where the file of the only path has it among other things.
    public var text: String?
    /// Whether a schema without definitions is served as one that is not modelled yet: that of `dev`, in the default file.
    var mayBeEmpty = false
    /// Whether the file need not be there: at the first start of `dev` in a folder.
    var mayBeMissing = false

    /// The default.
    public init() {}

    mutating func read(_ file: ConfigurationSection) {
        if file.object["schema"]?.boolValue == false {
            _ = file.value("schema")
            (paths, isOff) = ([], true)
            return
        }
        if let paths = file.strings("schema") { (self.paths, isNamed) = (paths, true) }
    }

    mutating func read(_ settings: SettingReader) {
        if let paths = settings.texts.given(.schema)?.texts { (self.paths, isNamed, isOff) = (paths, true, false) }
    }
}
