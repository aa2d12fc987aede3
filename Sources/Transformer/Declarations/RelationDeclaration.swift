/// A field that leads to items of another model: `@connection` of version 1, the four relations of version 2.
public struct RelationDeclaration: Sendable, Hashable {
    /// The directive.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Version 1: one item or a list of items.
        case connection
        /// Version 2: a list of items, found by a key of the other model.
        case hasMany
        /// Version 2: one item, found by its primary key or by its references.
        case hasOne
        /// Version 2: a list of items of a join model, which is generated.
        case manyToMany
        /// Version 2: one item, whose key this model stores.
        case belongsTo
    }

    /// The directive.
    public var kind: Kind
    /// The fields of this model that are matched with a key of the other; nil where they are not named.
    public var fields: [String]?
    /// Version 2: the fields that hold the primary key of the side that has one or many, on the side that belongs to it.
    public var references: [String]
    /// The index of the other model that is queried, `keyName` in version 1; nil for the primary key.
    public var indexName: String?
    /// What both sides of a pair are named by: `name` of a `@connection`, `relationName` of a `@manyToMany`.
    public var name: String?
    /// Version 1: the name of the generated key.
    public var keyField: String?
    /// Version 1: the field that the generated index is sorted by.
    public var sortField: String?
    /// How many items a page has where the request does not say.
    public var limit: Int?
    /// The arguments `fields` and `references` that are empty lists.
    var emptyLists: [String] = []
    var place = DeclarationPlace()

    /// A relation by its parts.
    public init(
        kind: Kind, fields: [String]? = nil, references: [String] = [], indexName: String? = nil, name: String? = nil,
        keyField: String? = nil, sortField: String? = nil, limit: Int? = nil
    ) {
        self.kind = kind
        self.fields = fields
        self.references = references
        self.indexName = indexName
        self.name = name
        self.keyField = keyField
        self.sortField = sortField
        self.limit = limit
    }
}
