/// The bounds of an edit. Beyond them an edit is refused.
public struct SchemaEditLimits: Sendable, Hashable {
    /// Files of a schema, in number.
    public var filesMax = 64
    /// All files together, in bytes.
    public var textBytesMax = 4_194_304
    /// Edits of one sequence, in number.
    public var editsMax = 1_000
    /// Fields of a new type, values of a new enum, fields of a key, rules of a type, each in number.
    public var membersMax = 1_000
    /// A name, in bytes.
    public var nameBytesMax = 255
    /// A description, a default or another text of an edit, in bytes.
    public var valueBytesMax = 16_384
    /// Changed files that one sequence of edits reads again after its steps, together in bytes.
    public var readBytesMax = 33_554_432
    /// Levels of nesting of an edit's JSON.
    public var jsonDepthMax = 16
    /// Definitions of all files together, in number.
    public var definitionsMax = 20_000
    /// References that a refusal lists, in number.
    public var referencesMax = 100
    /// Lines of one version of a file that a merge compares, in number.
    public var mergeLinesMax = 100_000
    /// Differing lines that a merge finds in one file before it refuses, in number.
    public var mergeDifferencesMax = 1_000

    /// The bounds that the server uses.
    public init() {}

    /// The bounds that the server uses.
    public static let standard = SchemaEditLimits()
}
