/// What is counted of a stored table for one step of a migration. The SQL names what is there before the migration; a
/// rename changes names in the catalog alone, so it also holds in the middle of one.
struct Census: Sendable, Hashable {
    /// The SQLite table's name, quoted.
    var table: String
    /// The columns with a type, quoted, whose values a copy that loses nothing keeps.
    var columns: [String] = []
    /// Whether the step copies the table, so that its items are counted before and after it.
    var isCopy = false
    /// What is true of the items that stay; nil when all of them do.
    var present: String?
    /// The new primary key, as expressions, where items that differ now may have the same one then; else empty.
    var key: [String] = []
    /// For each conversion that may lose something: what is true of an item that loses that value.
    var losses: [String] = []
    /// What the step does to the data if it turns out that nothing is lost.
    var leastEffect = MigrationStep.Effect.none

    /// Whether an item or a value might get lost: only then counting can change what the step amounts to.
    var mayLose: Bool { present != nil || !key.isEmpty || !losses.isEmpty }

    /// Counts, in one or two passes over the table.
    func count(on connection: Connection) throws(StoreError) -> MigrationStep.Counts {
        let stays = present ?? "1"
        let lost = losses.map { "count(*) FILTER (WHERE \(stays) AND \($0))" }
        let outputs = ["count(*)", "count(*) FILTER (WHERE \(stays))"] + (lost.isEmpty ? ["0"] : lost)
        let row = try connection.rows(
            "SELECT \(outputs.joined(separator: ", ")) FROM \(table)", columns: outputs.count)[0]
        let (items, kept) = (Int(row.integer(0)), Int(row.integer(1)))
        var removed = items - kept
        if !key.isEmpty {
            let keys = "SELECT DISTINCT \(key.joined(separator: ", ")) FROM \(table) WHERE \(stays)"
            removed += kept - Int(try connection.rows("SELECT count(*) FROM (\(keys))", columns: 1)[0].integer(0))
        }
        let values = (2..<outputs.count).reduce(0) { $0 + Int(row.integer($1)) }
        return MigrationStep.Counts(items: items, removedItems: removed, lostValues: values)
    }

    /// How many items there are, and of each column how many that have it.
    func presence(on connection: Connection) throws(StoreError) -> [Int64] {
        let outputs = ["count(*)"] + columns.map { "count(\($0))" }
        return try connection.rows("SELECT \(outputs.joined(separator: ", ")) FROM \(table)", columns: outputs.count)[0]
            .values.map { if case .integer(let count) = $0 { count } else { 0 } }
    }
}

extension Migration.Change {
    /// The step with what is counted, and what it amounts to then.
    func counted(on connection: Connection) throws(StoreError) -> MigrationStep {
        guard let census else { return step }
        var step = step
        let counts = try census.count(on: connection)
        step.counts = counts
        if step.effect == .losesData, census.isCopy, counts.removedItems == 0, counts.lostValues == 0 {
            step.effect = census.leastEffect
            step.hint = nil
        }
        return step
    }

    /// The least that the step can amount to, before anything is counted.
    var leastEffect: MigrationStep.Effect {
        guard let census, census.isCopy, step.effect == .losesData else { return step.effect }
        return census.leastEffect
    }

    /// Carries the step out in the open transaction, and throws when it has kept fewer items, or values, than it should.
    /// - Returns: The step, counted if it copies the table.
    func carryOut(on connection: Connection) throws(StoreError) -> MigrationStep {
        guard let census, census.isCopy else {
            for statement in statements { try connection.execute(statement) }
            return step
        }
        // Steps before this one may have removed items.
        let step = try counted(on: connection)
        let before = try census.presence(on: connection)
        for statement in statements { try connection.execute(statement) }
        let after = try census.presence(on: connection)
        let expected = Int(before[0]) - (step.counts?.removedItems ?? 0)
        guard after[0] == expected else {
            throw refusal("\(census.table) had \(before[0]) items and would have \(after[0]) instead of \(expected)")
        }
        guard step.effect < .losesData, before != after else { return step }
        let names = zip(census.columns, zip(before, after).dropFirst()).filter { $1.0 != $1.1 }.map(\.0)
        throw refusal("\(names.joined(separator: ", ")) of \(census.table) would not keep every value")
    }

    private func refusal(_ what: String) -> StoreError {
        StoreError(
            .other, "The migration was stopped and nothing was changed: in the step \"\(step.summary)\" \(what).",
            hint: "This is a fault of Syncline; please report it with the schema before and after.")
    }
}
