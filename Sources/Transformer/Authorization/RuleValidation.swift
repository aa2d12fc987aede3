import GraphQL

extension TypeSystemDocument {
    /// The document without `@auth`, after the rules that are at fault were reported
    /// (reference: authorization, "Errors of rules").
    func removingRules(
        _ version: TransformOptions.TransformerVersion, options: TransformOptions, diagnostics: inout DiagnosticList
    ) -> TypeSystemDocument {
        let reader = AuthorizationRuleReader(version, options: options, declared: DeclaredSchema(self))
        for use in directiveUses where use.node.name == "auth" {
            do throws(DirectiveFault) {
                try reader.validate(use)
            } catch {
                diagnostics.report(error.kind, error.message, at: use.node.place, hint: error.hint)
            }
        }
        return filteringDirectives { directive, _ in directive.name != "auth" }
    }
}

extension AuthorizationRuleReader {
    /// Reads the rules of a directive, and throws the first fault of them: also where they name a mode that the API does not
    /// have.
    @discardableResult
    func validate(_ use: DirectiveUse) throws(DirectiveFault) -> [AuthorizationRule] {
        let rules = try rules(of: use)
        let written = (use.node["rules"]?.listCoercedValue ?? []).map { $0["provider"]?.nameValue }
        for (rule, name) in zip(rules, written) where !options.authModes.contains(rule.provider.mode) {
            throw DirectiveFault(
                .invalidDirective,
                "@auth directive with '\(name ?? rule.provider.rawValue)' provider found, but the project has no "
                    + "\(rule.provider.modeTitle) authentication provider configured.",
                hint: "Add \(rule.provider.mode.configurationName) to 'authConfig' in the configuration.")
        }
        return rules
    }
}

extension AuthorizationRule.Provider {
    /// The mode as Amplify's messages call it.
    fileprivate var modeTitle: String {
        switch self {
        case .apiKey: "API Key"
        case .oidc: "OPENID_CONNECT"
        case .userPools: "Cognito User Pools"
        case .iam: "IAM"
        case .function: "Lambda"
        }
    }
}

extension TransformOptions.AuthMode {
    /// The mode as AppSync's configuration calls it.
    public var configurationName: String {
        switch self {
        case .apiKey: "API_KEY"
        case .userPools: "AMAZON_COGNITO_USER_POOLS"
        case .iam: "AWS_IAM"
        case .oidc: "OPENID_CONNECT"
        case .lambda: "AWS_LAMBDA"
        }
    }
}

extension TransformOptions {
    /// The options with the modes that rules of the schema need, if modes may be added: those that need no configuration.
    func addingModes(of document: TypeSystemDocument, _ version: TransformerVersion) -> TransformOptions {
        guard addsModesOfRules else { return self }
        let reader = AuthorizationRuleReader(version, options: self, declared: DeclaredSchema(document))
        var providers: Set<AuthorizationRule.Provider> = []
        for use in document.directiveUses where use.node.name == "auth" {
            providers.formUnion((try? reader.rules(of: use))?.providers ?? [])
        }
        var options = self
        for provider in [AuthorizationRule.Provider.userPools, .iam]
        where providers.contains(provider) && !authModes.contains(provider.mode) {
            options.authModes.append(provider.mode)
        }
        return options
    }
}
