import Dispatch
import Foundation
import GraphQL
import JSON
import Synchronization
import Tables
import Testing
import Transformer

@testable import API

/// An API over a store of its own, served by the thread that asks: no sockets, no event loops.
final class Service {
    let home: Home
    let definition: APIDefinition
    let api: GraphQLAPI
    let context: LoopContext
    let loop = TestLoop()

    var store: SQLiteStore { home.store }

    /// Who asks, where a request does not say.
    var caller = Identity.apiKey

    static let clock = Int64(1_700_000_000_000)

    init(
        _ schema: String, options: APIOptions = APIOptions(), functions: [FieldCoordinate: FieldFunction] = [:],
        enforcing rules: [AuthorizationRule]? = nil, transform: TransformOptions = TransformOptions(),
        home: Home? = nil
    ) throws {
        let home = try home ?? Home()
        self.home = home
        switch Transform.transform([Source(schema, name: "schema.graphql")], options: transform) {
        case .success(var definition):
            if let rules {
                // Callers of every mode reach everything that the rules allow.
                definition.enforcedRules = rules
                definition.authModes = TransformOptions.AuthMode.allCases
                definition.gates = .open
            } else if definition.declarations.rules.isEmpty {
                definition.enforcedRules = nil
            }
            self.definition = definition
        case .failure(let diagnostics):
            throw TestFailure(diagnostics.map { $0.render() }.joined(separator: "\n"))
        }
        let tables = try home.store.migrate(to: definition.tables)
        api = GraphQLAPI(
            definition: definition, tables: tables, store: home.store, environment: home.environment, options: options,
            functions: functions)
        context = LoopContext(reads: try BothExecutors.reads(of: home.store, on: loop), executor: loop)
    }

    private init(anotherLoopOf service: Service) throws {
        home = service.home
        definition = service.definition
        api = service.api
        context = LoopContext(reads: try BothExecutors.reads(of: home.store, on: loop), executor: loop)
    }

    deinit {
        loop.drain()
        context.liveReader?.endTurn()
    }

    /// The same API, asked on a loop and a read connection of its own.
    func onAnotherLoop() throws -> Service { try Service(anotherLoopOf: self) }

    /// Another schema over the same data, as after a reload.
    func reloaded(
        _ schema: String, options: APIOptions = APIOptions(), enforcing rules: [AuthorizationRule]? = nil,
        transform: TransformOptions = TransformOptions()
    ) throws -> Service {
        try Service(schema, options: options, enforcing: rules, transform: transform, home: home)
    }

    /// Where the data is, and what an API may not make itself. The last service over it removes it, unless it is kept.
    final class Home {
        let folder: String
        /// Whether the folder stays, for another home.
        var keepsFolder = false
        let store: SQLiteStore
        let environment: APIEnvironment
        /// What the APIs gave notice of.
        let notices: Notices
        final class Notices: Sendable { let list = Mutex<[Notice]>([]) }

        /// - Parameters:
        ///   - folder: Where the data is; nil makes a folder.
        ///   - clock: What stamps the changes of versioned tables.
        ///   - stepsPerLook: How often a read looks at its budget, in steps of SQLite's virtual machine.
        init(
            folder: String? = nil, clock: WallClock = .system, resolveConflict: ConflictResolution? = nil,
            invokeFunction: FunctionInvoker? = nil,
            stepsPerLook: Int32 = StoreLimits().stepsPerLook
        ) throws {
            var limits = StoreLimits()
            limits.stepsPerLook = stepsPerLook
            let folder =
                folder
                ?? FileManager.default.temporaryDirectory.appendingPathComponent("syncline-\(UUID().uuidString)").path
            self.folder = folder
            store = try SQLiteStore(
                folder: folder, options: StoreOptions(durability: .off, limits: limits), clock: clock)
            let counter = Counter()
            let notices = Notices()
            self.notices = notices
            environment = APIEnvironment(
                nowMilliseconds: { Service.clock + Int64(counter.next()) },
                makeUUID: { UUID().uuidString.lowercased() },
                seal: { plain, binding in
                    // A seal for tests: readable, and bound by a plain comparison.
                    (plain + [0xFF] + binding).map { String($0, radix: 16) }.joined(separator: ".")
                },
                open: { token, binding in
                    let bytes = token.split(separator: ".").compactMap { UInt8($0, radix: 16) }
                    guard bytes.count >= binding.count + 1, Array(bytes.suffix(binding.count)) == binding else {
                        return nil
                    }
                    return Array(bytes.dropLast(binding.count + 1))
                },
                notice: { notice in notices.list.withLock { $0.append(notice) } }, resolveConflict: resolveConflict,
                invokeFunction: invokeFunction)
        }

        deinit {
            store.close()
            if !keepsFolder { try? FileManager.default.removeItem(atPath: folder) }
        }
    }

    /// Sends a body and waits for the answer; the loop's work runs on this thread.
    func send(
        body: String, as identity: Identity? = nil, options: AnswerOptions = AnswerOptions()
    ) throws -> (kind: AnswerKind, text: String) {
        guard let answer = try send(bodies: [body], as: identity, options: options).first else {
            throw TestFailure("no answer")
        }
        return answer
    }

    /// Sends bodies one behind the other without waiting, as a pipelining client does, and then waits for all answers.
    func send(
        bodies: [String], as identity: Identity? = nil, options: AnswerOptions = AnswerOptions()
    ) throws -> [(kind: AnswerKind, text: String)] {
        let answers = Mutex<[(kind: AnswerKind, text: String)?]>(Array(repeating: nil, count: bodies.count))
        for (index, body) in bodies.enumerated() {
            let read = unsafe Array(body.utf8).withUnsafeBytes { bytes in
                Result { () throws(EnvelopeError) in try unsafe context.readRequest(bytes, for: api) }
            }
            let request: GraphQLRequest
            do throws(EnvelopeError) {
                request = try read.get()
            } catch {
                let kind = AnswerKind(status: 400, errorType: error.errorType)
                answers.withLock { $0[index] = (kind, error.message) }
                continue
            }
            unsafe api.respond(to: request, as: identity ?? caller, on: context, options: options) { kind, bytes in
                let text = unsafe String(decoding: bytes, as: UTF8.self)
                answers.withLock { answers in
                    precondition(answers[index] == nil, "a request is answered once")
                    answers[index] = (kind, text)
                }
            }
        }
        try loop.run { answers.withLock { $0.allSatisfy { $0 != nil } } }
        return answers.withLock { $0.compactMap { $0 } }
    }

    /// Sends a request as the query of a URL; what comes back is the answer, or why it could not be read.
    func send(urlQuery: String?) throws -> String {
        let read = unsafe Array((urlQuery ?? "").utf8).withUnsafeBytes { bytes in
            Result { () throws(EnvelopeError) in
                try unsafe context.readRequest(urlQuery: urlQuery == nil ? nil : bytes, for: api)
            }
        }
        let request: GraphQLRequest
        do throws(EnvelopeError) { request = try read.get() } catch { return error.message }
        let answer = Mutex<String?>(nil)
        unsafe api.respond(to: request, as: .apiKey, on: context) { _, bytes in
            answer.withLock { $0 = unsafe String(decoding: bytes, as: UTF8.self) }
        }
        try loop.run { answer.withLock { $0 != nil } }
        return answer.withLock { $0 } ?? ""
    }

    /// Deletes all items, and waits; what comes back are the models' names.
    func clear() throws -> [String] {
        let answer = Mutex<Result<[String], StoreError>?>(nil)
        api.clear(on: context) { result in answer.withLock { $0 = result } }
        try loop.run { answer.withLock { $0 != nil } }
        return try answer.withLock { $0 }?.get() ?? []
    }

    func text(_ query: String, _ variables: String? = nil, operationName: String? = nil) throws -> String {
        try send(body: Self.body(query, variables, operationName: operationName)).text
    }

    func run(_ query: String, _ variables: String? = nil, operationName: String? = nil) throws -> JSONValue {
        try JSONReader.read(try text(query, variables, operationName: operationName))
    }

    /// The data of an answer that must have no errors.
    func data(
        _ query: String, _ variables: String? = nil, sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) throws -> String {
        let text = try text(query, variables)
        guard case .object(let object) = try JSONReader.read(text), let data = object["data"], object["errors"] == nil
        else {
            Issue.record("unexpected errors: \(text)", sourceLocation: sourceLocation)
            return text
        }
        return data.description
    }

    /// The errors of an answer as `errorType: message`.
    func errors(_ query: String, _ variables: String? = nil) throws -> [String] {
        guard case .object(let object) = try run(query, variables), case .array(let errors)? = object["errors"] else {
            return []
        }
        return errors.map { error in
            guard case .object(let error) = error, case .string(let message)? = error["message"] else { return "?" }
            if case .string(let type)? = error["errorType"] { return "\(type): \(message)" }
            return message
        }
    }

    static func body(_ query: String, _ variables: String?, operationName: String? = nil) -> String {
        var writer = JSONWriter(capacity: 256)
        writer.append("{\"query\":")
        writer.writeString(query)
        if let operationName {
            writer.append(",\"operationName\":")
            writer.writeString(operationName)
        }
        writer.append(",\"variables\":")
        writer.append(Array((variables ?? "null").utf8))
        writer.append("}")
        return unsafe writer.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
}

struct TestFailure: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
}

final class Counter: Sendable {
    private let value = Atomic<Int>(0)
    func next() -> Int { value.add(1, ordering: .relaxed).newValue }
}

/// An event loop whose turns the test takes.
final class TestLoop: Executor {
    private let work = Mutex<[@Sendable () -> Void]>([])
    private let signal = DispatchSemaphore(value: 0)

    func execute(_ work: @escaping @Sendable () -> Void) {
        self.work.withLock { $0.append(work) }
        signal.signal()
    }

    func drain() {
        for item in work.withLock({ work in
            defer { work = [] }
            return work
        }) { item() }
    }

    /// Runs work until a condition holds, for at most a minute.
    func run(until condition: () -> Bool) throws {
        let deadline = DispatchTime.now() + 60
        drain()
        while !condition() {
            guard signal.wait(timeout: deadline) == .success else { throw TestFailure("no progress in a minute") }
            drain()
        }
        drain()
        // An event whose rows are gathered takes some turns more.
        while BothExecutors.gathers, !work.withLock({ $0.isEmpty }) { drain() }
    }
}
