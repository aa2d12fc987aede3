import Encodings
import GraphQL
import JSON
import Tables
import Transformer

/// What a mutation field's arguments become: one write (reference: transformer, "Create")
/// (reference: transformer, "Update and delete").
struct WriteRequest {
    let plan: WritePlan
    let environment: APIEnvironment
    let options: APIOptions
    let filters: FilterRules
    /// What the stored item has to meet, beside the condition of the arguments.
    var expectation: Condition?

    /// - Parameters:
    ///   - decision: What the rules decide of the write; they refuse it here or by the guard of the write.
    ///   - field: The mutation field, for the message of a refusal.
    func write(
        _ arguments: ArgumentValues, _ decision: Decision, of field: PlannedField
    ) throws(ResolverError) -> Write {
        let input = arguments["input"] ?? .null
        let fills = try fills(of: input, decision, field)
        let asked = try FilterCondition.condition(
            arguments["condition"], on: plan.table.table, filters.ofConditions)
        let condition = Condition.both(expectation, asked)
        let action: Write.Action =
            switch plan.kind {
            case .create: .put(try created(input, fills))
            case .update: .update(key: try key(input), try updated(input))
            case .delete: .delete(key: try key(input))
            }
        return Write(
            table: plan.table, action: action, condition: condition,
            writeGuard: try writeGuard(of: input, decision, field),
            returning: plan.returning, versioning: versioning(input), observer: plan.topic)
    }

    /// What the rules fill the input of a create with.
    private func fills(
        of input: CoercedValue, _ decision: Decision, _ field: PlannedField
    ) throws(ResolverError) -> [InputDecision.Fill] {
        guard case .input(let decision) = decision else { return [] }
        switch decision.fills(of: input, columns(input), in: table) {
        case .success(let fills): return fills
        case .failure(let refusal):
            switch refusal.refusal {
            case .item: throw .unauthorized(field)
            case .fields(let names): throw .unauthorized(names)
            }
        }
    }

    /// What the rules ask of the stored item.
    private func writeGuard(
        of input: CoercedValue, _ decision: Decision, _ field: PlannedField
    ) throws(ResolverError) -> WriteGuard? {
        switch decision {
        case .storedItem(let decision):
            return plan.kind == .delete ? decision.guardOfDelete : decision.writeGuard(updating: input)
        case .condition(let decision):
            switch decision.guarding(of: input) {
            case .refused: throw .unauthorized(field)
            case .unguarded: return nil
            case .guarded(let writeGuard): return writeGuard
            }
        default: return nil
        }
    }

    /// The version that the caller expects. A create's is not looked at: clients send what they remember of the key.
    private func versioning(_ input: CoercedValue) -> Versioning? {
        guard let conflictHandler = model.conflictHandler else { return nil }
        var expected: Int64?
        if plan.kind != .create, case .int(let version)? = input["_version"] { expected = version }
        return Versioning(
            expecting: expected, conflictHandler, recreatesOverTombstone: options.recreatesOverTombstone)
    }

    private var model: Model { plan.model }
    private var table: Table { plan.table.table }

    private func created(
        _ given: CoercedValue, _ fills: [InputDecision.Fill]
    ) throws(ResolverError) -> [(column: Int, value: Value)] {
        let input = withDefaults(given)
        try checkCompositeSortKeys(input, verb: "creating")
        var values = columns(input)
        for fill in fills {
            values.removeAll { $0.column == fill.column }
            values.append((fill.column, fill.value))
        }
        func fill(_ name: String, _ value: @autoclosure () -> String) {
            guard input[name]?.isNull ?? true, let column = table.position(of: name),
                !fills.contains(where: { $0.column == column })
            else { return }
            values.removeAll { $0.column == column }
            values.append((column, self.value(text: value(), column)))
        }
        if model.generatesID { fill("id", environment.makeUUID()) }
        let now = DateTime.text(milliseconds: environment.nowMilliseconds())
        for date in model.filledDates { fill(date, now) }
        return values
    }

    /// The input with the default of each field that it gives no value, as if the caller had given it
    /// (reference: transformer, "@default, @mapsTo and @refersTo").
    private func withDefaults(_ input: CoercedValue) -> CoercedValue {
        guard case .object(var fields) = input else { return input }
        for value in model.defaultValues where input[value.field]?.isNull ?? true {
            fields.removeAll { $0.name == value.field }
            fields.append(CoercedField(name: value.field, value: value.value))
        }
        return .object(fields)
    }

    private func updated(_ input: CoercedValue) throws(ResolverError) -> [(column: Int, value: Value)] {
        if model.refusesNullForRequiredFields {
            for field in input.fields where field.value.isNull && model.requiredFields.contains(field.name) {
                throw ResolverError(
                    message:
                        "An argument you marked as Non-Null is set to Null in the query or the body of your request.")
            }
        }
        try checkCompositeSortKeys(input, verb: "updating")
        let keyColumns = Set(table.key.columns)
        var values = columns(input).filter { !keyColumns.contains($0.column) }
        if let updatedAt = model.updatedAt, input[updatedAt]?.isNull ?? true,
            let column = table.position(of: updatedAt)
        {
            values.removeAll { $0.column == column }
            let now = DateTime.text(milliseconds: environment.nowMilliseconds())
            values.append((column, .text(now)))
        }
        return values
    }

    /// The fields of the input that are attributes, absent ones left out. The version is none: the store counts it.
    private func columns(_ input: CoercedValue) -> [(column: Int, value: Value)] {
        let version = table.metadata?.version
        return input.fields.compactMap { field in
            guard let column = table.position(of: field.name), column != version else { return nil }
            return (column, Value(field.value, as: table.columns[column].type))
        }
    }

    private func value(text: String, _ column: Int) -> Value {
        Value(.string(text), as: table.columns[column].type)
    }

    private func key(_ input: CoercedValue) throws(ResolverError) -> [Value] {
        var key: [Value] = []
        for column in table.key.columns {
            let name = table.columns[column].field
            guard let part = input[name], !part.isNull else {
                throw .validation("The provided key element does not match the schema: '\(name)' is missing")
            }
            key.append(Value(part, as: table.columns[column].type))
        }
        return key
    }

    /// Parts of a composite sort key come together or not at all; a null counts as given
    /// (reference: transformer, "Composite sort keys in mutations").
    private func checkCompositeSortKeys(_ input: CoercedValue, verb: String) throws(ResolverError) {
        for key in model.compositeSortKeys where key.fields.contains(where: { input[$0] != nil }) {
            for field in key.fields where input[field] == nil && !isFilled(field, verb: verb) {
                throw ResolverError(
                    message:
                        "When \(verb) any part of the composite sort key for @\(key.directiveName) '\(key.indexName)', "
                        + "you must provide all fields for the key. Missing key: '\(field)'.")
            }
        }
    }

    /// The service's own timestamps need not be given.
    private func isFilled(_ field: String, verb: String) -> Bool {
        field == model.updatedAt || (verb == "creating" && model.filledDates.contains(field))
    }
}
