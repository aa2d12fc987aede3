import GraphQL

/// The `@aws_*` directives by which a type or field says through which modes it is reached
/// (reference: authorization, "Generated schema").
struct ModeDirectives {
    /// The provider of the default mode of the API.
    let defaultProvider: AuthorizationRule.Provider

    init(_ options: TransformOptions) { defaultProvider = options.authModes.first?.provider ?? .apiKey }

    /// The order in which the directives are written.
    private static let order: [AuthorizationRule.Provider] = [.apiKey, .iam, .oidc, .userPools, .function]

    /// The directives of a type or field that these providers' rules are about; none where only the default mode is.
    ///
    /// - Parameter addsDefault: Whether the default mode, which a directive of another mode would close, stays open.
    func directives(
        for providers: Set<AuthorizationRule.Provider>, addsDefault: Bool
    ) -> [DirectiveNode] {
        let others = providers.subtracting([defaultProvider])
        guard !others.isEmpty else { return [] }
        var directives = Self.order.filter { others.contains($0) || ($0 == defaultProvider && addsDefault) }
        if providers.contains(defaultProvider), !addsDefault { directives.append(defaultProvider) }
        return directives.map { DirectiveNode($0.directive) }
    }

    /// Whether one of the rules is about the default mode.
    func hasDefault(_ rules: [AuthorizationRule]) -> Bool { rules.contains { $0.provider == defaultProvider } }
}

extension AuthorizationRule.Provider {
    /// The directive of AppSync that opens a type or field to the provider's mode.
    var directive: String {
        switch self {
        case .apiKey: "aws_api_key"
        case .iam: "aws_iam"
        case .oidc: "aws_oidc"
        case .userPools: "aws_cognito_user_pools"
        case .function: "aws_lambda"
        }
    }

    /// The mode that callers of the provider are authorized by.
    public var mode: TransformOptions.AuthMode {
        switch self {
        case .apiKey: .apiKey
        case .iam: .iam
        case .oidc: .oidc
        case .userPools: .userPools
        case .function: .lambda
        }
    }
}

extension TransformOptions.AuthMode {
    /// The provider that rules name for the mode.
    public var provider: AuthorizationRule.Provider {
        switch self {
        case .apiKey: .apiKey
        case .iam: .iam
        case .oidc: .oidc
        case .userPools: .userPools
        case .lambda: .function
        }
    }
}

extension Sequence<AuthorizationRule> {
    var providers: Set<AuthorizationRule.Provider> { Set(map(\.provider)) }
}

extension TransformContext {
    /// Adds directives to a type that it does not have yet.
    mutating func addDirectives(_ directives: [DirectiveNode], toType name: String) {
        guard !directives.isEmpty else { return }
        updateObject(name) { type in type.directives.addMissing(directives) }
    }

    /// Adds directives to a type that a model's items contain, and warns where they open it further than its author's own.
    mutating func addDirectives(
        _ directives: [DirectiveNode], toNestedType nested: ObjectTypeDefinition, of model: ModelDraft
    ) {
        addDirectives(directives, toType: nested.name)
        guard let own = ModeGate(nested.directives, readsOldDirective: false) else { return }
        let opened = directives.filter { directive in !nested.directives.contains { $0.name == directive.name } }
        guard !opened.isEmpty else { return }
        let names = opened.map { "@\($0.name)" }.joined(separator: ", ")
        let owned = nested.directives.filter { ModeGate([$0], readsOldDirective: false) != nil }.map { "@\($0.name)" }
        diagnostics.warn(
            "The rules of \(model.name) add \(names) to \(nested.name), whose author wrote \(owned.joined(separator: ", ")) "
                + "alone\(own.groups == nil ? "" : ", for some groups").",
            at: nested.place,
            hint:
                "A caller of such a mode who reads \(model.name) reads its \(nested.name). Write @auth on the fields that fewer "
                + "may read.")
    }

    /// Adds directives to a field that it does not have yet. A field that is given any moves to the end of its type.
    /// - Returns: The name of the field's type; nil if there are no directives to add, or no such field.
    @discardableResult mutating func addDirectives(
        _ directives: [DirectiveNode], toField name: String, of type: String
    ) -> String? {
        guard !directives.isEmpty else { return nil }
        var returned: String?
        updateObject(type) { type in
            guard let position = type.fields.firstIndex(where: { $0.name == name }) else { return }
            var field = type.fields.remove(at: position)
            field.directives.addMissing(directives)
            returned = field.type.namedType
            type.fields.append(field)
        }
        return returned
    }

    /// The same for a root field and the type that it returns.
    mutating func addDirectives(_ directives: [DirectiveNode], toOperation name: String, of type: String) {
        guard let returned = addDirectives(directives, toField: name, of: type) else { return }
        addDirectives(directives, toType: returned)
    }

    /// Appends the fields of owners that a type lacks, as text.
    mutating func addOwnerFields(_ names: [String], to type: String) {
        updateObject(type) { type in
            for name in names where type.field(named: name) == nil {
                type.fields.append(FieldDefinition(name: name, type: .named("String")))
            }
        }
    }
}

extension [DirectiveNode] {
    mutating func addMissing(_ directives: [DirectiveNode]) {
        for directive in directives where !contains(where: { $0.name == directive.name }) { append(directive) }
    }
}

extension AuthorizationRule {
    /// The field of the owner; nil of another rule.
    var ownerField: String? { if case .owner(let field, _) = allow { field } else { nil } }

    /// The field that names groups; nil of another rule.
    var groupsField: String? { if case .groupsField(let field, _) = allow { field } else { nil } }
}
