/// The checks that the rules of a version 1 model require (reference: authorization, "Version 1"). Operations and fields without
/// a check are open to every caller that reaches them. Created once for a schema.
public struct VersionOneAccess: Sendable, Hashable {
    /// The check of one operation, or of writing or reading one field: the caller must have one of the roles.
    public struct Check: Sendable, Hashable {
        /// The roles of owner and group rules, in the order of the rules: one of them must be held, whatever its provider.
        public let roles: [AuthorizationRole]
        /// The providers of these rules. The check applies to their callers only.
        public let providers: Set<AuthorizationRule.Provider>

        /// The check of the rules that are about an operation; nil where nothing is asked: there are none, or one of them
        /// opens the operation to all users of the user pool, or none is about owners or groups.
        init?(_ rules: [AuthorizationRule], _ operation: AuthorizationRule.Operation) {
            let rules = rules.filter { $0.operations.contains(operation) }
            guard !rules.contains(where: { $0.allow == .private && $0.provider == .userPools }) else { return nil }
            let checked = rules.filter { rule in
                switch rule.allow {
                case .owner, .groups, .groupsField: true
                case .public, .private, .custom: false
                }
            }
            guard !checked.isEmpty else { return nil }
            roles = checked.flatMap { $0.roles(in: .v1) }
            providers = checked.providers
        }
    }

    /// The model's name.
    public let model: String
    private var type: [AuthorizationRule.Operation: Check] = [:]
    private var fields: [String: [AuthorizationRule.Operation: Check]] = [:]
    /// The fields that the results of some mutations leave out, because subscribers are sent the same.
    private let redactedFields: Set<String>
    private let redactedMutations: Set<AuthorizationRule.Operation>

    /// The access of the rules of a type and its fields.
    /// - Parameter redactsResults: Whether subscribers are sent the results of mutations under rules.
    init(model: String, rules: [AuthorizationRule], redactsResults: Bool) {
        self.model = model
        let ofType = rules.filter { $0.field == nil }
        let ofFields = Dictionary(grouping: rules.filter { $0.field != nil }) { $0.field ?? "" }
        for operation in AuthorizationRule.Operation.allCases {
            type[operation] = Check(ofType, operation)
            for (field, rules) in ofFields {
                if let check = Check(rules, operation) { fields[field, default: [:]][operation] = check }
            }
        }
        let all = ofFields.values.joined()
        redactedMutations =
            redactsResults
            ? Set([.create, .update, .delete].filter { mutation in all.contains { $0.operations.contains(mutation) } })
            : []
        redactedFields = Set(ofFields.filter { $1.contains { $0.operations.contains(.get) } }.keys)
    }

    /// Whether there are no checks, and no fields that results omit.
    public var isOpen: Bool { type.isEmpty && fields.isEmpty && (redactedFields.isEmpty || redactedMutations.isEmpty) }

    /// The check of an operation; nil if there is none. That of connections and queries of indexes is the check of `sync`, that
    /// of subscriptions the check of `listen`.
    public func check(_ operation: AuthorizationRule.Operation) -> Check? { type[operation] }

    /// The check of writing a field, of setting it to null (`delete`) or of reading it (`get`), in addition to that of the
    /// operation; nil if there is none.
    public func check(_ operation: AuthorizationRule.Operation, field: String) -> Check? { fields[field]?[operation] }

    /// The fields that an operation has a check of.
    public func checkedFields(_ operation: AuthorizationRule.Operation) -> [String] {
        fields.filter { $1[operation] != nil }.keys.sorted()
    }

    /// Whether every subscriber of a model may read all items of this one, so that an event of that model may contain them.
    ///
    /// The identity alone must decide both: an event is not compared with the rules of the items that it contains.
    /// - Parameter model: The access to the model that is subscribed to; nil if it is open.
    func isReadable(bySubscribersOf model: VersionOneAccess?) -> Bool {
        // Connections have the check of `sync`.
        let reads = [AuthorizationRule.Operation.get, .sync].compactMap { check($0) }
        guard !reads.isEmpty else { return true }
        guard let listen = model?.check(.listen) else { return false }
        return reads.allSatisfy { read in
            read.providers.isSubset(of: listen.providers)
                && listen.roles.allSatisfy { $0.isStatic && read.roles.contains($0) }
        }
    }

    /// The fields that every subscriber receives, although their rules do not let every subscriber read them: the results of
    /// some mutation contain them. A line for each field.
    func publishedReads(_ operations: ModelOperations) -> [String] {
        let mutations: [(AuthorizationRule.Operation, String?)] = [
            (.create, operations.create), (.update, operations.update), (.delete, operations.delete),
        ]
        guard !operations.subscriptions.isEmpty else { return [] }
        return checkedFields(.get).compactMap { field in
            let names = mutations.compactMap { redactedFields(of: $0).contains(field) ? nil : $1 }
            guard !names.isEmpty else { return nil }
            return
                "\(model): every subscriber receives \(field), which its rules let only some callers read, if "
                + "\(names.joined(separator: " or ")) selects it: version 1 leaves it out of the result of a mutation only if "
                + "a rule of a field is about that operation. Leave 'operations' out of the rules of \(field), or keep it in a model of its own."
        }
    }

    /// The fields that are null in the result of a mutation.
    public func redactedFields(of mutation: AuthorizationRule.Operation) -> Set<String> {
        redactedMutations.contains(mutation) ? redactedFields : []
    }
}
