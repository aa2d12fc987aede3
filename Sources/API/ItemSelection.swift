import JSON
import Synchronization
import Tables

/// What is selected of an item, laid out for being written row after row.
///
/// Most selected fields are plain columns that are always given. All that a row's walk asks about those stands side by
/// side in memory, instead of in an object for each field: nothing is counted, and what the plan has decided is not
/// decided again. `fields` say the same; they are asked about all else, and where a value does not fit its field.
final class ItemSelection: Sendable {
    /// One field, as far as it is plain.
    struct Cell: Sendable {
        enum Kind {
            case text, owner, int, long, real, boolean
            /// The key brings its value with it: `__typename`.
            case ready
            /// Not plain: the field has to be completed.
            case field
        }

        let kind: Kind
        /// The column's position in the row.
        let position: Int
        /// Where the key stands in `keys`, with what is between it and the field before: `{"id":` or `,"title":`.
        let key: Range<Int>
    }

    /// A number that no other selection of this process has, from 1.
    let id = ids.add(1, ordering: .relaxed).newValue
    private static let ids = Atomic<Int>(0)

    let fields: [PlannedField]
    /// One for each field; none when the first field depends on a variable, so that the commas do too.
    let cells: [Cell]
    let keys: [UInt8]
    /// Whether an item's bytes follow from its row alone, whatever the request.
    let isPlain: Bool

    init(_ fields: [PlannedField]) {
        self.fields = fields
        var cells: [Cell] = []
        var keys: [UInt8] = []
        if let first = fields.first, first.isAlwaysIncluded {
            for field in fields {
                let start = keys.count
                keys.append(cells.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
                keys += field.key
                let (kind, position) = Self.kind(of: field)
                if kind == .ready, case .typename(let name) = field.resolution { keys += name }
                cells.append(Cell(kind: kind, position: position, key: start..<keys.count))
            }
        }
        (self.cells, self.keys) = (cells, keys)
        isPlain = !cells.isEmpty && !cells.contains { $0.kind == .field }
    }

    private static func kind(of field: PlannedField) -> (Cell.Kind, position: Int) {
        guard field.isAlwaysIncluded, field.authorization == nil else { return (.field, 0) }
        switch field.resolution {
        case .typename: return (.ready, 0)
        case .column(let position, .text): return (.text, position)
        case .column(let position, .owner): return (.owner, position)
        case .column(let position, .real): return (.real, position)
        case .column(let position, .boolean): return (.boolean, position)
        case .column(let position, .integer(let bounds, _)):
            return (bounds == .min ... .max ? .long : .int, position)
        default: return (.field, 0)
        }
    }
}
