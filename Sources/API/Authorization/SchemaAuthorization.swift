import GraphQL
import JSON
import Tables
import Transformer

/// The rules of a schema as requests are decided by them. Made once for each generation of the API.
final class SchemaAuthorization: Sendable {
    /// Whether rules are enforced, so that a model without rules is closed.
    let isEnforced: Bool
    /// By the places of the models; nil of a model without rules.
    let models: [RuledModel?]
    /// The roles of fields of root types, nested types and pages; none of a field that is closed to everyone.
    private let fields: [FieldCoordinate: [AuthorizationRole]]
    /// The models whose rules are about a field of `Subscription`.
    let subscriptions: [String: Int]

    /// - Returns: Nil of a schema in which nothing is ruled.
    init?(_ definition: APIDefinition, _ tables: [StoredTable]) {
        isEnforced = definition.enforcedRules != nil
        guard isEnforced || !definition.closedFields.isEmpty else { return nil }
        var fields: [FieldCoordinate: [AuthorizationRole]] = [:]
        for (type, field, roles) in definition.fieldRoles { fields[FieldCoordinate(type: type, field: field)] = roles }
        for (type, field) in definition.closedFields { fields[FieldCoordinate(type: type, field: field)] = [] }
        self.fields = fields
        models = zip(definition.models, definition.modelAccess).map { model, access in
            access.map { RuledModel($0, model, tables[model.table].table) }
        }
        subscriptions = isEnforced ? Self.subscriptions(of: definition) : [:]
    }

    /// The generated fields of subscriptions that are not open to everyone; one that the author wrote is not generated.
    private static func subscriptions(of definition: APIDefinition) -> [String: Int] {
        let type = definition.schema.subscriptionType.map { definition.schema[$0].name }
        let written = type.flatMap { definition.declarations.type(named: $0) }?.fields.map(\.name) ?? []
        var subscriptions: [String: Int] = [:]
        for (index, model) in definition.models.enumerated() {
            guard let operations = definition.declarations.model(named: model.name)?.operations,
                operations.subscriptionLevel == .on
            else { continue }
            for field in operations.subscriptions where !written.contains(field.field) {
                subscriptions[field.field] = index
            }
        }
        return subscriptions
    }

    /// Whether a field has static rules.
    func hasRules(_ field: FieldCoordinate) -> Bool { fields[field] != nil }

    // MARK: - Decisions

    /// What the rules come to for one subject and identity. What no rule allows is denied.
    func decide(_ subject: DecisionSubject, for caller: CallerRoles) -> Decision {
        switch subject {
        case .field(let field):
            let isAllowed = fields[field]?.contains { role in
                if case .all = caller.holding(of: role) { true } else { false }
            }
            return isAllowed == true ? .allow : .deny
        case .check(let model, let field):
            guard let model = models[model] else { return .deny }
            return check(model, field, caller)
        case .relation(let model):
            guard let model = models[model] else { return .deny }
            return rows(model, model.access.readingRoles(), caller)
        case .operation(let operation, let model):
            guard let model = models[model] else { return .deny }
            switch operation {
            case .get, .list, .sync, .search: return rows(model, model.access.roles(with: operation), caller)
            case .create: return input(model, caller)
            case .update: return update(model, caller)
            case .delete: return delete(model, caller)
            case .listen: return event(model, caller)
            }
        }
    }

    /// A column role with the values that an identity has for it.
    private func term(
        _ model: RuledModel, _ role: Int, _ values: CallerRoles.Values
    ) -> RowDecision.Term? {
        model.columns[role].map {
            RowDecision.Term(column: $0, values: values.values, stored: values.stored.map(Value.text))
        }
    }

    /// Reads: of an owner whose claims are not all there, those that are count.
    private func rows(_ model: RuledModel, _ roles: [Int], _ caller: CallerRoles) -> Decision {
        var terms: [RowDecision.Term] = []
        for role in roles {
            switch caller.holding(of: model.access.roles[role]) {
            case .none: break
            case .all: return .allow
            case .values(let values): terms += [term(model, role, values)].compactMap { $0 }
            }
        }
        return terms.isEmpty ? .deny : .rows(RowDecision(terms))
    }

    private func check(_ model: RuledModel, _ field: String, _ caller: CallerRoles) -> Decision {
        switch rows(model, model.access.readers[field] ?? [], caller) {
        case .rows(let rows): .check(ParameterizedCondition(rows.condition, of: model.table))
        case let decision: decision
        }
    }

    /// The roles that an identity has for writing, and what each asks of the item. An owner without all claims is none.
    private func holders(
        _ model: RuledModel, _ roles: [Int], _ caller: CallerRoles
    ) -> [(role: Int, condition: Condition)] {
        roles.compactMap { role in
            switch caller.holding(of: model.access.roles[role]) {
            case .none: return nil
            case .all: return (role, .always)
            case .values(let values):
                if case .owner = model.access.roles[role].member, values.stored == nil { return nil }
                return model.columns[role].map { (role, .isAny(column: $0, values.values)) }
            }
        }
    }

    private func input(_ model: RuledModel, _ caller: CallerRoles) -> Decision {
        let access = model.access
        let holders = holders(model, access.roles(with: .create), caller)
        guard !holders.isEmpty else { return .deny }
        let fills = holders.compactMap { holder -> InputDecision.Fill? in
            guard case .owner(let field, _) = access.roles[holder.role].member, let column = model.columns[holder.role],
                case .values(let values) = caller.holding(of: access.roles[holder.role]), let owner = values.stored
            else { return nil }
            let value = model.isList(column) ? JSONValue.array([.string(owner)]).description : owner
            return InputDecision.Fill(field: field, column: column, value: .text(value))
        }
        let grants = holders.map { role, condition in
            WriteGrant(
                condition: condition, isWhole: access.isWhole(role, .create), fields: access.fields(of: role, .create))
        }
        if fills.isEmpty, grants.contains(where: { $0.isWhole && $0.condition == .always }) { return .allow }
        return .input(InputDecision(fills: fills, grants: grants, openFields: model.addedFields))
    }

    private func update(_ model: RuledModel, _ caller: CallerRoles) -> Decision {
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

    private func delete(_ model: RuledModel, _ caller: CallerRoles) -> Decision {
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

    private func event(_ model: RuledModel, _ caller: CallerRoles) -> Decision {
        var terms: [EventDecision.Term] = []
        for role in model.access.roles(with: .listen) {
            switch caller.holding(of: model.access.roles[role]) {
            case .none: break
            case .all:
                // Callers that receive every event share groups.
                return .event(EventDecision(isPassed: true, terms: []))
            case .values(let values):
                guard let column = model.columns[role], let field = model.access.roles[role].field else { continue }
                let isOwner = if case .owner = model.access.roles[role].member { true } else { false }
                if isOwner, values.stored == nil { continue }
                // An event has the owner as it is stored, or as it is shown: the last of the joined claims.
                let shown = isOwner ? [values.all.first, values.all.last].compactMap { $0 } : values.all
                let isList = model.isList(column)
                terms.append(
                    EventDecision.Term(
                        field: field, isList: isList, values: Self.eventValues(shown),
                        argumentValues: isOwner && !isList ? Self.eventValues(values.all) : nil))
            }
        }
        return terms.isEmpty ? .deny : .event(EventDecision(isPassed: false, terms: terms))
    }

    private static func eventValues(_ texts: [String]) -> [EventValue] {
        var values: [EventValue] = []
        for text in texts where !values.contains(.text(ExactText(text))) { values.append(.text(ExactText(text))) }
        return values
    }
}
