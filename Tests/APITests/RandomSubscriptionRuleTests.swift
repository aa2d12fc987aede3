import JSON
import Testing
import Transformer

@testable import API

@Suite("Random rules select the events that a plain reading of them selects", .bothExecutors)
struct RandomSubscriptionRuleTests {
    private static let schema =
        "type Post @model { id: ID! owner: String editors: [String] teams: [String] team: String }"
    private static let versionTwo = TransformOptions(transformerVersion: .v2)
    private static let callers: [Identity] = [
        .ann, .bob, .user("ann", in: ["G"]), .user("cy", in: ["red", "x"]), .user("bob", in: ["blue"]),
        .apiKey, .lambda,
    ]
    private static let writer = Identity.user("writer", in: ["Writer"])

    @Test(
        "every subscriber receives what one of its roles is about, as it is shown, or is refused",
        arguments: 1...8)
    func events(seed: Int) throws {
        // The seed is the test's argument, which is printed with a failure.
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<8 {
            let rules = (0..<Int.random(in: 1...3, using: &random)).map { _ in Self.rule(&random) }
            let service = try Service(
                Self.schema, enforcing: rules + [.group("Writer", "Post", .create)],
                transform: Self.versionTwo)
            var subscribers: [(caller: Identity, subscriber: TestSubscriber)] = []
            for caller in Self.callers {
                let subscriber = TestSubscriber()
                let outcome = try service.outcome(
                    of: "subscription { onCreatePost { id } }", as: caller, for: subscriber)
                if case .subscribed(let handle) = outcome {
                    subscriber.handle = handle
                    subscribers.append((caller, subscriber))
                }
                let isAccepted = subscriber.handle != nil
                #expect(
                    isAccepted == rules.contains { Self.isPossible($0, caller) },
                    "\(caller.name) under \(rules)")
            }
            service.caller = Self.writer
            for id in 0..<20 {
                let item = Self.item(&random)
                let input = item.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
                _ = try service.data(
                    #"mutation { createPost(input: {id: "\#(id)", \#(input)}) { id owner editors teams team } }"#
                )
                try service.deliver()
                for (caller, subscriber) in subscribers {
                    let isExpected = rules.contains { Self.isAbout($0, item, rules, caller) }
                    #expect(
                        subscriber.take().count == (isExpected ? 1 : 0),
                        "\(item) to \(caller.name) under \(rules)")
                }
            }
        }
    }

    private static func rule(_ random: inout SeededGenerator) -> AuthorizationRule {
        let allows: [(AuthorizationRule.Allow, AuthorizationRule.Provider)] = [
            (.owner(field: "owner", identityClaim: "username"), .userPools),
            (.owner(field: "owner", identityClaim: "sub"), .userPools),
            (.owner(field: "editors", identityClaim: "sub::username"), .userPools),
            (.groups(["G"], groupClaim: "cognito:groups"), .userPools),
            (.groupsField("teams", groupClaim: "cognito:groups"), .userPools),
            (.groupsField("team", groupClaim: "cognito:groups"), .userPools), (.public, .apiKey),
            (.custom, .function),
        ]
        let (allow, provider) = allows.randomElement(using: &random) ?? allows[0]
        let listens = Int.random(in: 0..<4, using: &random) > 0
        return AuthorizationRule(
            type: "Post", field: nil, allow: allow, provider: provider,
            operations: listens ? [.listen, .get] : [.get])
    }

    private static func item(_ random: inout SeededGenerator) -> [String: JSONValue] {
        let names = ["ann", "bob", "s-ann::ann", "s-bob", "cy"]
        let groups = ["red", "blue", "G", "x"]
        func text(_ texts: [String]) -> JSONValue { .string(texts.randomElement(using: &random) ?? "") }
        var item: [String: JSONValue] = ["owner": text(names), "team": text(groups)]
        item["editors"] = .array((0..<Int.random(in: 0...2, using: &random)).map { _ in text(names) })
        item["teams"] = Bool.random(using: &random) ? .null : .array([text(groups)])
        return item
    }

    // MARK: - The plain reading

    private static func isOfMode(_ rule: AuthorizationRule, _ caller: Identity) -> Bool {
        switch (rule.provider, caller.mode) {
        case (.apiKey, .apiKey), (.userPools, .userPools), (.function, .lambda): true
        default: false
        }
    }

    /// Whether a caller may subscribe by a rule.
    private static func isPossible(_ rule: AuthorizationRule, _ caller: Identity) -> Bool {
        guard isOfMode(rule, caller), rule.operations.contains(.listen) else { return false }
        return switch rule.allow {
        case .groups(let groups, _): caller.groups.contains(groups[0])
        case .groupsField: !caller.groups.isEmpty
        case .owner, .public, .private, .custom: true
        }
    }

    private static func isAbout(
        _ rule: AuthorizationRule, _ item: [String: JSONValue], _ rules: [AuthorizationRule],
        _ caller: Identity
    ) -> Bool {
        guard isPossible(rule, caller) else { return false }
        func isAmong(_ field: String, _ names: [String], isShortened: Bool = false) -> Bool {
            let values = item[field]?.arrayValue ?? [item[field] ?? .null]
            return values.contains { value in
                guard let text = value.stringValue else { return false }
                return names.contains(isShortened ? String(text.split(separator: ":").last ?? "") : text)
            }
        }
        switch rule.allow {
        case .groupsField(let field, _): return isAmong(field, caller.groups)
        case .owner(let field, let claim):
            return isAmong(
                field, [(claim == "sub" ? caller.subject : caller.username) ?? ""],
                isShortened: field == "editors")
        case .groups, .public, .private, .custom: return true
        }
    }
}
