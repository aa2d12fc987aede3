import Logging
import Tables

/// The server's log: lines on standard error. What is logged never holds a key, a token or an item's content; codes and temporary
/// passwords of users are logged in `dev` alone.
public struct Log: Sendable {
    private let logger: Logger
    /// The logger's, kept beside it: each answer asks, and to ask the logger was to compare texts.
    private let leastLevel: LogLevel
    /// Where lines are kept as well; nil for nowhere.
    private var lines: LogLines?

    /// A log of one form, from one level up.
    public init(format: LogFormat, level: LogLevel) {
        self.init(format: format, level: level, queue: .standardError)
    }

    /// A log whose lines go into a queue, which says in the same form how many it had to drop.
    init(format: LogFormat, level: LogLevel, queue: LogQueue) {
        let lossLine: @Sendable (Int) -> String = { count in
            let lines = "\(Counted.text(count, "log line")) \(count == 1 ? "was" : "were")"
            return format.line(
                .warning, "\(lines) lost: standard error was not read in time.",
                [("lost", .stringConvertible(count))])
        }
        self.init(format: format, level: level) { queue.write($0, lossLine: lossLine) }
    }

    /// Waits until the lines so far are on standard error, for a second at most.
    static func flush() { LogQueue.standardError.flush() }

    /// Writes lines to standard error after those that were logged, for which it waits a second at most.
    ///
    /// - Returns: False when nothing was logged so far: the caller may write itself, for as long as it takes.
    public static func writeLast(_ text: String) -> Bool { LogQueue.standardError.writeLast(text) }

    /// A log whose lines, each with its line end, go to `write`.
    init(format: LogFormat, level: LogLevel, write: @escaping @Sendable (String) -> Void) {
        leastLevel = level
        logger = Logger(label: "syncline") { _ in
            LineHandler(format: format, write: write, logLevel: Logger.Level(rawValue: level.rawValue) ?? .info)
        }
    }

    /// Logs one line: a sentence, and fields that machines can read. Numbers are numbers in JSON.
    ///
    /// - Parameter secrets: Fields of the line on standard error only. Lines that are kept lack them, because operators who may not
    ///   know them read those; only `dev` may log any, for the developer at its terminal.
    public func callAsFunction(
        _ level: LogLevel, _ message: String, _ fields: [String: String] = [:], numbers: [String: Int] = [:],
        secrets: [String: String] = [:]
    ) {
        guard isLogged(level) else { return }
        lines?.add(level, message, fields, numbers)
        guard let level = Logger.Level(rawValue: level.rawValue) else { return }
        let metadata = fields.merging(secrets) { $1 }.mapValues(Logger.MetadataValue.string)
            .merging(numbers.mapValues(Logger.MetadataValue.stringConvertible)) { $1 }
        logger.log(level: level, "\(message)", metadata: metadata)
    }

    /// The same log, whose lines are kept as well.
    func keeping(_ lines: LogLines) -> Log {
        var log = self
        log.lines = lines
        return log
    }

    /// Whether lines of this level are written, so that a line that would be dropped is not formatted.
    public func isLogged(_ level: LogLevel) -> Bool { level >= leastLevel }
}

/// Makes a line of each event.
private struct LineHandler: LogHandler {
    let format: LogFormat
    let write: @Sendable (String) -> Void
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let fields = metadata.merging(event.metadata ?? [:]) { _, last in last }.sorted { $0.key < $1.key }
        write(format.line(event.level, "\(event.message)", fields.map { ($0.key, $0.value) }))
    }
}
