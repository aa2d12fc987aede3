/// The condition of the rules on the stored item of an update or delete, beside the condition of the caller
/// (reference: authorization, "Writes").
///
/// It is part of the statement that changes the item, so no other write comes in between. If the statement changes nothing, the guard
/// is evaluated on the stored item in the same transaction, to report whether it was the reason. It is not evaluated again for a
/// write that succeeds.
///
/// A class, so that a write without a guard is larger by one word only.
public final class WriteGuard: Sendable {
    /// A field that is written, and what the item must be for it.
    public struct Field: Sendable, Hashable {
        /// The field's name.
        public var name: String
        /// What must hold of the stored item.
        public var condition: Condition

        /// A field with its condition.
        public init(name: String, condition: Condition) {
            self.name = name
            self.condition = condition
        }
    }

    /// Why a write is not permitted.
    public enum Refusal: Sendable, Hashable {
        /// No rule allows writing the item; or the item does not exist, and every rule depends on the item.
        case item
        /// A rule allows writing the item, but none these fields; each once, in the order in which they were given.
        case fields([String])
    }

    /// Where it holds of the item, every field may be written.
    let full: Condition
    /// Elsewhere it must hold of the item.
    let admission: Condition
    /// Elsewhere all of these must hold, too.
    let fields: [Field]
    /// All in one.
    let condition: Condition

    /// Makes a guard of its parts. A missing item has no attributes.
    /// - Parameters:
    ///   - full: Where it holds of the stored item, every field may be written.
    ///   - admission: Where neither holds, nothing may be written.
    ///   - fields: What must hold for each written field where `full` does not. A field may have several entries.
    public init(full: Condition, admission: Condition, fields: [Field] = []) {
        self.full = full
        self.admission = admission
        self.fields = fields
        // Most fields ask the same, which is tested once.
        var parts: [Condition] = []
        for part in [admission] + fields.map(\.condition) where part != .always && !parts.contains(part) {
            parts.append(part)
        }
        let limited: Condition = parts.count == 1 ? parts[0] : .and(parts)
        condition = full == .never ? limited : .or([full, limited])
    }

    /// Why the write is not permitted, of an item as it is stored; nil where it is permitted.
    /// - Parameter item: All columns of the item; nil where there is none.
    func refusal(of item: Item?, in table: Table) -> Refusal? {
        let item = item ?? Item(values: Array(repeating: .null, count: table.columns.count))
        if full.holds(of: item, in: table) { return nil }
        guard admission.holds(of: item, in: table) else { return .item }
        var names: [String] = []
        for field in fields where !names.contains(field.name) && !field.condition.holds(of: item, in: table) {
            names.append(field.name)
        }
        return names.isEmpty ? nil : .fields(names)
    }
}

extension Condition {
    /// True of every item.
    public static let always = Condition.and([])
    /// True of no item.
    public static let never = Condition.or([])
}
