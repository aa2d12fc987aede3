/// One step of a response path: a response key or the index in a list.
public enum PathElement: Sendable, Hashable {
    case key(String)
    case index(Int)
}

extension PathElement: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    /// A response key.
    public init(stringLiteral key: String) { self = .key(key) }

    /// The index in a list.
    public init(integerLiteral index: Int) { self = .index(index) }
}
