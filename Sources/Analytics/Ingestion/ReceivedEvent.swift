import JSON

/// A parsed event of a `PutEvents`.
struct ReceivedEvent: Sendable {
    let id: String
    /// The first candidate for the event's key.
    let key: Int64
    var type = ""
    /// The time that counts, in milliseconds since 1970: its timestamp, or the time of arrival if the timestamp is more than a
    /// day later.
    var time: Int64 = 0
    /// The duration of its session in milliseconds, if the event has one.
    var duration: Int64?
    /// The event's unchanged JSON.
    var content = ""
    /// Why it is refused, as a sentence; nil if it is accepted.
    var problem: String?
}

extension ReceivedEvent {
    /// Parses the event at the scanner's position.
    ///
    /// - Parameter now: The time of arrival, in milliseconds since 1970.
    /// - Throws: If the text is not JSON. Other errors are stored in `problem`.
    init(_ id: String, _ scanner: inout JSONScanner, now: Int64, _ limits: AnalyticsLimits) throws(JSONError) {
        self.id = id
        key = EventKey.first(of: id)
        guard try scanner.peekKind() == .object else {
            try scanner.skipValue()
            problem = "The event is not an object."
            return
        }
        let start = scanner.position
        var (type, timestamp, session): (JSONText?, JSONText?, Session?)
        var problem: String?
        var seen: UInt8 = 0
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
            let member = Member(key, scanner)
            if member != .other, seen & member.bit != 0 {
                problem = problem ?? "'\(scanner.string(key))' is given more than once."
            }
            seen |= member.bit
            switch member {
            case .eventType: type = try scanner.readOptionalString("EventType", &problem)
            case .timestamp: timestamp = try scanner.readOptionalString("Timestamp", &problem)
            case .attributes: try scanner.checkAttributes(limits, &problem)
            case .metrics: try scanner.checkMetrics(limits, &problem)
            case .session: session = try Session(&scanner, &problem)
            case .other: try scanner.skipValue()
            }
        }
        let range = start..<scanner.position
        if range.count > limits.eventBytesMax {
            problem = problem ?? "The event has more than \(limits.eventBytesMax) bytes."
        }
        if id.isEmpty || id.utf8.count > limits.idBytesMax {
            problem = problem ?? "An event's id has 1 to \(limits.idBytesMax) bytes."
        }
        if let type {
            self.type = scanner.string(type)
            if self.type.isEmpty || self.type.isLonger(than: limits.eventTypeCharactersMax) {
                problem = problem ?? "'EventType' has 1 to \(limits.eventTypeCharactersMax) characters."
            } else if self.type.isExactly(Overflow.name) {
                problem = problem ?? "'EventType' cannot be \(Overflow.name), which is reserved."
            }
        } else {
            problem = problem ?? "'EventType' is missing."
        }
        if let timestamp {
            if let own = scanner.moment(timestamp) {
                time = own - now > AppDay.millisecondsPerDay ? now : own
                if now - own > Int64(limits.acceptedDays) * AppDay.millisecondsPerDay {
                    problem = problem ?? "'Timestamp' is more than \(limits.acceptedDays) days ago."
                }
            } else {
                problem = problem ?? "'Timestamp' must be a time in ISO 8601, such as 2026-01-02T03:04:05.678Z."
            }
        } else {
            problem = problem ?? "'Timestamp' is missing."
        }
        duration = session?.duration
        self.problem = problem
        if problem == nil { content = scanner.text(range) }
    }
}

/// A member of an event.
private enum Member: UInt8 {
    case eventType, timestamp, attributes, metrics, session
    /// One that is not used.
    case other

    /// Its place in a set of members.
    var bit: UInt8 { 1 << rawValue }

    /// The member of a name. Most names differ from all of these in their length, and are not compared.
    init(_ name: JSONText, _ scanner: JSONScanner) {
        // An escape is longer than what it stands for.
        let length = name.hasEscapes ? nil : name.range.count
        func isName(_ word: StaticString) -> Bool {
            (length == nil || length == word.utf8CodeUnitCount) && scanner.isEqual(name, word)
        }
        if isName("EventType") {
            self = .eventType
        } else if isName("Timestamp") {
            self = .timestamp
        } else if isName("Attributes") {
            self = .attributes
        } else if isName("Metrics") {
            self = .metrics
        } else if isName("Session") {
            self = .session
        } else {
            self = .other
        }
    }
}

/// The used members of an event's session.
private struct Session {
    /// In milliseconds.
    var duration: Int64?

    init(_ scanner: inout JSONScanner, _ problem: inout String?) throws(JSONError) {
        switch try scanner.peekKind() {
        case .object: break
        case .null:
            try scanner.readNull()
            return
        default:
            try scanner.skipValue()
            problem = problem ?? "'Session' is not an object."
            return
        }
        var (start, stop): (JSONText?, JSONText?)
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
            if scanner.isEqual(key, "Duration"), try scanner.peekKind() == .number {
                let text = scanner.text(try scanner.readNumber())
                // Values out of range are dropped below.
                duration = Double(text).flatMap { Int64(exactly: $0.rounded()) }
            } else if scanner.isEqual(key, "StartTimestamp"), try scanner.peekKind() == .string {
                start = try scanner.readString()
            } else if scanner.isEqual(key, "StopTimestamp"), try scanner.peekKind() == .string {
                stop = try scanner.readString()
            } else {
                try scanner.skipValue()
            }
        }
        if duration == nil, let start, let stop, let first = scanner.moment(start), let last = scanner.moment(stop) {
            duration = last - first
        }
        if let known = duration, !(0...Self.durationMax).contains(known) { duration = nil }
    }

    /// A year in milliseconds: a longer duration means that the device's clock was changed.
    private static let durationMax: Int64 = 365 * AppDay.millisecondsPerDay
}

extension JSONScanner {
    /// The time in a string; nil if it has none.
    fileprivate func moment(_ text: JSONText) -> Int64? {
        guard text.range.count <= 64 else { return nil }
        var bytes: [UInt8] = []
        append(text, to: &bytes)
        return Timestamp.milliseconds(bytes)
    }

    /// A string; nil for null; nil for another value, which also sets `problem`.
    fileprivate mutating func readOptionalString(
        _ name: String, _ problem: inout String?
    ) throws(JSONError) -> JSONText? {
        switch try peekKind() {
        case .string: return try readString()
        case .null: try readNull()
        default:
            try skipValue()
            problem = problem ?? "'\(name)' is not a string."
        }
        return nil
    }

    fileprivate mutating func checkAttributes(
        _ limits: AnalyticsLimits, _ problem: inout String?
    ) throws(JSONError) {
        try checkMap("Attributes", limits, &problem) { (scanner, problem) throws(JSONError) in
            guard try scanner.peekKind() == .string else {
                try scanner.skipValue()
                problem = problem ?? "The values of 'Attributes' must be strings."
                return
            }
            let value = try scanner.readString()
            if value.range.count > limits.attributeValueCharactersMax,
                scanner.string(value).isLonger(than: limits.attributeValueCharactersMax)
            {
                problem =
                    problem ?? "An attribute's value has more than \(limits.attributeValueCharactersMax) characters."
            }
        }
    }

    fileprivate mutating func checkMetrics(_ limits: AnalyticsLimits, _ problem: inout String?) throws(JSONError) {
        try checkMap("Metrics", limits, &problem) { (scanner, problem) throws(JSONError) in
            guard try scanner.peekKind() == .number else {
                try scanner.skipValue()
                problem = problem ?? "The values of 'Metrics' must be numbers."
                return
            }
            _ = try scanner.readNumber()
        }
    }

    private mutating func checkMap(
        _ name: String, _ limits: AnalyticsLimits, _ problem: inout String?,
        _ checkValue: (inout JSONScanner, inout String?) throws(JSONError) -> Void
    ) throws(JSONError) {
        switch try peekKind() {
        case .object: break
        case .null: return try readNull()
        default:
            try skipValue()
            problem = problem ?? "'\(name)' is not an object."
            return
        }
        var count = 0
        try beginObject()
        while let key = try nextKey() {
            count += 1
            if key.range.count > limits.attributeNameCharactersMax,
                string(key).isLonger(than: limits.attributeNameCharactersMax)
            {
                problem =
                    problem ?? "A name in '\(name)' has more than \(limits.attributeNameCharactersMax) characters."
            }
            try checkValue(&self, &problem)
        }
        if count > limits.attributesPerEventMax {
            problem = problem ?? "'\(name)' has more than \(limits.attributesPerEventMax) members."
        }
    }
}

extension String {
    /// Whether the text has more than a number of characters, counted as Unicode scalars.
    func isLonger(than count: Int) -> Bool { utf8.count > count && unicodeScalars.count > count }
}

extension ReceivedEvent {
    /// The duration of the session of a stored event in milliseconds, if the event has one.
    static func duration(ofContent content: String, _ limits: AnalyticsLimits) -> Int64? {
        var content = content
        return content.withUTF8 { bytes in
            var scanner = unsafe JSONScanner(UnsafeRawBufferPointer(bytes), depthMax: 32)
            return (try? ReceivedEvent("-", &scanner, now: 0, limits))?.duration
        }
    }
}
