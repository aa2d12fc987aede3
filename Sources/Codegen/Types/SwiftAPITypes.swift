import GraphQL

/// The types of a schema as API.swift writes them, and the names at the top of the file.
struct SwiftAPITypes {
    let schema: Schema
    /// The enums and input types that statements name or that results lead to.
    let inputTypes: [TypeID]
    /// The classes of the statements, in their order.
    let operations: [String]
    private let names: [TypeID: String]
    /// Names that no nested type may have, because it would hide another type that is used inside.
    let reservedNames: Set<String>

    init(_ statements: Statements) {
        let schema = statements.schema
        var scope = NameScope(reserved: SwiftIdentifier.usedTypes)
        var names: [TypeID: String] = [:]
        var types: [TypeID] = []
        for type in statements.reachableTypes {
            switch schema[type].kind {
            case .enumeration, .inputObject:
                types.append(type)
                names[type] = scope.unique(schema[type].name)
            default: break
            }
        }
        self.schema = schema
        inputTypes = types
        self.names = names
        reservedNames = SwiftIdentifier.usedTypes.union(names.values)
        operations = statements.all.map { statement in
            scope.unique(CaseStyle.pascal(statement.name).nonEmpty(or: statement.name) + statement.kind.typeName)
        }
    }

    func name(of type: TypeID) -> String { names[type] ?? scalar(type) }

    /// The type, whose innermost type is called `named`; nil for that of the schema.
    func text(of type: GraphQLType, _ named: String? = nil) -> String {
        switch type {
        case .nonNull(let inner): nonNull(inner, named)
        case .named, .list: "\(nonNull(type, named))?"
        }
    }

    func nonNull(_ type: GraphQLType, _ named: String? = nil) -> String {
        switch type {
        case .nonNull(let inner): nonNull(inner, named)
        case .list(let element): "[\(text(of: element, named))]"
        case .named(let id): named ?? name(of: id)
        }
    }

    private func scalar(_ type: TypeID) -> String {
        guard case .scalar(let scalar) = schema[type].kind else { return "String" }
        return switch scalar {
        case .id: "GraphQLID"
        case .int, .bigInt, .awsTimestamp: "Int"
        case .float, .double: "Double"
        case .boolean: "Bool"
        default: "String"
        }
    }
}

extension String {
    fileprivate func nonEmpty(or other: String) -> String { first?.isLetter == true ? self : other }
}
