import GraphQL
import Tables
import Transformer

extension AuthorizationExplainer {
    /// What the caller may do with a stored item.
    func access(to item: Item, ofModel model: Int) -> ItemAccess {
        let answers = ItemAccess.operations.map { ($0, answer($0, item, model)) }
        return ItemAccess(answers: Dictionary(uniqueKeysWithValues: answers))
    }

    private func answer(
        _ operation: AuthorizationRule.Operation, _ item: Item, _ model: Int
    ) -> ItemAccess.Answer {
        guard !caller.identity.isAdministrator else {
            return ItemAccess.Answer(isAllowed: true, reason: "The caller is an operator of the server")
        }
        guard let (field, subject) = operationServed(operation, model) else {
            let verb = operation == .get ? "reads" : "\(operation.rawValue)s"
            return ItemAccess.Answer(
                isAllowed: false, reason: "The API has no field that \(verb) items of \(definition.models[model].name)")
        }
        if let reason = unreachable(field) { return ItemAccess.Answer(isAllowed: false, reason: reason) }
        // Where rules open all models to all callers, requests are decided without rules, but a rule is the reason.
        guard definition.enforcedRules != nil else {
            return ItemAccess.Answer(isAllowed: true, reason: "The API has no rules")
        }
        return answer(subject, item, model)
    }

    /// A field by which callers reach items for an operation, and what is decided of it.
    private func operationServed(
        _ operation: AuthorizationRule.Operation, _ model: Int
    ) -> (field: FieldCoordinate, subject: DecisionSubject)? {
        let root = operation == .get ? definition.schema.queryType : definition.schema.mutationType
        guard let type = root.map({ definition.schema[$0] }), let fields = type.fields?.fields else { return nil }
        let subjects: [DecisionSubject] =
            operation == .get
            ? [
                .operation(.get, model: model), .operation(.list, model: model), .operation(.sync, model: model),
                .relation(model: model),
            ]
            : [.operation(operation, model: model)]
        for subject in subjects {
            let field = fields.first { field in
                definition.ruledAction(of: definition.resolver(type: type.name, field: field.name))
                    .map(DecisionSubject.init) == subject
            }
            if let field { return (FieldCoordinate(type: type.name, field: field.name), subject) }
        }
        return nil
    }

    private func answer(_ subject: DecisionSubject, _ item: Item, _ model: Int) -> ItemAccess.Answer {
        let table = schema.tables[definition.models[model].table].table
        let (isAllowed, fields) = decided(subject, item, model, table)
        let (reason, rules) = rules(subject, isRefused: false)
        // The same rules, with why they do not match an item.
        let refused = self.rules(subject, isRefused: true).rules.map(\.rule)
        var answer = ItemAccess.Answer(isAllowed: isAllowed, reason: reason, fields: fields)
        var met: [(role: AuthorizationRole, rule: AuthorizationExplanation.Rule)] = []
        for (index, (role, rule)) in rules.enumerated() {
            if rule.verdict != .doesNotMatch, role.isStatic || holds(role, subject, item, table) {
                met.append((role, rule))
            } else {
                answer.unmet.append(index < refused.count ? refused[index] : rule)
            }
        }
        guard isAllowed, let found = met.first(where: { $0.rule.verdict == .allows }) ?? met.first else {
            return answer
        }
        answer.rule = found.rule.name
        answer.ruleText = text(of: found.role, subject, model)
        answer.reason =
            reason
            ?? found.role.field.map {
                "the item's field \($0) has the caller's \(found.role.claims.joined(separator: CallerRoles.claimSeparator))"
            }
            ?? found.rule.reason
        return answer
    }

    /// Whether the item is allowed, and which of its fields; nil for all.
    private func decided(
        _ subject: DecisionSubject, _ item: Item, _ model: Int, _ table: Table
    ) -> (isAllowed: Bool, fields: [String]?) {
        let names = table.columns.map(\.field)
        func part(_ isIncluded: (String) -> Bool) -> [String]? {
            let part = names.filter(isIncluded)
            return part.count == names.count ? nil : part
        }
        switch decide(subject) {
        case .allow: break
        case .rows(let rows): guard rows.condition.holds(of: item, in: table) else { return (false, nil) }
        case .storedItem(let decision):
            let grants = decision.grants.filter { $0.condition.holds(of: item, in: table) }
            if case .operation(.delete, _) = subject { return (grants.contains(where: \.isWhole), nil) }
            guard !grants.isEmpty else { return (false, nil) }
            guard !grants.contains(where: \.isWhole) else { return (true, nil) }
            return (
                true,
                part { name in decision.openFields.contains(name) || grants.contains { $0.fields.contains(name) } }
            )
        case .condition(let decision):
            guard decision.condition.holds(of: item, in: table) else { return (false, nil) }
            let closed = decision.fields.filter { field in
                !field.isNull && field.condition?.holds(of: item, in: table) != true
            }.map(\.name)
            return (true, part { !closed.contains($0) })
        case .deny, .check, .input, .event: return (false, nil)
        }
        switch subject {
        case .operation(.update, _), .operation(.delete, _): return (true, nil)
        default: return (true, part { isReadable($0, item, model, table) })
        }
    }

    /// Whether a field of an item that may be read may be read, too.
    private func isReadable(_ field: String, _ item: Item, _ model: Int, _ table: Table) -> Bool {
        guard schema.authorization?.check(model, field) != nil else { return true }
        return switch decide(.check(model: model, field: field)) {
        case .allow: true
        case .check(let condition): condition.holds(of: item, in: table)
        default: false
        }
    }

    /// Whether the item has a value of the caller's in the field of a role.
    private func holds(_ role: AuthorizationRole, _ subject: DecisionSubject, _ item: Item, _ table: Table) -> Bool {
        guard let column = role.field.flatMap(table.position),
            case .values(let values) = caller.holding(
                of: role, ignoringProvider: true, joinedFields: joinedFields(subject))
        else { return false }
        return Tables.Condition.isAny(column: column, values.all).holds(of: item, in: table)
    }

    /// The rule of a role as `@auth` writes it.
    private func text(of role: AuthorizationRole, _ subject: DecisionSubject, _ model: Int) -> String? {
        let version = definition.transformerVersion
        let rules = definition.rules(of: definition.models[model].name).filter { $0.roles(in: version).contains(role) }
        var named: AuthorizationRule?
        if case .operation(let operation, _) = subject { named = rules.first { $0.operations.contains(operation) } }
        return (named ?? rules.first)?.constValue(in: version).description
    }
}
