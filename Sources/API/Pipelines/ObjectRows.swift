/// What the objects of a shape are as rows, by their types.
final class ObjectRows: Sendable {
    let columns: [String: [ObjectColumn]]

    init(columns: [String: [ObjectColumn]]) { self.columns = columns }
}
