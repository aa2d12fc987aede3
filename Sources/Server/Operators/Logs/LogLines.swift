import JSON
import Synchronization

/// The last lines of the server's log, for operators. They hold no keys, tokens or contents of items and, unlike the lines of `dev`
/// on standard error, no codes or passwords of users. May be used from any thread.
final class LogLines: Sendable {
    struct Line: Sendable {
        let milliseconds: Int64
        let level: LogLevel
        let message: String
        let fields: [(name: String, value: JSONValue)]

        /// As an entry of `GET /log`.
        var json: JSONValue {
            [
                "at": .string(Moment(milliseconds: milliseconds).text), "level": .string(level.rawValue),
                "message": .string(message), "fields": .object(JSONObject(fields.map { ($0.name, $0.value) })),
            ]
        }
    }

    private let entries = Mutex(
        RecentEntries<Line>(countMax: ConsoleLimits.logLineCountMax, bytesMax: ConsoleLimits.logLineBytesMax))

    func add(_ level: LogLevel, _ message: String, _ fields: [String: String], _ numbers: [String: Int]) {
        let texts = fields.map { (name: $0.key, value: JSONValue.string(Self.beginning(of: $0.value))) }
        let counts = numbers.map { (name: $0.key, value: JSONValue.number(String($0.value))) }
        let line = Line(
            milliseconds: Moment.now.milliseconds, level: level, message: Self.beginning(of: message),
            fields: (texts + counts).sorted { $0.name < $1.name })
        let ofFields = line.fields.reduce(0) { $0 + 64 + $1.name.utf8.count + ($1.value.stringValue?.utf8.count ?? 0) }
        entries.withLock { $0.add(line, byteCount: 128 + line.message.utf8.count + ofFields) }
    }

    func page(_ filter: LogCall.LineFilter, after number: Int64?, countMax: Int) -> RecentEntries<Line>.Page {
        entries.withLock { $0.page(after: number, countMax: countMax, where: filter.includes) }
    }

    /// As much of a text as is kept.
    private static func beginning(of text: String) -> String {
        guard text.utf8.count > ConsoleLimits.logTextBytesMax else { return text }
        return String(decoding: text.utf8.prefix(ConsoleLimits.logTextBytesMax), as: UTF8.self) + "…"
    }
}
