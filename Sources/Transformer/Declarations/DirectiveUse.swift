import GraphQL

/// A directive where it stands in an author's schema.
struct DirectiveUse {
    let node: DirectiveNode
    /// The type it stands on or in; of an extension, the extension.
    let owner: TypeDefinition
    /// The field it stands on or in, if any.
    let field: FieldDefinition?
    /// What it stands on, as an author calls it: `Post`, `Post.comments`.
    let subject: String
}

extension TypeSystemDocument {
    /// The directives on types and inside them, in the order of the text.
    var directiveUses: [DirectiveUse] {
        definitions.flatMap { definition -> [DirectiveUse] in
            switch definition {
            case .type(let type), .typeExtension(let type): type.directiveUses
            case .schema, .schemaExtension, .directive, .executable: []
            }
        }
    }
}

extension TypeDefinition {
    fileprivate var directiveUses: [DirectiveUse] {
        var uses: [DirectiveUse] = []
        func add(_ directives: [DirectiveNode], _ field: FieldDefinition?, _ member: @autoclosure () -> String?) {
            guard !directives.isEmpty else { return }
            let subject = member().map { "\(name).\($0)" } ?? name
            uses += directives.map { DirectiveUse(node: $0, owner: self, field: field, subject: subject) }
        }
        func add(_ fields: [FieldDefinition]) {
            for field in fields {
                for argument in field.arguments {
                    add(argument.directives, field, "\(field.name)(\(argument.name):)")
                }
                add(field.directives, field, field.name)
            }
        }
        add(directives, nil, nil)
        switch self {
        case .object(let type): add(type.fields)
        case .interface(let type): add(type.fields)
        case .inputObject(let type): for field in type.fields { add(field.directives, nil, field.name) }
        case .enumeration(let type): for value in type.values { add(value.directives, nil, value.name) }
        case .scalar, .union: break
        }
        return uses
    }
}
