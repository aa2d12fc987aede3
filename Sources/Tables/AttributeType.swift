/// The attribute types of `ModelAttributeTypes`. No type matches an absent attribute, not even `_null`.
public enum AttributeType: String, Sendable, Hashable, CaseIterable {
    /// Never stored here.
    case binary
    /// Never stored here.
    case binarySet
    /// A boolean.
    case bool
    /// A JSON array.
    case list
    /// A JSON object.
    case map
    /// A whole or floating-point number.
    case number
    /// Never stored here.
    case numberSet
    /// A text.
    case string
    /// Never stored here.
    case stringSet
    /// A JSON null.
    case _null
}
