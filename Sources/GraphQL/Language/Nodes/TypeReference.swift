/// A reference to a type (spec §2.11).
public enum TypeReference: Sendable, BitwiseCopyable {
    /// A place in the pool of types.
    public typealias Index = Int32

    case named(Name)
    case list(Index, offset: UInt32)
    case nonNull(Index)
}
