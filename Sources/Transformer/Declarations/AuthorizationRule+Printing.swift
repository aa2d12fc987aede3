public import GraphQL

extension AuthorizationRule: CustomStringConvertible {
    /// The rule as `@auth` of version 2 writes it, without the place it stands on.
    public var description: String { constValue(in: .v2).description }

    /// The rule as `@auth` of one version writes it, with every default named. Read again, it is the same rule.
    ///
    /// - Parameter namesOperations: false on fields of root types and nested types, where `operations` is an error.
    public func constValue(
        in version: TransformOptions.TransformerVersion, namesOperations: Bool = true
    ) -> ConstValue {
        var fields: [(String, ConstValue)] = [
            ("allow", .enumValue(allow.name)), ("provider", .enumValue(provider.rawValue)),
        ]
        switch allow {
        case .public, .private, .custom: break
        case .owner(let field, let claim):
            fields += [("ownerField", .string(field)), ("identityClaim", .string(claim))]
        case .groupsField(let field, let claim):
            fields += [("groupsField", .string(field)), ("groupClaim", .string(claim))]
        case .groups(let groups, let claim):
            fields += [("groups", .list(groups.map(ConstValue.string))), ("groupClaim", .string(claim))]
        }
        if namesOperations {
            fields += version == .v2 ? [("operations", .names(operationNames))] : versionOneOperations
        }
        return .object(fields.map { ConstObjectField(name: $0, value: $1) })
    }

    private static let mutations: [Operation] = [.create, .update, .delete]

    /// `read` where all that it stands for is allowed.
    private var operationNames: [String] {
        let reads = Operation.allCases.filter { Operation.read.contains($0) && operations.contains($0) }
        return Self.mutations.filter(operations.contains).map(\.rawValue)
            + (reads.count == Operation.read.count ? ["read"] : reads.map(\.rawValue))
    }

    /// Version 1 says `read`, or names get and list in `queries`, which then allow nothing else that reads.
    private var versionOneOperations: [(String, ConstValue)] {
        let mutations = Self.mutations.filter(operations.contains).map(\.rawValue)
        let queries = [Operation.get, .list].filter(operations.contains).map(\.rawValue)
        if operations.isSuperset(of: Operation.read) || queries.isEmpty {
            return [("operations", .names(operationNames))]
        }
        return [("queries", .names(queries)), ("mutations", .names(mutations))]
    }
}

extension AuthorizationRule.Allow {
    /// The word of `allow:`.
    public var name: String {
        switch self {
        case .public: "public"
        case .private: "private"
        case .owner: "owner"
        case .groups, .groupsField: "groups"
        case .custom: "custom"
        }
    }
}

extension ConstValue {
    fileprivate static func names(_ names: [String]) -> ConstValue { .list(names.map(ConstValue.enumValue)) }
}
