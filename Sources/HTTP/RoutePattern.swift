import Encodings

/// What a request must have to be for a route: a host, a path and, of services that name their operation in a header, a
/// target.
public struct RoutePattern: Sendable {
    /// The hosts: nil for any, a name, or `*.` and a suffix. Without a port, in any case.
    public let host: String?
    /// The path, as it is sent: `/literal`, `/{parameter}/`, and at the end `/{rest...}`, which is at least one byte of
    /// any kind. A parameter is one segment that is not empty.
    public let path: String
    /// The value of `X-Amz-Target`; nil for a request without a target that another route has.
    public let target: String?

    /// A pattern of these parts.
    public init(_ path: String, host: String? = nil, target: String? = nil) {
        self.path = path
        self.host = host
        self.target = target
    }
}

extension RoutePattern: ExpressibleByStringLiteral {
    /// A path, of any host and without a target.
    public init(stringLiteral path: String) { self.init(path) }
}

extension UnsafeRawBufferPointer {
    // Memory safety: the part ends at or before `count`; `place` is not negative.
    func hasBytes(_ bytes: [UInt8], at place: Int) -> Bool {
        guard count - place >= bytes.count else { return false }
        return unsafe bytes.withUnsafeBytes { bytes in
            unsafe UnsafeRawBufferPointer(rebasing: self[place..<place + bytes.count]).hasEqualBytes(bytes)
        }
    }

    /// The place of the next slash, or the end.
    ///
    /// Memory safety: `place` is at most `count`, since the literal before it was found.
    func firstSlash(from place: Int) -> Int {
        unsafe self[place...].firstIndex(of: ASCII.slash) ?? count
    }
}
