/// An object type without `@model` as its author declared it: a nested type or a root type.
public struct TypeDeclaration: Sendable, Hashable {
    /// The type's name.
    public var name: String
    /// The fields in their declared order.
    public var fields: [FieldDeclaration]
    /// Keys, which only a model may have.
    var keys: [KeyDeclaration] = []
    /// Where `@mapsTo` and `@refersTo` stand, which only a model may have.
    var mappings: [StoredNameDeclaration] = []
    var place = DeclarationPlace()

    /// A type by its parts.
    public init(name: String, fields: [FieldDeclaration]) {
        self.name = name
        self.fields = fields
    }

    /// The field of this name.
    public func field(named name: String) -> FieldDeclaration? { fields.first { $0.name == name } }
}
