import JSON
import Testing
import Transformer

@testable import API

@Suite("Random rules of version 1 decide what a plain reading of them decides", .bothExecutors)
struct RandomVersionOneRuleTests {
    private static let schema = """
        type Post @model {
          id: ID! title: String rating: Int owner: String editors: [String] teams: [String] team: String
        }
        """
    private static let versionOne = TransformOptions(transformerVersion: .v1)

    private static func foreign(_ claims: KeyValuePairs<String, JSONValue>) -> Identity {
        .oidc(IdentityToken(claims: JSONObject(claims.map { ($0.key, $0.value) })), claims: [])
    }

    private static let callers: [Identity] = [
        .ann, .bob, .user("ann", in: ["G"]), .user("cy", in: ["red", "x"]), .user("bob", in: ["blue"]), .apiKey,
        foreign(["sub": "s-ann", "username": "ann"]), foreign(["sub": "s-cy"]),
        foreign(["sub": "s-bob", "cognito:groups": ["red"]]),
    ]

    @Test("gets, lists, creates, updates and deletes, with what their results leave out", arguments: 1...8)
    func decisions(seed: Int) throws {
        // The seed is the test's argument, which is printed with a failure.
        var random = SeededGenerator(seed: UInt64(seed))
        var counts: [String: Int] = [:]
        for _ in 0..<10 {
            let rules = (0..<Int.random(in: 1...6, using: &random)).map { _ in Self.rule(&random) }
            let open = try Service(Self.schema, transform: Self.versionOne)
            let service = try open.reloaded(Self.schema, enforcing: rules, transform: Self.versionOne)
            var posts = PlainVersionOneRules(rules: rules)
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
                "{ listPosts(limit: 100) { items { \(PlainVersionOneRules.fields.joined(separator: " ")) } } }")
            let items = stored["data"]?["listPosts"]?["items"]?.arrayValue ?? []
            #expect(items.count == posts.items.count)
            for item in items {
                let id = item["id"]?.stringValue ?? ""
                for field in PlainVersionOneRules.fields {
                    #expect(item[field] == posts.items[id]?[field] ?? .null, "\(id).\(field) under \(rules)")
                }
            }
        }
        for kind in ["some fields may not be read", "refused", "condition failed", "given"] {
            #expect(counts[kind, default: 0] >= 1, "\(kind): \(counts)")
        }
    }

    private static func kind(of answer: String) -> String {
        if answer.contains("/") { return "some fields may not be read" }
        return answer.hasSuffix(" U") ? "refused" : answer.hasSuffix(" C") ? "condition failed" : "given"
    }

    // MARK: - What is asked

    private static func step(
        _ posts: inout PlainVersionOneRules, _ number: Int, _ caller: Identity, _ random: inout SeededGenerator
    ) -> (String, String) {
        let id = "\(Int.random(in: 1...6, using: &random))"
        let selection = "{ \(PlainVersionOneRules.fields.joined(separator: " ")) }"
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return (#"{ getPost(id: "\#(id)") \#(selection) }"#, posts.get(id, caller))
        case 1: return ("{ listPosts(limit: 100) { items \(selection) } }", posts.list(caller))
        case 2:
            var input = item(&random)
            input["id"] = .string("n\(number)")
            return ("mutation { createPost(input: {\(literal(input))}) \(selection) }", posts.create(input, caller))
        case 3, 4:
            var input = item(&random)
            input["id"] = .string(id)
            return ("mutation { updatePost(input: {\(literal(input))}) \(selection) }", posts.update(input, caller))
        default: return (#"mutation { deletePost(input: {id: "\#(id)"}) \#(selection) }"#, posts.delete(id, caller))
        }
    }

    private static func rule(_ random: inout SeededGenerator) -> AuthorizationRule {
        let provider: AuthorizationRule.Provider = Int.random(in: 0..<3, using: &random) == 0 ? .oidc : .userPools
        let allows: [(AuthorizationRule.Allow, AuthorizationRule.Provider)] = [
            (.owner(field: "owner", identityClaim: "username"), provider),
            (.owner(field: "owner", identityClaim: "username"), provider),
            (.owner(field: "editors", identityClaim: "sub"), provider),
            (.groups(["G"], groupClaim: "cognito:groups"), provider),
            (.groupsField("teams", groupClaim: "cognito:groups"), provider),
            (.groupsField("team", groupClaim: "cognito:groups"), provider), (.private, .userPools),
            (.private, .iam), (.public, .apiKey),
        ]
        let (allow, by) = allows.randomElement(using: &random) ?? allows[0]
        var operations: Set<AuthorizationRule.Operation> = []
        for some in [AuthorizationRule.Operation.read, [.create], [.update], [.delete]]
        where Int.random(in: 0..<3, using: &random) > 0 { operations.formUnion(some) }
        let fields = PlainVersionOneRules.fields.dropFirst()
        let field = Int.random(in: 0..<3, using: &random) == 0 ? fields.randomElement(using: &random) : nil
        return AuthorizationRule(type: "Post", field: field, allow: allow, provider: by, operations: operations)
    }

    /// Some attributes, without the `id`.
    private static func item(_ random: inout SeededGenerator) -> [String: JSONValue] {
        let names = ["ann", "bob", "s-ann", "s-bob", "cy"], groups = ["red", "blue", "G", "x"]
        func texts(_ texts: [String]) -> JSONValue {
            .array(
                (0..<Int.random(in: 0...2, using: &random)).map { _ in
                    .string(texts.randomElement(using: &random) ?? "")
                })
        }
        var item: [String: JSONValue] = [:]
        for field in PlainVersionOneRules.fields.dropFirst() {
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
        PlainVersionOneRules.fields.compactMap { field in item[field].map { "\(field): \($0)" } }
            .joined(separator: ", ")
    }
}

/// The rules of version 1 read plainly, by going through all of them for each item and field.
private struct PlainVersionOneRules {
    static let fields = ["id", "title", "rating", "owner", "editors", "teams", "team"]

    let rules: [AuthorizationRule]
    var items: [String: [String: JSONValue]] = [:]
    private var order: [String] = ["1", "2", "3", "4"]

    init(rules: [AuthorizationRule]) { self.rules = rules }

    // MARK: - Who is asked, and what

    /// The owner and group rules that a caller is held to for an operation of the type or a field; nil where nothing is asked.
    private func asked(
        _ operation: AuthorizationRule.Operation, of field: String? = nil, _ caller: Identity
    ) -> [AuthorizationRule]? {
        let rules = rules.filter { $0.field == field && $0.operations.contains(operation) }
        if rules.contains(where: { $0.allow == .private && $0.provider == .userPools }) { return nil }
        let checked = rules.filter { $0.allow != .private && $0.allow != .public }
        let providers = checked.map(\.provider)
        let isAsked =
            caller.mode == .userPools && providers.contains(.userPools)
            || caller.mode == .oidc && providers.contains(.oidc)
        return isAsked ? checked : nil
    }

    private func name(_ claim: String, _ caller: Identity) -> String? {
        claim == "sub" ? caller.subject : caller.username
    }

    private func isMet(_ rule: AuthorizationRule, by caller: Identity, of item: [String: JSONValue]) -> Bool {
        func isAmong(_ field: String, _ names: [String]) -> Bool {
            switch item[field] {
            case .string(let text)?: names.contains(text)
            case .array(let elements)?: elements.contains { names.contains($0.stringValue ?? "") }
            default: false
            }
        }
        switch rule.allow {
        case .groups(let groups, _): return caller.groups.contains(groups[0])
        case .groupsField(let field, _): return isAmong(field, caller.groups)
        case .owner(let field, let claim): return isAmong(field, [name(claim, caller)].compactMap { $0 })
        case .public, .private, .custom: return false
        }
    }

    /// Whether some item could meet a rule for the caller.
    private func isPossible(_ rule: AuthorizationRule, _ caller: Identity) -> Bool {
        switch rule.allow {
        case .groups: isMet(rule, by: caller, of: [:])
        case .groupsField: !caller.groups.isEmpty
        case .owner(_, let claim): name(claim, caller) != nil
        case .public, .private, .custom: false
        }
    }

    private func admits(_ rules: [AuthorizationRule]?, _ caller: Identity, _ item: [String: JSONValue]) -> Bool {
        rules?.contains { isMet($0, by: caller, of: item) } ?? true
    }

    // MARK: - Reads

    private func shown(
        _ item: [String: JSONValue], _ caller: Identity, at path: String,
        after mutation: AuthorizationRule.Operation? = nil
    ) -> (String, [String]) {
        let isMarked = rules.contains { rule in rule.field != nil && mutation.map(rule.operations.contains) ?? false }
        var errors: [String] = []
        let members = Self.fields.map { field -> String in
            var value = item[field] ?? .null
            if !admits(asked(.get, of: field, caller), caller, item) {
                errors.append("\(path)/\(field) U")
                value = .null
            } else if isMarked, rules.contains(where: { $0.field == field && $0.operations.contains(.get) }) {
                value = .null
            }
            return "\"\(field)\":\(value)"
        }
        return ("{\(members.joined(separator: ","))}", errors)
    }

    private func answer(_ field: String, _ value: String, _ errors: [String] = []) -> String {
        (["{\"\(field)\":\(value)}"] + errors).joined(separator: " | ")
    }

    private func answer(
        _ field: String, _ item: [String: JSONValue], _ caller: Identity,
        after mutation: AuthorizationRule.Operation? = nil
    ) -> String {
        let (value, errors) = shown(item, caller, at: field, after: mutation)
        return answer(field, value, errors)
    }

    func get(_ id: String, _ caller: Identity) -> String {
        guard let item = items[id] else { return answer("getPost", "null") }
        guard admits(asked(.get, caller), caller, item) else { return answer("getPost", "null", ["getPost U"]) }
        return answer("getPost", item, caller)
    }

    func list(_ caller: Identity) -> String {
        var errors: [String] = []
        var values: [String] = []
        for id in order {
            guard let item = items[id], admits(asked(.list, caller), caller, item) else { continue }
            let (value, own) = shown(item, caller, at: "listPosts/items/\(values.count)")
            values.append(value)
            errors += own
        }
        return answer("listPosts", "{\"items\":[\(values.joined(separator: ","))]}", errors)
    }

    // MARK: - Writes

    /// An input as rules fill it; nil where nobody is allowed to create it.
    private func filled(
        _ input: [String: JSONValue], _ item: [String: JSONValue], _ rules: [AuthorizationRule]?, _ caller: Identity
    ) -> [String: JSONValue]? {
        guard let rules else { return item }
        var item = item
        for rule in rules {
            guard case .owner(let field, let claim) = rule.allow, input[field] == nil, let name = name(claim, caller)
            else { continue }
            item[field] = field == "editors" ? [.string(name)] : .string(name)
        }
        return admits(rules, caller, item) ? item : nil
    }

    mutating func create(_ input: [String: JSONValue], _ caller: Identity) -> String {
        let refused = answer("createPost", "null", ["createPost U"])
        guard var item = filled(input, input, asked(.create, caller), caller) else { return refused }
        for field in Self.fields where input[field] != nil {
            guard let next = filled(input, item, asked(.create, of: field, caller), caller) else { return refused }
            item = next
        }
        let id = input["id"]?.stringValue ?? ""
        items[id] = item
        order.append(id)
        return answer("createPost", item, caller, after: .create)
    }

    mutating func update(_ input: [String: JSONValue], _ caller: Identity) -> String {
        let id = input["id"]?.stringValue ?? ""
        var conditions = [asked(.update, caller)]
        for (field, value) in input {
            conditions.append(asked(.update, of: field, caller))
            if value == .null { conditions.append(asked(.delete, of: field, caller)) }
        }
        let asked = conditions.compactMap { $0 }
        guard asked.allSatisfy({ $0.contains { isPossible($0, caller) } }) else {
            return answer("updatePost", "null", ["updatePost U"])
        }
        guard let item = items[id], asked.allSatisfy({ admits($0, caller, item) }) else {
            return answer("updatePost", "null", ["updatePost C"])
        }
        items[id] = item.merging(input) { $1 }
        return answer("updatePost", items[id] ?? [:], caller, after: .update)
    }

    mutating func delete(_ id: String, _ caller: Identity) -> String {
        let asked = asked(.delete, caller)
        guard asked?.contains(where: { isPossible($0, caller) }) ?? true else {
            return answer("deletePost", "null", ["deletePost U"])
        }
        guard let item = items[id], admits(asked, caller, item) else {
            return answer("deletePost", "null", ["deletePost C"])
        }
        items[id] = nil
        return answer("deletePost", item, caller, after: .delete)
    }
}
