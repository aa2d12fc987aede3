import GraphQL
import JSON
import Tables
import Transformer

/// The rules of a schema in the form in which requests are decided. Created once for each generation of the API.
final class SchemaAuthorization: Sendable {
    /// The access to each model, by the model's index.
    let models: [Rules]
    /// The roles of fields of root types, nested types and connection types.
    private let fields: [FieldCoordinate: [AuthorizationRole]]
    /// The models whose rules apply to a field of `Subscription`.
    let subscriptions: [String: Int]
    /// The fields that subscribers do not receive although the result of a mutation contains them, by the model's index.
    private let fieldsWithheldFromEvents: [Set<String>]
    private let isVersionOne: Bool
    private let enablesIAMAccess: Bool
    private let populatesOwnerForStaticRoles: Bool

    /// How a model is authorized.
    enum Rules: Sendable {
        /// Every caller with access to its fields may do everything.
        case open
        /// It has no rules, which closes it to everyone.
        case closed
        case versionOne(VersionOneModel)
        case versionTwo(VersionTwoModel)
    }

    /// - Returns: Nil for a schema without rules.
    init?(_ definition: APIDefinition, _ tables: [StoredTable]) {
        guard definition.enforcedRules != nil else { return nil }
        var fields: [FieldCoordinate: [AuthorizationRole]] = [:]
        for (type, field, roles) in definition.fieldRoles { fields[FieldCoordinate(type: type, field: field)] = roles }
        self.fields = fields
        fieldsWithheldFromEvents = definition.fieldsWithheldFromEvents
        isVersionOne = definition.transformerVersion == .v1
        enablesIAMAccess = definition.enablesIAMAccess
        populatesOwnerForStaticRoles = definition.populatesOwnerForStaticRoles
        if isVersionOne {
            models = zip(definition.models, definition.versionOneAccess).map { model, access in
                access.map { .versionOne(VersionOneModel($0, tables[model.table].table)) } ?? .open
            }
        } else {
            models = zip(definition.models, definition.modelAccess).map { model, access in
                guard let access else { return .closed }
                return access.isOpen(to: definition.authModes)
                    ? .open : .versionTwo(VersionTwoModel(access, model, tables[model.table].table))
            }
        }
        let isOpen = models.allSatisfy { if case .open = $0 { true } else { false } }
        guard !isOpen || !fields.isEmpty else { return nil }
        var subscriptions: [String: Int] = [:]
        for subscription in definition.generatedSubscriptions where subscription.isRuled {
            subscriptions[subscription.field] = subscription.model
        }
        self.subscriptions = subscriptions
    }

    /// Whether a field has static rules.
    func hasRules(_ field: FieldCoordinate) -> Bool { fields[field] != nil }

    /// Whether a model is open to all its callers.
    func isOpen(_ model: Int) -> Bool { if case .open = models[model] { true } else { false } }

    /// The model's table and the columns that decide, if the field is checked: not every reader of the item may read it.
    func check(_ model: Int, _ field: String) -> (table: Table, columns: [Int])? {
        switch models[model] {
        case .open, .closed: return nil
        case .versionOne(let model):
            return model.access.check(.get, field: field) == nil ? nil : (model.table, model.columns(checking: field))
        case .versionTwo(let model):
            return model.access.readers[field] == nil ? nil : (model.table, model.columns(checking: field))
        }
    }

    /// The fields of a model that are null in the result of a mutation, and so in its events.
    func redactedFields(_ model: Int, in mutation: AuthorizationRule.Operation) -> Set<String> {
        switch models[model] {
        case .open, .closed: []
        case .versionOne(let model): model.access.redactedFields(of: mutation)
        case .versionTwo(let model): model.redactedFields
        }
    }

    /// Whether a field is null in events that are made of the results of mutations.
    func isWithheldFromEvents(_ field: String, of model: Int) -> Bool {
        fieldsWithheldFromEvents[model].contains(field)
    }

    /// The owner fields of a model that are stored as several claims and shown as the last of them.
    func fieldsShowingLastClaim(_ model: Int) -> Set<String> {
        if case .versionTwo(let model) = models[model] { model.fieldsShowingLastClaim } else { [] }
    }

    // MARK: - Decisions

    /// The decision for one subject and identity. What no rule allows is denied.
    func decide(_ subject: DecisionSubject, for caller: CallerRoles) -> Decision {
        if caller.identity.isAdministrator { return .allow }
        switch subject {
        case .field(let field): return decide(fields[field] ?? [], for: caller)
        case .check(let model, _), .relation(let model), .operation(_, let model):
            switch models[model] {
            case .open: return .allow
            case .closed: return hasFullIAMAccess(caller) ? .allow : .deny
            case .versionOne(let model): return decide(subject, model, for: caller)
            case .versionTwo(let model):
                guard caller.identity.isAdmin && !model.access.isSandbox || hasFullIAMAccess(caller) else {
                    return decide(subject, model, for: caller)
                }
                // Their arguments and filters compare owners as they are shown, like those of other callers.
                let shown = model.fieldsShowingLastClaim
                guard case .operation(.listen, _) = subject, !shown.isEmpty else { return .allow }
                return .event(EventDecision(receivesAll: true, terms: [], fieldsShowingLastClaim: shown))
            }
        }
    }

    /// Whether `enableIamAccess` gives the caller access to everything.
    private func hasFullIAMAccess(_ caller: CallerRoles) -> Bool {
        enablesIAMAccess && caller.identity.isSignerOutsidePool
    }

    /// Fields of root types and nested types have only static roles; in version 1 only groups, for the callers of their
    /// provider.
    private func decide(_ roles: [AuthorizationRole], for caller: CallerRoles) -> Decision {
        var roles = roles
        if isVersionOne {
            roles.removeAll { if case .group = $0.member { false } else { true } }
            guard roles.contains(where: { $0.provider == caller.provider }) else { return .allow }
        } else if caller.identity.isAdmin || hasFullIAMAccess(caller) {
            return .allow
        }
        let isAllowed = roles.contains { if case .all = caller.holding(of: $0) { true } else { false } }
        return isAllowed ? .allow : .deny
    }

    private func decide(_ subject: DecisionSubject, _ model: VersionOneModel, for caller: CallerRoles) -> Decision {
        let check = model.access.check(of: subject)
        switch subject {
        case .field: return .deny
        case .check: return model.field(check, caller)
        case .relation: return model.rows(check, caller)
        case .operation(let operation, _):
            switch operation {
            case .get, .list, .sync, .search: return model.rows(check, caller)
            case .create: return model.create(caller)
            case .update, .delete: return model.write(operation, caller)
            case .listen: return model.listen(caller)
            }
        }
    }

    private func decide(_ subject: DecisionSubject, _ model: VersionTwoModel, for caller: CallerRoles) -> Decision {
        switch subject {
        case .field: return .deny
        case .check(_, let field): return check(model, field, caller)
        case .relation: return rows(model, model.access.readingRoles(), caller)
        case .operation(let operation, _):
            switch operation {
            case .get, .list, .sync, .search: return rows(model, model.access.roles(with: operation), caller)
            case .create: return input(model, caller)
            case .update: return update(model, caller)
            case .delete: return delete(model, caller)
            case .listen: return event(model, caller)
            }
        }
    }

    /// A role on a column, with the values that an identity has for it.
    private func term(
        _ model: VersionTwoModel, _ role: Int, _ values: CallerRoles.Values
    ) -> RowDecision.Term? {
        model.columns[role].map {
            RowDecision.Term(column: $0, values: values.all, stored: values.stored.map(Value.text))
        }
    }

    /// How a caller has a role of a model.
    private func holding(_ model: VersionTwoModel, _ role: Int, _ caller: CallerRoles) -> CallerRoles.Holding {
        caller.holding(of: model.access.roles[role], joinedFields: model.fieldsShowingLastClaim)
    }

    /// Reads: if some claims of an owner are missing, the others count.
    private func rows(_ model: VersionTwoModel, _ roles: [Int], _ caller: CallerRoles) -> Decision {
        var terms: [RowDecision.Term] = []
        for role in roles {
            switch holding(model, role, caller) {
            case .none: break
            case .all: return .allow
            case .values(let values): terms += [term(model, role, values)].compactMap { $0 }
            }
        }
        return terms.isEmpty ? .deny : .rows(RowDecision(terms))
    }

    private func check(_ model: VersionTwoModel, _ field: String, _ caller: CallerRoles) -> Decision {
        switch rows(model, model.access.readers[field] ?? [], caller) {
        case .rows(let rows): .check(ParameterizedCondition(rows.condition, of: model.table))
        case let decision: decision
        }
    }

    /// The roles that an identity has for writing, each with its condition on the item. An owner needs all claims.
    private func holders(
        _ model: VersionTwoModel, _ roles: [Int], _ caller: CallerRoles
    ) -> [(role: Int, condition: Condition)] {
        roles.compactMap { role in
            switch holding(model, role, caller) {
            case .none: return nil
            case .all: return (role, .always)
            case .values(let values):
                if case .owner = model.access.roles[role].member, values.stored == nil { return nil }
                return model.columns[role].map { (role, .isAny(column: $0, values.all)) }
            }
        }
    }

    private func input(_ model: VersionTwoModel, _ caller: CallerRoles) -> Decision {
        let access = model.access
        let holders = holders(model, access.roles(with: .create), caller)
        guard !holders.isEmpty else { return .deny }
        if !populatesOwnerForStaticRoles,
            holders.contains(where: { $0.condition == .always && access.isWhole($0.role, .create) })
        {
            return .allow
        }
        let fills = holders.compactMap { holder -> InputDecision.Fill? in
            guard case .owner(let field, _) = access.roles[holder.role].member, let column = model.columns[holder.role],
                case .values(let values) = holding(model, holder.role, caller),
                let owner = values.stored
            else { return nil }
            return InputDecision.Fill(field: field, column: column, owner: owner, isList: model.isList(column))
        }
        let grants = holders.map { role, condition in
            var grant = WriteGrant(
                condition: condition, isWhole: access.isWhole(role, .create), fields: access.fields(of: role, .create))
            if case .owner(let field, _) = access.roles[role].member { grant.filledField = field }
            return grant
        }
        if fills.isEmpty, grants.contains(where: { $0.isWhole && $0.condition == .always }) { return .allow }
        return .input(InputDecision(fills: fills, grants: grants, openFields: model.addedFields))
    }

    private func update(_ model: VersionTwoModel, _ caller: CallerRoles) -> Decision {
        let access = model.access
        let roles = access.roles.indices.filter {
            !access.fields(of: $0, .update).isEmpty || !access.fields(of: $0, .delete).isEmpty
        }
        let grants = holders(model, roles, caller).map { role, condition in
            WriteGrant(
                condition: condition, isWhole: access.isWhole(role, .update) && access.isWhole(role, .delete),
                fields: access.fields(of: role, .update), nullableFields: access.fields(of: role, .delete))
        }
        return decision(grants, openFields: model.addedFields.union([model.partitionKey]))
    }

    private func delete(_ model: VersionTwoModel, _ caller: CallerRoles) -> Decision {
        let access = model.access
        let roles = access.roles.indices.filter { access.isWhole($0, .delete) }
        let grants = holders(model, roles, caller).map { _, condition in
            WriteGrant(condition: condition, isWhole: true, fields: [])
        }
        return decision(grants, openFields: [])
    }

    private func decision(_ grants: [WriteGrant], openFields: Set<String>) -> Decision {
        if grants.isEmpty { return .deny }
        if grants.contains(where: { $0.isWhole && $0.condition == .always }) { return .allow }
        return .storedItem(StoredItemDecision(grants: grants, openFields: openFields))
    }

    private func event(_ model: VersionTwoModel, _ caller: CallerRoles) -> Decision {
        let shown = model.fieldsShowingLastClaim
        var terms: [EventDecision.Term] = []
        for role in model.access.roles(with: .listen) {
            switch holding(model, role, caller) {
            case .none: break
            case .all:
                // Callers that receive every event share groups.
                return .event(EventDecision(receivesAll: true, terms: [], fieldsShowingLastClaim: shown))
            case .values(let values):
                guard let column = model.columns[role], let field = model.access.roles[role].field else { continue }
                let isOwner = if case .owner = model.access.roles[role].member { true } else { false }
                if isOwner, values.stored == nil { continue }
                // An event has the stored owner, or the shown one, which is the last of the joined claims.
                let names = values.all.texts
                let own = isOwner ? TextSet(texts: [names.first, names.last].compactMap { $0 }) : values.all
                let isList = model.isList(column)
                terms.append(
                    EventDecision.Term(
                        field: field, isList: isList, values: own,
                        argumentValues: isOwner && !isList ? values.all : nil))
            }
        }
        guard !terms.isEmpty else { return .deny }
        return .event(EventDecision(receivesAll: false, terms: terms, fieldsShowingLastClaim: shown))
    }
}
