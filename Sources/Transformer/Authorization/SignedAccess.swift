import GraphQL

/// Which root fields a signed request may call: what Amplify writes into the policies of an identity pool's roles
/// (reference: authorization, "Signed requests").
public struct SignedAccess: Sendable, Hashable {
    /// A root field that some role of the identity pool may call.
    public struct Grant: Sendable, Hashable {
        /// Whether signed-in identities may.
        public var authenticated = false
        /// Whether guests may.
        public var unauthenticated = false
    }

    private var grants: [FieldName: Grant] = [:]

    /// What the identities of the pool may call of a root field.
    public func grant(type: String, field: String) -> Grant { grants[FieldName(type: type, field: field)] ?? Grant() }

    mutating func allow(_ type: String, _ field: String, _ rules: some Sequence<AuthorizationRule>) {
        var grant = grants[FieldName(type: type, field: field)] ?? Grant()
        for rule in rules where rule.provider == .iam {
            switch rule.allow {
            case .private: grant.authenticated = true
            // The policy of signed-in callers has what guests may call, too.
            case .public:
                grant.unauthenticated = true
                grant.authenticated = true
            default: break
            }
        }
        grants[FieldName(type: type, field: field)] = grant
    }

    /// A field that its author has opened to signed requests by `@aws_iam`, without a rule.
    mutating func allowAuthenticated(_ type: String, _ field: String) {
        grants[FieldName(type: type, field: field), default: Grant()].authenticated = true
    }
}

extension TransformContext {
    /// The root fields that the roles of an identity pool may call.
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
}
