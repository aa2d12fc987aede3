import JSON
import SchemaEdit

/// `PATCH /schema/diagram`: positions of types.
struct DiagramChange: Sendable, Equatable {
    /// By the names of types: `[120,-40]`, the upper left corner of a card in whole pixels at a zoom of 100 %, or null.
    let positions: JSONObject

    init(_ body: JSONObject) throws(OperatorProblem) {
        guard let members = body["positions"]?.objectValue else { throw Self.malformed }
        guard members.count <= SchemaLimits.positionsMax else {
            throw .tooLarge(
                "A diagram has positions of at most \(SchemaLimits.positionsMax) types.", field: "positions")
        }
        var positions = JSONObject()
        for (type, value) in members {
            let bytesMax = SchemaEditLimits.standard.nameBytesMax
            guard !type.isEmpty, type.utf8.count <= bytesMax else { throw Self.malformed }
            positions[type] = value.isNull ? .null : try Self.position(value)
        }
        self.positions = positions
    }

    private static func position(_ value: JSONValue) throws(OperatorProblem) -> JSONValue {
        let range = -SchemaLimits.coordinateMax...SchemaLimits.coordinateMax
        let numbers = value.arrayValue?.compactMap(\.doubleValue).filter(range.contains) ?? []
        guard numbers.count == 2, value.arrayValue?.count == 2 else { throw malformed }
        return .array(numbers.map { .number(String(Int($0.rounded()))) })
    }

    private static let malformed = OperatorProblem.invalid(
        "'positions' is an object of types, each with [x,y], numbers of at most "
            + "\(Int(SchemaLimits.coordinateMax)), or null.", field: "positions")
}
