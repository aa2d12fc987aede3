import GraphQL
import JSON

/// Reads `@auth` into rules. The first error of a directive is reported, as in Amplify, whose messages these are
/// (reference: authorization, "Errors of rules").
struct AuthorizationRuleReader {
    /// What a directive stands on, as far as its rules differ by it.
    enum Location {
        case model(ObjectTypeDefinition)
        case modelField(FieldDefinition, of: ObjectTypeDefinition)
        /// A field of a root type or of a nested type.
        case otherField(FieldDefinition, of: ObjectTypeDefinition)

        var type: ObjectTypeDefinition {
            switch self {
            case .model(let type), .modelField(_, let type), .otherField(_, let type): type
            }
        }

        var field: FieldDefinition? {
            switch self {
            case .model: nil
            case .modelField(let field, _), .otherField(let field, _): field
            }
        }
    }

    let version: TransformOptions.TransformerVersion
    let options: TransformOptions
    let declared: DeclaredSchema

    init(_ version: TransformOptions.TransformerVersion, options: TransformOptions, declared: DeclaredSchema) {
        self.version = version
        self.options = options
        self.declared = declared
    }

    /// The rules of a directive where it stands.
    func rules(of use: DirectiveUse) throws(DirectiveFault) -> [AuthorizationRule] {
        try rules(of: use.node, at: location(of: use))
    }

    // MARK: - Where a directive may stand

    /// What a directive stands on.
    func location(of use: DirectiveUse) throws(DirectiveFault) -> Location {
        guard let type = declared[use.owner.name] else { throw Self.misplaced }
        guard (use.field?.directives ?? use.owner.directives).contains(use.node) else { throw Self.misplaced }
        guard let field = use.field else {
            guard case .object(let object) = type, object.isModel else {
                throw DirectiveFault(
                    .invalidDirective, "Types annotated with @auth must also be annotated with @model.",
                    hint: "Add @model to type \(type.name), or remove @auth from it.")
            }
            guard object.directives(named: "auth").count == 1 else {
                throw DirectiveFault(
                    .schemaValidation, "The directive \"@auth\" can only be used once at this location.",
                    hint: "Write all rules in one directive.")
            }
            return .model(object)
        }
        guard case .object(let object) = type, object.field(named: field.name) != nil else {
            throw DirectiveFault(
                .invalidDirective,
                "The @auth directive cannot be placed on an interface's field. See \(type.name).\(field.name)",
                hint: "Write it on the fields of the types that implement \(type.name).")
        }
        return object.isModel ? .modelField(field, of: object) : .otherField(field, of: object)
    }

    private static let misplaced = DirectiveFault(
        .schemaValidation, "Directive \"@auth\" may only be used on object types and their fields.")

    // MARK: - Rules

    func rules(of node: DirectiveNode, at location: Location) throws(DirectiveFault) -> [AuthorizationRule] {
        guard let values = node["rules"]?.listCoercedValue, !values.isEmpty, node.arguments.count == 1 else {
            let isOnModel = if case .otherField = location { false } else { true }
            let name = isOnModel ? location.field?.name ?? location.type.name : location.type.name
            throw DirectiveFault(
                .invalidDirective, "@auth on \(name) does not have any auth rules.",
                hint: "Write @auth(rules: [{allow: public}]), or leave @auth out.")
        }
        var rules: [AuthorizationRule] = []
        for value in values { rules.append(try rule(value, at: location)) }
        if case .model(let type) = location, version == .v2 { try requireDistinctRoles(rules, on: type) }
        return rules
    }

    private func requireDistinctRoles(
        _ rules: [AuthorizationRule], on type: ObjectTypeDefinition
    ) throws(DirectiveFault) {
        var names: Set<ExactText> = []
        for rule in rules {
            for name in rule.roleNames where !names.insert(ExactText(name)).inserted {
                throw DirectiveFault(
                    .invalidDirective, "@auth \(name) already exists for \(type.name)",
                    hint: "Write one rule {allow: \(rule.allow.name)}, with the operations of all.")
            }
        }
    }

    private func rule(_ value: ConstValue, at location: Location) throws(DirectiveFault) -> AuthorizationRule {
        try requireKnownArguments(value)
        guard let strategy = try name(value, "allow", in: "AuthStrategy") else {
            throw DirectiveFault(
                .schemaValidation, "Field \"AuthRule.allow\" of required type \"AuthStrategy!\" was not provided.",
                hint: "Write {allow: public}, or another of \(names(of: "AuthStrategy").joined(separator: ", ")).")
        }
        let claim = try text(value, "identityClaim"), field = try text(value, "identityField")
        let groupClaim = try text(value, "groupClaim")
        if strategy != "owner", claim ?? field != nil {
            throw DirectiveFault(
                .invalidDirective,
                version == .v1
                    ? "@auth identityField/Claim can only be used for 'allow: owner'"
                    : "@auth identityClaim can only be used for 'allow: owner'")
        }
        if strategy != "groups", groupClaim != nil {
            throw DirectiveFault(.invalidDirective, "@auth groupClaim can only be used 'allow: groups'")
        }
        if claim != nil, field != nil {
            throw DirectiveFault(
                .invalidDirective, "Please use consider IdentifyClaim over IdentityField as it is deprecated.",
                hint: "Write identityClaim alone.")
        }
        let allow: AuthorizationRule.Allow =
            switch strategy {
            case "public": .public
            case "private": .private
            case "custom": .custom
            case "groups": try groups(of: value, claim: groupClaim ?? "cognito:groups")
            default:
                .owner(
                    field: try fieldName(value, "ownerField") ?? "owner", identityClaim: claim ?? field ?? defaultClaim)
            }
        return AuthorizationRule(
            type: location.type.name, field: location.field?.name, allow: allow,
            provider: try provider(of: value, strategy), operations: try operations(of: value, at: location))
    }

    private var defaultClaim: String {
        version == .v2 && options.useSubUsernameForDefaultIdentityClaim ? "sub::username" : "username"
    }

    private func groups(of value: ConstValue, claim: String) throws(DirectiveFault) -> AuthorizationRule.Allow {
        let field = try fieldName(value, "groupsField")
        guard let list = value["groups"], !list.isNull else {
            guard let field = field ?? (version == .v1 ? "groups" : nil) else {
                throw DirectiveFault(
                    .invalidDirective,
                    "@auth directive with 'groups' should have a defined groups list or a groupsField.",
                    hint: "Write {allow: groups, groups: [\"Admin\"]} or {allow: groups, groupsField: \"groups\"}.")
            }
            return .groupsField(field, groupClaim: claim)
        }
        guard field == nil else {
            throw DirectiveFault(
                .invalidDirective, "This rule has groupsField and groups, please use one or the other")
        }
        var groups: [String] = []
        for element in list.listCoercedValue {
            guard let group = element.stringValue else { throw Self.noString(element) }
            groups.append(group)
        }
        guard version == .v1 || !groups.isEmpty else {
            throw DirectiveFault(.invalidDirective, "@auth rules using groups cannot have an empty list")
        }
        return .groups(groups, groupClaim: claim)
    }

    // MARK: - Providers

    private func provider(
        of value: ConstValue, _ strategy: String
    ) throws(DirectiveFault) -> AuthorizationRule.Provider {
        let isVersionTwo = version == .v2
        let allowed: [String]
        let named: String
        switch strategy {
        case "owner": (allowed, named) = (["userPools", "oidc"], "'userPools' (default) and 'oidc' providers")
        case "groups": (allowed, named) = (["userPools", "oidc"], "'userPools' and 'oidc' providers")
        case "public":
            allowed = ["apiKey", "iam"] + (isVersionTwo ? ["identityPool"] : [])
            named = "'apiKey' (default) and '\(isVersionTwo ? "identityPool" : "iam")' providers"
        case "private":
            allowed = ["userPools", "iam"] + (isVersionTwo ? ["identityPool", "oidc"] : [])
            named = "'userPools' (default) and '\(isVersionTwo ? "identityPool" : "iam")' providers"
        default: (allowed, named) = (["function"], "'function' (default) provider")
        }
        let provider = try name(value, "provider", in: "AuthProvider") ?? allowed[0]
        guard allowed.contains(provider) else {
            throw DirectiveFault(
                .invalidDirective,
                "@auth directive with '\(strategy)' strategy only supports \(named), but found '\(provider)' assigned.")
        }
        return AuthorizationRule.Provider(rawValue: provider) ?? .iam
    }

    // MARK: - Operations

    private func operations(
        of value: ConstValue, at location: Location
    ) throws(DirectiveFault) -> Set<AuthorizationRule.Operation> {
        var operations = AuthorizationRule.Operation.all
        // Null is as good as absent in version 2, and names none in version 1.
        let namesOperations = value["operations"].map { version == .v1 || !$0.isNull } ?? false
        if let list = value["operations"], namesOperations {
            operations = list.isNull ? [] : try self.operations(list, at: location)
        }
        switch location {
        case .model: return namesOperations || version == .v2 ? operations : try splitOperations(of: value)
        case .modelField(let field, let type):
            guard value["queries"] == nil, value["mutations"] == nil else {
                throw DirectiveFault(
                    .invalidDirective,
                    "@auth directives used on field definitions may not specify the 'queries' or 'mutations' arguments.",
                    hint: "Write `operations` instead.")
            }
            if version == .v1, field.type.isNonNull, operations.contains(.get), type.hasProtectedSubscriptions {
                throw DirectiveFault(
                    .invalidDirective,
                    "Per-field auth on the required field \(field.name) is not supported with subscriptions.",
                    hint: "Make the field optional, write @auth on the type, or switch the subscriptions off: "
                        + "@model(subscriptions: {level: off}).")
            }
            return operations
        case .otherField(_, let type):
            guard namesOperations else { return AuthorizationRule.Operation.all }
            throw DirectiveFault(
                .invalidDirective,
                declared.isRootName(type.name)
                    ? "@auth rules on fields within Query, Mutation, Subscription cannot specify 'operations' argument "
                        + "as these rules are already on an operation already."
                    : "@auth rules on fields within types that does not have @model directive cannot specify "
                        + "'operations' argument as there are operations will be generated by the CLI.",
                hint: "Leave `operations` out.")
        }
    }

    private func operations(
        _ value: ConstValue, at location: Location
    ) throws(DirectiveFault) -> Set<AuthorizationRule.Operation> {
        let known = names(of: "ModelOperation")
        var names: [String] = []
        for element in value.listCoercedValue {
            guard let name = element.nameValue, known.contains(name) else {
                throw DirectiveFault(
                    .schemaValidation, "\(element) is no operation of @auth.",
                    hint: element.nameValue.flatMap { SuggestionList.hint(for: $0, among: known) }
                        ?? "The operations are \(known.joined(separator: ", ")).")
            }
            names.append(name)
        }
        let parts = names.filter { name in AuthorizationRule.Operation.read.contains { $0.rawValue == name } }
        if names.contains("read"), !parts.isEmpty {
            let list = parts.joined(separator: ",")
            throw DirectiveFault(
                .invalidDirective,
                "'\(list)' operations are specified in addition to 'read'. Either remove 'read' to limit access only "
                    + "to '\(list)' or only keep 'read' to grant all get,list,search,listen,sync access.")
        }
        if case .modelField = location, let part = parts.first {
            throw DirectiveFault(
                .invalidDirective, "'\(part)' operation is not allowed at the field level.",
                hint: "Write `read`, or leave it out.")
        }
        var operations = Set(names.compactMap { AuthorizationRule.Operation(rawValue: $0) })
        if names.contains("read") { operations.formUnion(AuthorizationRule.Operation.read) }
        return operations
    }

    /// A rule of version 1 that names `queries` or `mutations`: a list allows what it names, and of `queries` nothing
    /// else that reads; null allows none; where one is absent, all of its operations are allowed.
    private func splitOperations(of value: ConstValue) throws(DirectiveFault) -> Set<AuthorizationRule.Operation> {
        var operations: Set<AuthorizationRule.Operation> = []
        for (argument, type, all) in [
            ("queries", "ModelQuery", AuthorizationRule.Operation.read),
            ("mutations", "ModelMutation", [.create, .update, .delete]),
        ] {
            guard let list = value[argument] else {
                operations.formUnion(all)
                continue
            }
            for element in list.isNull ? [] : list.listCoercedValue {
                guard let name = element.nameValue, names(of: type).contains(name),
                    let operation = AuthorizationRule.Operation(rawValue: name)
                else { throw noValue(element, of: type) }
                operations.insert(operation)
            }
        }
        return operations
    }

    // MARK: - Arguments

    private func requireKnownArguments(_ rule: ConstValue) throws(DirectiveFault) {
        guard let fields = rule.objectFields else {
            throw DirectiveFault(.schemaValidation, "Expected type \"AuthRule\" to be an object, found \(rule).")
        }
        let known = ruleArguments
        for field in fields where !known.contains(field.name) {
            throw DirectiveFault(
                .schemaValidation, "Field \"\(field.name)\" is not defined by type \"AuthRule\".",
                hint: SuggestionList.hint(for: field.name, among: known))
        }
    }

    /// The arguments of a rule, as the table of directives has them.
    private var ruleArguments: [String] {
        Directives.type(named: "AuthRule", in: version)?.inputObject?.fields.map(\.name) ?? []
    }

    /// The values of an enum that rules use.
    private func names(of enumeration: String) -> [String] {
        guard case .enumeration(let type)? = Directives.type(named: enumeration, in: version) else { return [] }
        return type.values.map(\.name)
    }

    private func name(
        _ rule: ConstValue, _ argument: String, in enumeration: String
    ) throws(DirectiveFault) -> String? {
        guard let value = rule[argument], !value.isNull else { return nil }
        guard let name = value.nameValue, names(of: enumeration).contains(name) else {
            throw noValue(value, of: enumeration)
        }
        return name
    }

    private func noValue(_ value: ConstValue, of enumeration: String) -> DirectiveFault {
        let names = names(of: enumeration)
        return DirectiveFault(
            .schemaValidation, "Value \"\(value.nameValue ?? "\(value)")\" does not exist in \"\(enumeration)\" enum.",
            hint: value.nameValue.flatMap { SuggestionList.hint(for: $0, among: names) }
                ?? "The values are \(names.joined(separator: ", ")).")
    }

    private func text(_ rule: ConstValue, _ argument: String) throws(DirectiveFault) -> String? {
        guard let value = rule[argument], !value.isNull else { return nil }
        guard let text = value.stringValue else { throw Self.noString(value) }
        return text.isEmpty ? nil : text
    }

    /// A text that becomes the name of a field or of an argument. Amplify writes any text into its schema; this is what no client
    /// could parse.
    private func fieldName(_ rule: ConstValue, _ argument: String) throws(DirectiveFault) -> String? {
        guard let name = try text(rule, argument) else { return nil }
        guard name.isGraphQLName else {
            throw DirectiveFault(
                .invalidDirective, "'\(name)' cannot be the name of a field.",
                hint: "Write the name of a field in `\(argument)`: letters, digits and underscores, no digit first.")
        }
        return name
    }

    private static func noString(_ value: ConstValue) -> DirectiveFault {
        DirectiveFault(.schemaValidation, "String cannot represent a non string value: \(value)")
    }
}

extension ObjectTypeDefinition {
    /// Whether the rules of a model apply to its subscriptions, which are generated and not open to everyone.
    var hasProtectedSubscriptions: Bool {
        guard let model = directives(named: "model").first, let map = model["subscriptions"] else { return true }
        return !map.isNull && (map["level"]?.nameValue ?? "on") == "on"
    }
}
