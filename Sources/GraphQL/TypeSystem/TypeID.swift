/// A type's place in `Schema.types`. Types point at each other by it, so a schema holds no cycle of references.
public struct TypeID: Hashable, Sendable, Comparable, BitwiseCopyable {
    /// The position in `Schema.types`.
    public let index: Int

    init(_ index: Int) { self.index = index }

    /// In the order of `Schema.types`.
    public static func < (left: TypeID, right: TypeID) -> Bool { left.index < right.index }
}
