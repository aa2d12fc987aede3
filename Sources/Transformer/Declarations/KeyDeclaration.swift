/// A primary key or a secondary index: `@key` of version 1, `@primaryKey` and `@index` of version 2.
public struct KeyDeclaration: Sendable, Hashable {
    /// The name of the index; nil of the primary key.
    public var name: String?
    /// The partition key, then the sort keys.
    public var fields: [String]
    /// The field of `Query` that queries the index; nil where there is none.
    public var queryField: String?
    /// The directive without `@`: `key`, `primaryKey` or `index`.
    public var directive: String
    /// Whether the directive gives null as the name, which version 2 refuses.
    var hasNullName = false
    var place = DeclarationPlace()

    /// A key by its parts.
    public init(name: String?, fields: [String], queryField: String? = nil, directive: String) {
        self.name = name
        self.fields = fields
        self.queryField = queryField
        self.directive = directive
    }

    /// The fields of the key after the partition key.
    public var sortKeys: [String] { Array(fields.dropFirst()) }

    /// The name as messages spell it.
    var displayName: String { name ?? "<unnamed>" }
}
