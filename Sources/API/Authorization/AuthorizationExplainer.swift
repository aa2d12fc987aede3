import GraphQL
import JSON
import Transformer

/// Decides again what the rules of a schema say of one caller, and says why.
struct AuthorizationExplainer {
    private typealias Entry = AuthorizationExplanation.Entry
    private typealias Rule = AuthorizationExplanation.Rule

    private let schema: ExecutableSchema
    private let caller: CallerRoles

    init(_ schema: ExecutableSchema, _ identity: Identity) {
        self.schema = schema
        caller = CallerRoles(identity)
    }

    private var definition: APIDefinition { schema.definition }

    /// - Parameters:
    ///   - refused: Whether the answer has refused the field, so that what depends on the item did not match.
    ///   - names: The fields of an input that were refused.
    func entry(
        _ field: FieldCoordinate, refused: Bool = false, names: [String] = []
    ) -> AuthorizationExplanation.Entry {
        if let reason = unreachable(field) {
            return Entry(
                field: field.text, subject: "mode", outcome: .denied, reason: reason, rules: [])
        }
        guard let authorization = schema.authorization else { return open(field, "The schema has no rules") }
        let subjects = subjects(field, authorization)
        // The one that refuses; of those that depend on the item, the first.
        let decisions = subjects.map { authorization.decide($0, for: caller) }
        let place =
            decisions.firstIndex(of: .deny)
            ?? decisions.firstIndex { $0 != .allow } ?? decisions.indices.last
        guard let place else { return open(field, "No rule is about the field") }
        let outcome: AuthorizationExplanation.Outcome =
            refused
            ? .denied : decisions[place] == .allow ? .allowed : decisions[place] == .deny ? .denied : .conditional
        return entry(field, subjects[place], outcome, names, authorization)
    }

    private func open(_ field: FieldCoordinate, _ reason: String) -> AuthorizationExplanation.Entry {
        Entry(field: field.text, subject: "field", outcome: .allowed, reason: reason, rules: [])
    }

    /// What the rules are asked of a field.
    private func subjects(_ field: FieldCoordinate, _ authorization: SchemaAuthorization) -> [DecisionSubject] {
        var subjects: [DecisionSubject] = []
        if authorization.hasRules(field) { subjects.append(.field(field)) }
        if let model = definition.model(named: field.type), authorization.check(model, field.field) != nil {
            subjects.append(.check(model: model, field: field.field))
        }
        if let action = action(field, authorization), let model = action.model, !authorization.isOpen(model) {
            subjects.append(action)
        }
        return subjects
    }

    private func action(_ field: FieldCoordinate, _ authorization: SchemaAuthorization) -> DecisionSubject? {
        switch definition.resolver(type: field.type, field: field.field) {
        case .getItem(let getItem): .operation(.get, model: getItem.model)
        case .query(let query) where query.kind == .connection: .relation(model: query.model)
        case .query(let query) where query.kind == .queryField && definition.transformerVersion == .v1:
            .relation(model: query.model)
        case .query(let query): .operation(.list, model: query.model)
        case .related(let related): .relation(model: related.model)
        case .sync(let model): .operation(.sync, model: model)
        case .createItem(let model): .operation(.create, model: model)
        case .updateItem(let model): .operation(.update, model: model)
        case .deleteItem(let model): .operation(.delete, model: model)
        case .subscription: authorization.subscriptions[field.field].map { .operation(.listen, model: $0) }
        default: nil
        }
    }

    // MARK: - Modes

    /// Why callers of this class do not reach a field; nil where they do.
    private func unreachable(_ field: FieldCoordinate) -> String? {
        guard let gates = schema.gates else { return nil }
        let callerClass = gates.callerClass(of: caller.identity)
        guard !gates.admits(callerClass, to: field) else { return nil }
        if callerClass.deniedFields.contains(field) { return "The Lambda authorizer denies the field" }
        if !gates.isPermitted(field, to: callerClass) {
            return "The policy of the caller's role does not have the field"
        }
        let gate = definition.gates.gate(type: field.type, field: field.field)
        let mode = caller.identity.mode.configured
        if gate.modes.contains(mode), let groups = gate.groups {
            return "The caller is in none of the groups \(groups.joined(separator: ", "))"
        }
        let modes = definition.authModes.filter(gate.modes.contains).map(\.provider.words)
        return "The caller came by \(mode.provider.words), and the field is reached by "
            + (modes.isEmpty ? "no mode" : modes.joined(separator: ", "))
    }

    // MARK: - Rules

    private func entry(
        _ field: FieldCoordinate, _ subject: DecisionSubject, _ outcome: AuthorizationExplanation.Outcome,
        _ names: [String], _ authorization: SchemaAuthorization
    ) -> AuthorizationExplanation.Entry {
        var entry = Entry(field: field.text, subject: words(of: subject), outcome: outcome, rules: [])
        let isRefused = outcome == .denied
        guard let model = subject.model else {
            entry.rules =
                (definition.fieldRoles.first { $0.type == field.type && $0.field == field.field }?.roles ?? [])
                .map { role in
                    guard role.isStatic else {
                        return Rule(
                            name: "\(field.type):\(role)", matches: false,
                            reason: "a rule about items has no effect on this field")
                    }
                    return rule(field.type, role, isRefused: isRefused)
                }
            return entry
        }
        let name = definition.models[model].name
        switch authorization.models[model] {
        case .open: entry.reason = "No rule is about \(name)"
        case .closed: entry.reason = "\(name) has no @auth, which closes it to everyone"
        case .versionOne(let ruled):
            let check = check(subject, ruled.access, names)
            guard let check, check.providers.contains(caller.provider) else {
                entry.reason = "No rule of \(name) is about this operation for callers by \(caller.provider.words)"
                break
            }
            entry.rules = check.roles.map {
                rule(name, $0, anyProvider: true, isRefused: isRefused, isListen: subject.isListen)
            }
        case .versionTwo(let ruled):
            if caller.identity.isAdmin { entry.reason = "The caller has an admin role" }
            entry.rules = ruled.access.roles.indices.map {
                rule(ruled.access, $0, subject, names, isRefused: isRefused)
            }
        }
        return entry
    }

    private func check(
        _ subject: DecisionSubject, _ access: VersionOneAccess, _ names: [String]
    ) -> VersionOneAccess.Check? {
        switch subject {
        case .field: nil
        case .check(_, let field): access.check(.get, field: field)
        case .relation: access.check(.sync)
        case .operation(let operation, _): access.check(operation)
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
    ) -> AuthorizationExplanation.Rule {
        let name = "\(access.model):\(access.roles[role])"
        func missing(_ reason: String) -> AuthorizationExplanation.Rule {
            Rule(name: name, matches: false, reason: reason)
        }
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
        }
        return rule(access.model, access.roles[role], isRefused: isRefused, isListen: subject.isListen)
    }

    /// Who has a role.
    /// - Parameter isListen: Whether a subscription was asked about, which has arguments and no item.
    private func rule(
        _ type: String, _ role: AuthorizationRole, anyProvider: Bool = false, isRefused: Bool, isListen: Bool = false
    ) -> AuthorizationExplanation.Rule {
        let name = "\(type):\(role)"
        guard anyProvider || role.provider == caller.provider else {
            return Rule(
                name: name, matches: false,
                reason: "the caller came by \(caller.provider.words), and the rule is for \(role.provider.words)")
        }
        switch caller.anyProviderHolding(of: role) {
        case .all: return Rule(name: name, matches: true, reason: "the caller is one of \(role.words)")
        case .none: return Rule(name: name, matches: false, reason: reason(against: role))
        case .values(let values):
            if case .owner(_, let claims) = role.member, values.stored == nil, isRefused {
                return Rule(
                    name: name, matches: false,
                    reason:
                        "the caller lacks the claim \(claims.filter { caller.identity.claim($0) == nil }.joined(separator: ", "))"
                )
            }
            let (field, claims) = (role.field ?? "", role.claims.joined(separator: "::"))
            if isListen, isRefused, case .groups = role.member {
                return Rule(name: name, matches: false, reason: "it is not asked of subscriptions")
            }
            let what = isListen ? "subscription's argument \(field) is not" : "item's field \(field) does not have"
            return Rule(
                name: name, matches: !isRefused,
                reason: isRefused
                    ? "the \(what) the caller's \(claims)"
                    : "it allows items whose field \(field) has the caller's \(claims)")
        }
    }

    private func reason(against role: AuthorizationRole) -> String {
        switch role.member {
        case .public, .private, .custom: "the caller is none of \(role.words)"
        case .group(let group, _): "the caller is not in the group \(group)"
        case .groups(_, let claim): "the caller is in no group (claim \(claim))"
        case .owner(_, let claims): "the caller has no claim \(claims.joined(separator: " or "))"
        }
    }
}

extension DecisionSubject {
    fileprivate var isListen: Bool {
        guard case .operation(.listen, _) = self else { return false }
        return true
    }
}

extension FieldCoordinate {
    fileprivate var text: String { "\(type).\(field)" }
}
