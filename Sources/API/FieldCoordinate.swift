/// A field of a type, by name.
struct FieldCoordinate: Sendable, Hashable {
    var type: String
    var field: String
}
