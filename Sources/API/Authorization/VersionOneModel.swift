import JSON
import Tables
import Transformer

/// The rules of a model of version 1, with the columns that they compare. Created once for a schema.
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

    /// The result of a check for one caller.
    enum Outcome {
        /// The check does not apply to the caller.
        case allow
        /// The caller has one of the roles if the item matches a term; without terms the caller has no role.
        case items([RowDecision.Term])
    }

    /// The result of a check for one caller: all roles of the check count, including those of other providers.
    func outcome(_ check: VersionOneAccess.Check?, _ caller: CallerRoles) -> Outcome {
        guard let check, check.providers.contains(caller.provider) else { return .allow }
        var terms: [RowDecision.Term] = []
        for role in check.roles {
            switch caller.holding(of: role, ignoringProvider: true) {
            case .none: break
            case .all: return .allow
            case .values(let values):
                guard let column = role.field.flatMap(table.position) else { continue }
                terms.append(RowDecision.Term(column: column, values: values.all, stored: nil))
            }
        }
        return .items(terms)
    }

    // MARK: - Decisions

    /// Reads: a missing item is null, a forbidden one is an error, and lists omit it.
    func rows(_ check: VersionOneAccess.Check?, _ caller: CallerRoles) -> Decision {
        switch outcome(check, caller) {
        case .allow: .allow
        case .items(let terms): .rows(RowDecision(terms, decidesByKey: false))
        }
    }

    /// Reading a field of an item.
    func field(_ check: VersionOneAccess.Check?, _ caller: CallerRoles) -> Decision {
        switch outcome(check, caller) {
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

    /// The conditions on an input; nil if there are none. Owners are filled in even if another role allows the create.
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
                    WriteGrant(condition: .isAny(column: column, values.all), isWhole: true, fields: []))
                guard case .owner = role.member, let owner = values.stored else { continue }
                let isList = table.columns[column].type == .json
                fills.append(InputDecision.Fill(field: field, column: column, owner: owner, isList: isList))
            }
        }
        return InputDecision(fills: fills, grants: grants, openFields: [])
    }

    /// Updates and deletes: the conditions on the stored item are added to the caller's condition and fail like it.
    func write(_ operation: AuthorizationRule.Operation, _ caller: CallerRoles) -> Decision {
        guard let ofType = condition(access.check(operation), caller) else { return .deny }
        var fields: [VersionOneWriteDecision.Field] = []
        if operation == .update {
            for (operation, isNull) in [(AuthorizationRule.Operation.update, false), (.delete, true)] {
                for name in access.checkedFields(operation) {
                    fields.append(
                        VersionOneWriteDecision.Field(
                            name: name, isNull: isNull,
                            condition: condition(access.check(operation, field: name), caller)))
                }
            }
        }
        fields.removeAll { $0.condition == .always }
        return ofType == .always && fields.isEmpty
            ? .allow : .condition(VersionOneWriteDecision(condition: ofType, fields: fields))
    }

    /// The condition on the stored item; nil if no item can match.
    private func condition(_ check: VersionOneAccess.Check?, _ caller: CallerRoles) -> Condition? {
        switch outcome(check, caller) {
        case .allow: .always
        case .items(let terms): terms.isEmpty ? nil : RowDecision(terms).condition
        }
    }

    /// Subscribers must name themselves as the owner; groups from a field are not evaluated.
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
                terms.append(
                    EventDecision.Term(field: field, isList: false, values: values.all, argumentValues: values.all))
            }
        }
        guard hasStatic else { return .allow }
        return terms.isEmpty
            ? .deny : .event(EventDecision(receivesAll: false, terms: terms, requiresOwnerArgument: true))
    }
}

extension VersionOneAccess {
    /// The check of a subject; nil if there is none. Rules on fields of root types are decided elsewhere.
    func check(of subject: DecisionSubject) -> Check? {
        switch subject {
        case .field: nil
        case .check(_, let field): check(.get, field: field)
        case .relation: check(.sync)
        case .operation(let operation, _): check(operation)
        }
    }
}
