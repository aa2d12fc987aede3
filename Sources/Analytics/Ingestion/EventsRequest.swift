import JSON

/// The body of a `PutEvents`: endpoints, each with its events.
struct EventsRequest: Sendable {
    /// An endpoint, its update, and its events in order.
    struct Item: Sendable {
        let id: String
        var change = Result<EndpointChange, EndpointProblem>.success(EndpointChange())
        var events: [ReceivedEvent] = []
    }

    private(set) var items: [Item] = []
    /// Number of endpoints and events in the body; those beyond the bounds are not parsed.
    private var (endpointCount, eventCount) = (0, 0)
    /// Bytes of the endpoints so far.
    private var endpointBytes = 0
    /// The bytes of the body.
    let byteCount: Int

    /// Parses a body.
    ///
    /// - Parameter now: The time of arrival, in milliseconds since 1970.
    /// - Throws: If the whole body is invalid. The problem of a single event or endpoint is stored in it.
    init(_ body: [UInt8], now: Int64, _ limits: AnalyticsLimits) throws(AnalyticsError) {
        byteCount = body.count
        do throws(JSONError) {
            try unsafe body.withUnsafeBufferPointer { (bytes) throws(JSONError) -> Void in
                var scanner = unsafe JSONScanner(UnsafeRawBufferPointer(bytes), depthMax: 32)
                try read(&scanner, now, limits)
                try scanner.finish()
            }
        } catch { throw .badRequest("The body cannot be read: \(error.message)") }
        guard eventCount <= limits.eventsPerBatchMax else {
            throw .badRequest("A request has at most \(limits.eventsPerBatchMax) events, and not \(eventCount).")
        }
        guard endpointCount <= limits.endpointsPerBatchMax else {
            throw .badRequest(
                "A request has at most \(limits.endpointsPerBatchMax) endpoints, and not \(endpointCount).")
        }
        if let repeated { throw .badRequest("'\(repeated)' is given more than once.") }
        guard hasBatch else { throw .badRequest("'BatchItem' is missing: an object of endpoints with their events.") }
    }

    private var hasBatch = false
    /// A member that the body has twice: one of them would be lost without an answer.
    private var repeated: String?

    private mutating func read(
        _ scanner: inout JSONScanner, _ now: Int64, _ limits: AnalyticsLimits
    ) throws(JSONError) {
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
            guard scanner.isEqual(key, "BatchItem"), try scanner.peekKind() == .object else {
                try scanner.skipValue()
                continue
            }
            if hasBatch { repeated = "BatchItem" }
            hasBatch = true
            try scanner.beginObject()
            while let id = try scanner.nextKey() {
                endpointCount += 1
                guard endpointCount <= limits.endpointsPerBatchMax else {
                    try scanner.skipValue()
                    continue
                }
                let item = try item(scanner.string(id), &scanner, now, limits)
                if items.contains(where: { $0.id.isExactly(item.id) }) { repeated = "BatchItem.\(item.id)" }
                items.append(item)
            }
        }
    }

    private mutating func item(
        _ id: String, _ scanner: inout JSONScanner, _ now: Int64, _ limits: AnalyticsLimits
    ) throws(JSONError) -> Item {
        var item = Item(id: id)
        guard try scanner.peekKind() == .object else {
            try scanner.skipValue()
            item.change = .failure(EndpointProblem(message: "An endpoint of 'BatchItem' must be an object."))
            return item
        }
        var (hasEndpoint, hasEvents) = (false, false)
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
            if scanner.isEqual(key, "Endpoint") {
                if hasEndpoint { repeated = "Endpoint" }
                hasEndpoint = true
                item.change = try endpoint(&scanner, limits)
            } else if scanner.isEqual(key, "Events"), try scanner.peekKind() == .object {
                if hasEvents { repeated = "Events" }
                hasEvents = true
                item.events = try events(&scanner, now, limits)
            } else {
                try scanner.skipValue()
            }
        }
        if id.isEmpty || id.utf8.count > limits.idBytesMax {
            item.change = .failure(EndpointProblem(message: "An endpoint's id has 1 to \(limits.idBytesMax) bytes."))
        }
        return item
    }

    /// Parses an endpoint, unless it is too large, or those before it were.
    private mutating func endpoint(
        _ scanner: inout JSONScanner, _ limits: AnalyticsLimits
    ) throws(JSONError) -> Result<EndpointChange, EndpointProblem> {
        var following = scanner
        let count = try following.skipValue().count
        endpointBytes += count
        let isLarge = !EndpointChange.mayHave(count, limits)
        guard !isLarge, endpointBytes <= 2 * limits.endpointsPerRequestBytesMax else {
            scanner = following
            return .failure(isLarge ? .tooLarge(limits) : .requestTooLarge(limits))
        }
        let value = try scanner.readValue()
        return Result { () throws(EndpointProblem) in try EndpointChange(value, byteCount: count, limits) }
    }

    private mutating func events(
        _ scanner: inout JSONScanner, _ now: Int64, _ limits: AnalyticsLimits
    ) throws(JSONError) -> [ReceivedEvent] {
        var events: [ReceivedEvent] = []
        var keys = Set<Int64>(minimumCapacity: min(100, limits.eventsPerBatchMax))
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
            eventCount += 1
            guard eventCount <= limits.eventsPerBatchMax else {
                try scanner.skipValue()
                continue
            }
            let event = try ReceivedEvent(scanner.string(key), &scanner, now: now, limits)
            if !keys.insert(event.key).inserted { events.removeAll { $0.id.isExactly(event.id) } }
            events.append(event)
        }
        return events
    }
}
