import GraphQL
import Tables

/// A filter or condition argument (`ModelPostFilterInput`, `ModelPostConditionInput`) as a `Condition` on a table.
///
/// All entries of one object are ANDed, and so are several operators on one field
/// (reference: transformer, "Filters and conditions"). An empty object restricts nothing. The number of terms is
/// bounded, since each becomes SQL, and so is the length of an operand, since each may be compared with many texts.
struct FilterCondition {
    private let table: Table
    private let rules: FilterRules
    private var termsLeft: Int

    /// The condition, or nil when the argument is absent, null or restricts nothing.
    static func condition(
        _ argument: CoercedValue?, on table: Table, _ rules: FilterRules
    ) throws(ResolverError) -> Condition? {
        guard let argument, !argument.isNull, !argument.fields.isEmpty else { return nil }
        var builder = FilterCondition(table: table, rules: rules, termsLeft: rules.termsMax)
        return try builder.all(argument)
    }

    private mutating func all(_ object: CoercedValue) throws(ResolverError) -> Condition {
        var terms: [Condition] = []
        for field in object.fields where !field.value.isNull {
            switch field.name {
            case "and" where table.position(of: "and") == nil:
                terms.append(.and(try each(field.value)))
            case "or" where table.position(of: "or") == nil:
                let alternatives = try each(field.value)
                if !alternatives.isEmpty { terms.append(.or(alternatives)) }
            case "not" where table.position(of: "not") == nil:
                terms.append(.not(try all(field.value)))
            default:
                guard let column = table.position(of: field.name) else {
                    terms += field.value.fields.map { Self.term(ofMissing: $0.name, $0.value) }
                    continue
                }
                for operation in field.value.fields {
                    terms.append(try term(operation.name, operation.value, column))
                }
            }
        }
        return terms.count == 1 ? terms[0] : .and(terms)
    }

    private mutating func each(_ list: CoercedValue) throws(ResolverError) -> [Condition] {
        guard case .list(let elements) = list else { return [try all(list)] }
        var conditions: [Condition] = []
        for element in elements where !element.isNull { conditions.append(try all(element)) }
        return conditions
    }

    private mutating func term(_ name: String, _ operand: CoercedValue, _ column: Int) throws(ResolverError)
        -> Condition
    {
        termsLeft -= 1
        guard termsLeft >= 0 else {
            throw ResolverError(
                errorType: "BadRequest", message: "A filter may have at most the configured number of terms.")
        }
        try checkLength(of: operand, isPair: name == "between")
        switch name {
        case "eq", "ne", "le", "lt", "ge", "gt":
            guard let comparison = Comparison(rawValue: name) else { break }
            // No order has a null.
            if operand.isNull, rules.refusesUnknown, comparison != .eq, comparison != .ne { throw .unrecognizedFilter }
            return compare(comparison, operand, column)
        case "between":
            guard case .list(let bounds) = operand, bounds.count == 2 || rules.refusesUnknown && bounds.count > 2 else {
                return try unrecognized(
                    orElse: .validation(
                        "Invalid operator used in FilterExpression: 'between' expects exactly two elements."))
            }
            return .between(column: column, value(bounds[0], column), value(bounds[1], column))
        case "contains":
            return operand.isNull ? .or([]) : .contains(column: column, element(operand))
        case "notContains":
            return operand.isNull ? .and([]) : .notContains(column: column, element(operand))
        case "beginsWith":
            guard case .string(let prefix) = operand else { return .or([]) }
            return .beginsWith(column: column, prefix)
        case "attributeExists":
            guard case .bool(let exists) = operand else { return try unrecognized(orElse: nil) }
            return .attributeExists(column: column, exists)
        case "attributeType":
            guard case .enumValue(let name) = operand, let type = AttributeType(rawValue: name) else {
                return try unrecognized(orElse: nil)
            }
            return .attributeType(column: column, type)
        case "size":
            guard !operand.isNull else { return try unrecognized(orElse: nil) }
            return .and(
                try operand.fields.map { field throws(ResolverError) in
                    try size(field.name, field.value, column)
                })
        default: break
        }
        return try unrecognized(orElse: nil)
    }

    /// What becomes of an operator that is none, or that has an operand it does not take. Version 1 leaves it out unless it
    /// has an error of its own for it.
    private func unrecognized(orElse error: ResolverError?) throws(ResolverError) -> Condition {
        if rules.refusesUnknown { throw .unrecognizedFilter }
        if let error { throw error }
        return .and([])
    }

    /// A pair's bounds are two operands.
    private func checkLength(of operand: CoercedValue, isPair: Bool) throws(ResolverError) {
        if isPair, case .list(let bounds) = operand {
            for bound in bounds { try checkLength(of: bound, isPair: false) }
            return
        }
        let byteCount = operand.textByteCount
        guard byteCount <= rules.operandBytesMax else {
            throw .operandTooLong(byteCount, max: rules.operandBytesMax)
        }
    }

    /// An operator on an attribute that no item has: version 2 filters by an `id` also where the model has none.
    private static func term(ofMissing name: String, _ operand: CoercedValue) -> Condition {
        switch name {
        case "ne", "notContains": .and([])
        case "attributeExists": operand == .bool(false) ? .and([]) : .or([])
        default: .or([])
        }
    }

    private func compare(_ comparison: Comparison, _ operand: CoercedValue, _ column: Int) -> Condition {
        // A list attribute equals lists alone: against a scalar operand the types differ.
        if case .json = table.columns[column].type, !operand.isList, !operand.isNull {
            return comparison == .ne ? .and([]) : .or([])
        }
        return .compare(column: column, comparison, value(operand, column))
    }

    private func size(_ name: String, _ operand: CoercedValue, _ column: Int) throws(ResolverError) -> Condition {
        if name == "between" {
            guard case .list(let bounds) = operand, bounds.count == 2, case .int(let low) = bounds[0],
                case .int(let high) = bounds[1]
            else {
                throw .validation("Invalid operator used in FilterExpression: 'between' expects exactly two elements.")
            }
            return .sizeBetween(column: column, low, high)
        }
        guard let comparison = Comparison(rawValue: name), case .int(let count) = operand else { return .and([]) }
        return .size(column: column, comparison, count)
    }

    private func value(_ operand: CoercedValue, _ column: Int) -> Value {
        Value(operand, as: table.columns[column].type)
    }

    /// An element of a list, or a part of a string: as itself, not as its column keeps a whole value.
    private func element(_ operand: CoercedValue) -> Value {
        switch operand {
        case .string(let text), .enumValue(let text): .text(text)
        case .int(let integer): .integer(integer)
        case .double(let double): .real(double)
        case .bool(let bool): .integer(bool ? 1 : 0)
        case .null: .null
        case .list, .object: .text(operand.jsonText)
        }
    }
}

extension CoercedValue {
    /// The bytes that an operand is compared with: of a text, or of all texts in a list, where each element counts one
    /// more. What the value takes of memory is `byteCount`.
    fileprivate var textByteCount: Int {
        switch self {
        case .string(let text), .enumValue(let text): text.utf8.count
        case .list(let elements): elements.reduce(0) { $0 + 1 + $1.textByteCount }
        case .object(let fields): fields.reduce(0) { $0 + $1.value.textByteCount }
        case .null, .bool, .int, .double: 0
        }
    }
}
