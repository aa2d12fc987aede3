/// A value in the text of a document (spec §2.9), and where it begins.
public struct ValueNode: Sendable, BitwiseCopyable {
    /// The kinds of values.
    public enum Kind: Sendable, BitwiseCopyable {
        case variable(Name)
        case int(Name)
        case float(Name)
        case string(StringRange)
        case boolean(Bool)
        case null
        case enumValue(Name)
        case list(NodeRange<ValueNode>)
        case object(NodeRange<ObjectField>)
    }

    /// What it is. The names of `int` and `float` are their text.
    public var kind: Kind
    /// Where it begins.
    public var offset: UInt32
}
