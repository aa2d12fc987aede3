import GraphQL

/// `@auth`, as far as it is served (reference: authorization, "Public rules on models"): rules for everyone who holds
/// the API key, `{allow: public}`, on an API whose only mode is the API key.
///
/// In version 1 an operation that no rule mentions is open to the mode of the API, so such a rule on a model changes
/// nothing, whatever operations it names. In version 2 it is closed: the rule grants what it names, and nothing else.
struct AuthDirective {
    /// What a rule of version 2 grants.
    enum Operation: String, CaseIterable {
        case get, list, sync, search, listen, create, update, delete

        /// What `read` stands for.
        static let read: Set<Operation> = [.get, .list, .sync, .search, .listen]
        static let all = Set(allCases)
    }

    /// What a directive comes to.
    enum Verdict {
        /// It changes nothing.
        case open
        /// The operations of its model that everyone who holds the API key may use; nobody may use another.
        case granted(Set<Operation>)
        case refused(DiagnosticList.Kind, String, hint: String?)

        static func notServed(_ hint: String) -> Verdict {
            .refused(.notServed, "@auth is not served by this version.", hint: hint)
        }
    }

    static let onlyRule = "The only rule that is served is {allow: public}, by API key."

    let version: TransformOptions.TransformerVersion
    let options: TransformOptions
    /// The schema with its rules.
    let declared: DeclaredSchema

    /// What a directive comes to where it stands.
    func verdict(on use: DirectiveUse) -> Verdict {
        guard let type = declared[use.owner.name] else { return .notServed(Self.onlyRule) }
        guard options.authModes == [.apiKey] else { return .notServed(Self.onlyRule) }
        guard (use.field?.directives ?? use.owner.directives).contains(use.node) else {
            return .refused(
                .schemaValidation, "Directive \"@auth\" may only be used on object types and their fields.", hint: nil)
        }
        guard let field = use.field else { return verdict(on: use.node, of: type) }
        guard case .object(let object) = type, object.field(named: field.name) != nil else {
            return .refused(
                .invalidDirective,
                "The @auth directive cannot be placed on an interface's field. See \(type.name).\(field.name)",
                hint: "Write it on the fields of the types that implement \(type.name).")
        }
        return object.isModel ? verdict(on: use.node, at: field, of: object) : verdict(on: use.node, outside: object)
    }

    // MARK: - On a type

    private func verdict(on node: DirectiveNode, of type: TypeDefinition) -> Verdict {
        guard case .object(let object) = type, object.isModel else {
            return .refused(
                .invalidDirective, "Types annotated with @auth must also be annotated with @model.",
                hint: "Add @model to type \(type.name), or remove @auth from it.")
        }
        guard object.directives(named: "auth").count == 1 else { return Self.usedTwice }
        let rules: [PublicRule]
        switch PublicRule.rules(of: node, version, name: type.name) {
        case .failure(let refusal): return refusal.verdict
        case .success(let found): rules = found
        }
        guard version == .v2 else { return .open }
        guard rules.count == 1 else {
            return .refused(
                .invalidDirective, "@auth \(type.name):apiKey:public already exists for \(type.name)",
                hint: "Write one rule {allow: public}, with the operations of all.")
        }
        return grant(rules[0].operations)
    }

    private func grant(_ operations: Set<Operation>) -> Verdict {
        guard operations != Operation.all else { return .open }
        guard !operations.contains(.delete) || operations.contains(.update) else {
            return .notServed(
                "A rule that grants delete without update is not served yet: grant both, or neither of them.")
        }
        return .granted(operations)
    }

    private static let usedTwice = Verdict.refused(
        .schemaValidation, "The directive \"@auth\" can only be used once at this location.",
        hint: "Write all rules in one directive.")

    // MARK: - On a field

    /// On a field of a root type or of a nested one: whoever may ask the API may have it.
    private func verdict(on node: DirectiveNode, outside type: ObjectTypeDefinition) -> Verdict {
        switch PublicRule.rules(of: node, version, name: type.name) {
        case .failure(let refusal): return refusal.verdict
        case .success(let rules):
            guard rules.contains(where: \.namesOperations) else { return .open }
            let isRoot = declared.isRootName(type.name)
            return .refused(
                .invalidDirective,
                isRoot
                    ? "@auth rules on fields within Query, Mutation, Subscription cannot specify 'operations' argument as "
                        + "these rules are already on an operation already."
                    : "@auth rules on fields within types that does not have @model directive cannot specify "
                        + "'operations' argument as there are operations will be generated by the CLI.",
                hint: "Leave `operations` out.")
        }
    }

    /// On a field of a model. In version 1 the field's rules come on top of the model's, and Amplify empties a field
    /// that has rules for reading in the answer of a mutation that some field has rules for, so that subscribers do
    /// not get it. In version 2 they replace the model's.
    private func verdict(on node: DirectiveNode, at field: FieldDefinition, of type: ObjectTypeDefinition) -> Verdict {
        let rules: [PublicRule]
        switch PublicRule.rules(of: node, version, name: field.name) {
        case .failure(let refusal): return refusal.verdict
        case .success(let found): rules = found
        }
        guard version == .v1 else { return versionTwo(rules, of: type) }
        guard !rules.contains(where: \.namesQueriesOrMutations) else {
            return .refused(
                .invalidDirective,
                "@auth directives used on field definitions may not specify the 'queries' or 'mutations' arguments.",
                hint: "Write `operations` instead.")
        }
        guard hasProtectedSubscriptions(type) else { return .open }
        if field.type.isNonNull, rules.contains(where: { $0.operations.contains(.get) }) {
            return .refused(
                .invalidDirective,
                "Per-field auth on the required field \(field.name) is not supported with subscriptions.",
                hint: "Make the field optional, write @auth on the type, or switch the subscriptions off: "
                    + "@model(subscriptions: {level: off}).")
        }
        let operations = type.fields.flatMap { $0.directives.filter { $0.name == "auth" } }
            .reduce(into: Set<Operation>()) { $0.formUnion(PublicRule.operations(of: $1, version)) }
        let changes: Set<Operation> = [.create, .update, .delete]
        guard operations.contains(.get), !operations.isDisjoint(with: changes) else { return .open }
        return .notServed(
            "In version 1, fields with rules for reading are null in the answers of mutations that fields have rules "
                + "for, which is not served yet. Write `operations: [read]` in the rules of all fields of "
                + "\(type.name), or leave these out: whoever holds the API key may read and write the field anyway.")
    }

    private func versionTwo(_ rules: [PublicRule], of type: ObjectTypeDefinition) -> Verdict {
        let isWhole = { (rules: [PublicRule]) in
            rules.reduce(into: Set()) { $0.formUnion($1.operations) } == Operation.all
        }
        let ofType = type.directives(named: "auth").first.flatMap {
            try? PublicRule.rules(of: $0, version, name: type.name).get()
        }
        if isWhole(rules), let ofType, isWhole(ofType) { return .open }
        return .notServed(
            "On a field, {allow: public} is served for all operations only, on a type that has the same rule: "
                + "type \(type.name) @model @auth(rules: [{allow: public}]).")
    }

    private func hasProtectedSubscriptions(_ type: ObjectTypeDefinition) -> Bool {
        guard let model = type.directives(named: "model").first, let map = model["subscriptions"] else { return true }
        return !map.isNull && (map["level"]?.nameValue ?? "on") == "on"
    }
}

/// A rule `{allow: public}`, read.
private struct PublicRule {
    struct Refusal: Error {
        let verdict: AuthDirective.Verdict
    }

    /// In words of version 2; `read` of version 1 is all that it stands for there.
    var operations = AuthDirective.Operation.all
    var namesOperations = false
    var namesQueriesOrMutations = false

    /// The rules of a directive, if every one of them is public and by API key.
    static func rules(
        of node: DirectiveNode, _ version: TransformOptions.TransformerVersion, name: String
    ) -> Result<[PublicRule], Refusal> {
        do throws(Refusal) {
            guard let values = node["rules"]?.listCoercedValue, !values.isEmpty, node.arguments.count == 1 else {
                throw Refusal(
                    verdict: .refused(
                        .invalidDirective, "@auth on \(name) does not have any auth rules.",
                        hint: "Write @auth(rules: [{allow: public}]), or leave @auth out."))
            }
            var rules: [PublicRule] = []
            for value in values { rules.append(try PublicRule(value, version)) }
            return .success(rules)
        } catch { return .failure(error) }
    }

    /// The operations that the rules of a directive speak of, as far as they can be read.
    static func operations(
        of node: DirectiveNode, _ version: TransformOptions.TransformerVersion
    ) -> Set<AuthDirective.Operation> {
        let rules = (try? rules(of: node, version, name: "").get()) ?? []
        return rules.reduce(into: []) { $0.formUnion($1.operations) }
    }

    private init(_ rule: ConstValue, _ version: TransformOptions.TransformerVersion) throws(Refusal) {
        var known: Set<String> = ["allow", "provider", "operations"]
        if version == .v1 { known.formUnion(["queries", "mutations"]) }
        guard rule["allow"]?.nameValue == "public", rule["provider"].map({ $0.nameValue == "apiKey" }) ?? true,
            rule.objectFields?.allSatisfy({ known.contains($0.name) }) == true
        else { throw Refusal(verdict: .notServed(AuthDirective.onlyRule)) }
        namesQueriesOrMutations = rule["queries"] != nil || rule["mutations"] != nil
        guard let value = rule["operations"] else { return }
        namesOperations = true
        // Null is as good as absent in version 2, and names none in version 1.
        if value.isNull {
            if version == .v1 { operations = [] } else { namesOperations = false }
            return
        }
        operations = try Self.operations(value, version)
    }

    private static func operations(
        _ value: ConstValue, _ version: TransformOptions.TransformerVersion
    ) throws(Refusal) -> Set<AuthDirective.Operation> {
        var names: [String] = []
        for element in value.listCoercedValue {
            let isKnown = element.nameValue.map { name in
                name == "read" || ["create", "update", "delete"].contains(name)
                    || (version == .v2 && AuthDirective.Operation(rawValue: name) != nil)
            }
            guard let name = element.nameValue, isKnown == true else {
                let known =
                    ["create", "update", "delete", "read"]
                    + (version == .v2 ? ["get", "list", "sync", "listen", "search"] : [])
                throw Refusal(
                    verdict: .refused(
                        .schemaValidation, "\(element) is no operation of @auth.",
                        hint: element.nameValue.flatMap { SuggestionList.hint(for: $0, among: known) }
                            ?? "The operations are \(known.joined(separator: ", "))."))
            }
            names.append(name)
        }
        let parts = names.filter { name in AuthDirective.Operation.read.contains { $0.rawValue == name } }
        if names.contains("read"), !parts.isEmpty {
            let list = parts.joined(separator: ",")
            throw Refusal(
                verdict: .refused(
                    .invalidDirective,
                    "'\(list)' operations are specified in addition to 'read'. Either remove 'read' to limit access only "
                        + "to '\(list)' or only keep 'read' to grant all get,list,search,listen,sync access.", hint: nil
                ))
        }
        var operations = Set(names.compactMap { AuthDirective.Operation(rawValue: $0) })
        if names.contains("read") { operations.formUnion(AuthDirective.Operation.read) }
        return operations
    }
}

extension TypeSystemDocument {
    /// The document without `@auth`, after what is not served of it was reported; what the rest grants is noted by
    /// model.
    func applyingRules(
        _ version: TransformOptions.TransformerVersion, options: TransformOptions,
        grants: inout [String: Set<AuthDirective.Operation>], diagnostics: inout DiagnosticList
    ) -> TypeSystemDocument {
        let auth = AuthDirective(version: version, options: options, declared: DeclaredSchema(self))
        for use in directiveUses where use.node.name == "auth" {
            switch auth.verdict(on: use) {
            case .open: if use.field == nil { grants[use.owner.name] = AuthDirective.Operation.all }
            case .granted(let operations): grants[use.owner.name] = operations
            case .refused(let kind, let message, let hint):
                diagnostics.report(kind, message, at: use.node.place, hint: hint)
            }
        }
        return filteringDirectives { directive, _ in directive.name != "auth" }
    }
}
