import GraphQL

/// Decides which rules are served (reference: authorization, "Public rules on models"): rules for everyone who holds the
/// API key, `{allow: public}`, and rules for every signed-in user of the user pool on whole models, `{allow: private}`.
///
/// Where tokens of the user pool are a mode of the API, the rules are enforced for each caller. What follows is about an API
/// whose only mode is the API key.
///
/// In version 1 an operation that no rule names is open to the mode of the API, so such a rule on a model changes
/// nothing, whatever operations it names. In version 2 it is closed: the rule grants what it names, and nothing else.
struct ServedRules {
    /// How the rules of one directive are served.
    enum Verdict {
        /// They change nothing.
        case open
        /// The operations of their model that every caller with the API key may use; no caller may use another.
        case granted(Set<AuthorizationRule.Operation>)
        /// Each caller is held to them.
        case enforced([AuthorizationRule])
        /// They are at fault, or not served.
        case refused(DirectiveFault)

        static func notServed(_ hint: String) -> Verdict {
            .refused(DirectiveFault(.notServed, "@auth is not served by this version.", hint: hint))
        }
    }

    static let onlyRule =
        "The rules that are served are {allow: public}, by API key, and {allow: private} on a whole model, by user pool."

    let reader: AuthorizationRuleReader

    private var version: TransformOptions.TransformerVersion { reader.version }

    /// How a directive is served where it stands.
    func verdict(on use: DirectiveUse) -> Verdict {
        do throws(DirectiveFault) {
            let location = try reader.location(of: use)
            return verdict(on: try reader.rules(of: use.node, at: location), at: location)
        } catch { return .refused(error) }
    }

    private func verdict(
        on rules: [AuthorizationRule], at location: AuthorizationRuleReader.Location
    ) -> Verdict {
        if reader.options.authModes != [.apiKey] { return enforcedVerdict(on: rules, at: location) }
        guard rules.allSatisfy(isPublic) else { return .notServed(Self.onlyRule) }
        return switch (location, version) {
        case (.model, .v2): grant(operations(of: rules))
        case (.model, _): .open
        // Every caller of the API may read the field.
        case (.otherField, _): .open
        case (.modelField(_, let type), .v2): versionTwo(rules, of: type)
        case (.modelField(_, let type), _): versionOne(of: type)
        }
    }

    private func enforcedVerdict(
        on rules: [AuthorizationRule], at location: AuthorizationRuleReader.Location
    ) -> Verdict {
        guard case .model = location, rules.allSatisfy({ isPublic($0) || isPrivate($0) }),
            rules.allSatisfy({ $0.operations == AuthorizationRule.Operation.all })
        else { return .notServed(Self.onlyRule) }
        for rule in rules {
            let mode: TransformOptions.AuthMode = rule.allow == .public ? .apiKey : .userPools
            guard reader.options.authModes.contains(mode) else {
                let name = mode == .apiKey ? "API_KEY" : "AMAZON_COGNITO_USER_POOLS"
                return .refused(
                    DirectiveFault(
                        .notServed,
                        "@auth names the provider '\(rule.provider.rawValue)', and \(name) is no mode of the API.",
                        hint: "Add it to 'authConfig' in the configuration."))
            }
        }
        return .enforced(rules)
    }

    private func isPrivate(_ rule: AuthorizationRule) -> Bool { rule.allow == .private && rule.provider == .userPools }

    private func grant(_ operations: Set<AuthorizationRule.Operation>) -> Verdict {
        guard operations != AuthorizationRule.Operation.all else { return .open }
        guard !operations.contains(.delete) || operations.contains(.update) else {
            return .notServed(
                "A rule that grants delete without update is not served yet: grant both, or neither of them.")
        }
        return .granted(operations)
    }

    /// On a field of a model of version 1 the rules come on top of the model's, and Amplify sets a field that has rules
    /// for reading to null in the response of a mutation that some field has rules for, so that subscribers do not
    /// receive it.
    private func versionOne(of type: ObjectTypeDefinition) -> Verdict {
        guard type.hasProtectedSubscriptions else { return .open }
        let operations = type.fields.reduce(into: Set<AuthorizationRule.Operation>()) { operations, field in
            for node in field.directives where node.name == "auth" {
                let rules = try? reader.rules(of: node, at: .modelField(field, of: type))
                operations.formUnion(self.operations(of: rules ?? []))
            }
        }
        guard operations.contains(.get), !operations.isDisjoint(with: [.create, .update, .delete]) else { return .open }
        return .notServed(
            "In version 1, fields with rules for reading are null in the answers of mutations that fields have rules "
                + "for, which is not served yet. Write `operations: [read]` in the rules of all fields of "
                + "\(type.name), or leave these out: every caller with the API key may read and write the field anyway."
        )
    }

    /// On a field of a model of version 2 the rules replace the model's.
    private func versionTwo(_ rules: [AuthorizationRule], of type: ObjectTypeDefinition) -> Verdict {
        let isWhole = { (rules: [AuthorizationRule]) in operations(of: rules) == AuthorizationRule.Operation.all }
        let ofType = type.directives(named: "auth").first.flatMap { try? reader.rules(of: $0, at: .model(type)) }
        if isWhole(rules), let ofType, isWhole(ofType), ofType.allSatisfy(isPublic) { return .open }
        return .notServed(
            "On a field, {allow: public} is served for all operations only, on a type that has the same rule: "
                + "type \(type.name) @model @auth(rules: [{allow: public}]).")
    }

    private func isPublic(_ rule: AuthorizationRule) -> Bool { rule.allow == .public && rule.provider == .apiKey }

    private func operations(of rules: [AuthorizationRule]) -> Set<AuthorizationRule.Operation> {
        rules.reduce(into: []) { $0.formUnion($1.operations) }
    }
}

extension TypeSystemDocument {
    /// The document without `@auth`, after what is not served of it was reported; what the rest grants is noted by
    /// model.
    func applyingRules(
        _ version: TransformOptions.TransformerVersion, options: TransformOptions,
        grants: inout [String: Set<AuthorizationRule.Operation>], enforced: inout [AuthorizationRule],
        diagnostics: inout DiagnosticList
    ) -> TypeSystemDocument {
        let served = ServedRules(
            reader: AuthorizationRuleReader(version, options: options, declared: DeclaredSchema(self)))
        for use in directiveUses where use.node.name == "auth" {
            switch served.verdict(on: use) {
            case .open: if use.field == nil { grants[use.owner.name] = AuthorizationRule.Operation.all }
            case .granted(let operations): grants[use.owner.name] = operations
            case .enforced(let rules): enforced += rules
            case .refused(let fault):
                diagnostics.report(fault.kind, fault.message, at: use.node.place, hint: fault.hint)
            }
        }
        return filteringDirectives { directive, _ in directive.name != "auth" }
    }

    /// Whether some rule is about signed-in users of the user pool.
    fileprivate func needsUserPools(_ version: TransformOptions.TransformerVersion, _ options: TransformOptions) -> Bool
    {
        let reader = AuthorizationRuleReader(version, options: options, declared: DeclaredSchema(self))
        return directiveUses.contains { use in
            guard use.node.name == "auth", let location = try? reader.location(of: use),
                let rules = try? reader.rules(of: use.node, at: location)
            else { return false }
            return rules.contains { $0.provider == .userPools }
        }
    }
}

extension TransformOptions {
    /// The options with the mode of the user pool, if rules of the schema need it and it may be added.
    func addingModes(of document: TypeSystemDocument, _ version: TransformerVersion) -> TransformOptions {
        var options = self
        if addsUserPoolsMode, !authModes.contains(.userPools), document.needsUserPools(version, self) {
            options.authModes.append(.userPools)
        }
        return options
    }
}
