import JSON
import Logging

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The form of a log line.
public enum LogFormat: String, Sendable, CaseIterable {
    /// For people: `12:34:56.789 warning  message  key=value`.
    case text
    /// For machines: one JSON object a line.
    case json
}

/// How much a line matters; least first, as in swift-log.
public enum LogLevel: String, Sendable, CaseIterable {
    case trace, debug, info, notice, warning, error, critical
}

/// The server's log: lines on standard error. What is logged never holds a key, a token or an item's content.
public struct Log: Sendable {
    private let logger: Logger

    /// A log of one form, from one level up.
    public init(format: LogFormat, level: LogLevel) {
        logger = Logger(label: "syncline") { _ in
            LineHandler(format: format, logLevel: Logger.Level(rawValue: level.rawValue) ?? .info)
        }
    }

    /// Logs one line: a sentence, and fields that machines can read.
    public func callAsFunction(_ level: LogLevel, _ message: String, _ fields: KeyValuePairs<String, String> = [:]) {
        guard let level = Logger.Level(rawValue: level.rawValue), level >= logger.logLevel else { return }
        let metadata = Logger.Metadata(
            fields.map { ($0.key, .string($0.value)) }, uniquingKeysWith: { _, last in last })
        logger.log(level: level, "\(message)", metadata: metadata)
    }
}

/// Writes each line in one call of the system, so that lines of several threads do not mix.
private struct LineHandler: LogHandler {
    let format: LogFormat
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let fields = metadata.merging(event.metadata ?? [:]) { _, last in last }.sorted { $0.key < $1.key }
        let time = Moment.now.text
        var line: String
        switch format {
        case .text:
            let level = event.level.rawValue
            line = "\(time.dropFirst(11).dropLast()) \(level)\(String(repeating: " ", count: 8 - level.utf8.count)) "
            line += "\(event.message)"
            for (key, value) in fields { line += "  \(key)=\(value)" }
        case .json:
            var object: JSONObject = ["time": .string(time), "level": .string(event.level.rawValue)]
            object["message"] = .string("\(event.message)")
            for (key, value) in fields { object[key] = .string("\(value)") }
            line = JSONValue.object(object).description
        }
        Files.writeAll(Array((line + "\n").utf8), to: STDERR_FILENO)
    }
}
