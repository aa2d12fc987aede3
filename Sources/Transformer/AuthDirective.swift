import GraphQL

/// `@auth`, as far as it is served: rules that let everyone in who holds the API key, which is who gets in anyway.
enum AuthDirective {
    /// Whether the directive changes nothing: it stands on a model, the API key is the only mode, and every rule is
    /// `{allow: public}`, with the provider `apiKey` or none.
    static func changesNothing(_ directive: DirectiveNode, on owner: DirectiveOwner, options: TransformOptions) -> Bool
    {
        guard options.authModes == [.apiKey], case .type(.object(let type)) = owner, type.isModel,
            directive.arguments.map(\.name) == ["rules"],
            let rules = directive["rules"]?.listCoercedValue, !rules.isEmpty
        else { return false }
        return rules.allSatisfy { rule in
            (rule.objectFields ?? []).allSatisfy { ["allow", "provider"].contains($0.name) }
                && rule["allow"]?.nameValue == "public"
                && rule["provider"].map { $0.nameValue == "apiKey" } ?? true
        }
    }
}
