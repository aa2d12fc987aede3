import GraphQL
import JSON

/// A JSON value of a request that gathers. Objects below which fields wait for something are rows.
indirect enum GatheredValue {
    /// Nothing in it waits.
    case json(JSONValue)
    case list([GatheredValue])
    case object(ObjectRow)
}

/// What became of a pipeline for one parent.
enum PipelineOutcome {
    case value(GatheredValue)
    case failed(ResolverError)
}

/// What `Completion` asks of a JSON value, as it was read or as it was gathered.
protocol CompletedValue {
    /// The value itself; asked of leaves alone.
    var json: JSONValue { get }
    var isNull: Bool { get }
    /// The elements of a list; nil of another value.
    var elements: [Self]? { get }
    /// The members of an object; nil of another value.
    var members: JSONObject? { get }
    /// The row that fields of the object find what was gathered for them by; nil where nothing was.
    var row: ObjectRow? { get }
    /// A member of an object, as a field reads it; null where there is none.
    func member(_ name: String, for field: PlannedField) -> Self
}

extension JSONValue: CompletedValue {
    var json: JSONValue { self }
    var elements: [JSONValue]? { arrayValue }
    var members: JSONObject? { objectValue }
    var row: ObjectRow? { nil }
    func member(_ name: String, for field: PlannedField) -> JSONValue { self[name] ?? .null }
}

extension GatheredValue: CompletedValue {
    var json: JSONValue {
        switch self {
        case .json(let value): value
        case .list(let elements): .array(elements.map(\.json))
        case .object(let row): .object(row.members)
        }
    }

    var isNull: Bool { if case .json(let value) = self { value.isNull } else { false } }

    var elements: [GatheredValue]? {
        switch self {
        case .json(let value): value.arrayValue?.map(GatheredValue.json)
        case .list(let elements): elements
        case .object: nil
        }
    }

    var members: JSONObject? {
        switch self {
        case .json(let value): value.objectValue
        case .list: nil
        case .object(let row): row.members
        }
    }

    var row: ObjectRow? { if case .object(let row) = self { row } else { nil } }

    func member(_ name: String, for field: PlannedField) -> GatheredValue {
        switch self {
        case .json(let value): .json(value[name] ?? .null)
        case .list: .json(.null)
        case .object(let row): row.gathered[ObjectIdentifier(field)] ?? .json(row.members[name] ?? .null)
        }
    }
}
