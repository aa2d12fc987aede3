import GraphQL
import JSON
import Tables
import Transformer

/// What the function decided.
enum ConflictDecision: Sendable, Equatable {
    /// The item replaces the stored one, but for its key and metadata.
    case resolve(JSONObject)
    /// The change is refused.
    case reject
    /// The item is deleted.
    case remove

    /// Reads an answer; nil is one that it may not give to this kind of write.
    init?(_ answer: [UInt8], to kind: WritePlan.Kind) {
        let value = unsafe answer.withUnsafeBytes { try? unsafe JSONReader.read($0) }
        switch (value?["action"]?.stringValue, kind) {
        case ("RESOLVE", .update):
            guard let item = value?["item"]?.objectValue else { return nil }
            self = .resolve(item)
        case ("REMOVE", .delete): self = .remove
        case ("REJECT", _): self = .reject
        default: return nil
        }
    }
}

extension ConflictDecision {
    /// The write that carries the decision out, if the stored version is still the one that was decided about; nil for
    /// REJECT, and for an item that does not fit its model.
    func write(in place: Write, of plan: WritePlan, current: Item, version: Int64) -> Write? {
        var write = place
        switch (self, place.action) {
        case (.resolve(let item), .update(let key, let attributes)):
            guard let replacement = plan.attributes(of: item, current: current, changes: attributes) else { return nil }
            write = .resolving(
                key, as: replacement, of: place.table, expecting: version, condition: place.condition,
                writeGuard: place.writeGuard, returning: place.returning)
            write.observer = place.observer
        case (.remove, .delete): write.versioning?.expected = version
        default: return nil
        }
        return write
    }
}
