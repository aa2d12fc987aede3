/// What the rules of a model allow: which role may do what with which field
/// (reference: authorization, "The access matrix"). Made once for a schema; who has a role is asked for each request.
public struct ModelAccess: Sendable, Hashable {
    /// The model's name.
    public let model: String
    /// The fields that rules are about: those that the author has declared, relations included, in their order.
    public let fields: [String]
    /// All roles, those of the type before those of its fields.
    public let roles: [AuthorizationRole]
    /// On which fields the roles have the operations, roles and fields by their places.
    private let grants: FieldGrants
    /// The same as sets of names. They are built here, since requests ask for them.
    private let grantedNames: [Set<String>]
    /// The fields that not everyone who may read the model may read, and the roles that may, by their places.
    public private(set) var readers: [String: [Int]] = [:]
    /// The relations that are left out of the results of mutations, so that subscribers are not sent what they may not
    /// read.
    public internal(set) var redactedRelations: Set<String> = []
    /// Whether only the sandbox opens the model, which has no `@auth`: admin roles have access to models with rules only
    /// (reference: authorization, "Models without rules").
    public let isSandbox: Bool
    /// Whether subscribers are sent the results of mutations under rules, so that results are redacted.
    public let redactsResults: Bool

    /// The access that version 2 makes of rules.
    ///
    /// A rule of the type grants its operations on all fields. The rules of a field replace those of the type for it.
    /// - Parameters:
    ///   - fields: The declared fields.
    ///   - rules: The rules of the type and of its fields, in document order.
    init(model: String, fields: [String], rules: [AuthorizationRule], redactsResults: Bool) {
        self.model = model
        self.fields = fields
        self.redactsResults = redactsResults
        isSandbox = rules.contains(where: \.isSandbox)
        var roles: [AuthorizationRole] = []
        var places: [[Int]] = []
        for rule in rules {
            places.append(
                rule.roles(in: .v2).map { role -> Int in
                    if let known = roles.firstIndex(of: role) { return known }
                    roles.append(role)
                    return roles.count - 1
                })
        }
        self.roles = roles
        let grants = FieldGrants(rules, roles: places, roleCount: roles.count, fields: fields)
        self.grants = grants
        grantedNames = grants.names(fields)
        readers = restrictedReaders()
    }

    // MARK: - Answers

    /// The fields on which a role has an operation.
    public func fields(of role: Int, _ operation: AuthorizationRule.Operation) -> Set<String> {
        grantedNames[grants.position(role, operation)]
    }

    /// The fields that a role is shown of items that an operation reads: all but those whose `readers` it is not among. They may be more than those on which it has the operation.
    public func shownFields(of role: Int, _ operation: AuthorizationRule.Operation) -> [String] {
        guard operation.isRead, !grants.isEmpty(role, operation) else {
            return isWhole(role, operation) ? fields : fields.filter(fields(of: role, operation).contains)
        }
        guard !readers.isEmpty else { return fields }
        let provider = roles[role].provider
        let hasPrivateRole = provider == .userPools || provider == .oidc
        return fields.filter { field in
            guard let readers = readers[field] else { return true }
            return readers.contains { reader in
                reader == role
                    || hasPrivateRole && roles[reader].provider == provider && roles[reader].member == .private
            }
        }
    }

    /// What a role is shown though no rule lets it read it: it has no `get`, so that it does not count among the readers whom
    /// fields are checked against. A line for each role.
    var unintendedReads: [String] {
        roles.indices.compactMap { role in
            let operations = AuthorizationRule.Operation.reads.filter { !grants.isEmpty(role, $0) }
            guard !operations.contains(where: { isWhole(role, $0) }) else { return nil }
            let granted = operations.reduce(into: Set<String>()) { $0.formUnion(fields(of: role, $1)) }
            let shown = operations.flatMap { shownFields(of: role, $0) }
            let extra = fields.filter { shown.contains($0) && !granted.contains($0) }
            guard let operation = operations.first, !extra.isEmpty else { return nil }
            return
                "\(model): \(roles[role].words) may \(operation.rawValue) items and so sees \(extra.joined(separator: ", ")), "
                + "which no rule lets it read: a role without 'get' is not counted among the readers of a field. "
                + "Give it 'read' instead of '\(operation.rawValue)' alone."
        }
    }

    /// The roles that have an operation on some field.
    public func roles(with operation: AuthorizationRule.Operation) -> [Int] {
        roles.indices.filter { !grants.isEmpty($0, operation) }
    }

    /// Whether a role has an operation on every field.
    public func isWhole(_ role: Int, _ operation: AuthorizationRule.Operation) -> Bool {
        grants.count(role, operation) == fields.count
    }

    /// Whether every caller of these modes may do everything, and nothing depends on who it is: signed callers have roles of
    /// their own, and an owner is filled in and shown by its last claim, so neither leaves a model open.
    public func isOpen(to modes: [TransformOptions.AuthMode]) -> Bool {
        guard !roles.contains(where: { if case .owner = $0.member { true } else { false } }) else { return false }
        return modes.allSatisfy { mode in
            guard mode != .iam else { return false }
            return roles.indices.contains { role in
                let member = roles[role].member
                return roles[role].provider == mode.provider
                    && (member == .public || member == .private || member == .custom)
                    && AuthorizationRule.Operation.allCases.allSatisfy { isWhole(role, $0) }
            }
        } && readers.isEmpty && redactedRelations.isEmpty
    }

    /// The roles with any way of reading, of one field or of the model.
    public func readingRoles(of field: String? = nil) -> [Int] {
        roles.indices.filter { role in
            AuthorizationRule.Operation.reads.contains { operation in
                guard !grants.isEmpty(role, operation) else { return false }
                return field.map { fields(of: role, operation).contains($0) } ?? true
            }
        }
    }

    /// The fields whose readers are fewer than those of the model. As in Amplify, who reads the model is who may get
    /// something of it; and a role for all signed-in callers of a provider that reads the field makes its others needless.
    private func restrictedReaders() -> [String: [Int]] {
        let all = roles(with: .get)
        let hiding = all.filter { role in
            guard case .private = roles[role].member else { return false }
            return roles[role].provider == .userPools || roles[role].provider == .oidc
        }
        var restricted: [String: [Int]] = [:]
        for (place, field) in zip(grants.places, fields) {
            func reads(_ role: Int) -> Bool {
                AuthorizationRule.Operation.reads.contains { grants[role, $0, place] }
            }
            var expected = all
            for role in hiding where AuthorizationRule.Operation.reads.allSatisfy({ grants[role, $0, place] }) {
                let provider = roles[role].provider
                expected.removeAll { $0 != role && roles[$0].provider == provider }
            }
            guard !expected.allSatisfy(reads) else { continue }
            restricted[field] = expected.filter(reads)
        }
        return restricted
    }
}

extension ModelAccess: CustomStringConvertible {
    /// A line for each role: its name, and its operations with their fields, `*` for all of them.
    public var description: String {
        roles.indices.map { role in
            let operations = AuthorizationRule.Operation.allCases.compactMap { operation -> String? in
                let granted = fields.filter(fields(of: role, operation).contains)
                guard !granted.isEmpty else { return nil }
                return "\(operation.rawValue) [\(isWhole(role, operation) ? "*" : granted.joined(separator: ", "))]"
            }
            return "\(model):\(roles[role]) \(operations.joined(separator: " "))"
        }.joined(separator: "\n")
    }
}

// MARK: - Relations in the results of mutations

extension ModelAccess {
    /// Notes the relations that the result of a mutation leaves out: those that not every reader of the model may read,
    /// and those to a model whose readers are others, in part.
    /// - Parameter inherits: Whether a relation is left out in the first case only (`subscriptionsInheritPrimaryAuth`).
    mutating func redactRelations(
        _ relations: [(field: String, isNonNull: Bool, target: ModelAccess)], inheriting inherits: Bool
    ) {
        guard redactsResults else { return }
        for (field, isNonNull, target) in relations {
            if readers[field] != nil || !inherits && !isNonNull && differs(field, target) {
                redactedRelations.insert(field)
            }
        }
    }

    /// The roles that are compared: those of one provider are hidden by the role of all its signed-in callers.
    private static func compared(_ roles: [AuthorizationRole]) -> [AuthorizationRole] {
        let hiding = Set(roles.filter { $0.member == .private }.map(\.provider))
        return roles.filter { !hiding.contains($0.provider) || $0.member == .private }
    }

    /// Whether the readers of a relation and those of its model overlap, but are not the same.
    private func differs(_ field: String, _ target: ModelAccess) -> Bool {
        let own = readingRoles(of: field).map { roles[$0] }
        let other = Self.compared(target.readingRoles().map { target.roles[$0] })
        return Self.overlap(own, other) && !Self.areIdentical(own, other)
    }

    /// Whether every caller that reads the relation, or receives events of the model, may read all items that the relation leads
    /// to, so that events may contain them.
    ///
    /// The identity alone must decide: an event is not compared with the rules of the items that it contains.
    func isReadable(_ target: ModelAccess, bySubscribersOf field: String) -> Bool {
        let readers = target.readingRoles().map { target.roles[$0] }
        let subscribers = Set(readingRoles(of: field) + roles(with: .listen)).map { roles[$0] }
        return subscribers.allSatisfy { role in
            readers.contains { reader in
                let hasPrivateRole = reader.provider == .userPools || reader.provider == .oidc
                return reader == role && role.isStatic && role.member != .custom
                    || hasPrivateRole && reader.member == .private && reader.provider == role.provider
            }
        }
    }

    private static func overlap(_ own: [AuthorizationRole], _ other: [AuthorizationRole]) -> Bool {
        if other.contains(where: own.contains) { return true }
        return [.userPools, .oidc, .iam].contains { (provider: AuthorizationRule.Provider) in
            let (left, right) = (own.filter { $0.provider == provider }, other.filter { $0.provider == provider })
            guard !left.isEmpty, !right.isEmpty else { return false }
            return (left + right).contains { $0.member == .private }
        }
    }

    private static func areIdentical(_ own: [AuthorizationRole], _ other: [AuthorizationRole]) -> Bool {
        own.count == other.count
            && other.allSatisfy { $0.isStatic && $0.member != .custom && own.contains($0) }
    }
}
