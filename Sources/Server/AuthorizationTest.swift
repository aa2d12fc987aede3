import API
import Foundation
import JSON
import Synchronization
import Tables
import Transformer

/// `syncline auth test`: the cases of a file, asked of the schema's rules over a store of their own, without a server.
public struct AuthorizationTest: Sendable {
    /// What came of a case.
    public struct Outcome: Sendable, Hashable {
        /// The case's name.
        public var name: String
        /// What was expected and what was answered, one a line; empty where they agree.
        public var differences: [String]
        /// What the rules have decided, one a line.
        public var explanation: [String]
    }

    /// In the order of the file.
    public private(set) var outcomes: [Outcome] = []
    /// The rules that no case has met, by the names that Amplify's messages use.
    public private(set) var unmetRules: [String] = []
    /// How many rules there are.
    public private(set) var ruleCount = 0

    /// Whether a case did not come to what is expected.
    public var hasFailures: Bool { outcomes.contains { !$0.differences.isEmpty } }

    /// Carries out the cases of the file at `path`.
    public init(path: String, _ configuration: Configuration) throws(ServerError) {
        let bytes: [UInt8]
        do throws(Files.Failure) {
            bytes = try Files.read(path, bytesMax: 16 << 20)
        } catch {
            throw ServerError(.invalid, "Cannot read \(path): \(error.reason).")
        }
        let file = try AuthorizationTestFile(bytes, path: path)
        let definition = try configuration.loadDefinition(allowsMissingFunctions: true)
        let folder = try EphemeralFolder()
        defer { folder.remove() }
        let stage = try AuthorizationTestStage(definition, configuration, folder: folder.path)
        defer { stage.close() }
        var met: Set<String> = []
        for entry in file.cases {
            try stage.give(file.given)
            let identity = try file.identity(named: entry.identityName, claims: definition.ruleClaims)
            let answer = try stage.answer(entry.request, as: identity)
            met.formUnion(answer.explanation?.entries.flatMap { $0.rules.filter(\.matches).map(\.name) } ?? [])
            outcomes.append(
                Outcome(
                    name: entry.name,
                    differences: Self.differences(entry.expectation, answer.value, definition.transformerVersion),
                    explanation: answer.explanation.map { $0.lines } ?? []))
        }
        var rules: [String] = []
        for rule in definition.enforcedRules ?? [] {
            for name in rule.roleNames where !rules.contains(name) { rules.append(name) }
        }
        ruleCount = rules.count
        unmetRules = rules.filter { !met.contains($0) }
    }

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

    // MARK: - Reports

    /// The report for people: failures with what differs, and the rules that no case has met.
    public var text: String {
        var lines: [String] = []
        for outcome in outcomes {
            lines.append("\(outcome.differences.isEmpty ? "ok  " : "FAIL") \(outcome.name)")
            guard !outcome.differences.isEmpty else { continue }
            lines += outcome.differences.map { "       \($0)" } + outcome.explanation.map { "       rules: \($0)" }
        }
        let failures = outcomes.count { !$0.differences.isEmpty }
        lines.append("\(Counted.text(outcomes.count, "case")), \(failures) failed.")
        lines.append("\(ruleCount - unmetRules.count) of \(Counted.text(ruleCount, "rule")) met.")
        lines += unmetRules.map { "never met: \($0)" }
        return lines.joined(separator: "\n")
    }

    /// The report for machines: one object.
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

/// An API over a store of its own, asked by the thread that waits.
private final class AuthorizationTestStage {
    private let definition: APIDefinition
    private let store: any Store
    private let tables: [StoredTable]
    private let api: GraphQLAPI
    private let context: LoopContext
    private let loop = WaitingLoop()

    init(_ definition: APIDefinition, _ configuration: Configuration, folder: String) throws(ServerError) {
        self.definition = definition
        do throws(StoreError) {
            store = try LocalStore.open(
                folder: folder, options: .init(durability: .off, limits: configuration.limits.store), clock: .system)
            tables = try store.carryOutMigration(
                to: definition.tables, renaming: [], allowing: .none, keepsIndexes: false
            ).tables
            let environment = APIEnvironment(
                sealedBy: Seal(key: try store.secret()), clock: .system, noting: Log(format: .text, level: .critical))
            api = GraphQLAPI(
                definition: definition, tables: tables, store: store, environment: environment,
                options: APIOptions(limits: configuration.limits.api))
            context = try LoopContext(store: store, executor: loop)
        } catch {
            throw ServerError(opening: folder, error)
        }
    }

    func close() {
        loop.drain()
        store.close()
    }

    /// Replaces what is stored by these items.
    func give(_ given: [(model: String, items: [JSONObject])]) throws(ServerError) {
        let cleared = Box<Result<Void, StoreError>>()
        store.clear(tables, on: loop) { cleared.set($0) }
        if case .failure(let error) = loop.wait(for: cleared) { throw ServerError(.failed, "\(error)") }
        for (model, items) in given {
            guard let place = definition.model(named: model) else {
                throw ServerError(.invalid, "given.\(model) is no model of the schema.")
            }
            let stored = tables[definition.models[place].table]
            for item in items {
                var values: [(column: Int, value: Value)] = []
                for (name, value) in item {
                    guard let column = stored.table.position(of: name) else {
                        throw ServerError(.invalid, "given.\(model): \(name) is no stored field of \(model).")
                    }
                    values.append((column, Value(value, of: stored.table.columns[column].type)))
                }
                let write = Write(
                    table: stored, action: .put(values), returning: [],
                    versioning: stored.table.isVersioned
                        ? Versioning(expecting: nil, .automerge, recreatesOverTombstone: true) : nil)
                let written = Box<Result<WriteResult, StoreError>>()
                store.write(write, deadline: nil, on: loop) { written.set($0) }
                if case .failure(let error) = loop.wait(for: written) {
                    throw ServerError(.failed, "given.\(model): \(error)")
                }
            }
        }
    }

    func answer(
        _ request: JSONValue, as identity: Identity
    ) throws(ServerError) -> (value: JSONValue, explanation: AuthorizationExplanation?) {
        let read = unsafe Array(request.description.utf8).withUnsafeBytes { bytes in
            Result { () throws(EnvelopeError) in try unsafe context.readRequest(bytes, for: api) }
        }
        let envelope: GraphQLRequest
        do throws(EnvelopeError) { envelope = try read.get() } catch { throw ServerError(.invalid, error.message) }
        let answer = Box<(AnswerKind, [UInt8])>()
        var options = AnswerOptions()
        options.explainsRules = true
        unsafe api.respond(to: envelope, as: identity, on: context, options: options) { kind, bytes in
            answer.set((kind, unsafe [UInt8](bytes)))
        }
        let (kind, bytes) = loop.wait(for: answer)
        do {
            return (try JSONReader.read(bytes), kind.report.explanation)
        } catch { throw ServerError(.failed, "The answer is no JSON: \(error)") }
    }
}

/// A value that another thread gives once.
private final class Box<Content: Sendable>: Sendable {
    private let content = Mutex<Content?>(nil)
    var value: Content? { content.withLock { $0 } }
    func set(_ value: Content) { content.withLock { $0 = value } }
}

/// Runs what the writer hands back on the thread that waits for it.
private final class WaitingLoop: Tables.Executor {
    private let work = Mutex<[@Sendable () -> Void]>([])
    private let condition = NSCondition()

    func execute(_ work: @escaping @Sendable () -> Void) {
        condition.withLock {
            self.work.withLock { $0.append(work) }
            condition.signal()
        }
    }

    func drain() {
        let taken = work.withLock { work in
            defer { work = [] }
            return work
        }
        for item in taken { item() }
    }

    func wait<Content: Sendable>(for box: Box<Content>) -> Content {
        while true {
            drain()
            if let value = box.value { return value }
            condition.withLock {
                while work.withLock(\.isEmpty) { condition.wait() }
            }
        }
    }
}

extension Value {
    /// A value as a column stores it.
    fileprivate init(_ value: JSONValue, of type: ColumnType) {
        switch (type, value) {
        case (_, .null): self = .null
        case (.json, let value): self = .text(value.description)
        case (.text, .string(let text)): self = .text(text)
        case (.text, let value): self = .text(value.description)
        case (.boolean, .bool(let bool)): self = .integer(bool ? 1 : 0)
        case (.real, let value): self = value.doubleValue.map(Value.real) ?? .null
        case (_, let value): self = value.intValue.map(Value.integer) ?? .null
        }
    }
}

extension AuthorizationExplanation {
    fileprivate var lines: [String] {
        entries.map { entry in
            let reasons = [entry.reason].compactMap { $0 } + entry.rules.map { "\($0.name): \($0.reason)" }
            return "\(entry.field) \(entry.outcome.rawValue): \(reasons.joined(separator: "; "))"
        }
    }
}
