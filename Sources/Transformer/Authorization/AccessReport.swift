import GraphQL
import JSON

/// The effective permissions for each model: the combination of its rules, the modes of its fields and the policies of signed
/// requests. `syncline check` prints it; requests are not decided by it. Its size is that of the schema times its rules.
public struct AccessReport: Sendable, Hashable {
    /// Callers who are allowed an operation, by a role or by their mode alone. In JSON `provider`, `role`, `who` and `fields`.
    public struct Caller: Sendable {
        /// The provider by which they authenticate; in JSON as `@auth` names it.
        public var provider: AuthorizationRule.Provider
        /// The role that allows it, as Amplify's messages name it; nil if their mode, group or policy alone decides.
        public var role: String?
        /// A description for people.
        public var words: String
        /// The fields that the operation is limited to, in the order of the model; nil if it is not limited.
        public var fields: [String]?
    }

    /// An operation and its callers. In JSON `operation`, `field`, `rootFields` and `allowed`.
    public struct Entry: Sendable, Hashable {
        /// An operation of rules (`create`, `update`, `delete`, `get`, `list`, `sync`, `listen`), or one of these: `query`, the
        /// query of an index in version 1; `setNull`, an update that sets a field to null, if other callers may do this than may
        /// update the field; `read`, of a field with rules of its own; `call`, of a field of a root type.
        public var operation: String
        /// The field; nil for whole items.
        public var field: String?
        /// The fields of root types that have this operation, in the order of the schema.
        public var rootFields: [String]
        /// In the order of the modes and then of the rules; empty if no caller is allowed.
        public var callers: [Caller]
    }

    /// What decides about a model.
    public enum State: String, Sendable, Hashable {
        /// Its rules.
        case rules
        /// It has no rules; version 1 opens it to the default mode.
        case open
        /// It has no rules; version 2 closes it to everyone except, with `enableIamAccess`, signed callers outside of the
        /// identity pool.
        case closed
        /// It has no rules; the sandbox opens it to callers with an API key.
        case sandbox
    }

    /// A model, or another type that has fields with rules. In JSON `type`, `state`, `meaning` and `operations`.
    public struct Subject: Sendable, Hashable {
        /// The type's name.
        public var name: String
        /// What decides; in JSON the name of the case.
        public var state: State
        /// The consequence of having no rules; nil if there are rules.
        public var sentence: String?
        /// The operations on items in the order create, update, delete, get, list, sync, listen, query; then those on fields.
        public var entries: [Entry]
    }

    /// The models in the order of the schema, then the other types that have rules.
    public let subjects: [Subject]

    /// Reads the access out of a definition.
    public init(of definition: APIDefinition) {
        let maker = AccessReportMaker(definition)
        subjects = definition.models.indices.map(maker.subject) + maker.otherSubjects
    }
}

extension AccessReport.Caller: Hashable {
    /// Compares the callers, and their names by their bytes.
    public static func == (left: Self, right: Self) -> Bool {
        guard left.provider == right.provider, left.words.isExactly(right.words) else { return false }
        let isSameRole =
            switch (left.role, right.role) {
            case (let one?, let other?): one.isExactly(other)
            case (nil, nil): true
            default: false
            }
        return isSameRole && left.fields == right.fields
    }

    /// Hashes the callers, as they are compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(provider)
        hasher.combine(names)
        hasher.combine(fields)
    }

    private var names: [ExactText?] { [role.map(ExactText.init(_:)), ExactText(words)] }
}

/// Makes the report of one definition.
private struct AccessReportMaker {
    private typealias Operation = AuthorizationRule.Operation
    private typealias RootField = (type: String, field: String, isRuled: Bool)
    /// How callers of a mode reach the fields of a model.
    private struct Reach {
        /// Whether they reach none of them.
        var isEmpty: Bool
        /// The groups that they need if they reach each field by groups alone.
        var groups: [String]?
    }

    private let definition: APIDefinition
    private let versionOne: [VersionOneAccess?]
    private let versionTwo: [ModelAccess?]
    /// The names and descriptions of the roles of version 2, by model and role.
    private let roleTexts: [[(name: String, words: String)]]
    /// By model and operation: what does it.
    private var rootFields: [Int: [Operation: [RootField]]] = [:]
    /// By model: the queries of indexes in version 1.
    private var indexQueries: [Int: [RootField]] = [:]

    init(_ definition: APIDefinition) {
        self.definition = definition
        versionOne = definition.versionOneAccess
        versionTwo = definition.modelAccess
        roleTexts = versionTwo.map { access in
            (access?.roles ?? []).map { (name: "\($0)", words: $0.words) }
        }
        for type in [definition.schema.queryType, definition.schema.mutationType].compactMap({ $0 }) {
            let name = definition.schema[type].name
            for field in definition.schema[type].fields?.fields ?? [] {
                let rootField: RootField = (name, field.name, true)
                switch definition.ruledAction(of: definition.resolver(type: name, field: field.name)) {
                case .operation(let operation, let model):
                    rootFields[model, default: [:]][operation, default: []].append(rootField)
                case .relation(let model): indexQueries[model, default: []].append(rootField)
                case nil: continue
                }
            }
        }
        guard let type = definition.schema.subscriptionType.map({ definition.schema[$0].name }) else { return }
        for subscription in definition.generatedSubscriptions {
            rootFields[subscription.model, default: [:]][.listen, default: []].append(
                (type, subscription.field, subscription.isRuled))
        }
    }

    // MARK: - Models

    func subject(_ model: Int) -> AccessReport.Subject {
        let name = definition.models[model].name
        let hasRules = definition.declarations.model(named: name).map { !$0.allRules.isEmpty } ?? true
        let isVersionOne = definition.transformerVersion == .v1
        let state: AccessReport.State =
            definition.closedModels.contains(name)
            ? .closed : hasRules ? .rules : isVersionOne ? .open : .sandbox
        let sentence: String? =
            switch state {
            case .rules: nil
            case .open:
                "It has no @auth: version 1 opens it to every caller of the default mode "
                    + "(\(definition.authModes.first?.provider.words ?? ""))."
            case .closed where definition.isSandbox && !definition.enablesIAMAccess:
                "It has no @auth: the sandbox opens it to API keys alone, and API_KEY is no mode of this API."
            case .closed:
                "It has no @auth: version 2 closes it to everyone"
                    + (definition.enablesIAMAccess ? " but \(Self.signedWords) (enableIamAccess)." : ".")
            case .sandbox: "It has no @auth: the sandbox opens it to every caller with an API key."
            }
        var entries: [AccessReport.Entry] = []
        let reach = self.reach(name)
        for operation in Operation.reported {
            guard let fields = rootFields[model]?[operation] else { continue }
            entries.append(
                AccessReport.Entry(
                    operation: operation.rawValue, rootFields: fields.map(\.field),
                    callers: callers(model, operation, fields, reach)))
            if operation == .update { entries += nulls(model, fields) }
        }
        if let fields = indexQueries[model] {
            // They are held to the rules that sync is held to.
            entries.append(
                AccessReport.Entry(
                    operation: "query", rootFields: fields.map(\.field),
                    callers: callers(model, .sync, fields, reach)))
        }
        return AccessReport.Subject(
            name: name, state: state, sentence: sentence, entries: entries + fieldEntries(model))
    }

    /// Who may do it by one of the root fields at least.
    private func callers(
        _ model: Int, _ operation: Operation, _ fields: [RootField], _ reach: [TransformOptions.AuthMode: Reach]
    ) -> [AccessReport.Caller] {
        var callers: [AccessReport.Caller] = []
        for field in fields {
            let gate = definition.gates.gate(type: field.type, field: field.field)
            for mode in definition.authModes where gate.modes.contains(mode) {
                guard
                    let reached = modeCallers(
                        mode, gate, type: field.type, field: field.field,
                        reading: operation.isRead ? reach[mode] : nil)
                else { continue }
                let found =
                    field.isRuled ? ruled(model, operation, by: mode.provider, reached) : reached
                // A model may have thousands of rules.
                let known = Set(callers)
                callers += found.filter { !known.contains($0) }
            }
        }
        return callers
    }

    private static let signedWords = "signed callers outside of the identity pool"

    /// How callers of each mode of the API reach the fields of a model; empty if the schema has no object type of this name.
    private func reach(_ model: String) -> [TransformOptions.AuthMode: Reach] {
        guard let id = definition.schema.type(named: model), case .object(let object) = definition.schema[id].kind
        else { return [:] }
        let gates = object.fields.map { definition.gates.gate(type: model, field: $0.name) }
        var reach: [TransformOptions.AuthMode: Reach] = [:]
        for mode in definition.authModes {
            let own = gates.filter { $0.modes.contains(mode) }
            guard mode == .userPools, own.allSatisfy({ $0.groups != nil }) else {
                reach[mode] = Reach(isEmpty: own.isEmpty)
                continue
            }
            var seen: Set<ExactText> = []
            let groups = own.flatMap { $0.exactGroups ?? [] }.filter { seen.insert($0).inserted }.map(\.text)
            reach[mode] = Reach(isEmpty: own.isEmpty, groups: groups)
        }
        return reach
    }

    /// The callers of a mode that reach a root field; nil where an operation that reads returns none of the model's fields to
    /// them.
    /// - Parameter reach: How they reach the model's fields; nil where the operation does not read, or has no type to read.
    private func modeCallers(
        _ mode: TransformOptions.AuthMode, _ gate: ModeGate, type: String, field: String, reading reach: Reach?
    ) -> [AccessReport.Caller]? {
        guard let reach else { return modeCallers(mode, gate, type: type, field: field) }
        guard !reach.isEmpty else { return nil }
        var gate = gate
        if gate.groups == nil, let groups = reach.groups { gate.groups = groups }
        return modeCallers(mode, gate, type: type, field: field)
    }

    /// The callers of a mode that reach a field.
    private func modeCallers(
        _ mode: TransformOptions.AuthMode, _ gate: ModeGate, type: String, field: String
    ) -> [AccessReport.Caller] {
        func caller(_ words: String) -> AccessReport.Caller {
            AccessReport.Caller(provider: mode.provider, words: words)
        }
        switch mode {
        case .apiKey: return [caller("every caller with an API key")]
        case .userPools:
            return [caller(gate.groups.map { "the groups \($0.joined(separator: ", "))" } ?? "every user")]
        case .oidc: return [caller("every user")]
        case .lambda: return [caller("every caller that the function accepts")]
        case .iam:
            let grant = definition.signedAccess.grant(type: type, field: field)
            return [
                grant.authenticated ? caller("signed-in identities of the identity pool") : nil,
                grant.unauthenticated ? caller("guests of the identity pool") : nil,
                caller("access keys whose 'resources' permit the field"),
            ].compactMap { $0 }
        }
    }

    /// Of the callers that reach an operation those that its rules admit.
    private func ruled(
        _ model: Int, _ operation: Operation, by provider: AuthorizationRule.Provider, _ reached: [AccessReport.Caller]
    ) -> [AccessReport.Caller] {
        if definition.transformerVersion == .v1 {
            guard let check = versionOne[model]?.check(operation), check.providers.contains(provider) else {
                return reached
            }
            return check.roles.map { caller($0, by: provider) }
        }
        guard definition.enforcedRules != nil else { return reached }
        var callers: [AccessReport.Caller] = []
        if let access = versionTwo[model] {
            for role in access.roles.indices where access.roles[role].provider == provider {
                // A delete needs every field.
                guard operation != .delete || access.isWhole(role, .delete) else { continue }
                let fields = access.shownFields(of: role, operation)
                guard !fields.isEmpty else { continue }
                callers.append(caller(model, access, role, fields))
            }
        }
        return callers + (provider == .iam ? signedCallers(hasRules: versionTwo[model] != nil) : [])
    }

    /// The signed callers of version 2 that rules are not asked of.
    private func signedCallers(hasRules: Bool) -> [AccessReport.Caller] {
        guard definition.transformerVersion == .v2, definition.authModes.contains(.iam) else { return [] }
        var callers: [AccessReport.Caller] = []
        if definition.enablesIAMAccess { callers.append(AccessReport.Caller(provider: .iam, words: Self.signedWords)) }
        if hasRules, !definition.adminRoles.isEmpty {
            let words = "signed callers whose ARN contains one of adminRoles"
            callers.append(AccessReport.Caller(provider: .iam, words: words))
        }
        return callers
    }

    private func caller(
        _ role: AuthorizationRole, by provider: AuthorizationRule.Provider, fields: [String]? = nil
    ) -> AccessReport.Caller {
        AccessReport.Caller(provider: provider, role: "\(role)", words: role.words, fields: fields)
    }

    /// The callers with a role of version 2 on some fields of a model.
    private func caller(
        _ model: Int, _ access: ModelAccess, _ role: Int, _ fields: [String]
    ) -> AccessReport.Caller {
        let text = roleTexts[model][role]
        return AccessReport.Caller(
            provider: access.roles[role].provider, role: text.name, words: text.words,
            fields: fields.count == access.fields.count ? nil : fields)
    }

    // MARK: - Fields

    /// Of version 2: who may set fields to null, where that is not who may update them.
    private func nulls(_ model: Int, _ fields: [RootField]) -> [AccessReport.Entry] {
        guard let access = versionTwo[model],
            access.roles.indices.contains(where: { access.fields(of: $0, .update) != access.fields(of: $0, .delete) })
        else { return [] }
        let callers = access.roles.indices.compactMap { role -> AccessReport.Caller? in
            let both = access.fields(of: role, .update).intersection(access.fields(of: role, .delete))
            guard !both.isEmpty else { return nil }
            return caller(model, access, role, access.fields.filter(both.contains))
        }
        return [AccessReport.Entry(operation: "setNull", rootFields: fields.map(\.field), callers: callers)]
    }

    /// The fields that have rules of their own to be asked beside those of the operation.
    private func fieldEntries(_ model: Int) -> [AccessReport.Entry] {
        if let access = versionTwo[model] {
            return access.fields.compactMap { field in
                guard let readers = access.readers[field] else { return nil }
                return AccessReport.Entry(
                    operation: "read", field: field, rootFields: [],
                    callers: readers.map { caller(access.roles[$0], by: access.roles[$0].provider) }
                        + signedCallers(hasRules: true))
            }
        }
        guard let access = versionOne[model] else { return [] }
        let operations: [(Operation, String)] = [
            (.create, "create"), (.update, "update"), (.delete, "setNull"), (.get, "read"),
        ]
        return operations.flatMap { operation, name in
            access.checkedFields(operation).map { field in
                AccessReport.Entry(
                    operation: name, field: field, rootFields: [],
                    callers: versionOneCallers(model, operation, field, access.check(operation, field: field)))
            }
        }
    }

    /// Who may write or read a field of version 1: callers of the providers of its rules are held to them; those of the other
    /// modes that reach the field, or the mutation, are not.
    private func versionOneCallers(
        _ model: Int, _ operation: Operation, _ field: String, _ check: VersionOneAccess.Check?
    ) -> [AccessReport.Caller] {
        let name = definition.models[model].name
        // Setting a field to null is part of an update.
        let root = operation == .delete ? .update : operation
        let places = operation == .get ? [(name, field)] : (rootFields[model]?[root] ?? []).map { ($0.type, $0.field) }
        var callers: [AccessReport.Caller] = []
        for (type, place) in places {
            let gate = definition.gates.gate(type: type, field: place)
            for mode in definition.authModes where gate.modes.contains(mode) {
                let found: [AccessReport.Caller]
                if let check, check.providers.contains(mode.provider) {
                    found = check.roles.map { caller($0, by: mode.provider) }
                } else if operation == .get, mode == .iam {
                    found = [AccessReport.Caller(provider: .iam, words: "signed callers that reach \(name)")]
                } else {
                    found = modeCallers(mode, gate, type: type, field: place)
                }
                // A model may have thousands of rules.
                let known = Set(callers)
                callers += found.filter { !known.contains($0) }
            }
        }
        return callers
    }

    /// The types beside models whose fields have rules, and the fields of root types that their author wrote without any.
    var otherSubjects: [AccessReport.Subject] {
        let schema = definition.schema
        let roots = [schema.queryType, schema.mutationType, schema.subscriptionType].compactMap {
            $0.map { schema[$0].name }
        }
        var fields: [(type: String, field: String, roles: [AuthorizationRole])] = definition.fieldRoles
        for root in roots {
            for field in definition.declarations.type(named: root)?.fields ?? [] {
                let resolver = definition.resolver(type: root, field: field.name)
                guard definition.ruledAction(of: resolver) == nil, resolver != nil,
                    !fields.contains(where: { $0.type == root && $0.field == field.name })
                else { continue }
                fields.append((root, field.name, []))
            }
        }
        fields.sort { ($0.type, $0.field) < ($1.type, $1.field) }
        var types: [String] = []
        for field in fields where !types.contains(field.type) { types.append(field.type) }
        return types.map { type in
            AccessReport.Subject(
                name: type, state: .rules,
                entries: fields.filter { $0.type == type }.map { field in
                    AccessReport.Entry(
                        operation: roots.contains(type) ? "call" : "read", field: field.field, rootFields: [],
                        callers: callers(type, field.field, field.roles))
                })
        }
    }

    /// Who may call or read a field that is no model's. Rules about items allow nobody in version 2; version 1 asks groups
    /// alone, of the callers of their providers.
    private func callers(_ type: String, _ field: String, _ roles: [AuthorizationRole]) -> [AccessReport.Caller] {
        guard definition.transformerVersion == .v1 || roles.isEmpty else {
            return roles.filter(\.isStatic).map { caller($0, by: $0.provider) } + signedCallers(hasRules: true)
        }
        let groups = roles.filter { if case .group = $0.member { true } else { false } }
        let gate = definition.gates.gate(type: type, field: field)
        return definition.authModes.filter(gate.modes.contains).flatMap { mode in
            groups.contains { $0.provider == mode.provider }
                ? groups.map { caller($0, by: mode.provider) } : modeCallers(mode, gate, type: type, field: field)
        }
    }
}

extension AuthorizationRule.Operation {
    /// The operations that are served, in the order of the report.
    fileprivate static let reported: [Self] = [.create, .update, .delete, .get, .list, .sync, .listen]
}
