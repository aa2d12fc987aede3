import JSON

/// A JSON value of a request that gathers. Objects below which fields wait for something are rows.
indirect enum GatheredValue {
    /// Nothing in it waits.
    case json(JSONValue)
    case list([GatheredValue])
    case object(ObjectRow)
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
