/// Writes to versioned tables: decided and carried out in the writer's transaction, so that nothing comes in between.
///
/// An update or delete of the version that is stored is one statement, as it is without versions. Only what that
/// statement does not find is looked at: it is not there, it fails the condition, or it has another version.
extension WriteConnection {
    /// Carries out one write inside the open transaction.
    func result(of write: Write, sequence: UInt64) throws(StoreError) -> WriteResult {
        guard !write.table.permit.isRevoked else {
            throw StoreError(
                .superseded, "The schema of table \(write.table.table.name) was changed before it was written.")
        }
        guard let versioning = write.versioning else {
            guard write.table.versioning == nil else {
                throw StoreError(.invalidRequest, "Table \(write.table.table.name) is versioned, and the write is not.")
            }
            if let item = try perform(write) { return .item(item, sequence: sequence) }
            return try reason(of: write)
        }
        guard let stored = write.table.versioning else {
            throw StoreError(.invalidRequest, "Table \(write.table.table.name) is not versioned.")
        }
        try checkCondition(of: write)
        let step = VersionedWrite(
            write: write, versioning: versioning, stored: stored, stamp: stamp(), sequence: sequence,
            connection: self)
        switch write.action {
        case .put(let attributes): return try step.create(attributes)
        case .update(let key, let attributes): return try step.update(key, attributes)
        case .delete(let key): return try step.delete(key)
        }
    }
}

/// One write to a versioned table. The results: AWS AppSync, "Conflict detection and resolution"
/// (reference: datastore-sync, "Outcomes of mutations").
private struct VersionedWrite {
    let write: Write
    let versioning: Versioning
    let stored: StoredVersioning
    let stamp: Int64
    let sequence: UInt64
    let connection: WriteConnection

    private typealias Attributes = [(column: Int, value: Value)]

    private var table: StoredTable { write.table }
    private var metadata: VersionMetadata { stored.metadata }

    // MARK: Actions

    func create(_ attributes: [(column: Int, value: Value)]) throws(StoreError) -> WriteResult {
        try table.check(put: attributes)
        try checkMetadata(attributes)
        try connection.sizes.check(
            put: attributes + [(metadata.version, .integer(1)), (metadata.lastChangedAt, .integer(stamp))], of: table)
        let key = table.table.key.columns.map { column in
            attributes.first { $0.column == column }?.value ?? .null
        }
        if write.condition?.isTrueOfAbsentItem ?? true, let item = try insert(attributes, key) {
            return .item(item, sequence: sequence)
        }
        guard let current = try item(key) else { return .conditionFailed() }
        guard versioning.recreatesOverTombstone, isTombstone(current), write.condition?.isTrueOfAbsentItem ?? true
        else { return .conditionFailed(current: returned(current)) }
        let revived = table.replacement(attributes) + [(metadata.deleted, .null), (metadata.ttl, .null)]
        return try set(revived, of: key, expecting: current.integer(metadata.version), condition: nil)
            .map { .item($0, sequence: sequence) } ?? .conditionFailed(current: returned(current))
    }

    func update(_ key: [Value], _ attributes: [(column: Int, value: Value)]) throws(StoreError) -> WriteResult {
        try table.check(update: attributes)
        try table.check(key: key)
        try checkMetadata(attributes)
        return try change(key, attributes) { (current) throws(StoreError) in
            guard versioning.conflictHandler == .automerge else { return nil }
            return try Automerge.changes(of: current, by: attributes, in: table.table)
        }
    }

    func delete(_ key: [Value]) throws(StoreError) -> WriteResult {
        try table.check(key: key)
        let seconds = stamp / 1_000 + connection.tombstoneSeconds
        // Whatever the conflict handler: AUTOMERGE does not merge a delete.
        return try change(
            key, [(metadata.deleted, .integer(1)), (metadata.ttl, .integer(seconds))], checksSize: false
        ) { _ in nil }
    }

    /// Sets the attributes of the item with the key, if it has the expected version; or else what is made of them.
    /// - Parameter checksSize: Whether the item must not become too large.
    private func change(
        _ key: [Value], _ attributes: Attributes, checksSize: Bool = true,
        merged: (Item) throws(StoreError) -> Attributes?
    ) throws(StoreError) -> WriteResult {
        // No stored version is 0, which Amplify takes for a missing one.
        if let expected = versioning.expected, expected > 0,
            let item = try set(
                attributes, of: key, expecting: expected, condition: write.statementCondition, checksSize: checksSize)
        {
            return .item(item, sequence: sequence)
        }
        let found = try item(key)
        // What the rules refuse is refused whatever the version, and shows nothing of the item.
        if let refusal = write.writeGuard?.refusal(of: found, in: table.table) { return .notPermitted(refusal) }
        guard let current = found else { return .conditionFailed() }
        let version = current.integer(metadata.version)
        if version == versioning.expected { return .conditionFailed(current: returned(current)) }
        guard let merged = try merged(current) else { return .conflict(current: returned(current), version: version) }
        // Condition and guard are about the item that is merged onto.
        return try set(merged, of: key, expecting: version, condition: write.statementCondition)
            .map { .item($0, sequence: sequence) } ?? .conditionFailed(current: returned(current))
    }

    // MARK: Statements

    private func insert(_ attributes: Attributes, _ key: [Value]) throws(StoreError) -> Item? {
        let columns = attributes.map(\.column)
        let shape = WriteConnection.Shape(action: .create, table: table.id, columns: columns)
        let values = attributes.map(\.value) + key + [.integer(stamp)]
        let isInserted = try connection.change(shape, values) { $0.create(table, stored, columns: columns) }
        return isInserted ? try connection.changedItem(key, of: write) : nil
    }

    /// Sets attributes and the next version; nil if the item is not there, has another version, or fails the condition.
    private func set(
        _ attributes: Attributes, of key: [Value], expecting version: Int64, condition: Condition?,
        checksSize: Bool = true
    ) throws(StoreError) -> Item? {
        // No stored version is the greatest number, so the next one never is used where it has wrapped.
        let attributes =
            attributes + [(metadata.version, .integer(version &+ 1)), (metadata.lastChangedAt, .integer(stamp))]
        let columns = attributes.map(\.column)
        var values = attributes.map(\.value)
        values += key
        values.append(.integer(version))
        let condition = condition.map { ParameterizedCondition($0, of: table.table) }
        values += condition?.values ?? []
        let shape = WriteConnection.Shape(
            action: .update, table: table.id, columns: columns, condition: condition?.shape, expectsVersion: true,
            checksSize: checksSize)
        let makeText = { (text: inout SQLText) in
            text.update(
                table, columns: columns, condition: shape.condition, expectsVersion: true, checksSize: checksSize)
        }
        let isSet =
            checksSize
            ? try connection.changeIfFits(shape, attributes, of: table, values, makeText)
            : try connection.change(shape, values, makeText)
        return isSet ? try connection.changedItem(key, of: write) : nil
    }

    /// The item with the key, whole, tombstones included.
    private func item(_ key: [Value]) throws(StoreError) -> Item? {
        try connection.item(key, of: table, columns: Array(table.columns.indices))
    }

    // MARK: Items

    private func returned(_ item: Item) -> Item { Item(values: write.returning.map { item.values[$0] }) }

    private func isTombstone(_ item: Item) -> Bool { item.integer(metadata.deleted) != 0 }

    /// AWS AppSync: a change of the metadata is a bad request.
    private func checkMetadata(_ attributes: Attributes) throws(StoreError) {
        for attribute in attributes where metadata.positions.contains(attribute.column) {
            let name = table.table.columns[attribute.column].name
            throw StoreError(.invalidRequest, "The attribute \(name) is written by the store alone.")
        }
    }
}
