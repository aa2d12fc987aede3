import GraphQL

/// A field of R with its connection, as the other side of a pair sees it.
struct ConnectionPartner {
    let field: FieldDefinition
    let directive: RelationDeclaration
}
