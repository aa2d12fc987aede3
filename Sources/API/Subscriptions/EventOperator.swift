import JSON
import Tables

/// The operators of AppSync's enhanced subscription filters (reference: appsync-protocol, "Subscription filters").
///
/// A field that is missing or null meets none of them but `ne`, `notContains` and `notIn`; `eq` null, which only an
/// argument can ask for, is met by exactly such a field.
enum EventOperator: String, Sendable, Hashable, CaseIterable {
    case eq, ne, le, lt, ge, gt, between, contains, notContains, beginsWith, `in`, notIn, containsAny

    /// Whether a field of an event meets the operator.
    /// - Parameters:
    ///   - field: What stands in the event; nil where the event has no such field.
    ///   - operands: Two for `between`, any number for `in`, `notIn` and `containsAny`, one for the others. With a wrong
    ///     number of them nothing is met.
    func holds(of field: JSONValue?, _ operands: [EventValue]) -> Bool {
        let field = field ?? .null
        switch self {
        case .in: return !field.isNull && isAmong(field, operands)
        case .notIn: return !isAmong(field, operands)
        case .containsAny: return operands.contains { isElement($0, of: field) }
        case .between:
            guard operands.count == 2, let value = leaf(field) else { return false }
            return value.isLess(than: operands[0]) == false && operands[1].isLess(than: value) == false
        default: break
        }
        guard operands.count == 1, let operand = operands.first else { return false }
        switch self {
        case .eq: return EventValue(field) == operand
        case .ne: return EventValue(field) != operand
        case .contains: return contains(field, operand)
        case .notContains: return !contains(field, operand)
        case .lt: return leaf(field)?.isLess(than: operand) == true
        case .ge: return leaf(field)?.isLess(than: operand) == false
        case .gt: return leaf(field).flatMap { operand.isLess(than: $0) } == true
        case .le: return leaf(field).flatMap { operand.isLess(than: $0) } == false
        case .beginsWith:
            guard case .text(let text)? = leaf(field), case .text(let prefix) = operand else { return false }
            return text.hasPrefix(prefix)
        case .between, .in, .notIn, .containsAny: return false
        }
    }

    /// A scalar that is there.
    private func leaf(_ field: JSONValue) -> EventValue? { field.isNull ? nil : EventValue(field) }

    private func isAmong(_ field: JSONValue, _ operands: [EventValue]) -> Bool {
        guard let value = leaf(field) else { return false }
        return operands.contains(value)
    }

    private func isElement(_ operand: EventValue, of field: JSONValue) -> Bool {
        field.arrayValue?.contains { EventValue($0) == operand } ?? false
    }

    private func contains(_ field: JSONValue, _ operand: EventValue) -> Bool {
        guard case .text(let text)? = leaf(field), case .text(let part) = operand else {
            return isElement(operand, of: field)
        }
        return text.contains(part)
    }
}

extension EventOperator {
    /// Whether a field of an event meets `in` or `containsAny` with these texts.
    func holds(of field: JSONValue?, _ texts: TextSet) -> Bool {
        switch (self, field) {
        case (.in, .string(let text)?): texts.contains(text)
        case (.containsAny, .array(let elements)?):
            elements.contains { if case .string(let text) = $0 { texts.contains(text) } else { false } }
        default: false
        }
    }
}
