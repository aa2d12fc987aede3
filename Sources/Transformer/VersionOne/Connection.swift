import GraphQL

// @connection: a field leads to items of another model (reference: transformer, "@connection").

extension RelationDeclaration {
    /// A name that cannot be what it is for: the connection's name goes into an index's, the key is a field of inputs.
    var misnamed: String? {
        if let name, !name.isIndexName { return name }
        if let keyField, !keyField.isGraphQLName { return keyField }
        return nil
    }
}

/// A connection while it is generated: the field P.f, its declaration, and the model R it leads to.
struct Connection {
    let parent: ObjectTypeDefinition
    let field: FieldDefinition
    let directive: RelationDeclaration
    let related: ObjectTypeDefinition
    /// The positions of P and R in `TransformContext.models`.
    let parentModel: Int
    let relatedModel: Int

    var place: Place? { directive.place.place }
    var fieldName: FieldName { FieldName(type: parent.name, field: field.name) }
}

extension TransformContext {
    /// Generates the connections of one type, in the order of its fields, and plans how they are bound.
    mutating func applyConnections(of type: TypeDefinition) {
        let fields: [FieldDefinition]
        switch type {
        case .object(let object): fields = object.fields
        case .interface(let interface): fields = interface.fields
        case .scalar, .union, .enumeration, .inputObject: return
        }
        for (field, declaration) in zip(fields, fieldDeclarations(of: type.name)) {
            guard let directive = declaration.relation,
                let connection = connection(directive, at: field, of: type)
            else { continue }
            let page =
                if let fields = directive.fields {
                    connect(connection, by: fields)
                } else {
                    connectByGeneratedKey(connection)
                }
            if let page { connections.append(.page(page)) }
        }
    }

    /// What every connection needs: models on both sides.
    private mutating func connection(
        _ directive: RelationDeclaration, at field: FieldDefinition, of type: TypeDefinition
    ) -> Connection? {
        let place = directive.place.place
        guard let parent = type.object, parent.isModel else {
            diagnostics.report(
                .invalidDirective, "@connection must be on a field of an object type with @model.", at: place,
                hint: "Add @model to type \(type.name), or remove @connection from \(type.name).\(field.name).")
            return nil
        }
        let name = field.type.namedType
        // A type that does not exist at all is validation's to report.
        guard declared[name] != nil || ScalarMapping[name] != nil else { return nil }
        guard let related = declared.object(named: name) else {
            diagnostics.report(
                .invalidDirective, "@connection leads to an object type; \(name) is none.", at: place)
            return nil
        }
        guard related.isModel else {
            diagnostics.report(
                .invalidDirective, "Object type \(name) must have @model to be connected.", at: place,
                hint: "Add @model to type \(name).")
            return nil
        }
        if let limit = directive.limit, limit < 1 {
            diagnostics.report(.invalidDirective, "The limit of a connection must be at least 1.", at: place)
        }
        // Connections to a model whose own directives are invalid are not checked; its errors are reported already.
        guard let parentModel = modelIndex(parent.name), let relatedModel = modelIndex(name),
            brokenModels.isDisjoint(with: [parent.name, name])
        else { return nil }
        return Connection(
            parent: parent, field: field, directive: directive, related: related, parentModel: parentModel,
            relatedModel: relatedModel)
    }

    /// Turns the list into a page in place. As the original does, it makes the field anew, without its description.
    mutating func makePage(of connection: Connection, sortArgument: InputValueDefinition?, keyType: String?) {
        let related = connection.related.name
        addConnectionType(for: related)
        let arguments =
            [sortArgument].compactMap { $0 } + [
                InputValueDefinition(name: "filter", type: .named(Names.filterInput(related))),
                InputValueDefinition(name: "sortDirection", type: .named(Names.sortDirection)),
                InputValueDefinition(name: "limit", type: .named("Int")),
                InputValueDefinition(name: "nextToken", type: .named("String")),
            ]
        updateObject(connection.parent.name) { type in
            guard let position = type.fields.firstIndex(where: { $0.name == connection.field.name }) else { return }
            type.fields[position] = FieldDefinition(
                name: connection.field.name, arguments: arguments, type: .named(Names.connection(related)),
                directives: connection.field.directives, place: connection.field.place)
        }
        addSortDirection()
        addFilterInput(for: connection.related)
        if let keyType { addKeyConditionInput(for: keyType) }
    }
}
