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

/// The path of a pattern, read once: literal bytes, each followed by a parameter, but the last.
struct PathPattern: Sendable {
    /// What comes before each parameter, and after the last.
    let literals: [[UInt8]]
    /// The parameters, in their order.
    let names: [String]
    /// Whether the last parameter is all that is left.
    let endsInRest: Bool

    init(_ path: String) {
        precondition(path.hasPrefix("/"), "a route's path begins with a slash: \(path)")
        var literals: [[UInt8]] = []
        var names: [String] = []
        var endsInRest = false
        var literal: [UInt8] = []
        for segment in path.utf8.dropFirst().split(separator: ASCII.slash, omittingEmptySubsequences: false) {
            precondition(!endsInRest, "nothing follows the rest of a path: \(path)")
            literal.append(ASCII.slash)
            guard segment.first == UInt8(ascii: "{"), segment.last == UInt8(ascii: "}") else {
                precondition(!segment.contains(UInt8(ascii: "{")), "a parameter is a whole segment: \(path)")
                literal += segment
                continue
            }
            var name = String(decoding: segment.dropFirst().dropLast(), as: UTF8.self)
            endsInRest = name.hasSuffix("...")
            if endsInRest { name.removeLast(3) }
            precondition(!name.isEmpty && !names.contains(name), "parameters have names of their own: \(path)")
            names.append(name)
            literals.append(literal)
            literal = []
        }
        precondition(names.count <= RouteParameters.countMax, "a path has few parameters: \(path)")
        literals.append(literal)
        (self.literals, self.names, self.endsInRest) = (literals, names, endsInRest)
    }

    /// Whether only one path is meant.
    var isLiteral: Bool { names.isEmpty }

    /// Bytes of such a path.
    var literalCount: Int { literals[0].count }

    /// Whether the path is one of the pattern; if so, with the places of the parameters in it.
    func matches(_ path: UnsafeRawBufferPointer, _ parameters: inout RouteParameters) -> Bool {
        var place = 0
        for index in literals.indices {
            let literal = literals[index]
            guard unsafe path.hasBytes(literal, at: place) else { return false }
            place += literal.count
            guard index < names.count else { return place == path.count }
            let end = unsafe endsInRest && index == names.count - 1 ? path.count : path.firstSlash(from: place)
            guard end > place else { return false }
            parameters.append(place..<end)
            place = end
        }
        return true
    }

    /// Whether this pattern is tried before another: where they first differ, a longer literal goes before a parameter,
    /// and a parameter before a rest.
    func precedes(_ other: PathPattern) -> Bool {
        for index in 0..<min(literals.count, other.literals.count) {
            let (own, others) = (literals[index], other.literals[index])
            if own != others { return own.count > others.count }
            let (isRest, isOthersRest) = (self.isRest(index), other.isRest(index))
            if isRest != isOthersRest { return isOthersRest }
        }
        return literals.count > other.literals.count
    }

    private func isRest(_ index: Int) -> Bool { endsInRest && index == names.count - 1 }
}

extension UnsafeRawBufferPointer {
    // Memory safety: the part ends at or before `count`; `place` is not negative.
    fileprivate func hasBytes(_ bytes: [UInt8], at place: Int) -> Bool {
        guard count - place >= bytes.count else { return false }
        return unsafe bytes.withUnsafeBytes { bytes in
            unsafe UnsafeRawBufferPointer(rebasing: self[place..<place + bytes.count]).hasEqualBytes(bytes)
        }
    }

    /// The place of the next slash, or the end.
    ///
    /// Memory safety: `place` is at most `count`, since the literal before it was found.
    fileprivate func firstSlash(from place: Int) -> Int {
        unsafe self[place...].firstIndex(of: ASCII.slash) ?? count
    }
}
