/// A file of a schema: its name and its text as UTF-8.
public struct SchemaFile: Sendable, Hashable {
    /// The name, for example `schema.graphql`.
    public var name: String
    /// The text.
    public var bytes: [UInt8]

    /// A file of bytes.
    public init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    /// A file of text.
    public init(name: String, text: String) {
        self.init(name: name, bytes: Array(text.utf8))
    }

    /// The text as characters.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
}
