import GraphQL

// Takes directives out of a document: those that are not served before validation, those that are not printed from the
// output.

extension TypeSystemDocument {
    /// The document after each directive of each node was looked at and kept or not.
    func filteringDirectives(_ isKept: (DirectiveNode, DirectiveOwner) -> Bool) -> TypeSystemDocument {
        var document = self
        document.definitions = definitions.map { definition in
            switch definition {
            case .type(let type): .type(type.filteringDirectives(isKept))
            case .typeExtension(let type): .typeExtension(type.filteringDirectives(isKept))
            case .schema, .schemaExtension, .directive, .executable: definition
            }
        }
        return document
    }
}

extension TypeDefinition {
    /// The type after each directive on it and inside it was looked at and kept or not, in the order of the text. Parts without
    /// directives, which are most of a generated schema, are not copied.
    func filteringDirectives(_ isKept: (DirectiveNode, DirectiveOwner) -> Bool) -> TypeDefinition {
        func members(_ directives: [DirectiveNode]) -> [DirectiveNode] {
            directives.filter { isKept($0, .member) }
        }
        func inputs(_ values: [InputValueDefinition]) -> [InputValueDefinition] {
            guard values.hasDirectives else { return values }
            return values.map { value in
                var value = value
                value.directives = members(value.directives)
                return value
            }
        }
        func fields(_ fields: [FieldDefinition]) -> [FieldDefinition] {
            guard fields.hasDirectives else { return fields }
            return fields.map { field in
                guard !field.directives.isEmpty || field.arguments.hasDirectives else { return field }
                var field = field
                field.arguments = inputs(field.arguments)
                field.directives = members(field.directives)
                return field
            }
        }
        var type = self
        let own = directives
        if !own.isEmpty { type.directives = own.filter { isKept($0, .type(self)) } }
        switch type {
        case .object(let object) where !object.fields.hasDirectives: return type
        case .interface(let interface) where !interface.fields.hasDirectives: return type
        case .inputObject(let input) where !input.fields.hasDirectives: return type
        case .object(var object):
            object.fields = fields(object.fields)
            return .object(object)
        case .interface(var interface):
            interface.fields = fields(interface.fields)
            return .interface(interface)
        case .inputObject(var input):
            input.fields = inputs(input.fields)
            return .inputObject(input)
        case .enumeration(var enumeration):
            enumeration.values = enumeration.values.map { value in
                var value = value
                value.directives = members(value.directives)
                return value
            }
            return .enumeration(enumeration)
        case .scalar, .union: return type
        }
    }
}

extension [InputValueDefinition] {
    /// Whether one of them has a directive.
    fileprivate var hasDirectives: Bool { contains { !$0.directives.isEmpty } }
}

extension [FieldDefinition] {
    /// Whether one of them has a directive, or an argument of one.
    fileprivate var hasDirectives: Bool { contains { !$0.directives.isEmpty || $0.arguments.hasDirectives } }
}
