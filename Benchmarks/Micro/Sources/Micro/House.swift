@testable import API
import Foundation
import GraphQL
import Synchronization
import Tables
import Transformer

/// An API over a store of its own with a hundred articles of one owner, served by the thread that asks.
final class House {
    let api: GraphQLAPI
    let schema: Schema
    let context: LoopContext
    private let store: any Store
    private let loop = Loop()
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("syncline-\(UUID())").path

    init(schema text: String) throws {
        store = try LocalStore.open(folder: folder, options: StoreOptions(durability: .off))
        guard case .success(let definition) = Transform.transform([Source(text)], options: TransformOptions()) else {
            throw Problem("The schema of the benchmarks does not transform.")
        }
        schema = definition.schema
        api = GraphQLAPI(
            definition: definition, tables: try store.carryOutMigration(
                to: definition.tables, renaming: [], allowing: .none, keepsIndexes: false
            ).tables,
            store: store,
            environment: APIEnvironment(
                nowMilliseconds: { 1_700_000_000_000 }, makeUUID: { UUID().uuidString.lowercased() },
                seal: { plain, _ in plain.map(String.init).joined(separator: ".") },
                open: { text, _ in text.split(separator: ".").compactMap { UInt8($0) } }),
            options: APIOptions())
        context = try LoopContext(store: store, executor: loop)
        for rank in 0..<100 { try create(rank) }
    }

    deinit {
        loop.drain()
        if case .live(let reader) = context.reads { reader.endTurn() }
        store.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func create(_ rank: Int) throws {
        let input = """
            {id: \\"article-\(rank)\\", owner: \\"owner\\", status: \\"draft\\", topic: \\"topic\\", rank: \(rank), \
            title: \\"The title of article \(rank)\\", body: \\"Some words that stand for the body of it.\\"}
            """
        let body = Array("{\"query\":\"mutation { createArticle(input: \(input)) { id } }\"}".utf8)
        let isDone = Atomic(false)
        let isRight = Atomic(false)
        let request = try body.withUnsafeBytes { try context.readRequest($0, for: api) }
        withoutActuallyEscaping({ @Sendable (_: AnswerKind, answer: UnsafeRawBufferPointer) in
            isRight.store(!String(decoding: answer, as: UTF8.self).contains("errors"), ordering: .releasing)
            isDone.store(true, ordering: .releasing)
        }) {
            api.respond(to: request, as: .apiKey, on: context, reply: $0); wait(for: isDone)
        }
        guard isRight.load(ordering: .acquiring) else { throw Problem("An article could not be made.") }
    }

    private func wait(for isDone: borrowing Atomic<Bool>) {
        while !isDone.load(ordering: .acquiring) { loop.drain() }
    }

    /// Answers a request as an event loop does, from its body to the bytes; the turn ends after each.
    func answer(_ body: UnsafeRawBufferPointer) throws {
        let request = try context.readRequest(body, for: api)
        api.respond(to: request, as: .apiKey, on: context) { _, bytes in precondition(bytes.count > 64, "The answer has items.") }
        loop.drain()
    }

    /// Work that waits for its turn.
    private final class Loop: Executor {
        private let work = Mutex<[@Sendable () -> Void]>([])
        func execute(_ work: @escaping @Sendable () -> Void) { self.work.withLock { $0.append(work) } }
        func drain() {
            let waiting = work.withLock { work in
                defer { work.removeAll(keepingCapacity: true) }
                return work
            }
            for work in waiting { work() }
        }
    }
}

struct Problem: Error {
    let message: String
    init(_ message: String) { self.message = message }
}
