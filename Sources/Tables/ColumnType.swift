/// What a column holds.
public enum ColumnType: String, Sendable, Hashable, CaseIterable {
    /// A string, compared by its UTF-8 bytes.
    case text
    /// A whole number of 64 bits.
    case integer
    /// A finite floating-point number.
    case real
    /// A truth value, kept as the integer 0 or 1.
    case boolean
    /// JSON text: lists and nested types.
    case json
}
