/// A second key of a table. An item that lacks any attribute of it is not in the index.
public struct SecondaryIndex: Sendable, Hashable {
    /// The index's name, unique in its table.
    public var name: String
    /// The attributes it finds items by; items may share them.
    public var key: KeySchema

    /// Makes an index of its name and key.
    public init(name: String, key: KeySchema) {
        self.name = name
        self.key = key
    }
}
