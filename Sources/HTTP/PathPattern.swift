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
