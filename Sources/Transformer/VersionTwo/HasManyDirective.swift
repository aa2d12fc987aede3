import GraphQL
import Tables

// @hasMany: a field becomes a page of another model's items (reference: transformer, "Relations of version 2").

extension TransformContext {
    mutating func applyHasMany(_ relation: Relation) {
        guard relation.field.type.isList else {
            diagnostics.report(
                .invalidDirective, "@hasMany must be used with a list. Use @hasOne for non-list types.",
                at: relation.place, hint: "Declare it as \(relation.field.name): [\(relation.related.name)]")
            return
        }
        guard isFreeOfCircles(relation) else { return }
        if !relation.references.isEmpty {
            applyHasManyByReferences(relation)
        } else if let key = keyFields(of: relation), areValid(relation.fields, of: relation, for: key) {
            applyHasMany(relation, by: key)
        }
    }

    /// The related model's items are found by an index or its primary key, or by a foreign key that is generated for
    /// this field.
    private mutating func applyHasMany(_ relation: Relation, by key: [String]) {
        guard let argument = sortArgument(of: relation, in: key) else { return }
        var access = access(of: relation)
        let parent = models[relation.parentModel]
        // Without fields, the parent's key is looked up.
        let columns = relation.fields.isEmpty ? parent.primaryKey : relation.fields
        if relation.fields.isEmpty {
            let keys = foreignKeys(of: parent, field: relation.field, to: parent)
            addForeignKeys(keys, to: relation.relatedModel, of: relation.parentModel, at: relation.place)
            if relation.indexName == nil { access = addImplicitIndex(on: keys.map(\.name), for: relation) }
        }
        makePage(of: relation, sortArgument: argument.value, keyType: argument.keyType)
        relationPlans.append(
            .page(relation, columns: columns, access: access, hasSortArgument: argument.value != nil))
    }

    private mutating func applyHasManyByReferences(_ relation: Relation) {
        guard relation.indexName == nil else {
            diagnostics.report(
                .invalidDirective, "\(relation.fieldName.text) is found by references and not by an index.",
                at: relation.place, hint: "Leave `indexName` out.")
            return
        }
        guard areReferencesValid(of: relation) else { return }
        let access = addImplicitIndex(on: relation.references, for: relation)
        makePage(of: relation, sortArgument: nil, keyType: nil)
        relationPlans.append(
            .page(
                relation, columns: models[relation.parentModel].primaryKey, access: access, hasSortArgument: false))
    }

    /// `@manyToMany`: the items of the join model, by its index of this side.
    mutating func applyManyToMany(_ relation: Relation) {
        guard let key = keyFields(of: relation) else { return }
        makePage(of: relation, sortArgument: nil, keyType: nil)
        precondition(relation.fields.count == key.count, "the join model's index is of the whole key of this side")
        relationPlans.append(
            .page(relation, columns: relation.fields, access: access(of: relation), hasSortArgument: false))
    }

    // MARK: - Keys and indexes

    /// The fields of the key that is queried: an index by its name, or the primary key.
    private mutating func keyFields(of relation: Relation) -> [String]? {
        let model = models[relation.relatedModel]
        guard let name = relation.indexName else { return model.primaryKey }
        if let index = model.index(named: name) {
            return [model.indexes[index].partitionKey] + model.indexes[index].sortKeys
        }
        diagnostics.report(
            .invalidDirective, "Index \(name) does not exist for model \(model.name)", at: relation.place,
            hint: SuggestionList.hint(for: name, among: model.indexes.map(\.name))
                ?? "Add @index(name: \"\(name)\") to a field of \(model.name).")
        return nil
    }

    private func access(of relation: Relation) -> Access {
        relation.indexName.flatMap { models[relation.relatedModel].index(named: $0) }.map(Access.index) ?? .primaryKey
    }

    /// An index of the related model that only this field uses, by the fields that hold the parent's key.
    mutating func addImplicitIndex(on fields: [String], for relation: Relation) -> Access {
        let name = Names.connectionIndex(relation.fieldName.text)
        models[relation.relatedModel].addIndex(
            ModelDraft.Index(name: name, partitionKey: fields[0], sortKeys: Array(fields.dropFirst())))
        guard let position = models[relation.relatedModel].index(named: name) else {
            preconditionFailure("the index \(name) was added just now")
        }
        return .index(position)
    }

    // MARK: - The page

    /// The condition on the sort key of the key that is queried: there is one when fewer than two fields are matched,
    /// as in the original also when the field has a foreign key of its own, which has no sort key. `nil` is a fault.
    private mutating func sortArgument(
        of relation: Relation, in key: [String]
    ) -> (value: InputValueDefinition?, keyType: String?)? {
        let sortFields = Array(key.dropFirst())
        guard relation.fields.count < 2, let last = sortFields.last, let name = sortArgumentName(of: sortFields) else {
            return (nil, nil)
        }
        let related = relation.related
        guard sortFields.count == 1 else {
            let input = Names.compositeKeyConditionInput(related.name, key: relation.indexName)
            return (InputValueDefinition(name: name, type: .named(input)), nil)
        }
        let type = related.typeName(of: last)
        if isEnumeration(type) {
            if relation.fields.isEmpty, relation.indexName == nil { return (nil, nil) }
            diagnostics.report(
                .invalidDirective,
                "Expected scalar and got \(type): the sort key of the key that \(relation.fieldName.text) queries "
                    + "cannot be an enum.", at: relation.place,
                hint: "Match the sort key by a second field in `fields`, or sort by a string.")
            return nil
        }
        return (InputValueDefinition(name: name, type: .named(Names.keyConditionInput(base(of: type)))), type)
    }

    /// Turns the list into a page in place. As the original does, it makes the field anew, without its description.
    private mutating func makePage(of relation: Relation, sortArgument: InputValueDefinition?, keyType: String?) {
        let related = relation.related.name
        addConnectionType(for: related)
        let arguments =
            [sortArgument].compactMap { $0 } + [
                InputValueDefinition(name: "filter", type: .named(filterInputName(related))),
                InputValueDefinition(name: "sortDirection", type: .named(Names.sortDirection)),
                InputValueDefinition(name: "limit", type: .named("Int")),
                InputValueDefinition(name: "nextToken", type: .named("String")),
            ]
        let page = TypeNode.named(connectionName(related))
        updateObject(relation.parent.name) { type in
            guard let position = type.fields.firstIndex(where: { $0.name == relation.field.name }) else { return }
            type.fields[position] = FieldDefinition(
                name: relation.field.name, arguments: arguments, type: page,
                directives: relation.field.directives, place: relation.field.place)
        }
        addFilterInput(for: relation.related)
        if let keyType { addKeyConditionInput(for: keyType) }
    }

    /// DataStore cannot tell which of two models to sync first when each has the other
    /// (reference: transformer, "Relations of version 2").
    mutating func isFreeOfCircles(_ relation: Relation) -> Bool {
        guard isVersioned(relation.parent.name), relation.parent.name != relation.related.name else { return true }
        let isCircle = fieldDeclarations(of: relation.related.name).contains { field in
            field.type.namedType == relation.parent.name
                && (field.relation(.hasOne) != nil || field.relation(.hasMany) != nil)
        }
        guard isCircle else { return true }
        diagnostics.report(
            .invalidDirective,
            "\(relation.parent.name) and \(relation.related.name) cannot refer to each other via @hasOne or @hasMany "
                + "when conflicts are detected.", at: relation.place, hint: "Use @belongsTo on one side.")
        return false
    }
}
