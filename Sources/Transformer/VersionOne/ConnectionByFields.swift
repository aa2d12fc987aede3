import GraphQL

// The new style of @connection: fields the author declared are matched with a key
// (reference: transformer, "Connections by fields").

extension TransformContext {
    /// `@connection(keyName:, fields:)`: fields of P are matched with a key of R.
    mutating func connect(_ connection: Connection, by fields: [String]) -> ConnectionPage? {
        let model = models[connection.relatedModel]
        guard let key = keyFields(of: connection, in: model), isValid(connection, by: fields, key: key) else {
            return nil
        }
        guard connection.field.type.isList else {
            if let keyName = connection.directive.indexName {
                diagnostics.report(
                    .invalidDirective,
                    "\(connection.fieldName.text) leads to one item, which is found by the primary key and not by "
                        + "'\(keyName)'.", at: connection.place, hint: "Leave out `keyName`, or make the field a list.")
            } else {
                connections.append(.item(connection, columns: fields))
            }
            return nil
        }
        guard fields.count == 1, let last = key.last, key.count > 1 else {
            makePage(of: connection, sortArgument: nil, keyType: nil)
            return ConnectionPage(
                connection: connection, indexName: connection.directive.indexName, partitionColumn: fields[0],
                sort: fields.count > 1 ? .parent(Array(fields.dropFirst())) : .none)
        }
        let sortFields = Array(key.dropFirst())
        let sortType = connection.related.typeName(of: last)
        let isComposite = sortFields.count > 1
        if !isComposite, isEnumeration(sortType) {
            diagnostics.report(
                .invalidDirective,
                "Expected scalar and got \(sortType): the sort key of the key that \(connection.fieldName.text) "
                    + "queries cannot be an enum.", at: connection.place,
                hint: "Match the sort key by a second field in `fields`, or sort by a string.")
            return nil
        }
        let input =
            isComposite
            ? Names.compositeKeyConditionInput(connection.related.name, key: connection.directive.indexName)
            : Names.keyConditionInput(base(of: sortType))
        makePage(
            of: connection,
            sortArgument: sortArgumentName(of: sortFields).map {
                InputValueDefinition(name: $0, type: .named(input))
            }, keyType: isComposite ? nil : sortType)
        return ConnectionPage(
            connection: connection, indexName: connection.directive.indexName, partitionColumn: fields[0],
            sort: .argument(sortFields))
    }

    /// The fields of the key that is queried: an index by its name, or the primary key.
    private mutating func keyFields(of connection: Connection, in model: ModelDraft) -> [String]? {
        guard let name = connection.directive.indexName else { return model.primaryKey }
        if let index = model.index(named: name) {
            return [model.indexes[index].partitionKey] + model.indexes[index].sortKeys
        }
        diagnostics.report(
            .invalidDirective, "Key '\(name)' does not exist for model \(model.name).", at: connection.place,
            hint: SuggestionList.hint(for: name, among: model.indexes.map(\.name))
                ?? "Add a @key with that name to \(model.name).")
        return nil
    }

    private mutating func isValid(_ connection: Connection, by fields: [String], key: [String]) -> Bool {
        let parent = connection.parent
        var faults: [(message: String, hint: String?)] = []
        if fields.isEmpty { faults.append(("No fields are passed to @connection.", nil)) }
        for name in fields {
            guard let field = parent.field(named: name) else {
                faults.append(
                    (
                        "'\(name)' is not a field in \(parent.name).",
                        SuggestionList.hint(for: name, among: parent.fields.map(\.name))
                    ))
                continue
            }
            if field.type.isList || !isScalarOrEnum(field.type.namedType) {
                faults.append(("A field of @connection must be a scalar or an enum; '\(name)' is not.", nil))
            }
        }
        if faults.isEmpty { faults = mismatch(of: fields, with: key, in: connection).map { [$0] } ?? [] }
        for fault in faults {
            diagnostics.report(.invalidDirective, fault.message, at: connection.place, hint: fault.hint)
        }
        return faults.isEmpty
    }

    /// Why fields that are each valid do not match the key.
    private func mismatch(
        of fields: [String], with key: [String], in connection: Connection
    ) -> (message: String, hint: String?)? {
        let related = connection.related
        let keyText = "The key is \(key.joined(separator: ", "))."
        if fields.count > 1, key.count == 1 {
            return ("Too many fields are passed to @connection.", keyText)
        }
        if fields.count > 1, fields.count != key.count {
            return ("@connection does not accept a part of a sort key.", keyText)
        }
        for (name, keyField) in zip(fields, key) {
            guard let field = related.field(named: keyField) else {
                return (
                    "The key field '\(keyField)' is not declared in \(related.name).",
                    "Declare it, so that `fields` can be matched with it."
                )
            }
            let expected = field.type.namedType
            if connection.parent.typeName(of: name) != expected {
                return ("The field '\(name)' is not of type \(expected).", keyText)
            }
        }
        return nil
    }
}
