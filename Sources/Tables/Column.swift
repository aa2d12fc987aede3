/// An attribute every item of a table may have. Any attribute may be absent, which is NULL in the store.
public struct Column: Sendable, Hashable {
    /// The attribute's name, unique in its table: what the store knows it by.
    public var name: String
    /// What the attribute holds.
    public var type: ColumnType
    /// The field's name, by which the layers above look the column up. It is the attribute's unless the schema maps
    /// one onto the other, so that a field may be renamed and its data stays.
    public var field: String

    /// Makes a column of its name and type, and of its field where that is called otherwise.
    public init(name: String, type: ColumnType, field: String? = nil) {
        self.name = name
        self.type = type
        self.field = field ?? name
    }
}
