internal import JSON

/// AUTOMERGE: what an update changes of an item that has another version than its writer knew
/// (reference: datastore-sync, "Conflict handlers"). AWS AppSync, "Conflict detection and resolution": without the item
/// as the writer knew it, what is stored wins, and lists grow.
///
/// A scalar that is present stays. A list gets the new elements after its own. Of an embedded object each member is
/// merged by the same rules. What is absent is taken over, and nothing is removed. A pure function.
enum Automerge {
    /// The attributes to set, of those given; an absent value removes nothing and is left out.
    /// - Parameter stored: The whole item, by position in the table.
    static func changes(
        of stored: Item, by attributes: [(column: Int, value: Value)], in table: Table
    ) throws(StoreError) -> [(column: Int, value: Value)] {
        var changes: [(column: Int, value: Value)] = []
        for (column, incoming) in attributes where incoming != .null {
            switch (table.columns[column].type, stored.values[column], incoming) {
            case (_, .null, _):
                changes.append((column, incoming))
            case (.json, .text(let text), .text(let incoming)):
                let merged = merge(try read(text), try read(incoming))
                changes.append((column, .text(merged.description)))
            default:
                break
            }
        }
        return changes
    }

    static func merge(_ stored: JSONValue, _ incoming: JSONValue) -> JSONValue {
        switch (stored, incoming) {
        case (_, .null): return stored
        case (.null, _): return incoming
        case (.array(let elements), .array(let others)): return .array(elements + others)
        case (.object(var members), .object(let others)):
            for (name, value) in others where value != .null { members[name] = merge(members[name] ?? .null, value) }
            return .object(members)
        default: return stored
        }
    }

    private static func read(_ text: String) throws(StoreError) -> JSONValue {
        do {
            // As deep as a document may nest.
            return try JSONReader.read(text, depthMax: 256)
        } catch {
            throw StoreError(.invalidRequest, "A list or nested value is not JSON.", hint: error.message)
        }
    }
}
