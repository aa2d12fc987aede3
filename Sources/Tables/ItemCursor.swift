/// The rows of an opened fetch, one at a time. Code that goes over the items of a page is written once over all of them,
/// and is specialized for each.
public protocol ItemCursor: Row {
    /// One attribute of the current row, found once.
    associatedtype Cell: ItemCell

    /// Goes to the next row; false after the last one, or when as many rows as the fetch may have were read. In the latter
    /// case the last row stays the current one, so that its `position` can be taken.
    func next() throws(StoreError) -> Bool
    /// Whether the current row meets the filter; true without one.
    var matches: Bool { get }
    /// The current row's place in creation order.
    var rowID: Int64 { get }
    /// Where the current row stands, for the page after it.
    var position: Position { get }
    /// The cell at a position of the current row.
    func cell(_ position: Int) -> Cell
}

extension Cursor: ItemCursor {}
