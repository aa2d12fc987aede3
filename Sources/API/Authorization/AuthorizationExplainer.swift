import GraphQL
import JSON
import Transformer

/// Evaluates the rules of a schema for one caller again, and reports the reasons.
struct AuthorizationExplainer {
    private typealias Entry = AuthorizationExplanation.Entry
    typealias Rule = AuthorizationExplanation.Rule

    let schema: ExecutableSchema
    let caller: CallerRoles

    init(_ schema: ExecutableSchema, _ identity: Identity) {
        self.schema = schema
        caller = CallerRoles(identity)
    }

    var definition: APIDefinition { schema.definition }

    /// - Parameters:
    ///   - refused: Whether the response has an error for the field, so that conditions on the item did not hold.
    ///   - names: The denied fields of an input.
    func entry(
        _ field: FieldCoordinate, refused: Bool = false, names: [String] = []
    ) -> AuthorizationExplanation.Entry {
        if let reason = unreachable(field) {
            let action = action(field)
            // If no role has the operation, the mode is not the reason.
            let closed = action.flatMap(closedToEveryone)
            return Entry(
                field: field.text, subject: closed == nil ? "mode" : action.map(words) ?? "mode", outcome: .denied,
                reason: closed ?? reason, rules: [])
        }
        let subjects = subjects(field)
        // The denial, or else the first decision that depends on the item.
        let decisions = subjects.map(decide)
        let place =
            decisions.firstIndex(of: .deny)
            ?? decisions.firstIndex { !$0.allowsEverything } ?? decisions.indices.last
        guard let place else {
            return Entry(
                field: field.text, subject: "field", outcome: .allowed, reason: "No rule is about the field", rules: [])
        }
        let outcome: AuthorizationExplanation.Outcome =
            refused || decisions[place] == .deny
            ? .denied : decisions[place].allowsEverything ? .allowed : .conditional
        let (reason, rules) = rules(subjects[place], isRefused: outcome == .denied, names)
        return Entry(
            field: field.text, subject: words(of: subjects[place]), outcome: outcome, reason: reason,
            rules: rules.map(\.rule))
    }

    func decide(_ subject: DecisionSubject) -> Decision {
        schema.authorization?.decide(subject, for: caller) ?? .allow
    }

    /// The subjects of a field, including those of models that the rules open to everyone.
    private func subjects(_ field: FieldCoordinate) -> [DecisionSubject] {
        var subjects: [DecisionSubject] = []
        if schema.authorization?.hasRules(field) ?? false { subjects.append(.field(field)) }
        if let model = definition.model(named: field.type), schema.authorization?.check(model, field.field) != nil {
            subjects.append(.check(model: model, field: field.field))
        }
        if let action = action(field) { subjects.append(action) }
        return subjects
    }

    private func action(_ field: FieldCoordinate) -> DecisionSubject? {
        let resolver = definition.resolver(type: field.type, field: field.field)
        if case .subscription? = resolver {
            return definition.generatedSubscriptions.first { $0.field == field.field && $0.isRuled }
                .map { .operation(.listen, model: $0.model) }
        }
        return definition.ruledAction(of: resolver).map(DecisionSubject.init)
    }

    // MARK: - Modes

    /// Why callers of this class have no access to a field; nil if they have.
    func unreachable(_ field: FieldCoordinate) -> String? {
        guard let gates = schema.gates else { return nil }
        switch gates.refusal(of: gates.callerClass(of: caller.identity), field) {
        case nil: return nil
        case .lambdaAuthorizer: return "The Lambda authorizer denies the field"
        case .policy: return "The policy of the caller's role does not have the field"
        case .groups(let groups): return "The caller is in none of the groups \(groups.joined(separator: ", "))"
        case .mode:
            let gate = definition.gates.gate(type: field.type, field: field.field)
            let modes = definition.authModes.filter(gate.modes.contains).map(\.configurationName)
            return "The caller authenticated with \(caller.identity.mode.configurationName); the field accepts "
                + (modes.isEmpty ? "no mode" : modes.joined(separator: ", "))
        }
    }

    // MARK: - Rules

    /// Version 2: why an operation is closed to the roles of all modes; nil if some role has it.
    private func closedToEveryone(_ subject: DecisionSubject) -> String? {
        guard definition.transformerVersion == .v2, !definition.enablesIAMAccess,
            case .operation(let operation, let model) = subject
        else { return nil }
        let name = definition.models[model].name
        guard let access = access(model) else { return "\(name) has no @auth, which closes it to everyone" }
        switch operation {
        case .delete:
            return access.roles.indices.contains { access.isWhole($0, .delete) }
                ? nil : "No role may delete every field of \(name)"
        case .listen: return access.roles(with: .listen).isEmpty ? "No role may subscribe to \(name)" : nil
        default: return access.roles(with: operation).isEmpty ? "No role may \(operation.rawValue) \(name)" : nil
        }
    }

    /// Version 2: what the rules of a model allow; nil for a model without rules.
    private func access(_ model: Int) -> ModelAccess? {
        if case .versionTwo(let ruled)? = schema.authorization?.models[model] { return ruled.access }
        return definition.modelAccess[model]
    }

    /// The evaluated roles, each with its result, and what else decides.
    func rules(
        _ subject: DecisionSubject, isRefused: Bool, _ names: [String] = []
    ) -> (reason: String?, rules: [(role: AuthorizationRole, rule: Rule)]) {
        guard let model = subject.model else {
            guard case .field(let field) = subject else { return (nil, []) }
            let roles = definition.fieldRoles.first { $0.type == field.type && $0.field == field.field }?.roles ?? []
            let rules = roles.map { role in
                let name = "\(field.text):\(role)"
                let reason = "a rule about items has no effect on this field"
                return (
                    role,
                    role.isStatic
                        ? rule(name, role, isRefused: isRefused, subject)
                        : Rule(name: name, verdict: .doesNotMatch, reason: reason)
                )
            }
            return (nil, rules)
        }
        let name = definition.models[model].name
        if definition.transformerVersion == .v1 { return versionOneRules(subject, model, isRefused: isRefused) }
        let fullAccess =
            definition.enablesIAMAccess && caller.identity.isSignerOutsidePool
            ? "enableIamAccess gives the caller access to everything" : nil
        guard let access = access(model) else {
            let others = definition.enablesIAMAccess ? " but signed callers outside of the identity pool" : ""
            return (fullAccess ?? "\(name) has no @auth, which closes it to everyone\(others)", [])
        }
        let reason =
            caller.identity.isAdministrator
            ? "The caller is an operator of the server"
            : caller.identity.isAdmin && !access.isSandbox
                ? "The caller has an admin role" : fullAccess ?? closedToEveryone(subject)
        let rules = access.roles.indices.map { place in
            (access.roles[place], rule(access, place, subject, names, isRefused: isRefused))
        }
        return (reason, rules)
    }

    /// The rules of version 1: owner and group rules apply to the callers of their providers; the others open the operation to
    /// a mode.
    private func versionOneRules(
        _ subject: DecisionSubject, _ model: Int, isRefused: Bool
    ) -> (reason: String?, rules: [(role: AuthorizationRole, rule: Rule)]) {
        let modelName = definition.models[model].name
        var check: VersionOneAccess.Check?
        if case .versionOne(let ruled)? = schema.authorization?.models[model] {
            check = ruled.access.check(of: subject)
        }
        func name(of role: AuthorizationRole) -> String {
            if case .check(_, let field) = subject { "\(modelName).\(field):\(role)" } else { "\(modelName):\(role)" }
        }
        if let check, check.providers.contains(caller.provider) {
            let rules = check.roles.map { role in
                (
                    role,
                    rule(
                        name(of: role), role, anyProvider: true, isRefused: isRefused, subject)
                )
            }
            return (nil, rules)
        }
        let opening = ruleRoles(askedOf: subject).filter { opens($0.role) }
        guard !opening.isEmpty else {
            let mode = caller.identity.mode.configurationName
            return ("No rule of \(modelName) is about this operation for callers authenticated with \(mode)", [])
        }
        return (
            nil,
            opening.map { ($0.role, Rule(name: name(of: $0.role), verdict: .allows, reason: reason(for: $0.role))) }
        )
    }

    /// Whether a role of version 1 opens an operation to the caller, whatever the items.
    private func opens(_ role: AuthorizationRole) -> Bool {
        guard role.provider == caller.provider else { return false }
        return switch role.member {
        // The policy of signed-in identities includes what guests may call.
        case .public: caller.identity.mode != .iam || caller.identity.poolRole != nil
        case .private: caller.identity.mode != .iam || caller.identity.poolRole == .authenticated
        case .custom, .group, .owner, .groups: false
        }
    }

    private func words(of subject: DecisionSubject) -> String {
        switch subject {
        case .field(let field): "call \(field.text)"
        case .check(let model, let field): "read \(definition.models[model].name).\(field)"
        case .relation(let model): "read \(definition.models[model].name)"
        case .operation(let operation, let model): "\(operation.rawValue) \(definition.models[model].name)"
        }
    }

    /// A role of version 2: whether it has the operation at all, on which fields, and who has it.
    private func rule(
        _ access: ModelAccess, _ role: Int, _ subject: DecisionSubject, _ names: [String], isRefused: Bool
    ) -> Rule {
        let name = name(of: access.roles[role], of: access.model, subject)
        var isLimited = false
        func missing(_ reason: String) -> Rule { Rule(name: name, verdict: .doesNotMatch, reason: reason) }
        switch subject {
        case .field: break
        case .check(_, let field):
            guard access.readers[field]?.contains(role) ?? true else { return missing("it does not include \(field)") }
        case .relation:
            guard access.readingRoles().contains(role) else { return missing("it does not include read") }
        case .operation(.delete, _):
            guard access.isWhole(role, .delete) else {
                return missing(
                    access.fields(of: role, .delete).isEmpty
                        ? "it does not include delete" : "it does not include delete of every field")
            }
        case .operation(let operation, _):
            let fields = access.fields(of: role, operation)
            guard !fields.isEmpty else { return missing("it does not include \(operation.rawValue)") }
            let denied = names.filter { !fields.contains($0) }
            guard denied.isEmpty else {
                return missing("it does not include \(operation.rawValue) of \(denied.joined(separator: ", "))")
            }
            let nullable = access.fields(of: role, .delete)
            if operation == .update, !names.isEmpty, names.contains(where: { !nullable.contains($0) }) {
                return missing("it does not include delete, which setting a field to null needs")
            }
            isLimited =
                (operation == .create || operation == .update) && !access.isWhole(role, operation)
                || operation == .update && !access.isWhole(role, .delete)
        }
        var found = rule(name, access.roles[role], isRefused: isRefused, subject)
        if isLimited, found.verdict == .allows { found.verdict = .allowsSome }
        return found
    }

    /// The name of a role of version 2; for a rule on a field, the field follows the type.
    private func name(of role: AuthorizationRole, of model: String, _ subject: DecisionSubject) -> String {
        let giving = definition.rules(of: model).filter { $0.roles(in: .v2).contains(role) }
        if case .check(_, let field) = subject, giving.contains(where: { $0.field == field }) {
            return "\(model).\(field):\(role)"
        }
        let field = giving.contains { $0.field == nil } ? nil : giving.first?.field
        return "\(model)\(field.map { ".\($0)" } ?? ""):\(role)"
    }

    /// Who has a role.
    private func rule(
        _ name: String, _ role: AuthorizationRole, anyProvider: Bool = false, isRefused: Bool,
        _ subject: DecisionSubject
    ) -> Rule {
        func missing(_ reason: String) -> Rule { Rule(name: name, verdict: .doesNotMatch, reason: reason) }
        guard anyProvider || role.provider == caller.provider else {
            return missing(
                "the caller authenticated with \(caller.identity.mode.configurationName); the rule is for "
                    + role.provider.mode.configurationName)
        }
        let joinedFields = joinedFields(subject)
        switch caller.holding(of: role, ignoringProvider: true, joinedFields: joinedFields) {
        case .all: return Rule(name: name, verdict: .allows, reason: reason(for: role))
        case .none: return missing(reason(against: role, joinedFields))
        case .values(let values):
            var claims = role.claims.joined(separator: CallerRoles.claimSeparator)
            if case .owner(let field, let names) = role.member, values.stored == nil {
                let isJoined = CallerRoles.isJoined(names, in: field, joinedFields)
                guard !subject.needsAllClaims else { return missing(unusableClaims(names, isJoined)) }
                let usable = names.filter { caller.ownerName($0, isJoined: isJoined) != nil }
                claims = usable.joined(separator: " or ")
            }
            let field = role.field ?? ""
            guard isRefused else {
                let items = subject.isSubscription ? "events" : "items"
                return Rule(
                    name: name, verdict: .allowsSome,
                    reason: "it allows \(items) whose field \(field) has the caller's \(claims)")
            }
            guard subject.isSubscription else {
                return missing("the item's field \(field) does not have the caller's \(claims)")
            }
            if case .groups = role.member {
                return missing("rules with groupsField are not evaluated for subscriptions")
            }
            return missing("the subscription's argument \(field) is not the caller's \(claims)")
        }
    }

    private func reason(for role: AuthorizationRole) -> String {
        switch role.member {
        case .public where role.provider == .iam: "the caller is an identity of the identity pool"
        case .public: "the caller has an API key"
        case .private where role.provider == .iam: "the caller is a signed-in identity of the identity pool"
        case .private: "the caller is a signed-in user"
        case .custom: "the Lambda authorizer has accepted the caller"
        case .group(let group, _): "the caller is in the group \(group)"
        case .owner, .groups: "the item decides"
        }
    }

    /// The owner fields of the subject's model for which some role joins claims.
    func joinedFields(_ subject: DecisionSubject) -> Set<String> {
        subject.model.flatMap { schema.authorization?.fieldsShowingLastClaim($0) } ?? []
    }

    private func reason(against role: AuthorizationRole, _ joinedFields: Set<String>) -> String {
        switch role.member {
        case .public where role.provider == .iam: "the caller is not a guest of the identity pool"
        case .public: "the caller has no API key"
        case .private where role.provider == .iam: "the caller is not a signed-in identity of the identity pool"
        case .private: "the caller is not a signed-in user"
        case .custom: "the caller was not accepted by the Lambda authorizer"
        case .group(let group, _): "the caller is not in the group \(group)"
        case .groups(_, let claim): "the caller is in no group (claim \(claim))"
        case .owner(let field, let claims):
            claims.contains { caller.identity.claim($0)?.ownerName != nil }
                ? unusableClaims(claims, CallerRoles.isJoined(claims, in: field, joinedFields))
                : "the caller has no claim \(claims.joined(separator: " or "))"
        }
    }

    /// Which of the claims that an owner joins the caller does not have, and which count as absent.
    private func unusableClaims(_ claims: [String], _ isJoined: Bool) -> String {
        let absent = claims.filter { caller.identity.claim($0)?.ownerName == nil }
        let separated = claims.filter {
            !absent.contains($0) && caller.ownerName($0, isJoined: isJoined) == nil
        }
        let reasons = [
            absent.isEmpty ? nil : "the caller lacks the claim \(absent.joined(separator: ", "))",
            separated.isEmpty
                ? nil
                : "the caller's claim \(separated.joined(separator: ", ")) contains '\(CallerRoles.claimSeparator)' and "
                    + "counts as absent",
        ]
        return reasons.compactMap(\.self).joined(separator: "; ")
    }

    // MARK: - Covered rules

    /// The rules that allowed a field that was not denied.
    /// - Parameter touched: The fields that the request reads and writes; nil for every request.
    func metRules(_ field: FieldCoordinate, touching touched: TouchedFields? = nil) -> [String] {
        unreachable(field) == nil ? subjects(field).flatMap { metRules($0, touching: touched) } : []
    }

    /// The rules that allowed something: the first role that allows everything, or else all that allow some items or fields. A
    /// rule on a field is covered by reading the field, by writing it, and in version 2 by deleting its item.
    func metRules(_ subject: DecisionSubject, touching touched: TouchedFields?) -> [String] {
        guard decide(subject) != .deny else { return [] }
        let rules = rules(subject, isRefused: false).rules
        let used =
            rules.first { $0.rule.verdict == .allows }.map { [$0.role] }
            ?? rules.filter { $0.rule.verdict != .doesNotMatch }.map(\.role)
        return ruleRoles(askedOf: subject, touched).filter { asked in
            used.contains(asked.role) || asked.comesOnTop && holds(asked.role)
        }.map(\.name)
    }

    private func holds(_ role: AuthorizationRole) -> Bool {
        if opens(role) { return true }
        if case .none = caller.holding(of: role, ignoringProvider: !role.isStatic) { return false }
        return true
    }

    /// The roles of the rules that apply to a subject, by the names of their rules.
    private func ruleRoles(
        askedOf subject: DecisionSubject, _ touched: TouchedFields? = nil
    ) -> [(name: String, role: AuthorizationRole, comesOnTop: Bool)] {
        let type: String
        if case .field(let field) = subject {
            type = field.type
        } else {
            type = definition.models[subject.model ?? 0].name
        }
        let version = definition.transformerVersion
        let rules = definition.rules(of: type)
        return rules.filter { isAbout($0, subject, rules, touched) }.flatMap { rule in
            // In version 1 the rules of fields apply in addition to those of the type.
            zip(rule.roleNames, rule.roles(in: version)).map { name, role in
                (name, role, version == .v1 && rule.field != nil)
            }
        }
    }

    /// - Parameter touched: The fields of the request; nil for every request.
    private func isAbout(
        _ rule: AuthorizationRule, _ subject: DecisionSubject, _ rules: [AuthorizationRule], _ touched: TouchedFields?
    ) -> Bool {
        switch subject {
        case .field(let field): return rule.field == field.field
        case .check(_, let field):
            let isRuled = rules.contains { $0.field == field }
            return rule.field == (isRuled ? field : nil)
                && !rule.operations.isDisjoint(with: AuthorizationRule.Operation.read)
        case .relation: return rule.field == nil && !rule.operations.isDisjoint(with: AuthorizationRule.Operation.read)
        case .operation(let operation, let model):
            // Setting a field to null is its delete.
            let removes =
                operation == .update && rule.operations.contains(.delete)
                && rule.field.map { touched?.removes($0) ?? false } ?? false
            guard rule.operations.contains(operation) || removes else { return false }
            guard let field = rule.field else { return true }
            switch operation {
            case .get, .list, .sync, .search, .listen:
                // If the field is checked, reading it covers its rules.
                return schema.authorization?.check(model, field) == nil
                    && touched?.reads(field, of: rule.type) != false
            case .create, .update: return touched?.writes(field) != false
            // In version 1 the rules of fields have no effect on deletes of items.
            case .delete: return touched == nil || definition.transformerVersion == .v2
            }
        }
    }
}

extension Decision {
    /// Whether the result does not depend on items, inputs and events.
    fileprivate var allowsEverything: Bool {
        switch self {
        case .allow: true
        case .event(let event): event.receivesAll
        default: false
        }
    }
}

extension DecisionSubject {
    /// Whether the subject is a subscription, which has arguments and no item.
    fileprivate var isSubscription: Bool { if case .operation(.listen, _) = self { true } else { false } }

    /// Whether an owner needs all claims that are joined: what is not a read compares or stores the joined text.
    fileprivate var needsAllClaims: Bool {
        guard case .operation(let operation, _) = self else { return false }
        return switch operation {
        case .create, .update, .delete, .listen: true
        case .get, .list, .sync, .search: false
        }
    }
}

extension FieldCoordinate {
    fileprivate var text: String { "\(type).\(field)" }
}
