/// What the API may not make itself: time, identifiers, and seals. The server gives the real ones, a test gives its own.
public struct APIEnvironment: Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public var nowMilliseconds: @Sendable () -> Int64
    /// A random version 4 UUID in lower case.
    public var makeUUID: @Sendable () -> String
    /// Encrypts and authenticates `plain`; `binding` is authenticated with it, so a token opens only where it was made.
    public var seal: @Sendable (_ plain: [UInt8], _ binding: [UInt8]) -> String
    /// The plain bytes, or nil when the token is foreign, altered, or bound to something else.
    public var open: @Sendable (_ token: String, _ binding: [UInt8]) -> [UInt8]?

    /// Collects the four givers.
    public init(
        nowMilliseconds: @escaping @Sendable () -> Int64,
        makeUUID: @escaping @Sendable () -> String,
        seal: @escaping @Sendable (_ plain: [UInt8], _ binding: [UInt8]) -> String,
        open: @escaping @Sendable (_ token: String, _ binding: [UInt8]) -> [UInt8]?
    ) {
        self.nowMilliseconds = nowMilliseconds
        self.makeUUID = makeUUID
        self.seal = seal
        self.open = open
    }
}
