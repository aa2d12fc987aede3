/// Where in which source a node begins.
public struct Place: Sendable, Hashable {
    /// Which of the document's sources.
    public var source: Int
    /// Which byte of it.
    public var offset: Int

    /// A place by source and byte.
    public init(source: Int, offset: Int) {
        self.source = source
        self.offset = offset
    }
}
