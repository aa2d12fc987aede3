import GraphQL
import JSON
import Tables

/// The fields that the input of a create may have, and the values that are filled in (reference: authorization, "Writes").
struct InputDecision: Sendable, Hashable {
    /// The owner that is stored if the input has none.
    struct Fill: Sendable, Hashable {
        var field: String
        var column: Int
        var value: Value
    }

    let fills: [Fill]
    let grants: [WriteGrant]
    /// The fields that every caller may set that may create some field.
    let openFields: Set<String>
    /// The additional conditions of rules on fields, for an input that has the field (version 1).
    var fields: [String: InputDecision] = [:]

    /// The values to fill in, or why the input is refused.
    ///
    /// Roles are evaluated on the filled item: a caller who becomes its owner by the fill may create it. If two roles fill one field
    /// with different claims, the caller has both, although only one value is stored.
    /// - Parameter values: The attributes of the input in their stored form.
    func fills(
        of input: CoercedValue, _ values: [(column: Int, value: Value)], in table: Table
    ) -> Result<[Fill], Refusal> {
        let missing = fills.filter { input[$0.field] == nil }
        var item = Item(values: Array(repeating: .null, count: table.columns.count))
        for (column, value) in values { item.values[column] = value }
        for fill in missing { item.values[fill.column] = fill.value }
        let held = grants.filter { grant in
            grant.filledField.map { input[$0] == nil } ?? false || grant.condition.holds(of: item, in: table)
        }
        guard !held.isEmpty else { return .failure(Refusal(refusal: .item)) }
        guard !held.contains(where: \.isWhole) else { return fieldFills(of: input, values, missing, in: table) }
        let denied = input.fields.map(\.name).filter { name in
            !openFields.contains(name) && !held.contains { $0.fields.contains(name) }
        }
        return denied.isEmpty ? .success(missing) : .failure(Refusal(refusal: .fields(denied)))
    }

    /// The values to fill in, with those of the input's fields that have rules of their own, each of which must allow the input.
    private func fieldFills(
        of input: CoercedValue, _ values: [(column: Int, value: Value)], _ fills: [Fill], in table: Table
    ) -> Result<[Fill], Refusal> {
        var fills = fills
        for name in input.fields.map(\.name) {
            guard let decision = fields[name] else { continue }
            let filled = values + fills.map { ($0.column, $0.value) }
            switch decision.fills(of: input, filled, in: table) {
            case .success(let own): fills += own.filter { fill in !fills.contains { $0.column == fill.column } }
            case .failure: return .failure(Refusal(refusal: .item))
            }
        }
        return .success(fills)
    }

    struct Refusal: Error {
        let refusal: WriteGuard.Refusal
    }
}

extension InputDecision.Fill {
    /// - Parameter isList: Whether the owner is stored as a list of one.
    init(field: String, column: Int, owner: String, isList: Bool) {
        let text = isList ? JSONValue.array([.string(owner)]).description : owner
        self.init(field: field, column: column, value: .text(text))
    }
}
