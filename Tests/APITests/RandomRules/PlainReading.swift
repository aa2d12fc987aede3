import JSON
import Transformer

/// A plain reading of the specification of rules: all items in arrays, every rule looked at for each of them. What differs
/// between the versions is in the subclasses.
class PlainReading {
    typealias Item = [String: JSONValue]
    typealias Mode = TransformOptions.AuthMode

    let schema: RuledSchema
    /// The items of each model, in the order of their creation.
    var items: [String: [Item]] = [:]
    /// The modes that the types and fields name (`@aws_*`), by `Type` and `Type.field`.
    var directives: [String: [Mode]] = [:]

    init(_ schema: RuledSchema) { self.schema = schema }

    /// What a caller may read of some items.
    enum Reading {
        case none
        case all
        case those((Item) -> Bool)
        /// Those with one of these sort keys, which are looked for before the limit.
        case sortKeys([String])

        func admits(_ item: Item) -> Bool {
            switch self {
            case .none: false
            case .all, .sortKeys: true
            case .those(let isReadable): isReadable(item)
            }
        }
    }

    /// The key that items are read by.
    struct Access {
        var key: [String]
        /// The partition key, where an argument or the parent of one item has it.
        var partition: JSONValue?
        var isGet = false
        /// The sort key of a get.
        var sortKey: JSONValue?
        /// Whether the caller may name a sort key.
        var hasSortArgument = false
        var sort: PlainSort?
    }

    // MARK: - What the versions say

    func isPermitted(_ request: PlainRequest, _ caller: PlainCaller) -> Bool { true }
    func mayCallPing(_ caller: PlainCaller) -> Bool { true }
    func mayReadInner(_ caller: PlainCaller) -> Bool { true }
    func reading(_ request: PlainRequest, _ access: Access, _ caller: PlainCaller) -> Reading { .none }
    func reading(related model: RuledSchema.Model, _ access: Access, _ caller: PlainCaller) -> Reading { .none }
    func mayRead(_ field: String, of item: Item, _ model: RuledSchema.Model, _ caller: PlainCaller) -> Bool { false }
    func isRedacted(_ field: String, _ model: RuledSchema.Model, after mutation: String) -> Bool { false }

    /// Whether related items in the result of a mutation are redacted as well.
    var redactsRelatedItems: Bool { false }
    func shown(_ value: JSONValue, of field: String, _ model: RuledSchema.Model) -> JSONValue { value }
    /// The item to store, or why it is refused.
    func created(_ input: Item, _ model: RuledSchema.Model, _ caller: PlainCaller) -> Result<Item, Refusal> {
        .failure(Refusal("U"))
    }
    /// Why an update or delete is refused.
    func refusal(
        ofUpdate input: Item, _ item: Item?, _ model: RuledSchema.Model, _ caller: PlainCaller
    ) -> Refusal? { Refusal("U") }
    func refusal(ofDelete item: Item?, _ model: RuledSchema.Model, _ caller: PlainCaller) -> Refusal? { Refusal("U") }

    struct Refusal: Error {
        let kind: String
        init(_ kind: String) { self.kind = kind }
        init(fields: [String]) { kind = "F[\(fields.sorted().joined(separator: ", "))]" }
    }

    // MARK: - Modes

    private static let modeOrder: [Mode] = [.apiKey, .iam, .oidc, .userPools, .lambda]

    /// Specification, "The set function".
    func directiveSet(_ used: some Sequence<Mode>, addsDefault: Bool) -> [Mode] {
        let used = Set(used), normal = schema.modes[0]
        var modes: [Mode] = []
        for mode in Self.modeOrder {
            let isNamed = mode == normal ? addsDefault && used.contains { $0 != normal } : used.contains(mode)
            if isNamed { modes.append(mode) }
        }
        if used.contains(normal), used.count > 1, !modes.contains(normal) { modes.append(normal) }
        return modes
    }

    func name(_ modes: [Mode], on place: String) {
        var own = directives[place] ?? []
        for mode in modes where !own.contains(mode) { own.append(mode) }
        directives[place] = own
    }

    func admits(_ type: String, _ field: String, _ caller: PlainCaller) -> Bool {
        if caller.deniedFields.contains("\(type).\(field)") { return false }
        var modes = directives["\(type).\(field)"] ?? []
        if modes.isEmpty { modes = directives[type] ?? [] }
        return (modes.isEmpty ? [schema.modes[0]] : modes).contains(caller.mode)
    }

    /// Whether a policy lets an identity of the identity pool read a field below a root field.
    func isPermitted(_ type: String, _ field: String, _ caller: PlainCaller) -> Bool { true }

    // MARK: - Items

    func model(_ name: String) -> RuledSchema.Model { schema.models.first { $0.name == name } ?? schema.models[0] }

    func position(_ key: [JSONValue], _ model: RuledSchema.Model) -> Int? {
        items[model.name]?.firstIndex { item in model.key.map { item[$0] ?? .null } == key }
    }

    /// The items in the order in which a page reads them. What lacks a part of an index's key is not in the index.
    private func candidates(_ model: RuledSchema.Model, _ page: PlainRequest.Page) -> [Item] {
        var found = items[model.name] ?? []
        found.removeAll { item in page.key.contains { (item[$0] ?? .null).isNull } }
        guard let partition = page.partition else { return found }
        found.removeAll { $0[page.key[0]] != partition }
        if let sort = page.sort { found.removeAll { !sort.admits($0[page.key[1]] ?? .null) } }
        return found.enumerated().sorted { left, right in
            for name in page.key.dropFirst() {
                let (own, other) = (left.element[name] ?? .null, right.element[name] ?? .null)
                if own != other { return own.isBefore(other) }
            }
            return left.offset < right.offset
        }.map(\.element)
    }

    private func read(_ model: RuledSchema.Model, _ page: PlainRequest.Page, _ reading: Reading) -> [Item] {
        var found = candidates(model, page)
        if case .sortKeys(let values) = reading {
            found.removeAll { !values.contains($0[page.key[1]]?.stringValue ?? "") }
        }
        return found.prefix(page.limit).filter { (page.filter?.admits($0) ?? true) && reading.admits($0) }
    }

    // MARK: - Answers

    struct Answer: Equatable, CustomStringConvertible {
        var data: String
        /// Each as its path and its kind, in the order of their texts.
        var errors: [String]

        init(data: String, errors: [String]) { (self.data, self.errors) = (data, errors.sorted()) }

        var description: String { ([data] + errors).joined(separator: " | ") }
    }

    func answer(_ request: PlainRequest, _ caller: PlainCaller) -> Answer {
        guard isPermitted(request, caller) else { return Answer(data: "401", errors: []) }
        var errors: [String] = []
        let value = value(request, caller, &errors)
        return Answer(data: JSONValue.object(JSONObject([(request.field, value)])).description, errors: errors)
    }

    private func value(_ request: PlainRequest, _ caller: PlainCaller, _ errors: inout [String]) -> JSONValue {
        let (root, model) = (request.field, request.model)
        func refused(_ kind: String) -> JSONValue {
            errors.append("\(root) \(kind)")
            return .null
        }
        guard admits(request.rootType, root, caller) else { return refused("U") }
        switch request.operation {
        case .ping: return mayCallPing(caller) ? "pong" : refused("U")
        case .get(let key):
            let access = Access(
                key: model.key, partition: key[0], isGet: true, sortKey: key.count == 2 ? key[1] : nil)
            let reading = reading(request, access, caller)
            if case .none = reading { return refused("U") }
            guard let place = position(key, model), let item = items[model.name]?[place] else { return .null }
            guard reading.admits(item) else { return refused("U") }
            return shown(item, model, request.selection.parts, caller, at: root, &errors) ?? .null
        case .list(let page), .index(_, let page):
            let access = Access(
                key: page.key, partition: page.partition, hasSortArgument: page.partition != nil, sort: page.sort)
            let reading = reading(request, access, caller)
            if case .none = reading { return refused("U") }
            return shown(
                read(model, page, reading), model, request.selection.parts, caller, at: root, &errors) ?? .null
        case .sync(let page):
            let reading = reading(request, Access(key: page.key), caller)
            if case .none = reading { return refused("U") }
            // A page of a sync is full where twenty times as many items hold enough for it.
            var all = page
            all.limit *= 20
            let found = Array(read(model, all, reading).prefix(page.limit))
            return shown(found, model, request.selection.parts, caller, at: root, &errors) ?? .null
        case .create(let input):
            switch created(input, model, caller) {
            case .failure(let refusal): return refused(refusal.kind)
            case .success(let item):
                guard position(model.key.map { item[$0] ?? .null }, model) == nil else { return refused("C") }
                items[model.name, default: []].append(item)
                return shown(item, model, request.selection.parts, caller, at: root, after: "create", &errors)
                    ?? .null
            }
        case .update(let input, let condition):
            let place = position(model.key.map { input[$0] ?? .null }, model)
            let item = place.flatMap { items[model.name]?[$0] }
            if let refusal = refusal(ofUpdate: input, item, model, caller) { return refused(refusal.kind) }
            guard let place, let item, condition?.admits(item) ?? true else { return refused("C") }
            let updated = item.merging(input) { $1 }
            items[model.name]?[place] = updated
            return shown(updated, model, request.selection.parts, caller, at: root, after: "update", &errors) ?? .null
        case .delete(let input, let condition):
            let place = position(model.key.map { input[$0] ?? .null }, model)
            let item = place.flatMap { items[model.name]?[$0] }
            if let refusal = refusal(ofDelete: item, model, caller) { return refused(refusal.kind) }
            guard let place, let item, condition?.admits(item) ?? true else { return refused("C") }
            items[model.name]?.remove(at: place)
            return shown(item, model, request.selection.parts, caller, at: root, after: "delete", &errors) ?? .null
        }
    }

    /// A page; nil where its items may not be read, which it cannot be without.
    private func shown(
        _ found: [Item], _ model: RuledSchema.Model, _ parts: [PlainSelection.Part], _ caller: PlainCaller,
        at path: String, after mutation: String? = nil, _ errors: inout [String]
    ) -> JSONValue? {
        let type = "Model\(model.name)Connection"
        guard admits(type, "items", caller), isPermitted(type, "items", caller) else {
            errors += ["\(path)/items U", "\(path)/items N"]
            return nil
        }
        let values = found.enumerated().map { place, item in
            shown(item, model, parts, caller, at: "\(path)/items/\(place)", after: mutation, &errors) ?? .null
        }
        return ["items": .array(values)]
    }

    /// An item; nil where a field is null that must not be.
    private func shown(
        _ item: Item, _ model: RuledSchema.Model, _ parts: [PlainSelection.Part], _ caller: PlainCaller,
        at path: String, after mutation: String? = nil, _ errors: inout [String]
    ) -> JSONValue? {
        var members: [(String, JSONValue)] = []
        for part in parts {
            let value = shown(part, of: item, model, caller, at: "\(path)/\(part.field.name)", after: mutation, &errors)
            if value.isNull, part.field.isNonNull {
                errors.append("\(path)/\(part.field.name) N")
                // The fields behind it are not looked at.
                return nil
            }
            members.append((part.field.name, value))
        }
        return .object(JSONObject(members))
    }

    private func shown(
        _ part: PlainSelection.Part, of item: Item, _ model: RuledSchema.Model, _ caller: PlainCaller, at path: String,
        after mutation: String?, _ errors: inout [String]
    ) -> JSONValue {
        let field = part.field
        func refused() -> JSONValue {
            errors.append("\(path) U")
            return .null
        }
        guard admits(model.name, field.name, caller), isPermitted(model.name, field.name, caller),
            mayRead(field.name, of: item, model, caller)
        else { return refused() }
        let isRedacted = mutation.map { self.isRedacted(field.name, model, after: $0) } ?? false
        let relatedMutation = redactsRelatedItems ? mutation : nil
        let value = item[field.name] ?? .null
        switch field.kind {
        case .text, .number, .texts: return isRedacted ? .null : shown(value, of: field.name, model)
        case .bag:
            guard !isRedacted, let bag = value.objectValue else { return .null }
            return .object(
                JSONObject(
                    ["outer", "inner"].map { name in
                        guard admits("Bag", name, caller), isPermitted("Bag", name, caller),
                            name == "outer" || mayReadInner(caller)
                        else {
                            errors.append("\(path)/\(name) U")
                            return (name, .null)
                        }
                        return (name, bag[name] ?? .null)
                    }))
        case .toMany(let other, let index):
            let related = self.model(other)
            if isRedacted, schema.version == .v1 { return .null }
            if isRedacted { return shown([], related, part.inner, caller, at: path, &errors) ?? .null }
            let key = related.indexes.first { $0.name == index }?.fields ?? []
            let reading = reading(related: related, Access(key: key, hasSortArgument: true), caller)
            if case .none = reading { return refused() }
            let page = PlainRequest.Page(key: key, partition: item[model.key[0]], limit: part.limit)
            return shown(
                read(related, page, reading), related, part.inner, caller, at: path, after: relatedMutation, &errors)
                ?? .null
        case .toOne(let other, let key):
            if isRedacted { return .null }
            let related = self.model(other), own = item[key] ?? .null
            let reading = reading(
                related: related,
                // Without its type, `nil` would be the value null.
                Access(key: related.key, partition: own.isNull ? JSONValue?.none : own, isGet: true), caller)
            if case .none = reading { return refused() }
            guard !own.isNull, let place = position([own], related), let found = items[other]?[place] else {
                return .null
            }
            guard reading.admits(found) else { return refused() }
            return shown(found, related, part.inner, caller, at: path, after: relatedMutation, &errors)
                ?? .null
        }
    }
}
