/// A name that a type or field is stored by, so that it may be renamed and its data stays: `@mapsTo`, `@refersTo`.
public struct StoredNameDeclaration: Sendable, Hashable {
    /// The name of the table, or of the attribute.
    public var name: String
    /// The directive without `@`: `mapsTo` or `refersTo`.
    public var directive: String
    var place = DeclarationPlace()

    /// A name by its parts.
    public init(name: String, directive: String) {
        self.name = name
        self.directive = directive
    }
}
