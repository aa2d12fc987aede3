/// A page of a list.
struct ObjectListPage: Sendable {
    var objects: [ObjectRecord] = []
    var commonPrefixes: [String] = []
    /// The start of the next page; nil for the last page.
    var next: ObjectListQuery.Start?

    /// Objects and common prefixes.
    var entryCount: Int { objects.count + commonPrefixes.count }

    /// Appends what follows the page.
    mutating func append(_ page: ObjectListPage) {
        objects += page.objects
        commonPrefixes += page.commonPrefixes
        next = page.next
    }
}
