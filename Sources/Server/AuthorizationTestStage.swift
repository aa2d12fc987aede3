import API
import Foundation
import JSON
import Synchronization
import Tables
import Transformer

/// An API over a store of its own, asked by the thread that waits.
final class AuthorizationTestStage {
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
            for (index, item) in items.enumerated() {
                var values: [(column: Int, value: Value)] = []
                for (name, value) in item {
                    guard let column = stored.table.position(of: name) else { continue }
                    values.append((column, Value(value, of: stored.table.columns[column].type)))
                }
                let write = Write(
                    table: stored, action: .put(values), returning: [],
                    versioning: stored.table.isVersioned
                        ? Versioning(expecting: nil, .automerge, recreatesOverTombstone: true) : nil)
                let written = Box<Result<WriteResult, StoreError>>()
                store.write(write, deadline: nil, on: loop) { written.set($0) }
                if case .failure(let error) = loop.wait(for: written) {
                    throw ServerError(
                        error.code == .invalidRequest ? .invalid : .failed, "given.\(model)[\(index)]: \(error)")
                }
            }
        }
    }

    func answer(
        _ request: JSONValue, as identity: Identity
    ) throws(ServerError) -> (value: JSONValue, explanation: AuthorizationExplanation?) {
        let envelope = try read(request)
        // Of a subscription, whether it may begin.
        var refusal: Subscription?
        let subscription = try subscribe(request, as: identity)
        switch try end(subscription) {
        case .events where subscription.isOpen: return (["data": .null], subscription.explanation)
        case .events: break
        case .refused: refusal = subscription
        }
        let answer = Box<(AnswerKind, [UInt8])>()
        var options = AnswerOptions()
        options.explainsRules = true
        unsafe api.respond(to: envelope, as: identity, on: context, options: options) { kind, bytes in
            answer.set((kind, unsafe [UInt8](bytes)))
        }
        let (kind, bytes) = loop.wait(for: answer)
        do {
            let value = try JSONReader.read(bytes)
            if let refusal, value["errors"]?.arrayValue?.first?["errorType"] == "OperationNotSupported" {
                return (["data": .null, "errors": .array(refusal.errors)], refusal.explanation)
            }
            return (value, kind.report.explanation)
        } catch { throw ServerError(.failed, "The answer is no JSON: \(error)") }
    }
}

// MARK: - Subscriptions

extension AuthorizationTestStage {
    /// What a subscription has come to.
    enum Received: Equatable {
        /// It did not begin, for these errors, or was ended by them.
        case refused([JSONValue])
        /// What it was sent: of each event `data` and `errors`.
        case events([JSONValue])
    }

    /// One subscription, and what it is sent.
    final class Subscription: Subscriber {
        fileprivate(set) var handle: SubscriptionHandle?
        fileprivate(set) var errors: [JSONValue] = []
        fileprivate(set) var explanation: AuthorizationExplanation?
        private var payloads: [[UInt8]] = []
        /// Whether it has begun.
        var isOpen: Bool { handle != nil }

        func receive(_ messages: ArraySlice<EventMessage>) { payloads += messages.map(\.payload) }

        func end(_ errors: [RealtimeError]) { refuse(errors) }

        fileprivate func refuse(_ errors: [RealtimeError]) {
            self.errors = errors.map { error in
                var value: JSONObject = ["message": .string(error.message)]
                value["errorType"] = error.errorType.map(JSONValue.string)
                return .object(value)
            }
        }

        fileprivate var received: Received {
            errors.isEmpty ? .events(payloads.map { (try? JSONReader.read($0)) ?? .null }) : .refused(errors)
        }
    }

    /// Begins a subscription; one that is refused has errors.
    func subscribe(_ request: JSONValue, as identity: Identity) throws(ServerError) -> Subscription {
        let subscription = Subscription()
        let envelope = try read(request)
        switch api.subscribe(to: envelope, as: identity, on: context, for: subscription) {
        case .subscribed(let handle):
            subscription.handle = handle
            subscription.explanation = api.explanation(of: envelope, as: identity, on: context)
        case .refused(let errors, let report):
            subscription.refuse(errors)
            subscription.explanation = report.explanation
        case .otherOperation: break
        }
        return subscription
    }

    /// Ends a subscription, once it has been sent what came of all requests before.
    func end(_ subscription: Subscription) throws(ServerError) -> Received {
        loop.drain()
        context.deliverEverything()
        if let handle = subscription.handle { context.cancel(handle) }
        return subscription.received
    }

    private func read(_ request: JSONValue) throws(ServerError) -> GraphQLRequest {
        let read = unsafe Array(request.description.utf8).withUnsafeBytes { bytes in
            Result { () throws(EnvelopeError) in try unsafe context.readRequest(bytes, for: api) }
        }
        do throws(EnvelopeError) { return try read.get() } catch { throw ServerError(.invalid, error.message) }
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
