import JSON
import Tables
import Transformer

/// The rules of a model of version 1, and where its table has what they look at. Made once for a schema.
final class VersionOneModel: Sendable {
    let access: VersionOneAccess
    let table: Table

    init(_ access: VersionOneAccess, _ table: Table) {
        self.access = access
        self.table = table
    }

    /// The columns that decide whether a field may be read.
    func columns(checking field: String) -> [Int] {
        access.check(.get, field: field)?.roles.compactMap { $0.field.flatMap(table.position) } ?? []
    }

    /// What a check comes to for one caller.
    enum Outcome {
        /// Nothing is asked of the caller.
        case allow
        /// The caller has one of the roles where this holds of the item; no role at all where there are no terms.
        case items([RowDecision.Term])
    }

    /// What a check comes to for one caller: all its roles count, also those of another provider than the caller's.
    func outcome(_ check: VersionOneAccess.Check?, _ caller: CallerRoles) -> Outcome {
        guard let check, check.providers.contains(caller.provider) else { return .allow }
        var terms: [RowDecision.Term] = []
        for role in check.roles {
            switch caller.holding(of: role, ignoringProvider: true) {
            case .none: break
            case .all: return .allow
            case .values(let values):
                guard let column = role.field.flatMap(table.position) else { continue }
                terms.append(RowDecision.Term(column: column, values: values.values, stored: nil))
            }
        }
        return .items(terms)
    }

    // MARK: - Decisions

    /// Reads: a missing item is null, a forbidden one an error, and lists leave it out.
    func rows(_ operation: AuthorizationRule.Operation, _ caller: CallerRoles) -> Decision {
        switch outcome(access.check(operation), caller) {
        case .allow: .allow
        case .items(let terms): .rows(RowDecision(terms, decidesByKey: false))
        }
    }

    /// Reading a field of an item.
    func check(_ field: String, _ caller: CallerRoles) -> Decision {
        switch outcome(access.check(.get, field: field), caller) {
        case .allow: .allow
        case .items(let terms) where terms.isEmpty: .deny
        case .items(let terms): .check(ParameterizedCondition(RowDecision(terms).condition, of: table))
        }
    }

    func create(_ caller: CallerRoles) -> Decision {
        let ofType = input(access.check(.create), caller)
        var ofFields: [String: InputDecision] = [:]
        for field in access.checkedFields(.create) {
            ofFields[field] = input(access.check(.create, field: field), caller)
        }
        guard ofType != nil || !ofFields.isEmpty else { return .allow }
        return .input(
            InputDecision(
                fills: ofType?.fills ?? [], grants: ofType?.grants ?? [WriteGrant.whole], openFields: [],
                fields: ofFields))
    }

    /// What is asked of an input; nil where nothing is. Owners are filled in also for callers that another role admits.
    private func input(_ check: VersionOneAccess.Check?, _ caller: CallerRoles) -> InputDecision? {
        guard let check, check.providers.contains(caller.provider) else { return nil }
        var fills: [InputDecision.Fill] = []
        var grants: [WriteGrant] = []
        for role in check.roles {
            switch caller.holding(of: role, ignoringProvider: true) {
            case .none: break
            case .all: grants.append(.whole)
            case .values(let values):
                guard let field = role.field, let column = table.position(of: field) else { continue }
                grants.append(
                    WriteGrant(condition: .isAny(column: column, values.values), isWhole: true, fields: []))
                guard case .owner = role.member, let owner = values.stored else { continue }
                let isList = table.columns[column].type == .json
                fills.append(
                    InputDecision.Fill(
                        field: field, column: column,
                        value: .text(isList ? JSONValue.array([.string(owner)]).description : owner)))
            }
        }
        return InputDecision(fills: fills, grants: grants, openFields: [])
    }

    /// Updates and deletes: what must hold of the stored item is part of the condition, and fails as the caller's does.
    func write(_ operation: AuthorizationRule.Operation, _ caller: CallerRoles) -> Decision {
        guard let ofType = condition(access.check(operation), caller) else { return .deny }
        var fields: [ConditionDecision.Field] = []
        if operation == .update {
            for (operation, isNull) in [(AuthorizationRule.Operation.update, false), (.delete, true)] {
                for name in access.checkedFields(operation) {
                    fields.append(
                        ConditionDecision.Field(
                            name: name, isNull: isNull,
                            condition: condition(access.check(operation, field: name), caller)))
                }
            }
        }
        fields.removeAll { $0.condition == .always }
        return ofType == .always && fields.isEmpty
            ? .allow : .condition(ConditionDecision(condition: ofType, fields: fields))
    }

    /// What must hold of the stored item; nil where nothing could.
    private func condition(_ check: VersionOneAccess.Check?, _ caller: CallerRoles) -> Condition? {
        switch outcome(check, caller) {
        case .allow: .always
        case .items(let terms): terms.isEmpty ? nil : RowDecision(terms).condition
        }
    }

    /// Subscribers name an owner that they are; groups that a field names are not asked about.
    func listen(_ caller: CallerRoles) -> Decision {
        guard let check = access.check(.listen), check.providers.contains(caller.provider) else { return .allow }
        var terms: [EventDecision.Term] = []
        var hasStatic = false
        for role in check.roles {
            if case .groups = role.member { continue }
            hasStatic = true
            switch caller.holding(of: role, ignoringProvider: true) {
            case .none: break
            case .all: return .allow
            case .values(let values):
                guard let field = role.field else { continue }
                let values = values.all.map { EventValue.text(ExactText($0)) }
                terms.append(
                    EventDecision.Term(field: field, isList: false, values: values, argumentValues: values))
            }
        }
        guard hasStatic else { return .allow }
        return terms.isEmpty
            ? .deny : .event(EventDecision(receivesAll: false, terms: terms, requiresOwnerArgument: true))
    }
}
