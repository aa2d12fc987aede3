import API
import JSON
import Tables
import Transformer

/// `syncline auth test`: runs the test cases of a file against the schema's rules, with a store of its own and without a server.
public struct AuthorizationTest: Sendable {
    /// The result of a case. In JSON `name`, `passed`, `differences` and `rules`.
    public struct Outcome: Sendable, Hashable {
        /// The case's name.
        public var name: String
        /// Lines of what was expected (`-`) and what was answered (`+`); empty if the case passed.
        public var differences: [String]
        /// Lines of what the rules decided.
        public var explanation: [String]
    }

    /// In the order of the file.
    public private(set) var outcomes: [Outcome] = []
    /// The rules that no case covered, by the names that Amplify's messages use, in the order of the schema.
    public private(set) var unmetRules: [String] = []
    /// The number of rules in the schema, without those of the sandbox and of join models.
    public private(set) var ruleCount = 0

    /// Whether a case failed.
    public var hasFailures: Bool { outcomes.contains { !$0.differences.isEmpty } }

    /// Runs the cases of a file, in its order, each over the given items alone. The items are stored in a temporary folder, which
    /// is removed at the end.
    ///
    /// - Parameter path: The file, of at most 16 MiB.
    /// - Throws: `.invalid` if the file or the schema is invalid; `.failed` if the store fails. A case that fails is no error.
    public init(path: String, _ configuration: Configuration) throws(ServerError) {
        let bytes: [UInt8]
        do throws(Files.Failure) {
            bytes = try Files.read(path, bytesMax: Self.fileBytesMax)
        } catch {
            throw ServerError(.invalid, "Cannot read \(path): \(error.reason).")
        }
        let file = try AuthorizationTestFile(bytes, path: path)
        let definition = try configuration.loadDefinition()
        try file.check(against: definition)
        let folder = try EphemeralFolder()
        defer { folder.remove() }
        let stage = try AuthorizationTestStage(definition, configuration, folder: folder.path)
        defer { stage.close() }
        func identity(named name: String) throws(ServerError) -> Identity {
            try file.identity(
                named: name, claims: definition.ruleClaims, adminRoles: configuration.transform.adminRoles)
        }
        var met: Set<ExactText> = []
        for entry in file.cases {
            try stage.give(file.given)
            let subscriptions = try entry.subscribers.map { subscriber throws(ServerError) in
                try stage.subscribe(subscriber.request, as: try identity(named: subscriber.identityName))
            }
            let answer = try stage.answer(entry.request, as: try identity(named: entry.identityName))
            var differences = Self.differences(entry.expectation, answer.value, definition.transformerVersion)
            var explanations = [answer.explanation].compactMap(\.self)
            for (place, (subscriber, subscription)) in zip(entry.subscribers, subscriptions).enumerated() {
                let own = Self.differences(subscriber.expectation, try stage.end(subscription))
                differences += own.map { "subscribers[\(place)] as \(subscriber.identityName): \($0)" }
                explanations += [subscription.explanation].compactMap(\.self)
            }
            for explanation in explanations { met.formUnion(explanation.metRules) }
            outcomes.append(
                Outcome(name: entry.name, differences: differences, explanation: explanations.flatMap { $0.lines }))
        }
        var counted: Set<ExactText> = []
        let rules = definition.writtenRules.flatMap(\.roleNames).map(ExactText.init(_:)).filter {
            counted.insert($0).inserted
        }
        ruleCount = rules.count
        unmetRules = rules.filter { !met.contains($0) }.map(\.text)
    }

    /// The largest file of cases, in bytes.
    private static let fileBytesMax = 16 << 20

    private static func differences(
        _ expectation: AuthorizationTestFile.Expectation, _ answer: JSONValue,
        _ version: TransformOptions.TransformerVersion
    ) -> [String] {
        let errors = answer["errors"]?.arrayValue ?? []
        switch expectation {
        case .allowed: return errors.isEmpty ? [] : ["- expected: allowed", "+ answered: \(answer)"]
        case .denied:
            // In version 1 rules are part of the condition of an update or delete.
            let refusals =
                ["Unauthorized", "UnauthorizedException"]
                + (version == .v1 ? ["DynamoDB:ConditionalCheckFailedException"] : [])
            let isDenied = errors.contains { $0["errorType"]?.stringValue.map(refusals.contains) ?? false }
            return isDenied ? [] : ["- expected: denied", "+ answered: \(answer)"]
        case .answer(let data, let expected):
            var lines: [String] = []
            if let data, data != answer["data"] ?? .null {
                lines += ["- expected data: \(data)", "+ answered data: \(answer["data"] ?? .null)"]
            }
            guard let expected else { return lines }
            let isEqual =
                expected.count == errors.count
                && zip(expected, errors).allSatisfy { expected, error in
                    (expected.objectValue ?? JSONObject()).allSatisfy { name, value in error[name] == value }
                }
            if !isEqual {
                lines += [
                    "- expected errors: \(JSONValue.array(expected))", "+ answered errors: \(JSONValue.array(errors))",
                ]
            }
            return lines
        }
    }

    private static func differences(
        _ expectation: AuthorizationTestFile.Reception, _ received: AuthorizationTestStage.Received
    ) -> [String] {
        let answered =
            switch received {
            case .refused(let errors): "+ refused: \(errors)"
            case .events(let events): events.isEmpty ? "+ received nothing" : "+ received: \(JSONValue.array(events))"
            }
        switch (expectation, received) {
        case (.denied, .refused), (.nothing, .events([])): return []
        case (.event, .events(let events)) where !events.isEmpty: return []
        case (.data(let data), .events(let events)) where events.count == 1 && events[0]["data"] == data: return []
        case (.denied, _): return ["- expected: denied", answered]
        case (.event, _): return ["- expected: an event", answered]
        case (.nothing, _): return ["- expected: nothing", answered]
        case (.data(let data), _): return ["- expected data: \(data)", answered]
        }
    }

    // MARK: - Reports

    /// The report for people: each case, the differences of those that failed, and the rules that no case covered.
    public var text: String {
        var lines: [String] = []
        for outcome in outcomes {
            lines.append("\(outcome.differences.isEmpty ? "ok  " : "FAIL") \(outcome.name)")
            guard !outcome.differences.isEmpty else { continue }
            lines += outcome.differences.map { "       \($0)" } + outcome.explanation.map { "       rules: \($0)" }
        }
        let failures = outcomes.count { !$0.differences.isEmpty }
        lines.append("\(Counted.text(outcomes.count, "case")), \(failures) failed.")
        lines.append(
            ruleCount == 0
                ? "The schema has no rules."
                : "\(ruleCount - unmetRules.count) of \(Counted.text(ruleCount, "rule")) covered.")
        lines += unmetRules.map { "not covered: \($0)" }
        return lines.joined(separator: "\n")
    }

    /// The report for machines, one object: `passed`, `cases`, `ruleCount` and `unmetRules`.
    public var json: String {
        let report: JSONObject = [
            "passed": .bool(!hasFailures),
            "cases": .array(
                outcomes.map { outcome in
                    [
                        "name": .string(outcome.name), "passed": .bool(outcome.differences.isEmpty),
                        "differences": .array(outcome.differences.map(JSONValue.string)),
                        "rules": .array(outcome.explanation.map(JSONValue.string)),
                    ]
                }),
            "ruleCount": .number(String(ruleCount)),
            "unmetRules": .array(unmetRules.map(JSONValue.string)),
        ]
        return JSONValue.object(report).description
    }
}

extension AuthorizationExplanation {
    fileprivate var lines: [String] {
        entries.flatMap { entry in
            ["\(entry.field) \(entry.outcome.rawValue)\(entry.reason.map { ": \($0)" } ?? "")"]
                + entry.rules.map { "  \($0.name): \($0.reason)" }
        }
    }
}
