import GraphQL

// The old style of @connection: two fields are paired by a name, and the key that joins them is generated where the
// author declared none (reference: transformer, "Connections with a generated key").

extension TransformContext {
    /// `@connection(name:, keyField:, sortField:)`: a key is generated where the author declared none.
    mutating func connectByGeneratedKey(_ connection: Connection) -> ConnectionPage? {
        let directive = connection.directive
        let partner = partner(of: connection)
        if let name = directive.name, partner == nil {
            diagnostics.report(
                .invalidDirective,
                "Found one half of connection '\(name)' at \(connection.fieldName.text), but no field of "
                    + "\(connection.related.name) with the other half.", at: connection.place,
                hint: "Add a field with @connection(name: \"\(name)\") to \(connection.related.name), or leave the "
                    + "name out.")
            return nil
        }
        if let keyName = directive.indexName {
            diagnostics.warn(
                "The `keyName` '\(keyName)' of \(connection.fieldName.text) has no effect without `fields`.",
                at: connection.place, hint: "Add `fields`.")
        }
        if let name = directive.misnamed {
            diagnostics.report(
                .invalidDirective, "'\(name)' cannot be the name of a key or its index.", at: connection.place,
                hint: "Use letters, digits and underscores.")
            return nil
        }
        switch (connection.field.type.isList, partner) {
        case (true, let partner?) where partner.field.type.isList:
            diagnostics.report(
                .invalidDirective,
                "\(connection.fieldName.text) is a list on both sides; many to many connections are not supported.",
                at: connection.place, hint: "Write the model that joins them, with a @key for each side.")
            return nil
        case (true, let partner?): return connectToMany(connection, partner: partner)
        case (true, nil): return connectToManyAlone(connection)
        case (false, let partner?) where partner.field.type.isList:
            connectToOne(connection, partner: partner)
            return nil
        case (false, _):
            connectToOneAlone(connection)
            return nil
        }
    }

    /// The first field of R, other than the very same one, with a connection of the same name.
    private func partner(of connection: Connection) -> ConnectionPartner? {
        guard let name = connection.directive.name else { return nil }
        let related = connection.related
        for (field, declaration) in zip(related.fields, fieldDeclarations(of: related.name)) {
            let isSame = related.name == connection.parent.name && field.name == connection.field.name
            guard !isSame, let other = declaration.relation, other.name == name else { continue }
            return ConnectionPartner(field: field, directive: other)
        }
        return nil
    }

    /// Case B: the other side, a single one, stores the key; this side queries by it.
    private mutating func connectToMany(
        _ connection: Connection, partner: ConnectionPartner
    ) -> ConnectionPage? {
        let related = connection.related
        let generated = Names.camelCased([related.name, partner.field.name, "id"])
        let key = connection.directive.keyField ?? generated
        guard isValidKeyField(key, on: related, of: connection) else { return nil }
        if key != partner.directive.keyField ?? generated {
            diagnostics.warn(
                "The `keyField` '\(key)' of \(connection.fieldName.text) has no effect: the other side stores "
                    + "'\(partner.directive.keyField ?? generated)'.", at: connection.place,
                hint: "Give the same `keyField` on both sides of the connection.")
        }
        // The argument comes from the sortField of the single side
        // (reference: transformer, "Arguments of connections").
        let sortField = partner.directive.sortField.flatMap { related.field(named: $0) }
        if let sortField, !isValidSortField(sortField, of: connection) { return nil }
        makePage(
            of: connection,
            sortArgument: sortField.map {
                InputValueDefinition(
                    name: $0.name, type: .named(Names.keyConditionInput(base(of: $0.type.namedType))))
            }, keyType: sortField?.type.namedType)
        return ConnectionPage(
            connection: connection, indexName: Names.connectionIndex(connection.directive.name ?? ""),
            partitionColumn: identifier(of: connection.parent), sort: sortField.map { .argument([$0.name]) } ?? .none)
    }

    /// Case C: this side stores the key and the index; the other side, a list, queries by it.
    private mutating func connectToOne(
        _ connection: Connection, partner: ConnectionPartner
    ) {
        let parent = connection.parent
        let key = connection.directive.keyField ?? Names.camelCased([parent.name, connection.field.name, "id"])
        guard isValidKeyField(key, on: parent, of: connection) else { return }
        var sortField: FieldDefinition?
        if let name = partner.directive.sortField {
            guard let field = parent.field(named: name) else {
                diagnostics.report(
                    .invalidDirective,
                    "sortField '\(name)' is not found on type '\(parent.name)', the other half of connection "
                        + "'\(connection.directive.name ?? "")'.", at: connection.place,
                    hint: SuggestionList.hint(for: name, among: parent.fields.map(\.name)))
                return
            }
            guard isValidSortField(field, of: connection) else { return }
            sortField = field
        } else if let name = connection.directive.sortField, let field = parent.field(named: name),
            field.type.isNonNull, !field.type.isList, isSortable(field.type.namedType)
        {
            // Only this side has a `sortField`, which gives the other an argument to query it by. The original leaves
            // the index unsorted and fails when the argument is used; where each item has the field, sorting loses none.
            sortField = field
        }
        if sortField?.name == key {
            diagnostics.report(
                .invalidDirective, "sortField '\(key)' is the key of the connection and cannot sort it as well.",
                at: connection.place)
            return
        }
        models[connection.parentModel].addForeignKey(key)
        models[connection.parentModel].addIndex(
            ModelDraft.Index(
                name: Names.connectionIndex(connection.directive.name ?? ""), partitionKey: key,
                sortKeys: sortField.map { [$0.name] } ?? []))
        connections.append(.item(connection, columns: [key]))
        addForeignKey(key, to: parent.name, isRequired: connection.field.type.isNonNull)
    }

    /// Case D: R stores the key and declares no field for it; this side queries by it.
    private mutating func connectToManyAlone(_ connection: Connection) -> ConnectionPage? {
        let parent = connection.parent, related = connection.related
        let key = connection.directive.keyField ?? Names.camelCased([parent.name, connection.field.name, "id"])
        guard isValidKeyField(key, on: related, of: connection) else { return nil }
        if connection.directive.sortField != nil {
            diagnostics.warn(
                "The `sortField` of \(connection.fieldName.text) has no effect without a field on the other side.",
                at: connection.place, hint: "Connect by @connection(keyName:, fields:) and a @key with a sort field.")
        }
        let index = Names.connectionIndex(connection.fieldName.text)
        models[connection.relatedModel].addForeignKey(key)
        models[connection.relatedModel].addIndex(
            ModelDraft.Index(name: index, partitionKey: key, sortKeys: []))
        makePage(of: connection, sortArgument: nil, keyType: nil)
        addForeignKey(key, to: related.name, isRequired: false)
        return ConnectionPage(
            connection: connection, indexName: index, partitionColumn: identifier(of: parent), sort: .none)
    }

    /// Case E: this side stores the key; no list leads back.
    private mutating func connectToOneAlone(_ connection: Connection) {
        let parent = connection.parent
        let key = connection.directive.keyField ?? Names.camelCased([parent.name, connection.field.name, "id"])
        guard isValidPrimarySortField(of: connection), isValidKeyField(key, on: parent, of: connection) else { return }
        models[connection.parentModel].addForeignKey(key)
        connections.append(
            .item(connection, columns: [key] + [connection.directive.sortField].compactMap { $0 }))
        addForeignKey(key, to: parent.name, isRequired: connection.field.type.isNonNull)
    }

    // MARK: - Parts of the old style

    /// The field the other side's key refers to: the partition key if the primary `@key` has one or two fields.
    private func identifier(of type: ObjectTypeDefinition) -> String {
        guard let key = primaryKeyFields(of: type.name), (1...2).contains(key.count) else { return "id" }
        return key[0]
    }

    /// Adds the generated key to the inputs of the type that stores it. It is no field of the type
    /// (reference: transformer, "Connections with a generated key").
    private mutating func addForeignKey(_ key: String, to type: String, isRequired: Bool) {
        for verb in ["Create", "Update"] {
            updateInput(Names.mutationInput(verb, type)) { input in
                guard input.field(named: key) == nil else { return }
                let type: TypeNode = .named("ID")
                input.fields.append(
                    InputValueDefinition(name: key, type: isRequired && verb == "Create" ? .nonNull(type) : type))
            }
        }
    }

    private mutating func isValidKeyField(
        _ key: String, on type: ObjectTypeDefinition, of connection: Connection
    ) -> Bool {
        guard let field = type.field(named: key) else { return true }
        if !field.type.isList, ["ID", "String"].contains(field.type.namedType) { return true }
        diagnostics.report(
            .invalidDirective,
            "The keyField '\(key)' on type '\(type.name)' must be of type ID or String, not \(field.type).",
            at: connection.place)
        return false
    }

    private mutating func isValidSortField(_ field: FieldDefinition, of connection: Connection) -> Bool {
        if field.type.isList {
            diagnostics.report(
                .invalidDirective, "sortField '\(field.name)' is a list; it must be a scalar.", at: connection.place)
            return false
        }
        if isSortable(field.type.namedType) { return true }
        diagnostics.report(
            .invalidDirective,
            "sortField '\(field.name)' is of type \(field.type.namedType); it must be a scalar that is a string or a "
                + "number.", at: connection.place)
        return false
    }

    private func isSortable(_ name: String) -> Bool { ScalarMapping[name].map { $0.base != "Boolean" } ?? false }

    /// In case E the `sortField` is the field of P that holds the second part of R's primary key.
    private mutating func isValidPrimarySortField(of connection: Connection) -> Bool {
        guard let name = connection.directive.sortField else { return true }
        let parent = connection.parent, related = connection.related
        func refuse(_ message: String, hint: String? = nil) -> Bool {
            diagnostics.report(.invalidDirective, message, at: connection.place, hint: hint)
            return false
        }
        guard let key = primaryKeyFields(of: related.name), key.count == 2 else {
            return refuse(
                "sortField '\(name)' requires a primary @key with one sort key on type '\(related.name)'.")
        }
        guard let field = parent.field(named: name) else {
            return refuse(
                "sortField '\(name)' is not a field of type '\(parent.name)'.",
                hint: SuggestionList.hint(for: name, among: parent.fields.map(\.name)))
        }
        guard field.type.namedType == related.typeName(of: key[1]) else {
            return refuse(
                "sortField '\(name)' on type '\(parent.name)' is not of the type of '\(key[1])' on type "
                    + "'\(related.name)'.")
        }
        return true
    }
}
