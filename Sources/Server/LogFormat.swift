import JSON
import Logging

/// The form of a log line.
public enum LogFormat: String, Sendable, CaseIterable {
    /// For people: `12:34:56.789 warning  message  key=value`.
    case text
    /// For machines: one JSON object a line.
    case json
}

extension LogFormat {
    /// A line of this form, with its line end. What a terminal might take for a command is escaped.
    func line(
        _ level: Logger.Level, _ message: String, _ fields: [(key: String, value: Logger.MetadataValue)]
    ) -> String {
        let time = Moment.now.text
        switch self {
        case .text:
            let padding = String(repeating: " ", count: 8 - level.rawValue.utf8.count)
            var line = "\(time.dropFirst(11).dropLast()) \(level)\(padding) "
            line += LogText.escape(message, keepsLineEnds: true)
            for (key, value) in fields { line += "  \(key)=\(LogText.escape("\(value)"))" }
            return line + "\n"
        case .json:
            var object: JSONObject = ["time": .string(time), "level": .string(level.rawValue)]
            object["message"] = .string(message)
            for (key, value) in fields {
                if case .stringConvertible(let number as Int) = value {
                    object[key] = .number("\(number)")
                } else {
                    object[key] = .string("\(value)")
                }
            }
            return LogText.escapeJSON(JSONValue.object(object).description) + "\n"
        }
    }
}
