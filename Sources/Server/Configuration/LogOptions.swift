/// `log`: what is logged, and in which form.
public struct LogOptions: Sendable, Hashable {
    /// The form of the log; `nil` leaves it to the verb.
    public var format: LogFormat?
    /// The least level that is logged.
    public var level = LogLevel.info
    /// From when on a request is logged as slow, in seconds; 0 is never.
    public var slowRequestSeconds = 1.0

    /// The default.
    public init() {}

    mutating func read(_ section: ConfigurationSection) {
        format = section.choice("format", LogFormat.self)
        level = section.choice("level", LogLevel.self) ?? level
        slowRequestSeconds = section.number("slowRequestSeconds", in: 0...86_400) ?? slowRequestSeconds
        section.finish()
    }

    mutating func read(_ settings: SettingReader) {
        format = settings.choice(.log, LogFormat.self) ?? format
        level = settings.choice(.logLevel, LogLevel.self) ?? level
    }
}
