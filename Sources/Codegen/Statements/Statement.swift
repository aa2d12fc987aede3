import GraphQL

/// One operation of an API as the document that a client sends: a root field with all of its arguments as variables.
struct Statement {
    let kind: OperationKind
    /// The root field.
    let field: FieldType
    /// The name of the operation: `GetPost` of the field `getPost`.
    let name: String
    /// What is selected; nil where the field is a leaf.
    let selection: StatementSelection?

    var fieldCount: Int { 1 + (selection?.fieldCount ?? 0) }
}
