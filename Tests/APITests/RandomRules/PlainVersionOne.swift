import JSON
import Transformer

/// The specification's chapter on version 1, read step by step. Connections and queries of indexes are `read`.
final class PlainVersionOne: PlainReading {
    override init(_ schema: RuledSchema) {
        super.init(schema)
        nameModes()
    }

    // MARK: - Rules

    private func operations(_ rule: WrittenRule) -> Set<String> {
        func named(_ name: String, _ all: [String]) -> [String] {
            guard let names = rule.operations[name] else { return all }
            return names ?? []
        }
        if rule.operations["operations"] != nil {
            return Set(named("operations", []).flatMap { $0 == "read" ? ["get", "list", "read"] : [$0] })
        }
        return Set(named("queries", ["get", "list", "read"]) + named("mutations", ["create", "update", "delete"]))
    }

    private func rules(_ operation: String, _ model: RuledSchema.Model, field: String? = nil) -> [WrittenRule] {
        let rules = field.map { model.field($0)?.rules ?? [] } ?? model.rules ?? []
        return rules.filter { operations($0).contains(operation) }
    }

    private func isChecked(_ rule: WrittenRule) -> Bool {
        switch rule.allow {
        case .owner, .groups, .groupsField: true
        case .public, .private, .custom: false
        }
    }

    /// The owner and group rules that a caller is held to; nil where nothing is asked.
    private func asked(
        _ operation: String, _ model: RuledSchema.Model, field: String? = nil, _ caller: PlainCaller
    ) -> [WrittenRule]? {
        let rules = rules(operation, model, field: field)
        if rules.contains(where: { !isChecked($0) && $0.mode == .userPools }) { return nil }
        let checked = rules.filter(isChecked)
        return checked.contains { $0.mode == caller.mode } ? checked : nil
    }

    private func isMet(_ rule: WrittenRule, _ caller: PlainCaller, _ item: Item) -> Bool {
        func isAmong(_ names: [String], _ value: JSONValue?) -> Bool {
            switch value {
            case .string(let text)?: names.contains(text)
            case .array(let elements)?: elements.contains { names.contains($0.stringValue ?? "") }
            default: false
            }
        }
        switch rule.allow {
        case .owner(let field, let claim):
            return isAmong([caller.text(claim ?? "username")].compactMap { $0 }, item[field ?? "owner"])
        case .groups(let groups, let claim):
            return caller.groups(claim ?? "cognito:groups").contains(where: groups.contains)
        case .groupsField(let field, let claim):
            return isAmong(caller.groups(claim ?? "cognito:groups"), item[field ?? "groups"])
        case .public, .private, .custom: return false
        }
    }

    /// Whether some item could meet a rule.
    private func isPossible(_ rule: WrittenRule, _ caller: PlainCaller) -> Bool {
        switch rule.allow {
        case .owner(_, let claim): caller.text(claim ?? "username") != nil
        case .groups: isMet(rule, caller, [:])
        case .groupsField(_, let claim): !caller.groups(claim ?? "cognito:groups").isEmpty
        case .public, .private, .custom: false
        }
    }

    private func admits(_ rules: [WrittenRule]?, _ caller: PlainCaller, _ item: Item) -> Bool {
        rules?.contains { isMet($0, caller, item) } ?? true
    }

    // MARK: - Modes

    private func nameModes() {
        let normal = schema.modes[0]
        func set(_ rules: [WrittenRule], _ addsDefault: Bool) -> [Mode] {
            directiveSet(rules.map(\.mode), addsDefault: addsDefault)
        }
        func hasDefault(_ operation: String, _ model: RuledSchema.Model) -> Bool {
            rules(operation, model).contains { $0.mode == normal }
        }
        func root(_ operation: String, _ model: RuledSchema.Model) -> (place: String, type: String) {
            switch operation {
            case "get": ("Query.get\(model.name)", model.name)
            case "list": ("Query.list\(model.plural)", "Model\(model.name)Connection")
            default: ("Mutation.\(operation)\(model.name)", model.name)
            }
        }
        for model in schema.models {
            if let all = model.rules {
                name(set(all, true), on: "Bag")
                name(set(all, false), on: model.name)
                for operation in ["create", "update", "delete", "get", "list"] {
                    let modes = set(rules(operation, model), hasDefault(operation, model))
                    let (place, type) = root(operation, model)
                    name(modes, on: place)
                    name(modes, on: type)
                }
                let modes = set(rules("read", model), false)
                for parent in schema.models {
                    for field in parent.fields {
                        switch field.kind {
                        case .toMany(model.name, _):
                            name(modes, on: "\(parent.name).\(field.name)")
                            name(modes, on: "Model\(model.name)Connection")
                        case .toOne(model.name, _):
                            name(modes, on: "\(parent.name).\(field.name)")
                            name(modes, on: model.name)
                        default: break
                        }
                    }
                }
                for index in model.indexes {
                    name(modes, on: "Query.\(index.queryField)")
                    name(modes, on: "Model\(model.name)Connection")
                }
            }
            for field in model.fields {
                guard let all = field.rules else { continue }
                name(set(all, model.rules?.contains { $0.mode == normal } ?? true), on: model.name)
                for operation in ["read", "create", "update", "delete"] {
                    let rules = rules(operation, model, field: field.name), modes = set(rules, false)
                    guard !modes.isEmpty else { continue }
                    if operation == "read" || operation == "create" { name(modes, on: "\(model.name).\(field.name)") }
                    for root in (operation == "read" ? ["get", "list"] : [operation]).map({ ($0, root($0, model)) }) {
                        let (operation, (place, type)) = root
                        let isRead = operation == "get" || operation == "list"
                        let modes = set(rules, isRead && hasDefault(operation, model))
                        name(modes, on: place)
                        if isRead || operation == "create" { name(modes, on: type) }
                    }
                }
            }
        }
        for (place, rules) in [("Query.ping", schema.pingRules), ("Bag.inner", schema.bagRules)] {
            name(set(rules ?? [], false), on: place)
        }
    }

    private func isGranted(_ rules: [WrittenRule], _ caller: PlainCaller) -> Bool {
        rules.contains { rule in
            guard rule.mode == .iam else { return false }
            if case .public = rule.allow { return true }
            return caller.isSignedIn ?? true
        }
    }

    private func operation(_ request: PlainRequest) -> String {
        switch request.operation {
        case .get: "get"
        // Schemas of version 1 are drawn without syncs.
        case .list, .sync: "list"
        case .index: "read"
        case .create: "create"
        case .update: "update"
        case .delete: "delete"
        case .ping: "ping"
        }
    }

    /// What the policies of the identity pool's roles list.
    override func isPermitted(_ request: PlainRequest, _ caller: PlainCaller) -> Bool {
        guard caller.mode == .iam, caller.isSignedIn != nil else { return true }
        let operation = operation(request)
        if operation == "ping" { return isGranted(schema.pingRules ?? [], caller) }
        return isGranted(allRules(request.model).filter { operations($0).contains(operation) }, caller)
    }

    private func allRules(_ model: RuledSchema.Model) -> [WrittenRule] {
        (model.rules ?? []) + model.fields.flatMap { $0.rules ?? [] }
    }

    /// Below a root field, policies have the types and fields with rules by IAM, as these rules say.
    override func isPermitted(_ type: String, _ field: String, _ caller: PlainCaller) -> Bool {
        guard caller.mode == .iam, caller.isSignedIn != nil else { return true }
        func permits(_ rules: [WrittenRule], of all: [WrittenRule]) -> Bool {
            !all.contains { $0.mode == .iam } || isGranted(rules, caller)
        }
        if type == "Bag" { return field == "outer" || permits(schema.bagRules ?? [], of: schema.bagRules ?? []) }
        guard let model = schema.models.first(where: { $0.name == type }) else { return true }
        let own = rules("read", model, field: field)
        guard permits(allRules(model), of: allRules(model)), permits(own, of: own) else { return false }
        switch model.field(field)?.kind {
        case .toMany(let other, _)?, .toOne(let other, _)?:
            let all = allRules(self.model(other))
            if all.isEmpty { return schema.modes[0] != .iam }
            return permits(all.filter { operations($0).contains("read") }, of: all)
        default: return true
        }
    }

    private func mayUse(_ rules: [WrittenRule]?, _ caller: PlainCaller) -> Bool {
        let groups = (rules ?? []).filter { rule in
            if case .groups = rule.allow { rule.mode == caller.mode } else { false }
        }
        return groups.isEmpty || admits(groups, caller, [:])
    }

    override func mayCallPing(_ caller: PlainCaller) -> Bool { mayUse(schema.pingRules, caller) }
    override func mayReadInner(_ caller: PlainCaller) -> Bool { mayUse(schema.bagRules, caller) }

    // MARK: - Reads

    override func reading(_ request: PlainRequest, _ access: Access, _ caller: PlainCaller) -> Reading {
        reading(operation(request), request.model, caller)
    }

    override func reading(related model: RuledSchema.Model, _ access: Access, _ caller: PlainCaller) -> Reading {
        reading("read", model, caller)
    }

    private func reading(_ operation: String, _ model: RuledSchema.Model, _ caller: PlainCaller) -> Reading {
        guard let asked = asked(operation, model, caller) else { return .all }
        return .those { self.admits(asked, caller, $0) }
    }

    override func mayRead(_ field: String, of item: Item, _ model: RuledSchema.Model, _ caller: PlainCaller) -> Bool {
        admits(asked("read", model, field: field, caller), caller, item)
    }

    override func isRedacted(_ field: String, _ model: RuledSchema.Model, after mutation: String) -> Bool {
        guard model.hasRuledSubscriptions, !rules("read", model, field: field).isEmpty else { return false }
        return model.fields.contains { !rules(mutation, model, field: $0.name).isEmpty }
    }

    // MARK: - Writes

    override func created(_ input: Item, _ model: RuledSchema.Model, _ caller: PlainCaller) -> Result<Item, Refusal> {
        var item = input
        for field in [nil] + model.inputFields.map({ Optional($0.name) }) {
            if let field, input[field] == nil { continue }
            guard let asked = asked("create", model, field: field, caller) else { continue }
            var isFilled = false
            let before = item
            for rule in asked {
                guard case .owner(let name, let claim) = rule.allow, let own = caller.text(claim ?? "username") else {
                    continue
                }
                let owner = name ?? "owner"
                guard input[owner] == nil else { continue }
                isFilled = true
                guard before[owner] == nil else { continue }
                item[owner] = model.field(owner)?.kind == .texts ? .array([.string(own)]) : .string(own)
            }
            guard isFilled || admits(asked, caller, input) else { return .failure(Refusal("U")) }
        }
        return .success(item)
    }

    override func refusal(
        ofUpdate input: Item, _ item: Item?, _ model: RuledSchema.Model, _ caller: PlainCaller
    ) -> Refusal? {
        var conditions = [asked("update", model, caller)]
        for (field, value) in input {
            conditions.append(asked("update", model, field: field, caller))
            if value.isNull { conditions.append(asked("delete", model, field: field, caller)) }
        }
        return refusal(conditions.compactMap { $0 }, item, caller)
    }

    override func refusal(ofDelete item: Item?, _ model: RuledSchema.Model, _ caller: PlainCaller) -> Refusal? {
        refusal([asked("delete", model, caller)].compactMap { $0 }, item, caller)
    }

    /// Where no item could meet the rules it is refused at once; where the stored one does not, the condition fails.
    private func refusal(_ asked: [[WrittenRule]], _ item: Item?, _ caller: PlainCaller) -> Refusal? {
        guard asked.allSatisfy({ $0.contains { isPossible($0, caller) } }) else { return Refusal("U") }
        guard let item, asked.allSatisfy({ admits($0, caller, item) }) else { return Refusal("C") }
        return nil
    }
}
