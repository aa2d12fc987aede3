/// `data`: where the data is kept.
public struct DataLocation: Sendable, Hashable {
    /// The data folder.
    public var folder = ".syncline"
    /// Whether a source of the configuration names it; otherwise it is the default.
    public var isNamed = false
    /// Whether the data is kept in a fresh folder instead, which is removed at exit.
    public var isEphemeral = false

    /// The default.
    public init() {}

    mutating func read(_ file: ConfigurationSection) {
        if let folder = file.string("data") { keep(in: folder) }
    }

    mutating func read(_ settings: SettingReader) {
        if let folder = settings.text(.data) { keep(in: folder) }
        let isEphemeral = settings.bool(.ephemeral)
        // A flag that names the folder overrides a variable that would discard the data.
        let isOverruled = settings.texts.hasFlag(.data) && !settings.texts.hasFlag(.ephemeral)
        if let isEphemeral, !isOverruled { self.isEphemeral = isEphemeral }
    }

    private mutating func keep(in folder: String) {
        isNamed = true
        if folder == ":memory:" { isEphemeral = true } else { (self.folder, isEphemeral) = (folder, false) }
    }
}
