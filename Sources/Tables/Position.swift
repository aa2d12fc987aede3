/// Where a page ended: the last row read, by its sort key and its place in creation order.
public struct Position: Sendable, Hashable {
    /// The value of the sort key (the joined text of a composite one); nil where there is no sort key.
    public var sort: Value?
    /// The item's place in creation order.
    public var rowID: Int64

    /// Makes a position of its parts.
    public init(sort: Value?, rowID: Int64) {
        self.sort = sort
        self.rowID = rowID
    }
}
