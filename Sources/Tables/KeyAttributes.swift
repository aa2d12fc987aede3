/// What DynamoDB asks of the attributes of a write, before anything is written.
extension StoredTable {
    /// Checks the attributes of a put.
    func check(put attributes: [(column: Int, value: Value)]) throws(StoreError) {
        try checkTypes(of: attributes)
        try checkIndexKeys(of: attributes)
        for position in table.key.columns {
            let value = attributes.first { $0.column == position }?.value ?? .null
            try checkPresent(value, at: position)
        }
    }

    /// Checks the values of all columns of a put.
    func check(row values: [Value]) throws(StoreError) {
        for position in values.indices {
            let value = values[position]
            try checkType(of: value, at: position)
            if value == .text(""), table.indexes.contains(where: { Self.isWhole(position, of: $0.key) }) {
                try checkNotEmpty(value, at: position)
            }
        }
        for position in table.key.columns { try checkPresent(values[position], at: position) }
    }

    /// Checks the attributes of an update, of which none may be a part of the primary key.
    func check(update attributes: [(column: Int, value: Value)]) throws(StoreError) {
        try checkTypes(of: attributes)
        try checkIndexKeys(of: attributes)
        for attribute in attributes where table.key.columns.contains(attribute.column) {
            let name = table.columns[attribute.column].name
            throw refusal("Cannot update attribute \(name). This attribute is part of the key")
        }
    }

    /// Checks the values of a primary key.
    func check(key values: [Value]) throws(StoreError) {
        guard values.count == table.key.columns.count else {
            throw refusal("The provided key element does not match the schema")
        }
        for (position, value) in zip(table.key.columns, values) { try checkPresent(value, at: position) }
    }

    private func checkPresent(_ value: Value, at position: Int) throws(StoreError) {
        guard value != .null else { throw refusal("Missing the key \(table.columns[position].name) in the item") }
        if Self.isWhole(position, of: table.key) { try checkNotEmpty(value, at: position) }
    }

    /// An absent attribute only keeps the item out of the index; an empty one is refused.
    private func checkIndexKeys(of attributes: [(column: Int, value: Value)]) throws(StoreError) {
        for attribute in attributes where attribute.value == .text("") {
            guard table.indexes.contains(where: { Self.isWhole(attribute.column, of: $0.key) }) else { continue }
            try checkNotEmpty(attribute.value, at: attribute.column)
        }
    }

    /// Whether the attribute is a key by itself: a part of a composite sort key may be empty, for the joined text is not.
    private static func isWhole(_ position: Int, of key: KeySchema) -> Bool {
        key.partitionKey == position || (key.sortKeys.count == 1 && key.sortKeys.contains(position))
    }

    private func checkNotEmpty(_ value: Value, at position: Int) throws(StoreError) {
        guard value == .text("") else { return }
        throw StoreError(
            .invalidRequest,
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty "
                + "string value. Key: \(table.columns[position].name)")
    }

    private func checkTypes(of attributes: [(column: Int, value: Value)]) throws(StoreError) {
        for (position, value) in attributes { try checkType(of: value, at: position) }
    }

    private func checkType(of value: Value, at position: Int) throws(StoreError) {
        let fits =
            switch (table.columns[position].type, value) {
            case (_, .null), (.text, .text), (.json, .text), (.integer, .integer), (.real, .integer): true
            case (.boolean, .integer(let value)): value == 0 || value == 1
            case (.real, .real(let value)): value.isFinite
            default: false
            }
        guard fits else { throw refusal("Type mismatch for \(table.columns[position].name)") }
    }

    private func refusal(_ reason: String) -> StoreError {
        StoreError(.invalidRequest, "One or more parameter values were invalid: \(reason)")
    }
}
