/// A page of a list.
struct ObjectListPage: Sendable {
    var objects: [ObjectRecord] = []
    var commonPrefixes: [String] = []
    /// The start of the next page; nil for the last page.
    var next: ObjectListQuery.Start?
}
