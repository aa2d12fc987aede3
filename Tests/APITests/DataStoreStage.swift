import JSON
import Synchronization
import Tables
import Testing
import Transformer

@testable import API

/// What the scenarios of DataStore are played on: bookings and rooms with versions, and a clock that a test sets.
final class DataStoreStage {
    static let schema = """
        type Booking @model {
          id: ID!
          title: String
          notes: String
          attendees: [String]
          stats: Stats
          day: AWSDate
          roomID: ID @index(name: "byRoom")
          room: Room @belongsTo(fields: ["roomID"])
        }
        type Stats { ppg: Float apg: Float rpg: Float }
        type Room @model {
          id: ID!
          name: String!
          bookings: [Booking] @hasMany(indexName: "byRoom", fields: ["id"])
        }
        type Tool @model {
          kind: String! @primaryKey(sortKeyFields: ["size", "weight"])
          size: Int!
          weight: Float!
          label: String
        }
        """

    /// 2024-05-02T08:00:00Z.
    static let start = Int64(1_714_636_800_000)
    static let minute = Int64(60_000)
    static let day = 24 * 60 * minute

    let service: Service
    let clock: TestClock
    let function: ConflictFunction

    init(_ handler: ConflictHandler = .automerge, options: APIOptions = APIOptions()) throws {
        let (clock, function) = (TestClock(Self.start), ConflictFunction())
        (self.clock, self.function) = (clock, function)
        service = try Service(
            Self.schema, options: options,
            transform: TransformOptions(
                transformerVersion: .v2, conflictDetection: .version, conflictHandler: handler),
            home: Service.Home(
                clock: WallClock { clock.milliseconds }, resolveConflict: { function.call($0, $1) }))
    }

    // MARK: - Mutations

    /// The item that a mutation answers, or its one error: `errorType data`. Both as JSON text.
    func mutate(_ document: String, _ variables: String? = nil) throws -> String {
        let answer = try JSONReader.read(try service.text(document, variables))
        guard let data = answer["data"]?.objectValue, let field = data.keys.first else { return answer.description }
        guard let errors = answer["errors"]?.arrayValue else { return data[field]?.description ?? "?" }
        guard errors.count == 1, data[field] == .null, errors[0]["path"] == [.string(field)] else {
            return answer.description
        }
        return "\(errors[0]["errorType"]?.stringValue ?? "?") \(errors[0]["data"]?.description ?? "?")"
    }

    func create(_ input: String, select: String = "id title _version _deleted") throws -> String {
        try mutate("mutation { createBooking(input: {\(input)}) { \(select) } }")
    }

    func update(
        _ input: String, condition: String = "null", select: String = "id title _version _deleted"
    ) throws -> String {
        try mutate("mutation { updateBooking(input: {\(input)}, condition: \(condition)) { \(select) } }")
    }

    func delete(_ input: String, select: String = "id title _version _deleted") throws -> String {
        try mutate("mutation { deleteBooking(input: {\(input)}) { \(select) } }")
    }

    /// A booking `b1` at this version.
    func booking(_ version: Int = 1, _ fields: String = "title: \"X\"") throws {
        _ = try create("id: \"b1\", \(fields)")
        for known in 1..<max(version, 1) { _ = try update("id: \"b1\", _version: \(known)") }
        #expect(try stored() == "{\"_version\":\(version),\"_deleted\":null}")
    }

    func stored(_ select: String = "_version _deleted") throws -> String {
        try mutate("{ getBooking(id: \"b1\") { \(select) } }")
    }

    // MARK: - Syncs

    struct Page {
        /// `id:version`, deleted ones with a minus in front, joined by a space.
        var items: String
        var nextToken: String?
        var startedAt: Int64
        var count: Int
    }

    func sync(
        _ lastSync: Int64? = nil, limit: Int? = nil, token: String? = nil, filter: String = "null"
    ) throws -> Page {
        var arguments = ["filter: \(filter)"]
        if let lastSync { arguments.append("lastSync: \(lastSync)") }
        if let limit { arguments.append("limit: \(limit)") }
        if let token { arguments.append("nextToken: \"\(token)\"") }
        let text = try service.text(
            """
            { syncBookings(\(arguments.joined(separator: ", "))) {
              items { id _version _deleted _lastChangedAt } nextToken startedAt } }
            """)
        let page = try JSONReader.read(text)["data"]?["syncBookings"]
        let items = try #require(page?["items"]?.arrayValue, "\(text)")
        return Page(
            items: items.map { item in
                let sign = item["_deleted"]?.boolValue == true ? "-" : ""
                return "\(sign)\(item["id"]?.stringValue ?? "?"):\(item["_version"]?.intValue ?? 0)"
            }.joined(separator: " "),
            nextToken: page?["nextToken"]?.stringValue,
            startedAt: try #require(page?["startedAt"]?.intValue), count: items.count)
    }

    /// All pages of a sync.
    func syncAll(_ lastSync: Int64? = nil, limit: Int, filter: String = "null") throws -> [Page] {
        var pages = [try sync(lastSync, limit: limit, filter: filter)]
        while let token = pages.last?.nextToken {
            try #require(pages.count < 1_000)
            pages.append(try sync(lastSync, limit: limit, token: token, filter: filter))
        }
        return pages
    }

    // MARK: - Events

    func subscribe(_ field: String) throws -> TestSubscriber {
        try service.subscribe("subscription { \(field) { id title _version _deleted } }")
    }

    /// The items that a subscriber was sent since the last call.
    func events(_ subscriber: TestSubscriber) throws -> [String] {
        try service.deliver()
        return try subscriber.take().map { text in
            let data = try JSONReader.read(text)["data"]?.objectValue
            return data.flatMap { $0.keys.first.flatMap { data?[$0] } }?.description ?? text
        }
    }
}

/// A wall clock that a test sets.
final class TestClock: Sendable {
    private let value: Atomic<Int64>

    init(_ milliseconds: Int64) { value = Atomic(milliseconds) }

    var milliseconds: Int64 { value.load(ordering: .relaxed) }

    func advance(_ milliseconds: Int64) { value.add(milliseconds, ordering: .relaxed) }
}

/// The function that decides conflicts: its answers, and the events it received.
final class ConflictFunction: Sendable {
    private struct State {
        var answer: String?
        var isBusy = false
        var events: [JSONValue] = []
        var interruption: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    var events: [JSONValue] { state.withLock { $0.events } }

    /// From now on it answers this; nil is a failure.
    func answer(_ text: String?) { state.withLock { $0.answer = text } }

    /// From now on it is not even asked.
    func refuse() { state.withLock { $0.isBusy = true } }

    /// What happens each time before it answers.
    func interrupt(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.interruption = body } }

    func call(_ call: ConflictCall, _ completion: @escaping @Sendable (ConflictAnswer) -> Void) {
        let event = unsafe call.event.withUnsafeBytes { try? unsafe JSONReader.read($0) }
        let (answer, isBusy, interruption) = state.withLock { state in
            state.events.append(event ?? .null)
            return (state.answer, state.isBusy, state.interruption)
        }
        interruption?()
        completion(isBusy ? .busy : answer.map { .answered(Array($0.utf8)) } ?? .failed)
    }
}
