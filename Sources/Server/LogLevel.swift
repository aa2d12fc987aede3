import Logging

/// How much a line matters; least first, as in swift-log.
public enum LogLevel: String, Sendable, CaseIterable, Comparable {
    case trace, debug, info, notice, warning, error, critical

    /// Whether `left` matters less.
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.severity < right.severity }

    private var severity: Int {
        switch self {
        case .trace: 0
        case .debug: 1
        case .info: 2
        case .notice: 3
        case .warning: 4
        case .error: 5
        case .critical: 6
        }
    }
}
