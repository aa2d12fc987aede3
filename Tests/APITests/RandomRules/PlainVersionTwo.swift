import Foundation
import JSON
import Transformer

/// The specification's chapter on version 2, read step by step.
final class PlainVersionTwo: PlainReading {
    struct Role: Hashable {
        enum Kind: Hashable {
            case `public`
            case `private`
            case custom
            case group(String, claim: String)
            case groupColumn(String, claim: String)
            case owner(String, claim: String)
        }

        var mode: Mode
        var kind: Kind

        var isStatic: Bool {
            switch kind {
            case .public, .private, .custom, .group: true
            case .groupColumn, .owner: false
            }
        }
    }

    /// Who may do what with which declared field of a model.
    private struct Matrix {
        var roles: [Role] = []
        var resources: [String] = []
        var granted: [String: [Role: Set<String>]] = [:]

        func fields(_ role: Role, _ operation: String) -> Set<String> { granted[operation]?[role] ?? [] }
        func has(_ role: Role, _ operation: String) -> Bool { !fields(role, operation).isEmpty }
        func isFull(_ role: Role, _ operation: String) -> Bool {
            fields(role, operation).count == resources.count
        }
        func roles(_ operations: String...) -> [Role] {
            roles.filter { role in operations.contains { has(role, $0) } }
        }
        func readers(of field: String? = nil) -> [Role] {
            roles.filter { role in
                PlainVersionTwo.reads.contains { operation in
                    field.map { fields(role, operation).contains($0) } ?? has(role, operation)
                }
            }
        }
    }

    static let reads = ["get", "list", "sync", "search", "listen"]

    private var matrices: [String: Matrix] = [:]
    /// The roles of fields that not everyone who reads the model may read.
    private var checks: [String: [String: [Role]]] = [:]
    private var redactedRelations: [String: Set<String>] = [:]

    override init(_ schema: RuledSchema) {
        super.init(schema)
        for model in schema.models where model.isRuled {
            matrices[model.name] = matrix(model)
            checks[model.name] = restrictedReaders(model)
        }
        for model in schema.models where model.isRuled { redactedRelations[model.name] = redacted(model) }
        nameModes()
    }

    // MARK: - Roles

    private func defaultClaim(_ claim: String?) -> String {
        claim ?? (schema.usesSubUsername ? "sub::username" : "username")
    }

    private func roles(_ rule: WrittenRule) -> [Role] {
        let groupClaim = "cognito:groups"
        let kinds: [Role.Kind] =
            switch rule.allow {
            case .public: [.public]
            case .private: [.private]
            case .custom: [.custom]
            case .owner(let field, let claim): [.owner(field ?? "owner", claim: defaultClaim(claim))]
            case .groups(let groups, let claim): groups.map { .group($0, claim: claim ?? groupClaim) }
            case .groupsField(let field, let claim): [.groupColumn(field ?? "groups", claim: claim ?? groupClaim)]
            }
        return kinds.map { Role(mode: rule.mode, kind: $0) }
    }

    private func operations(_ rule: WrittenRule) -> Set<String> {
        guard let named = rule.operations["operations"], let named else {
            return Set(["create", "update", "delete"] + Self.reads)
        }
        return Set(named.flatMap { $0 == "read" ? Self.reads : [$0] })
    }

    private func matrix(_ model: RuledSchema.Model) -> Matrix {
        var matrix = Matrix()
        matrix.resources = model.fields.map(\.name)
        for rule in (model.rules ?? []) + model.fields.flatMap({ $0.rules ?? [] }) {
            for role in roles(rule) where !matrix.roles.contains(role) { matrix.roles.append(role) }
        }
        for operation in ["create", "update", "delete"] + Self.reads {
            for role in matrix.roles {
                for field in model.fields {
                    let rules = (field.rules ?? model.rules ?? []).filter { roles($0).contains(role) }
                    // On a type a role stands once; of those of a field the later rule counts.
                    guard let last = rules.last, operations(last).contains(operation) else { continue }
                    matrix.granted[operation, default: [:]][role, default: []].insert(field.name)
                }
            }
        }
        return matrix
    }

    /// The names that an owner is known by: all claims joined, and each of them.
    private func names(_ claim: String, _ caller: PlainCaller) -> (joined: String?, all: [String]) {
        let claims = claim.contains("::") ? claim.components(separatedBy: "::") : [claim]
        let found = claims.map(caller.text), present = found.compactMap { $0 }
        let joined = present.count == claims.count ? present.joined(separator: "::") : nil
        return (joined, [joined].compactMap { $0 } + present)
    }

    private func holds(_ role: Role, _ caller: PlainCaller) -> Bool {
        guard role.mode == caller.mode else { return false }
        switch role.kind {
        case .public: return role.mode != .iam || caller.isSignedIn == false
        case .private: return role.mode != .iam || caller.isSignedIn == true
        case .custom: return true
        case .group(let group, let claim): return caller.groups(claim).contains(group)
        case .groupColumn, .owner: return false
        }
    }

    private func isAmong(_ names: [String], _ value: JSONValue?) -> Bool {
        switch value {
        case .string(let text)?: names.contains(text)
        case .array(let elements)?: elements.contains { names.contains($0.stringValue ?? "") }
        default: false
        }
    }

    /// Whether a caller has a role of an item for a write, which needs all claims of an owner.
    private func holds(_ role: Role, of item: Item?, _ caller: PlainCaller) -> Bool {
        guard role.mode == caller.mode else { return false }
        switch role.kind {
        case .owner(let field, let claim):
            let names = names(claim, caller)
            return names.joined != nil && isAmong(names.all, item?[field])
        case .groupColumn(let field, let claim): return isAmong(caller.groups(claim), item?[field])
        default: return holds(role, caller)
        }
    }

    // MARK: - Modes

    private func nameModes() {
        var hasBag = false
        func modes(_ roles: [Role]) -> [Mode] { roles.map(\.mode) + (schema.hasAdmins ? [.iam] : []) }
        for model in schema.models {
            guard let matrix = matrices[model.name] else { continue }
            let all = modes(matrix.roles)
            name(directiveSet(all, addsDefault: false), on: model.name)
            let connection = "Model\(model.name)Connection"
            func nameRoot(_ place: String, _ roles: [Role], _ type: String? = nil) {
                let used = modes(roles)
                let set = directiveSet(used, addsDefault: used.contains(schema.modes[0]))
                name(set, on: place)
                name(set, on: type ?? model.name)
            }
            nameRoot("Query.get\(model.name)", matrix.roles("get"))
            nameRoot("Query.list\(model.plural)", matrix.roles("list"), connection)
            if schema.isVersioned { nameRoot("Query.sync\(model.plural)", matrix.roles("sync"), connection) }
            nameRoot("Mutation.create\(model.name)", matrix.roles("create"))
            nameRoot("Mutation.update\(model.name)", matrix.roles("update"))
            nameRoot("Mutation.delete\(model.name)", matrix.roles.filter { matrix.isFull($0, "delete") })
            for index in model.indexes {
                nameRoot("Query.\(index.queryField)", matrix.roles("list", "get"), connection)
            }
            name(directiveSet(all, addsDefault: hasBag), on: "Bag")
            hasBag = true
        }
        for model in schema.models where schema.isSandbox && schema.modes[0] != .apiKey && !model.isRuled {
            let roots =
                ["Query.get\(model.name)", "Query.list\(model.plural)", "Query.sync\(model.plural)"]
                + model.indexes.map { "Query.\($0.queryField)" }
                + ["create", "update", "delete"].map { "Mutation.\($0)\(model.name)" }
            for place in roots + [model.name, "Model\(model.name)Connection", "Bag"] { name([.apiKey], on: place) }
        }
        for (place, rules) in [("Query.ping", schema.pingRules), ("Bag.inner", schema.bagRules)] {
            name(directiveSet((rules ?? []).map(\.mode), addsDefault: false), on: place)
        }
    }

    /// What the policies of the identity pool's roles list.
    override func isPermitted(_ request: PlainRequest, _ caller: PlainCaller) -> Bool {
        guard caller.mode == .iam, let isSignedIn = caller.isSignedIn else { return true }
        var roles = matrices[request.model.name]?.roles ?? []
        if case .ping = request.operation { roles = (schema.pingRules ?? []).flatMap(self.roles) }
        return roles.contains { $0.mode == .iam && ($0.kind == .public || isSignedIn) }
    }

    private func mayUse(_ rules: [WrittenRule]?, _ caller: PlainCaller) -> Bool {
        guard let rules else { return true }
        return rules.flatMap(roles).contains { holds($0, caller) }
    }

    override func mayCallPing(_ caller: PlainCaller) -> Bool { mayUse(schema.pingRules, caller) }
    override func mayReadInner(_ caller: PlainCaller) -> Bool { mayUse(schema.bagRules, caller) }

    // MARK: - Reads

    override func reading(_ request: PlainRequest, _ access: Access, _ caller: PlainCaller) -> Reading {
        var operation = access.isGet ? "get" : "list"
        if case .sync = request.operation { operation = "sync" }
        return reading(request.model, access, caller) { $0.roles(operation) }
    }

    override func reading(related model: RuledSchema.Model, _ access: Access, _ caller: PlainCaller) -> Reading {
        reading(model, access, caller) { $0.readers() }
    }

    private func reading(
        _ model: RuledSchema.Model, _ access: Access, _ caller: PlainCaller, _ roles: (Matrix) -> [Role]
    ) -> Reading {
        guard let matrix = matrices[model.name] else { return isOpenBySandbox(caller) ? .all : .none }
        if caller.isAdmin { return .all }
        var terms: [(field: String, values: [String])] = []
        var sortKeys: [String] = []
        for role in roles(matrix) where role.mode == caller.mode {
            if holds(role, caller) { return .all }
            let (field, values, stored): (String, [String], String?)
            switch role.kind {
            case .owner(let owner, let claim):
                let names = names(claim, caller)
                (field, values, stored) = (owner, names.all, names.joined)
            case .groupColumn(let column, let claim): (field, values, stored) = (column, caller.groups(claim), nil)
            default: continue
            }
            if values.isEmpty { continue }
            let isSortKey = access.key.count == 2 && access.key[1] == field
            if field == access.key[0], let partition = access.partition {
                if isAmong(values, partition) { return .all }
            } else if isSortKey, access.isGet {
                if isAmong(values, access.sortKey) { return .all }
            } else if isSortKey, access.hasSortArgument {
                switch access.sort {
                case .eq(let value)?: if isAmong(values, value) { return .all }
                case nil: sortKeys += stored.map { [$0] } ?? values
                default: break
                }
            } else {
                terms.append((field, values))
            }
        }
        if !terms.isEmpty { return .those { item in terms.contains { self.isAmong($0.values, item[$0.field]) } } }
        return sortKeys.isEmpty ? .none : .sortKeys(sortKeys)
    }

    private func isOpenBySandbox(_ caller: PlainCaller) -> Bool { schema.isSandbox && caller.mode == .apiKey }

    private func restrictedReaders(_ model: RuledSchema.Model) -> [String: [Role]] {
        guard let matrix = matrices[model.name] else { return [:] }
        let all = matrix.roles("get")
        var checks: [String: [Role]] = [:]
        for field in matrix.resources {
            var expected = all
            for mode in [Mode.userPools, .oidc] {
                let everyone = Role(mode: mode, kind: .private)
                guard all.contains(everyone), Self.reads.allSatisfy({ matrix.fields(everyone, $0).contains(field) })
                else { continue }
                expected.removeAll { $0.mode == mode && $0 != everyone }
            }
            let readers = matrix.readers(of: field).filter(expected.contains)
            if readers.count != expected.count { checks[field] = readers }
        }
        return checks
    }

    /// The fields that must not be null and that some reader may not read, which is an error of the schema.
    var unreadableRequiredFields: [String] {
        schema.models.filter(\.hasRuledSubscriptions).flatMap { model in
            model.fields.filter { $0.isNonNull && checks[model.name]?[$0.name] != nil }.map(\.name)
        }
    }

    override func mayRead(_ field: String, of item: Item, _ model: RuledSchema.Model, _ caller: PlainCaller) -> Bool {
        guard !caller.isAdmin, let readers = checks[model.name]?[field] else { return true }
        return readers.contains { role in
            guard role.mode == caller.mode else { return false }
            // As in other reads, each claim stands alone.
            if case .owner(let field, let claim) = role.kind { return isAmong(names(claim, caller).all, item[field]) }
            return holds(role, of: item, caller)
        }
    }

    override func shown(_ value: JSONValue, of field: String, _ model: RuledSchema.Model) -> JSONValue {
        let isJoined = (matrices[model.name]?.roles ?? []).contains { role in
            if case .owner(field, let claim) = role.kind { claim.contains("::") } else { false }
        }
        guard isJoined else { return value }
        func last(_ value: JSONValue) -> JSONValue {
            value.stringValue.map { .string($0.components(separatedBy: "::").last ?? "") } ?? value
        }
        return value.arrayValue.map { .array($0.map(last)) } ?? last(value)
    }

    // MARK: - Results of mutations

    override var redactsRelatedItems: Bool { true }

    override func isRedacted(_ field: String, _ model: RuledSchema.Model, after mutation: String) -> Bool {
        guard model.isRuled, model.hasRuledSubscriptions else { return false }
        return checks[model.name]?[field] != nil || (redactedRelations[model.name] ?? []).contains(field)
    }

    /// The relations whose readers overlap with those of the model that they lead to, and are not the same.
    private func redacted(_ model: RuledSchema.Model) -> Set<String> {
        guard !schema.inheritsPrimary, let matrix = matrices[model.name] else { return [] }
        var redacted: Set<String> = []
        for field in model.fields {
            let target: String
            switch field.kind {
            case .toMany(let other, _), .toOne(let other, _): target = other
            case .text, .number, .texts, .bag: continue
            }
            guard let other = matrices[target] else { continue }
            let own = matrix.readers(of: field.name)
            var theirs = other.readers()
            let hiding = theirs.filter { $0.kind == .private }
            theirs.removeAll { role in role.kind != .private && hiding.contains { $0.mode == role.mode } }
            let isOverlapping =
                theirs.contains(where: own.contains)
                || [Mode.userPools, .oidc, .iam].contains { mode in
                    let left = own.filter { $0.mode == mode }, right = theirs.filter { $0.mode == mode }
                    return !left.isEmpty && !right.isEmpty && (left + right).contains { $0.kind == .private }
                }
            let isIdentical =
                own.count == theirs.count
                && theirs.allSatisfy { $0.isStatic && $0.kind != .custom && own.contains($0) }
            if isOverlapping, !isIdentical { redacted.insert(field.name) }
        }
        return redacted
    }

    // MARK: - Writes

    override func created(_ input: Item, _ model: RuledSchema.Model, _ caller: PlainCaller) -> Result<Item, Refusal> {
        guard let matrix = matrices[model.name] else {
            return isOpenBySandbox(caller) ? .success(input) : .failure(Refusal("U"))
        }
        if caller.isAdmin { return .success(input) }
        let roles = matrix.roles("create")
        let isSatisfied = roles.contains { matrix.isFull($0, "create") && holds($0, caller) }
        var item = input
        var held: [Role] = []
        for role in roles where role.mode == caller.mode {
            if case .owner(let field, let claim) = role.kind, input[field] == nil {
                guard schema.populatesOwners || !isSatisfied, let name = names(claim, caller).joined else { continue }
                item[field] = model.field(field)?.kind == .texts ? .array([.string(name)]) : .string(name)
                held.append(role)
            } else if holds(role, of: input, caller) {
                held.append(role)
            }
        }
        guard !held.isEmpty else { return .failure(Refusal("U")) }
        guard !held.contains(where: { matrix.isFull($0, "create") }) else { return .success(item) }
        let allowed = held.reduce(into: Set<String>()) { $0.formUnion(matrix.fields($1, "create")) }
        let denied = input.keys.filter { !allowed.contains($0) }
        return denied.isEmpty ? .success(item) : .failure(Refusal(fields: denied))
    }

    override func refusal(
        ofUpdate input: Item, _ item: Item?, _ model: RuledSchema.Model, _ caller: PlainCaller
    ) -> Refusal? {
        guard let matrix = matrices[model.name] else { return isOpenBySandbox(caller) ? nil : Refusal("U") }
        if caller.isAdmin { return nil }
        let held = matrix.roles("update", "delete").filter { holds($0, of: item, caller) }
        if held.isEmpty { return Refusal("U") }
        if held.contains(where: { matrix.isFull($0, "update") && matrix.isFull($0, "delete") }) { return nil }
        let allowed = held.reduce(into: Set<String>()) { $0.formUnion(matrix.fields($1, "update")) }
        let nullable = held.reduce(into: Set<String>()) { $0.formUnion(matrix.fields($1, "delete")) }
        let denied = input.filter { name, value in
            name != model.key[0] && (!allowed.contains(name) || value.isNull && !nullable.contains(name))
        }
        return denied.isEmpty ? nil : Refusal(fields: Array(denied.keys))
    }

    override func refusal(ofDelete item: Item?, _ model: RuledSchema.Model, _ caller: PlainCaller) -> Refusal? {
        guard let matrix = matrices[model.name] else { return isOpenBySandbox(caller) ? nil : Refusal("U") }
        if caller.isAdmin { return nil }
        let isHeld = matrix.roles.contains { matrix.isFull($0, "delete") && holds($0, of: item, caller) }
        return isHeld ? nil : Refusal("U")
    }
}
