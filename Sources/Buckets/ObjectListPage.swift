/// A page of a list.
struct ObjectListPage: Sendable {
    var objects: [ObjectRecord] = []
    var commonPrefixes: [String] = []
    /// Where the next page begins; nil of the last one.
    var next: ObjectListQuery.Start?
}
