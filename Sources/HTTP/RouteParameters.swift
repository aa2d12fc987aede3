/// The parameters of a request's route, by their places in its bytes. Valid for that request only.
public struct RouteParameters: Sendable {
    /// Parameters that a path may have.
    static let countMax = 4

    private var ranges = (ByteRange(0..<0), ByteRange(0..<0), ByteRange(0..<0), ByteRange(0..<0))
    private(set) var count = 0
    /// What a host has before the suffix of a pattern `*.suffix`.
    var hostPrefixCount = 0
    var names: [String] = []

    /// No parameters.
    public init() {}

    /// Their places in the path.
    subscript(index: Int) -> ByteRange {
        switch index {
        case 0: ranges.0
        case 1: ranges.1
        case 2: ranges.2
        default: ranges.3
        }
    }

    mutating func append(_ range: Range<Int>) {
        switch count {
        case 0: ranges.0 = ByteRange(range)
        case 1: ranges.1 = ByteRange(range)
        case 2: ranges.2 = ByteRange(range)
        default: ranges.3 = ByteRange(range)
        }
        count += 1
    }

    mutating func removeAll() { count = 0 }
}

extension Request {
    /// The parameter of that name as it was sent, percent-encoded; nil where the route has none of the name.
    ///
    /// Memory safety: the range is one of the same request's path, and the text is copied.
    public func parameter(_ name: String, in parameters: RouteParameters) -> String? {
        guard let index = parameters.names.firstIndex(of: name), index < parameters.count else { return nil }
        return unsafe withPath { path in
            unsafe String(decoding: UnsafeRawBufferPointer(rebasing: path[parameters[index].range]), as: UTF8.self)
        }
    }

    /// What the host has before the suffix of the route's pattern `*.suffix`, such as a bucket; nil for other patterns.
    public func hostPrefix(in parameters: RouteParameters) -> String? {
        guard parameters.hostPrefixCount > 0 else { return nil }
        return unsafe withHeader(.host) { host in
            unsafe host.map { unsafe String(decoding: $0.prefix(parameters.hostPrefixCount), as: UTF8.self) }
        }
    }
}
