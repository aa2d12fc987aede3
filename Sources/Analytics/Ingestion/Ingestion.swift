import JSON
import Tables

/// Stores and counts endpoints and events, in one transaction.
struct Ingestion {
    private let tables: StoredTables
    private let limits: AnalyticsLimits
    private let now: Int64
    private let transaction: StoreTransaction
    private var numbering: Numbering
    private var app: AppCounts
    /// The numbers of the types in this transaction.
    private var types: [ExactText: Int64] = [:]
    // Arrays, which are searched from the end: a batch has few days and types.
    private var days: [(day: Int64, counts: DayCounts)] = []
    private var dayTypes: [(day: Int64, type: Int64, counts: TypeCounts)] = []
    /// The row of an event, which is used again for the next one.
    private var row = Array(repeating: Value.null, count: 8)
    /// The days for which the activity of the current user was stored.
    private var notedDays: [Int64] = []
    /// The demographics of the current endpoint; nil until its activity is stored.
    private var demographics: EndpointDemographics?
    /// Updates that were merged before the transaction, by the ids of their endpoints.
    private let merges: [ExactText: EndpointMerge]
    /// Raised if more updates have to be merged before the transaction.
    private let demand: MergeDemand
    /// Bytes of documents that may still be merged in the transaction.
    private var mergeBytesLeft: Int

    /// The increments of a day's counts.
    private struct DayCounts {
        var events: Int64 = 0
        var users: Int64 = 0
        var newUsers: Int64 = 0
    }

    /// The increments of the counts of a type on a day.
    private struct TypeCounts {
        var events: Int64 = 0
        var durations: Int64 = 0
        var milliseconds: Int64 = 0

        mutating func count(_ duration: Int64?) {
            events += 1
            guard let duration else { return }
            durations += 1
            milliseconds += duration
        }
    }

    /// - Parameters:
    ///   - app: The app's id.
    ///   - now: The time of arrival, in milliseconds since 1970.
    ///   - merges: Updates that were merged before the transaction, by the ids of their endpoints.
    ///   - demand: Raised, with an error, if further updates have to be merged before it.
    init(
        _ app: String, now: Int64, _ tables: StoredTables, _ limits: AnalyticsLimits,
        merges: [ExactText: EndpointMerge], _ demand: MergeDemand, _ transaction: StoreTransaction
    ) throws(StoreError) {
        (self.merges, self.demand, mergeBytesLeft) = (merges, demand, limits.mergedInTransactionBytesMax)
        (self.tables, self.limits, self.now, self.transaction) = (tables, limits, now, transaction)
        numbering = try Numbering(tables, transaction)
        self.app = try AppCounts(app, tables, &numbering, transaction)
    }

    /// Stores the counts at the end of the transaction, and removes the oldest events and endpoints beyond their bounds.
    mutating func finish() throws(StoreError) {
        typealias Day = AnalyticsTables.Day
        let number = Value.integer(app.number)
        for (day, counts) in days {
            var settings: [(column: Int, value: Value)] = []
            if counts.events > 0 { settings.append((Day.hasEvents, .integer(1))) }
            if counts.users > 0 { settings.append((Day.hasActivity, .integer(1))) }
            try transaction.add(
                [(Day.events, counts.events), (Day.users, counts.users), (Day.newUsers, counts.newUsers)],
                to: tables.day, key: [number, .integer(day)], setting: settings)
        }
        for (day, type, counts) in dayTypes {
            typealias Columns = AnalyticsTables.DayType
            try transaction.add(
                [
                    (Columns.events, counts.events), (Columns.durations, counts.durations),
                    (Columns.milliseconds, counts.milliseconds),
                ], to: tables.dayType, key: [AppDay(app.number, day).value, .integer(type)])
        }
        try removeUnusedEndpoints()
        try app.store(tables, transaction)
        if numbering.bytes > limits.eventsBytesMax {
            var removal = EventRemoval(tables, transaction, workMax: limits.removedPerTransactionMax)
            try removal.run(before: .max, bytesMin: numbering.bytes - Int64(limits.eventsBytesMax))
            numbering.add(bytes: -removal.bytes)
        }
        try numbering.store(transaction)
    }
}

// MARK: - Endpoints

extension Ingestion {
    /// An endpoint in this transaction.
    struct Endpoint {
        let id: String
        let number: Int64
        /// The stored document, and the user in it.
        let document: String
        let userID: String?
        /// The user of the latest events; 0 for none.
        var user: Int64
    }

    /// Applies a change to an endpoint, which is created if there is none. The result has an `EndpointProblem` if the change is
    /// refused.
    mutating func change(
        _ id: String, _ change: EndpointChange
    ) throws(StoreError) -> Result<Endpoint, EndpointProblem> {
        typealias Columns = AnalyticsTables.Endpoint
        let key: [Value] = [.integer(app.number), .text(id)]
        let item = try transaction.item(of: tables.endpoint, key: key)
        let stored = item?.text(Columns.document)
        let (text, userID): (String, String?)
        switch try merge(id, change, stored, item).result {
        case .success(let merged): (text, userID) = (merged.text, merged.userID)
        case .failure(let problem): return .failure(problem)
        }
        let byteCount = Int64(text.utf8.count + id.utf8.count + Self.rowBytes)
        guard let item else {
            let number = numbering.next()
            app.add(endpoints: 1, bytes: byteCount)
            _ = try transaction.put(
                key + [
                    .integer(number), .null, Value(userID), .text(text), .integer(now), .integer(now),
                    .integer(byteCount),
                ], into: tables.endpoint)
            return .success(Endpoint(id: id, number: number, document: text, userID: userID, user: 0))
        }
        if !(stored?.isExactly(text) ?? false) || now - item.integer(Columns.modified) >= AppDay.millisecondsPerDay {
            var settings: [(column: Int, value: Value)] = [
                (Columns.userID, Value(userID)), (Columns.document, .text(text)),
                (Columns.modified, .integer(now)), (Columns.bytes, .integer(byteCount)),
            ]
            app.add(endpoints: 0, bytes: byteCount - item.integer(Columns.bytes))
            if stored == nil { settings.append((Columns.created, .integer(now))) }
            _ = try transaction.update(tables.endpoint, key: key, setting: settings)
        }
        return .success(
            Endpoint(
                id: id, number: item.integer(Columns.number), document: text, userID: userID,
                user: item.integer(Columns.user)))
    }

    /// What a change makes of a stored document. A large document is not merged here, since all writes wait.
    private mutating func merge(
        _ id: String, _ change: EndpointChange, _ stored: String?, _ item: Item?
    ) throws(StoreError) -> EndpointMerge {
        if change.isEmpty, let stored {
            return EndpointMerge(unchanged: stored, userID: item?.text(AnalyticsTables.Endpoint.userID))
        }
        if !change.isEmpty, let merge = merges[ExactText(id)], merge.isOf(stored) { return merge }
        mergeBytesLeft -= change.byteCount + (stored?.utf8.count ?? 0)
        guard mergeBytesLeft >= 0 else { throw demand.raise() }
        return EndpointMerge(stored, change, limits)
    }
}

extension Ingestion {
    /// Removes the least recently used endpoints until the app is within its bounds. A client sends its endpoint with each
    /// request, so a removed one is created again with its next events. Earlier events are kept, without the endpoint's id.
    private mutating func removeUnusedEndpoints() throws(StoreError) {
        typealias Columns = AnalyticsTables.Endpoint
        var countLeft = limits.removedPerTransactionMax
        func isFull() -> Bool {
            app.endpoints > limits.endpointsPerAppMax || app.endpointBytes > limits.endpointsBytesMax
        }
        while isFull(), countLeft > 0 {
            let items = try transaction.items(
                of: tables.endpoint, .index(Columns.byModified), partition: .integer(app.number),
                columns: [Columns.id, Columns.bytes], limit: min(countLeft, Self.pageMax))
            for item in items where isFull() {
                _ = try transaction.delete([.integer(app.number), item.value(0)], from: tables.endpoint)
                app.add(endpoints: -1, bytes: -item.integer(1))
                countLeft -= 1
            }
            if items.isEmpty { return }
        }
    }

    /// Endpoints that are read at a time.
    private static let pageMax = 64
}

// MARK: - Events

extension Ingestion {
    /// Stores an endpoint and its events.
    mutating func take(_ item: EventsRequest.Item) throws(StoreError) -> EventsResult.Item {
        var result = EventsResult.Item(id: item.id)
        var change = EndpointChange()
        switch item.change {
        case .success(let given): change = given
        case .failure(let problem): result.endpoint = .refused(400, problem.message)
        }
        guard !item.id.isEmpty, item.id.utf8.count <= limits.idBytesMax else {
            result.events = item.events.map { ($0.id, result.endpoint) }
            return result
        }
        let endpoint: Endpoint
        switch try self.change(item.id, change) {
        case .success(let known): endpoint = known
        case .failure(let problem):
            // If the endpoint exists, its events are counted, although its update is refused.
            result.endpoint = .refused(400, problem.message)
            guard case .success(let known) = try self.change(item.id, EndpointChange()) else {
                result.events = item.events.map { ($0.id, result.endpoint) }
                return result
            }
            endpoint = known
        }
        result.events.reserveCapacity(item.events.count)
        guard item.events.contains(where: { $0.problem == nil }) else {
            result.events = item.events.map { ($0.id, .refused(400, $0.problem ?? "")) }
            return result
        }
        let user = try user(of: endpoint)
        var firstDay = user.firstDay
        (notedDays, demographics) = ([], nil)
        for event in item.events {
            let outcome = try take(event, of: endpoint, user.number, &firstDay)
            result.events.append((event.id, outcome))
        }
        try keepFirstDay(firstDay, of: user)
        return result
    }

    private mutating func take(
        _ event: ReceivedEvent, of endpoint: Endpoint, _ user: Int64, _ firstDay: inout Int64
    ) throws(StoreError) -> EventsResult.Outcome {
        if let problem = event.problem { return .refused(400, problem) }
        let type = try type(event.type)
        let byteCount = Int64(event.content.utf8.count + event.id.utf8.count + Self.rowBytes)
        typealias Columns = AnalyticsTables.Event
        (row[Columns.endpoint], row[Columns.id]) = (.integer(endpoint.number), .text(event.id))
        (row[Columns.type], row[Columns.time]) = (.integer(type), .integer(event.time))
        (row[Columns.user], row[Columns.bytes]) = (.integer(user), .integer(byteCount))
        row[Columns.content] = .text(event.content)
        switch try EventKey.put(event.key, &row, into: tables.event, transaction) {
        case .stored: break
        // A repeated event is counted once.
        case .known: return .accepted
        case .noRoom: return .refused(400, "The endpoint has other events with ids that are too much like this one.")
        }
        let day = AppDay.day(of: event.time)
        days[place(of: day)].counts.events += 1
        numbering.add(bytes: byteCount)
        dayTypes[place(of: type, on: day)].counts.count(event.duration)
        try noteActivity(of: user, on: day, endpoint)
        firstDay = min(firstDay, day)
        return .accepted
    }

    private mutating func place(of day: Int64) -> Int {
        if let place = days.lastIndex(where: { $0.day == day }) { return place }
        days.append((day, DayCounts()))
        return days.count - 1
    }

    private mutating func place(of type: Int64, on day: Int64) -> Int {
        if let place = dayTypes.lastIndex(where: { $0.type == type && $0.day == day }) { return place }
        dayTypes.append((day, type, TypeCounts()))
        return dayTypes.count - 1
    }

    /// Approximate bytes of a stored event or endpoint and its index entries, without its content and its id.
    private static let rowBytes = 64

    /// The number of a type, which is created if there is none; beyond the bound that of `Overflow`.
    private mutating func type(_ name: String) throws(StoreError) -> Int64 {
        if let known = types[ExactText(name)] { return known }
        let key: [Value] = [.integer(app.number), .text(name)]
        let number: Int64
        if let item = try transaction.item(of: tables.type, key: key) {
            number = item.integer(AnalyticsTables.EventType.number)
        } else if app.types < limits.eventTypesPerAppMax {
            number = numbering.next()
            _ = try transaction.put(key + [.integer(number)], into: tables.type)
            app.addType()
        } else {
            number = try Overflow.typeNumber(ofApp: app.number, tables, &numbering, transaction)
        }
        types[ExactText(name)] = number
        return number
    }
}

// MARK: - Users

extension Ingestion {
    /// A user in this transaction.
    private struct User {
        let id: String
        let number: Int64
        /// The first day of activity; `AppDay.none` for a new user.
        let firstDay: Int64
    }

    /// The user of an endpoint's events, by `UserId` or else by the endpoint's id, who is created if there is none; beyond the
    /// bound that of `Overflow`.
    private mutating func user(of endpoint: Endpoint) throws(StoreError) -> User {
        let id = endpoint.userID ?? endpoint.id
        let user: User
        if let known = try storedUser(id) {
            user = known
        } else if !id.isExactly(Overflow.name), app.users < limits.usersPerAppMax {
            app.addUser()
            user = try makeUser(id)
        } else if let overflow = try storedUser(Overflow.name) {
            user = overflow
        } else {
            user = try makeUser(Overflow.name)
        }
        if endpoint.user != user.number {
            _ = try transaction.update(
                tables.endpoint, key: [.integer(app.number), .text(endpoint.id)],
                setting: [(AnalyticsTables.Endpoint.user, .integer(user.number))])
            _ = try transaction.put([.integer(user.number), .integer(endpoint.number)], into: tables.userEndpoint)
        }
        return user
    }

    private func storedUser(_ id: String) throws(StoreError) -> User? {
        typealias Columns = AnalyticsTables.User
        guard let item = try transaction.item(of: tables.user, key: [.integer(app.number), .text(id)]) else {
            return nil
        }
        return User(
            id: id, number: item.integer(Columns.number), firstDay: AppDay(item.integer(Columns.firstDay)).day)
    }

    private mutating func makeUser(_ id: String) throws(StoreError) -> User {
        let user = User(id: id, number: numbering.next(), firstDay: AppDay.none)
        _ = try transaction.put(
            [
                .integer(app.number), .text(id), .integer(user.number), AppDay(app.number, AppDay.none).value,
            ], into: tables.user)
        return user
    }

    private mutating func noteActivity(of user: Int64, on day: Int64, _ endpoint: Endpoint) throws(StoreError) {
        guard !notedDays.contains(day) else { return }
        notedDays.append(day)
        let demographics = demographics ?? EndpointDemographics(ofDocument: endpoint.document)
        self.demographics = demographics
        let isNew = try transaction.put(
            [
                AppDay(app.number, day).value, .integer(user), Value(demographics.platform),
                Value(demographics.version),
            ], into: tables.dayUser)
        if isNew { days[place(of: day)].counts.users += 1 }
    }

    private mutating func keepFirstDay(_ firstDay: Int64, of user: User) throws(StoreError) {
        guard firstDay < user.firstDay else { return }
        _ = try transaction.update(
            tables.user, key: [.integer(app.number), .text(user.id)],
            setting: [(AnalyticsTables.User.firstDay, AppDay(app.number, firstDay).value)])
        days[place(of: firstDay)].counts.newUsers += 1
        if user.firstDay != AppDay.none { days[place(of: user.firstDay)].counts.newUsers -= 1 }
    }
}
