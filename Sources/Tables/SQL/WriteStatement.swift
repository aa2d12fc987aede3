/// The statements that carry a write out, for operators. It holds no value; the texts are made when they are read.
public struct WriteStatement: Sendable {
    /// What is done, with the columns that are set.
    private enum Action {
        case put([Int])
        case update([Int])
        case delete
    }

    private let stored: StoredTable
    private let action: Action
    private let condition: ConditionShape?
    private let returning: [Int]

    /// The statements of a write.
    public init(_ write: Write) {
        stored = write.table
        returning = write.returning
        condition = write.statementCondition.map { ParameterizedCondition($0, of: write.table.table).shape }
        switch write.action {
        case .put(let attributes): action = .put(attributes.map(\.column))
        case .update(_, let attributes): action = .update(attributes.map(\.column))
        case .delete: action = .delete
        }
    }

    /// The table's name.
    public var table: String { stored.table.name }

    /// The statement that changes the item, with parameters in place of values. A delete from a table without versions comes
    /// after the statement that tests its condition. A write to a table with versions expects one.
    public var sql: String {
        var text = SQLText(.sqlite)
        switch action {
        case .put(let columns):
            if let versioning = stored.versioning {
                text.create(stored, versioning, columns: columns)
            } else {
                text.put(stored, columns: columns)
            }
        case .update(let columns): change(columns, checksSize: true, in: &text)
        case .delete:
            if let metadata = stored.versioning?.metadata {
                change([metadata.deleted, metadata.ttl], checksSize: false, in: &text)
            } else {
                var test = SQLText(.sqlite)
                test.item(stored, columns: returning, condition: condition)
                text.delete(stored)
                return "\(test.sql);\n\(text.sql)"
            }
        }
        return text.sql
    }

    private func change(_ columns: [Int], checksSize: Bool, in text: inout SQLText) {
        let metadata = stored.versioning?.metadata
        text.update(
            stored, columns: columns + (metadata.map { [$0.version, $0.lastChangedAt] } ?? []), condition: condition,
            expectsVersion: metadata != nil, checksSize: checksSize)
    }

    /// What the stored item has to meet, by the caller's condition and by rules, as SQL with parameters in place of values; nil
    /// if nothing is asked.
    public var conditionText: String? {
        guard let condition else { return nil }
        var text = SQLText(.sqlite)
        return text.condition(condition, of: stored)
    }
}
