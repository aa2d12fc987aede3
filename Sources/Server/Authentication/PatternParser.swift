/// Parses a regular expression (`WholePattern`).
struct PatternParser {
    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var depth = 0
    private var ignoresCase = false

    /// The deepest nesting of groups.
    private static let depthMax = 50
    /// The longest expression, in characters.
    private static let lengthMax = 4_096

    init(_ text: String) { scalars = Array(text.unicodeScalars.prefix(Self.lengthMax + 1)) }

    mutating func readPattern() throws(PatternError) -> PatternNode {
        guard scalars.count <= Self.lengthMax else { throw .tooLarge }
        if skip("(?i)") { ignoresCase = true }
        let node = try readAlternatives()
        guard position == scalars.count else { throw error("\")\" has no \"(\" before it") }
        return node
    }

    // MARK: - Characters

    private var current: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private func error(_ what: String) -> PatternError {
        PatternError(message: "At character \(position + 1): \(what).")
    }

    private mutating func next() -> Unicode.Scalar? {
        guard position < scalars.count else { return nil }
        defer { position += 1 }
        return scalars[position]
    }

    private mutating func skip(_ text: String) -> Bool {
        let text = Array(text.unicodeScalars)
        guard scalars[position...].starts(with: text) else { return false }
        position += text.count
        return true
    }

    private func node(_ set: ScalarSet) -> PatternNode { .character(ignoresCase ? set.ignoringCase : set) }

    // MARK: - Groups and repetitions

    private mutating func readAlternatives() throws(PatternError) -> PatternNode {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthMax else { throw error("groups are nested too deep") }
        var alternatives = [try readSequence()]
        while skip("|") { alternatives.append(try readSequence()) }
        return alternatives.count == 1 ? alternatives[0] : .alternatives(alternatives)
    }

    private mutating func readSequence() throws(PatternError) -> PatternNode {
        var nodes: [PatternNode] = []
        while let scalar = current, scalar != "|", scalar != ")" { nodes.append(try readRepetitions()) }
        return nodes.count == 1 ? nodes[0] : nodes.isEmpty ? .empty : .sequence(nodes)
    }

    private mutating func readRepetitions() throws(PatternError) -> PatternNode {
        let node = try readAtom()
        let repeated: PatternNode
        switch current {
        case "*": repeated = .repetition(node, 0...0, isOpen: true)
        case "+": repeated = .repetition(node, 1...1, isOpen: true)
        case "?": repeated = .repetition(node, 0...1, isOpen: false)
        case "{":
            position += 1
            let (range, isOpen) = try readCounts()
            return try finish(.repetition(node, range, isOpen: isOpen))
        default: return node
        }
        position += 1
        return try finish(repeated)
    }

    /// The modifier of a repetition. Laziness does not affect whether the whole text matches.
    private mutating func finish(_ repeated: PatternNode) throws(PatternError) -> PatternNode {
        if skip("?") { return repeated }
        guard let scalar = current, "*+?{".unicodeScalars.contains(scalar) else { return repeated }
        throw error("possessive repetitions and repetitions of a repetition are not supported; write a group, (?:…)")
    }

    private mutating func readCounts() throws(PatternError) -> (ClosedRange<Int>, isOpen: Bool) {
        let least = try readNumber()
        if skip("}") { return (least...least, false) }
        guard skip(",") else { throw error("a repetition is {n}, {n,} or {n,m}; a brace that means itself is \"\\{\"") }
        if skip("}") { return (least...least, true) }
        let most = try readNumber()
        guard most >= least, skip("}") else { throw error("a repetition is {n}, {n,} or {n,m}, with n at most m") }
        return (least...most, false)
    }

    private mutating func readNumber() throws(PatternError) -> Int {
        var (number, isEmpty) = (0, true)
        while let scalar = current, ScalarSet.digits.contains(scalar) {
            number = min(number * 10 + Int(scalar.value - 0x30), WholePattern.statesMax + 1)
            isEmpty = false
            position += 1
        }
        guard !isEmpty else { throw error("a repetition is {n}, {n,} or {n,m}; a brace that means itself is \"\\{\"") }
        guard number <= WholePattern.statesMax else { throw .tooLarge }
        return number
    }

    private mutating func readAtom() throws(PatternError) -> PatternNode {
        guard let scalar = next() else { return .empty }
        switch scalar {
        case "(": return try readGroup()
        case "[": return node(try readClass())
        case ".": return .character(.anyInLine)
        case "^": return .begin
        case "$": return .end
        case "\\": return try readEscape()
        case "*", "+", "?", "{":
            position -= 1
            throw error("\"\(scalar)\" has nothing before it to repeat")
        default: return node(ScalarSet(scalar))
        }
    }

    private mutating func readGroup() throws(PatternError) -> PatternNode {
        if skip("?") {
            if !skip(":") {
                guard skip("<") || skip("P<"), let scalar = current, ScalarSet.word.contains(scalar) else {
                    throw error("look-around, atomic groups and options within the expression are not supported")
                }
                while let scalar = current, ScalarSet.word.contains(scalar) { position += 1 }
                guard skip(">") else { throw error("a group's name ends with \">\"") }
            }
        }
        let node = try readAlternatives()
        guard skip(")") else { throw error("a group does not end with \")\"") }
        return node
    }

    // MARK: - Escapes and classes

    private mutating func readEscape() throws(PatternError) -> PatternNode {
        switch current {
        case "A": position += 1; return .begin
        case "z", "Z": position += 1; return .end
        default: return node(try readEscapedSet())
        }
    }

    /// The character set of an escape, after its backslash.
    private mutating func readEscapedSet() throws(PatternError) -> ScalarSet {
        guard let scalar = next() else { throw error("the expression ends with a backslash") }
        switch scalar {
        case "d": return .digits
        case "w": return .word
        case "s": return .space
        case "D": return ScalarSet(ScalarSet.digits.ranges, isNegated: true)
        case "W": return ScalarSet(ScalarSet.word.ranges, isNegated: true)
        case "S": return ScalarSet(ScalarSet.space.ranges, isNegated: true)
        case "t": return ScalarSet("\t")
        case "n": return ScalarSet("\n")
        case "r": return ScalarSet("\r")
        case "x": return ScalarSet(try readHexadecimal(digits: 2))
        case "u": return ScalarSet(try readHexadecimal(digits: 4))
        default:
            guard !ScalarSet.word.contains(scalar) || scalar == "_" else {
                position -= 1
                throw error("\"\\\(scalar)\" is not supported")
            }
            return ScalarSet(scalar)
        }
    }

    private mutating func readHexadecimal(digits: Int) throws(PatternError) -> Unicode.Scalar {
        let end = position + digits
        let text = String(String.UnicodeScalarView(scalars[position..<min(end, scalars.count)]))
        guard end <= scalars.count, let value = UInt32(text, radix: 16), let scalar = Unicode.Scalar(value) else {
            throw error("an escape of a character has \(digits) hexadecimal digits")
        }
        position = end
        return scalar
    }

    private mutating func readClass() throws(PatternError) -> ScalarSet {
        let isNegated = skip("^")
        var set = ScalarSet([])
        while true {
            guard let scalar = current else { throw error("a class does not end with \"]\"") }
            if scalar == "]" { break }
            let first = try readClassMember()
            guard let range = first.ranges.first, first.ranges.count == 1, range.count == 1, !first.isNegated,
                current == "-", position + 1 < scalars.count, scalars[position + 1] != "]"
            else {
                set.add(first)
                continue
            }
            position += 1
            let last = try readClassMember()
            guard let end = last.ranges.first, last.ranges.count == 1, end.count == 1, !last.isNegated,
                end.lowerBound >= range.lowerBound
            else { throw error("a range of characters is from a lower to a higher one") }
            set.add(ScalarSet([range.lowerBound...end.lowerBound]))
        }
        position += 1
        guard !set.ranges.isEmpty else { throw error("a class is empty") }
        // A negated set excludes letters in both cases.
        if ignoresCase { set = set.ignoringCase }
        set.isNegated = isNegated
        return set
    }

    private mutating func readClassMember() throws(PatternError) -> ScalarSet {
        guard let scalar = next() else { throw error("a class does not end with \"]\"") }
        switch scalar {
        case "\\": return try readEscapedSet()
        case "[": throw error("a class within a class is not supported; a bracket that means itself is \"\\[\"")
        case "&" where current == "&": throw error("intersections of classes are not supported")
        default: return ScalarSet(scalar)
        }
    }
}
