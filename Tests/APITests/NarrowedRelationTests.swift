import JSON
import Synchronization
import Tables
import Testing
import Transformer

@testable import API

@Suite("Relations that are narrowed by the groups of a caller") struct NarrowedRelationTests {
    private static let schema = """
        type Folder @model @auth(rules: [{allow: private}]) {
          id: ID! @primaryKey sheets: [Sheet] @hasMany(indexName: "byFolder", fields: ["id"])
        }
        type Sheet @model @auth(rules: [{allow: groups, groupsField: "team"}]) {
          id: ID! @primaryKey
          folderId: ID! @index(name: "byFolder", sortKeyFields: ["team"])
          team: String!
        }
        """

    /// Passes waves on, and keeps what was asked for.
    private final class RecordingReader: BatchReader {
        private let reader: any BatchReader
        var fetches: [BatchFetch] = []

        init(_ reader: any BatchReader) { self.reader = reader }

        func run(
            _ wave: [BatchRequest], deadline: ContinuousClock.Instant,
            completion: @escaping (Result<[BatchOutcome], StoreError>) -> Void
        ) {
            for request in wave { if case .fetch(let fetch) = request { fetches.append(fetch) } }
            reader.run(wave, deadline: deadline, completion: completion)
        }
    }

    @Test("the groups are given once for all parents, and are no part of each parent's key")
    func once() throws {
        let stage = try RuledStage(Self.schema, .v2)
        for number in 0..<20 {
            try stage.seed(
                "createFolder(input: {id: 'f\(number)'})",
                "createSheet(input: {id: 'a\(number)', folderId: 'f\(number)', team: 'g\(number)'})",
                "createSheet(input: {id: 'b\(number)', folderId: 'f\(number)', team: 'other'})")
        }
        let ann = Identity.user("ann", in: (0..<500).map { "g\($0)" })
        let query = "{ listFolders { items { id sheets { items { id } } } } }"
        let live = try stage.ruled.send(body: Service.body(query, nil), as: ann).text
        for number in 0..<20 { #expect(live.contains("\"a\(number)\"")) }
        #expect(!live.contains("\"b"))

        let service = stage.ruled
        let recorder = RecordingReader(SQLiteBatchReader(try service.store.makeReader(), on: service.loop))
        let context = LoopContext(reads: .batched(recorder), executor: service.loop)
        let request = try unsafe Array(Service.body(query, nil).utf8).withUnsafeBytes { bytes in
            try unsafe context.readRequest(bytes, for: service.api)
        }
        let answer = Mutex<String?>(nil)
        unsafe service.api.respond(to: request, as: ann, on: context) { _, bytes in
            let text = unsafe String(decoding: bytes, as: UTF8.self)
            answer.withLock { $0 = text }
        }
        try service.loop.run { answer.withLock { $0 != nil } }
        #expect(answer.withLock { $0 } == live)
        let fetch = try #require(recorder.fetches.last)
        #expect(fetch.keys.count == 20 && fetch.keys.allSatisfy { $0.sort == nil })
        #expect(fetch.sort?.operands.count == 500)
    }
}
