import Foundation
import JSON
import Testing
import Transformer

@testable import API

@Suite("Random rules decide what a plain reading of them decides", .bothExecutors) struct RandomRuleTests {
    private static let schema = """
        type Post @model {
          id: ID title: String rating: Int owner: String editors: [String] teams: [String] team: String
        }
        """
    private static let versionTwo = TransformOptions(transformerVersion: .v2)
    private static let callers: [Identity] = [
        .ann, .bob, .user("ann", in: ["G"]), .user("cy", in: ["red", "x"]), .user("bob", in: ["blue"]), .apiKey,
        foreign("ann"), foreign("bob", in: ["red", "G"]), .lambda, .server,
    ]

    /// A user of the OIDC provider.
    private static func foreign(_ name: String, in groups: [String] = []) -> Identity {
        let claims: [(String, JSONValue)] = [
            ("sub", .string("s-\(name)")), ("username", .string(name)),
            ("cognito:groups", .array(groups.map(JSONValue.string))),
        ]
        return .oidc(IdentityToken(claims: JSONObject(claims)), claims: [])
    }

    @Test("gets, lists, creates, updates and deletes, item by item and field by field", arguments: 1...10)
    func decisions(seed: Int) throws {
        // The seed is the test's argument, which is printed with a failure.
        var random = SeededGenerator(seed: UInt64(seed))
        var counts: [String: Int] = [:]
        for _ in 0..<8 {
            let rules = (0..<Int.random(in: 1...6, using: &random)).map { _ in Self.rule(&random) }
            let open = try Service(Self.schema, transform: Self.versionTwo)
            let populates = Bool.random(using: &random)
            let service = try open.reloaded(
                Self.schema, enforcing: rules,
                transform: TransformOptions(transformerVersion: .v2, populateOwnerFieldForStaticGroupAuth: populates))
            var posts = PlainRules(rules: rules, populates: populates)
            for id in 1...4 {
                var item = Self.item(&random)
                item["id"] = .string("\(id)")
                posts.items["\(id)"] = item
                try open.seed("mutation { createPost(input: {\(Self.literal(item))}) { id } }")
            }
            for step in 0..<40 {
                let caller = Self.callers.randomElement(using: &random) ?? .ann
                let (query, expected) = Self.step(&posts, step, caller, &random)
                counts[Self.kind(of: expected), default: 0] += 1
                #expect(try service.brief(query, as: caller) == expected, "\(query) as \(caller.name) under \(rules)")
            }
            let stored = try open.run(
                "{ listPosts(limit: 100) { items { \(PlainRules.fields.joined(separator: " ")) } } }")
            let items = stored["data"]?["listPosts"]?["items"]?.arrayValue ?? []
            #expect(items.count == posts.items.count)
            for item in items {
                let id = item["id"]?.stringValue ?? ""
                for field in PlainRules.fields {
                    #expect(item[field] == posts.items[id]?[field] ?? .null, "\(id).\(field) under \(rules)")
                }
            }
        }
        for kind in ["some fields may not be written", "some fields may not be read", "refused", "given"] {
            #expect(counts[kind, default: 0] >= 1, "\(kind): \(counts)")
        }
    }

    /// How an answer came out, so that none of the ways is left untested.
    private static func kind(of answer: String) -> String {
        if answer.contains(" F[") { return "some fields may not be written" }
        if answer.contains("/") { return "some fields may not be read" }
        return answer.hasSuffix(" U") ? "refused" : answer.hasSuffix(" C") ? "condition failed" : "given"
    }

    // MARK: - What is asked

    private static func step(
        _ posts: inout PlainRules, _ number: Int, _ caller: Identity, _ random: inout SeededGenerator
    ) -> (String, String) {
        let id = "\(Int.random(in: 1...6, using: &random))"
        let selection = PlainRules.fields.joined(separator: " ")
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return (#"{ getPost(id: "\#(id)") { \#(selection) } }"#, posts.get(id, caller))
        case 1: return ("{ listPosts(limit: 100) { items { \(selection) } } }", posts.list(caller))
        case 2:
            var input = item(&random)
            input["id"] = .string("n\(number)")
            return ("mutation { createPost(input: {\(literal(input))}) { \(selection) } }", posts.create(input, caller))
        case 3:
            var input = item(&random)
            input["id"] = .string(id)
            return ("mutation { updatePost(input: {\(literal(input))}) { \(selection) } }", posts.update(input, caller))
        default: return (#"mutation { deletePost(input: {id: "\#(id)"}) { \#(selection) } }"#, posts.delete(id, caller))
        }
    }

    private static func rule(_ random: inout SeededGenerator) -> AuthorizationRule {
        let allows: [(AuthorizationRule.Allow, AuthorizationRule.Provider)] = [
            (.owner(field: "owner", identityClaim: "username"), .userPools),
            (.owner(field: "owner", identityClaim: "username"), .userPools),
            (.owner(field: "editors", identityClaim: "sub::username"), .userPools),
            (.groups(["G"], groupClaim: "cognito:groups"), .userPools),
            (.groupsField("teams", groupClaim: "cognito:groups"), .userPools),
            (.groupsField("team", groupClaim: "cognito:groups"), .userPools), (.private, .userPools),
            (.public, .apiKey), (.owner(field: "owner", identityClaim: "sub"), .oidc),
            (.groups(["G"], groupClaim: "cognito:groups"), .oidc),
            (.groupsField("team", groupClaim: "cognito:groups"), .oidc), (.private, .oidc), (.private, .iam),
            (.public, .iam), (.custom, .function),
        ]
        let (allow, provider) = allows.randomElement(using: &random) ?? allows[0]
        var operations = AuthorizationRule.Operation.all
        if Bool.random(using: &random) {
            operations = Set(
                AuthorizationRule.Operation.allCases.filter { _ in Int.random(in: 0..<3, using: &random) > 0 })
        }
        let field = Int.random(in: 0..<3, using: &random) == 0 ? PlainRules.fields.randomElement(using: &random) : nil
        return AuthorizationRule(type: "Post", field: field, allow: allow, provider: provider, operations: operations)
    }

    /// Some attributes, without the `id`.
    private static func item(_ random: inout SeededGenerator) -> [String: JSONValue] {
        let names = ["ann", "bob", "s-ann::ann", "s-bob", "cy"], groups = ["red", "blue", "G", "x"]
        func texts(_ texts: [String]) -> JSONValue {
            .array(
                (0..<Int.random(in: 0...2, using: &random)).map { _ in
                    .string(texts.randomElement(using: &random) ?? "")
                })
        }
        var item: [String: JSONValue] = [:]
        for field in PlainRules.fields.dropFirst() {
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1, 2: break
            case 3: item[field] = .null
            default:
                item[field] =
                    switch field {
                    case "rating": .number("\(Int.random(in: 0..<9, using: &random))")
                    case "owner": .string(names.randomElement(using: &random) ?? "")
                    case "editors": texts(names)
                    case "teams": texts(groups)
                    case "team": .string(groups.randomElement(using: &random) ?? "")
                    default: .string("t")
                    }
            }
        }
        return item
    }

    /// The attributes as an input is written, in the order of its type. JSON's notation is GraphQL's for these.
    private static func literal(_ item: [String: JSONValue]) -> String {
        PlainRules.fields.compactMap { field in item[field].map { "\(field): \($0)" } }.joined(separator: ", ")
    }
}

/// The rules of version 2 read plainly: who may do what with each field of each item, by going through all of them.
private struct PlainRules {
    static let fields = ["id", "title", "rating", "owner", "editors", "teams", "team"]

    struct Role: Hashable {
        var allow: AuthorizationRule.Allow
        var provider: AuthorizationRule.Provider
    }

    let rules: [AuthorizationRule]
    /// Whether owners are filled in also for callers that a static role allows everything.
    let populates: Bool
    var items: [String: [String: JSONValue]] = [:]
    private var order: [String] = ["1", "2", "3", "4"]

    init(rules: [AuthorizationRule], populates: Bool) { (self.rules, self.populates) = (rules, populates) }

    private var roles: Set<Role> { Set(rules.map { Role(allow: $0.allow, provider: $0.provider) }) }

    private func has(_ role: Role, _ operation: AuthorizationRule.Operation, _ field: String) -> Bool {
        let own = rules.filter { $0.field == field }
        func isOf(_ rule: AuthorizationRule) -> Bool { rule.allow == role.allow && rule.provider == role.provider }
        if own.isEmpty {
            return rules.contains { $0.field == nil && isOf($0) && $0.operations.contains(operation) }
        }
        return own.last(where: isOf)?.operations.contains(operation) ?? false
    }

    private func hasSome(_ role: Role, _ operation: AuthorizationRule.Operation) -> Bool {
        Self.fields.contains { has(role, operation, $0) }
    }

    private func isWhole(_ role: Role, _ operations: AuthorizationRule.Operation...) -> Bool {
        operations.allSatisfy { operation in Self.fields.allSatisfy { has(role, operation, $0) } }
    }

    /// The names that an owner rule knows a caller by, the stored one first.
    private func names(_ claim: String, _ caller: Identity) -> [String] {
        guard let subject = caller.subject, let name = caller.username else { return [] }
        return switch claim {
        case "username": [name]
        case "sub": [subject]
        default: ["\(subject)::\(name)", subject, name]
        }
    }

    private func isOfMode(_ role: Role, _ caller: Identity) -> Bool {
        switch (role.provider, caller.mode) {
        case (.apiKey, .apiKey), (.userPools, .userPools), (.oidc, .oidc), (.function, .lambda): true
        default: false
        }
    }

    private func isHeld(_ role: Role, by caller: Identity, of item: [String: JSONValue]?) -> Bool {
        guard isOfMode(role, caller) else { return false }
        func isAmong(_ field: String, _ names: [String]) -> Bool {
            switch item?[field] {
            case .string(let text)?: names.contains(text)
            case .array(let elements)?: elements.contains { names.contains($0.stringValue ?? "") }
            default: false
            }
        }
        switch role.allow {
        case .public, .private, .custom: return true
        case .groups(let groups, _): return caller.groups.contains(groups[0])
        case .groupsField(let field, _): return isAmong(field, caller.groups)
        case .owner(let field, let claim): return isAmong(field, names(claim, caller))
        }
    }

    private func isStatic(_ role: Role) -> Bool {
        switch role.allow {
        case .public, .private, .custom, .groups: true
        case .owner, .groupsField: false
        }
    }

    /// Whether the caller may have the role of some item.
    private func isPossible(_ role: Role, for caller: Identity) -> Bool {
        guard isOfMode(role, caller) else { return false }
        switch role.allow {
        case .groups: return isHeld(role, by: caller, of: nil)
        case .groupsField: return !caller.groups.isEmpty
        default: return true
        }
    }

    // MARK: - Reads

    private func readers(of field: String) -> Set<Role>? {
        let reads: [AuthorizationRule.Operation] = [.get, .list, .sync, .search, .listen]
        let all = roles.filter { hasSome($0, .get) }
        var expected = all
        for role in all where role.allow == .private && role.provider != .iam {
            guard reads.allSatisfy({ has(role, $0, field) }) else { continue }
            expected = expected.filter { $0 == role || $0.provider != role.provider }
        }
        let readers = expected.filter { role in reads.contains { has(role, $0, field) } }
        return readers == expected ? nil : readers
    }

    /// The fields of an item; the result of a mutation leaves out those that not all readers may read.
    private func shown(
        _ item: [String: JSONValue], _ caller: Identity, at path: String, isResult: Bool = false
    ) -> (String, [String]) {
        var errors: [String] = []
        let members = Self.fields.map { field -> String in
            if let readers = readers(of: field) {
                let isReader = readers.contains { isHeld($0, by: caller, of: item) }
                if !isReader { errors.append("\(path)/\(field) U") }
                if !isReader || isResult { return "\"\(field)\":null" }
            }
            return "\"\(field)\":\(shown(item[field] ?? .null, of: field))"
        }
        return ("{\(members.joined(separator: ","))}", errors)
    }

    /// An owner who is stored by several claims is shown by the last of them.
    private func shown(_ value: JSONValue, of field: String) -> JSONValue {
        let isJoined = rules.contains { rule in
            if case .owner(field, let claim) = rule.allow { claim.contains("::") } else { false }
        }
        guard isJoined else { return value }
        switch value {
        case .string(let text): return .string(text.components(separatedBy: "::").last ?? "")
        case .array(let elements): return .array(elements.map { shown($0, of: field) })
        default: return value
        }
    }

    private func answer(_ field: String, _ value: String, _ errors: [String] = []) -> String {
        (["{\"\(field)\":\(value)}"] + errors).joined(separator: " | ")
    }

    func get(_ id: String, _ caller: Identity) -> String {
        let readers = roles.filter { hasSome($0, .get) && isPossible($0, for: caller) }
        guard !readers.isEmpty else { return answer("getPost", "null", ["getPost U"]) }
        guard let item = items[id] else { return answer("getPost", "null") }
        guard readers.contains(where: { isHeld($0, by: caller, of: item) }) else {
            return answer("getPost", "null", ["getPost U"])
        }
        let (value, errors) = shown(item, caller, at: "getPost")
        return answer("getPost", value, errors)
    }

    func list(_ caller: Identity) -> String {
        let readers = roles.filter { hasSome($0, .list) && isPossible($0, for: caller) }
        guard !readers.isEmpty else { return answer("listPosts", "null", ["listPosts U"]) }
        var errors: [String] = []
        var values: [String] = []
        for id in order {
            guard let item = items[id], readers.contains(where: { isHeld($0, by: caller, of: item) }) else { continue }
            let (value, own) = shown(item, caller, at: "listPosts/items/\(values.count)")
            values.append(value)
            errors += own
        }
        return answer("listPosts", "{\"items\":[\(values.joined(separator: ","))]}", errors)
    }

    // MARK: - Writes

    private func refused(_ field: String, _ names: [String] = []) -> String {
        answer(field, "null", ["\(field) \(names.isEmpty ? "U" : "F[\(names.joined(separator: ", "))]")"])
    }

    private func result(_ field: String, _ item: [String: JSONValue], _ caller: Identity) -> String {
        let (value, errors) = shown(item, caller, at: field, isResult: true)
        return answer(field, value, errors)
    }

    mutating func create(_ input: [String: JSONValue], _ caller: Identity) -> String {
        var item = input
        let creators = roles.filter { hasSome($0, .create) }
        let isFilled =
            populates || !creators.contains { isStatic($0) && isWhole($0, .create) && isHeld($0, by: caller, of: nil) }
        for role in creators where isFilled {
            guard case .owner(let field, let claim) = role.allow, input[field] == nil, isOfMode(role, caller),
                let name = names(claim, caller).first
            else { continue }
            item[field] = field == "editors" ? [.string(name)] : .string(name)
        }
        let held = creators.filter { isHeld($0, by: caller, of: item) }
        guard !held.isEmpty else { return refused("createPost") }
        let denied = Self.fields.filter { field in input[field] != nil && !held.contains { has($0, .create, field) } }
        guard denied.isEmpty || held.contains(where: { isWhole($0, .create) }) else {
            return refused("createPost", denied)
        }
        let id = input["id"]?.stringValue ?? ""
        items[id] = item
        order.append(id)
        return result("createPost", item, caller)
    }

    mutating func update(_ input: [String: JSONValue], _ caller: Identity) -> String {
        let id = input["id"]?.stringValue ?? ""
        let writers = roles.filter { hasSome($0, .update) || hasSome($0, .delete) }
        let held = writers.filter { isHeld($0, by: caller, of: items[id]) }
        guard !held.isEmpty else { return refused("updatePost") }
        if !held.contains(where: { isWhole($0, .update, .delete) }) {
            let names = Self.fields.dropFirst().filter { input[$0] != nil }
            let nulls = names.filter { name in input[name] == .null && !held.contains { has($0, .delete, name) } }
            let others = names.filter { name in !nulls.contains(name) && !held.contains { has($0, .update, name) } }
            guard nulls.isEmpty, others.isEmpty else { return refused("updatePost", nulls + others) }
        }
        guard items[id] != nil else { return answer("updatePost", "null", ["updatePost C"]) }
        for (field, value) in input { items[id]?[field] = value }
        return result("updatePost", items[id] ?? [:], caller)
    }

    mutating func delete(_ id: String, _ caller: Identity) -> String {
        guard roles.contains(where: { isWhole($0, .delete) && isHeld($0, by: caller, of: items[id]) }) else {
            return refused("deletePost")
        }
        guard let item = items.removeValue(forKey: id) else { return answer("deletePost", "null", ["deletePost C"]) }
        return result("deletePost", item, caller)
    }
}
