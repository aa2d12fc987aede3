import GraphQL

extension Statements {
    /// The types of the schema that the statements name or lead to, in the order in which they do.
    var reachableTypes: [TypeID] {
        var types: [TypeID] = []
        var seen: Set<TypeID> = []
        var pending = all.flatMap { statement in
            statement.field.arguments.map(\.type.namedType) + [statement.field.type.namedType]
        }
        pending.reverse()
        while let type = pending.popLast() {
            guard seen.insert(type).inserted else { continue }
            types.append(type)
            pending += neighbours(of: type).reversed()
        }
        return types
    }

    private func neighbours(of type: TypeID) -> [TypeID] {
        switch schema[type].kind {
        case .scalar, .enumeration: []
        case .object(let object): object.fields.map(\.type.namedType)
        case .interface(let interface): interface.fields.map(\.type.namedType) + schema.possibleTypes(of: type)
        case .union(let members): members
        case .inputObject(let fields): fields.map(\.type.namedType)
        }
    }
}
