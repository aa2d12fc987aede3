import GraphQL

/// Which fields a signed request may ask for: what Amplify writes into the policies of an identity pool's roles
/// (reference: authorization, "Signed requests").
public struct SignedAccess: Sendable, Hashable {
    /// Which roles of the identity pool may ask for a field.
    public struct Grant: Sendable, Hashable {
        /// Whether signed-in identities may.
        public var authenticated = false
        /// Whether guests may.
        public var unauthenticated = false

        fileprivate static let everyone = Grant(authenticated: true, unauthenticated: true)

        /// What both grant.
        fileprivate func limited(by other: Grant) -> Grant {
            Grant(
                authenticated: authenticated && other.authenticated,
                unauthenticated: unauthenticated && other.unauthenticated)
        }
    }

    private var grants: [FieldName: Grant] = [:]
    /// The object types that only some roles may read, and the fields of object types. Of version 1 alone: in version 2
    /// the rules of items decide.
    private var typeLimits: [String: Grant] = [:]
    private var fieldLimits: [FieldName: Grant] = [:]

    /// What the identities of the pool may call of a root field.
    public func grant(type: String, field: String) -> Grant { grants[FieldName(type: type, field: field)] ?? Grant() }

    /// What the identities of the pool may read of a field of another object type, where it is selected below a root field.
    public func readGrant(type: String, field: String) -> Grant {
        let ofField = fieldLimits[FieldName(type: type, field: field)] ?? .everyone
        return typeLimits[type].map(ofField.limited) ?? ofField
    }

    mutating func allow(_ type: String, _ field: String, _ rules: some Sequence<AuthorizationRule>) {
        grants[FieldName(type: type, field: field), default: Grant()].allow(rules)
    }

    /// Limits a type to the roles that its rules by IAM name; nothing is limited where no rule is by IAM.
    fileprivate mutating func limit(_ type: String, to rules: [AuthorizationRule]) {
        if let grant = Grant(limitedTo: rules, of: rules) { typeLimits[type] = grant }
    }

    /// Limits a field to the roles that these rules name, where some rule of what it shows is by IAM.
    fileprivate mutating func limit(
        _ type: String, _ field: String, to rules: [AuthorizationRule], of all: [AuthorizationRule]
    ) {
        guard let grant = Grant(limitedTo: rules, of: all) else { return }
        let name = FieldName(type: type, field: field)
        fieldLimits[name] = fieldLimits[name].map(grant.limited) ?? grant
    }

    /// Closes a field to the roles of the pool.
    fileprivate mutating func close(_ type: String, _ field: String) {
        fieldLimits[FieldName(type: type, field: field)] = Grant()
    }

    /// A field that its author has opened to signed requests by `@aws_iam`, without a rule.
    mutating func allowAuthenticated(_ type: String, _ field: String) {
        grants[FieldName(type: type, field: field), default: Grant()].authenticated = true
    }
}

extension SignedAccess.Grant {
    /// Nil where none of all rules is by IAM.
    fileprivate init?(limitedTo rules: [AuthorizationRule], of all: [AuthorizationRule]) {
        guard all.contains(where: { $0.provider == .iam }) else { return nil }
        self.init()
        allow(rules)
    }

    fileprivate mutating func allow(_ rules: some Sequence<AuthorizationRule>) {
        for rule in rules where rule.provider == .iam {
            switch rule.allow {
            case .private: authenticated = true
            // The policy of signed-in callers has what guests may call, too.
            case .public:
                unauthenticated = true
                authenticated = true
            default: break
            }
        }
    }
}

extension TransformContext {
    /// What the roles of an identity pool may ask for.
    func signedAccess() -> SignedAccess {
        var access = SignedAccess()
        let isVersionOne = declarations.version == .v1
        for model in models {
            let rules = model.declaration.allRules
            let operations = model.operations
            let fields: [(name: String?, type: String, operation: AuthorizationRule.Operation)] =
                [
                    (operations.get, declared.queryName, .get), (operations.list, declared.queryName, .list),
                    (operations.sync, declared.queryName, .sync),
                    (operations.create, declared.mutationName, .create),
                    (operations.update, declared.mutationName, .update),
                    (operations.delete, declared.mutationName, .delete),
                ] + model.indexes.map { ($0.queryField, declared.queryName, .sync) }
                + operations.subscriptions.map { ($0.field, declared.subscriptionName, .listen) }
            for case (let name?, let type, let operation) in fields {
                // Version 2 lists all operations of a model that some rule by IAM is about.
                let granting = isVersionOne ? rules.filter { $0.operations.contains(operation) } : rules
                access.allow(type, name, granting)
            }
        }
        if isVersionOne { limitReads(&access) }
        for root in [declared.queryName, declared.mutationName, declared.subscriptionName] {
            for field in declared.object(named: root)?.fields ?? [] {
                let rules = fieldDeclarations(of: root).first { $0.name == field.name }?.rules ?? []
                access.allow(root, field.name, rules)
                if rules.isEmpty, field.directive(named: "aws_iam") != nil {
                    access.allowAuthenticated(root, field.name)
                }
            }
        }
        return access
    }

    /// Below a root field the policies of version 1 have the model types, the nested types' fields, and the fields with rules,
    /// each as its rules by IAM say; a field that leads to a model is read by the rules for reading of that model.
    private func limitReads(_ access: inout SignedAccess) {
        for model in models { access.limit(model.name, to: model.declaration.allRules) }
        for case .object(let type) in declared.types where !declared.isRootName(type.name) {
            for field in fieldDeclarations(of: type.name) {
                let isOfModel = modelIndex(type.name) != nil
                let rules = isOfModel ? field.rules.filter { $0.operations.contains(.get) } : field.rules
                access.limit(type.name, field.name, to: rules, of: rules)
                guard field.relation(.connection) != nil, let related = modelIndex(field.type.namedType) else {
                    continue
                }
                let all = models[related].declaration.allRules
                // Where IAM is the default mode, signed requests reach a model without rules; but no policy has its queries.
                if all.isEmpty, options.authModes.first == .iam { access.close(type.name, field.name) }
                access.limit(type.name, field.name, to: all.filter { $0.operations.contains(.sync) }, of: all)
            }
        }
    }
}
