/// What browsers of other origins may do (the Fetch standard's CORS protocol).
public struct CORS: Sendable, Hashable {
    /// The origins that may read answers; `*` is every origin, as AppSync answers.
    public var origins = ["*"]
    /// Whether pages may send cookies and the like (`withCredentials`); each origin is then named back to it.
    public var allowsCredentials = false
    /// How long a browser may keep the answer to a preflight, in seconds.
    public var maxAgeSeconds = 172_800

    /// AppSync's behaviour.
    public init() {}

    mutating func read(_ section: ConfigurationSection) {
        origins = section.strings("origins") ?? origins
        allowsCredentials = section.bool("credentials") ?? allowsCredentials
        maxAgeSeconds = section.integer("maxAgeSeconds", in: 0...86_400 * 365) ?? maxAgeSeconds
        section.finish()
    }
}
