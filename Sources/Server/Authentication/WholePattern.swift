/// A regular expression that a text matches as a whole, in a time that grows with the length of the text alone, whatever the
/// expression is: callers choose the texts. All places are followed side by side (Thompson, "Regular Expression Search
/// Algorithm", CACM 11, 1968), and nothing is ever tried again.
///
/// The syntax is what Java and ECMAScript have in common and what such an automaton can do: `|`, groups, `* + ? {n,m}`, also
/// lazy, classes, `.`, `\d \w \s`, `^` and `$`, and `(?i)` at the beginning. Look-around, back references, word boundaries and
/// possessive repetitions are refused when the pattern is read. `\d`, `\w`, `\s` and `(?i)` are about ASCII.
struct WholePattern: Sendable, Hashable {
    /// The expression as it was written.
    let text: String
    private let states: [State]

    /// The most states of an automaton. A step of a match costs as many operations at most.
    static let statesMax = 4_000

    fileprivate enum State: Sendable {
        /// A character of the set leads on.
        case character(ScalarSet, next: Int)
        case either(Int, Int)
        /// The beginning or the end of the text leads on.
        case begin(next: Int)
        case end(next: Int)
        case accepted
    }

    /// Reads an expression.
    init(_ text: String) throws(PatternError) {
        self.text = text
        var parser = PatternParser(text)
        var automaton = Automaton(begin: try parser.readPattern())
        self.states = try automaton.make()
    }

    /// Whether the whole of a text matches.
    func matches(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        var (current, next) = (Places(states.count), Places(states.count))
        add(0, to: &current, isFirst: true, isLast: scalars.isEmpty)
        var rest = scalars.makeIterator()
        var scalar = rest.next()
        while let character = scalar {
            scalar = rest.next()
            for place in current.places {
                if case .character(let set, let target) = states[place], set.contains(character) {
                    add(target, to: &next, isFirst: false, isLast: scalar == nil)
                }
            }
            swap(&current, &next)
            next.removeAll()
            if current.places.isEmpty { return scalar == nil && current.isAccepted }
        }
        return current.isAccepted
    }

    /// Adds a place and all that it leads to without a character.
    private func add(_ place: Int, to places: inout Places, isFirst: Bool, isLast: Bool) {
        var open = [place]
        while let place = open.popLast() {
            guard places.visit(place) else { continue }
            switch states[place] {
            case .character: places.places.append(place)
            case .either(let one, let other): open += [other, one]
            case .begin(let next): if isFirst { open.append(next) }
            case .end(let next): if isLast { open.append(next) }
            case .accepted: places.isAccepted = true
            }
        }
    }

    static func == (left: Self, right: Self) -> Bool { left.text == right.text }
    func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// The places of an automaton that a text has reached, each once.
private struct Places {
    var places: [Int] = []
    var isAccepted = false
    private var marks: [Int]
    private var mark = 1

    init(_ count: Int) { marks = Array(repeating: 0, count: count) }

    /// Whether the place was not visited since `removeAll`.
    mutating func visit(_ place: Int) -> Bool {
        if marks[place] == mark { return false }
        marks[place] = mark
        return true
    }

    mutating func removeAll() {
        places.removeAll(keepingCapacity: true)
        isAccepted = false
        mark += 1
    }
}

/// Makes the states of a pattern, from its end to its beginning.
private struct Automaton {
    let begin: PatternNode
    private var states: [WholePattern.State] = []
    /// Nodes that may still be visited: repetitions of nothing have no states, and cost time all the same.
    private var visitsLeft = 20 * WholePattern.statesMax

    init(begin: PatternNode) { self.begin = begin }

    mutating func make() throws(PatternError) -> [WholePattern.State] {
        // The first state leads to where the pattern begins, which is known at the end.
        states = [.accepted, .accepted]
        let first = try state(of: begin, before: 1)
        states[0] = .either(first, first)
        return states
    }

    private mutating func add(_ state: WholePattern.State) throws(PatternError) -> Int {
        guard states.count < WholePattern.statesMax else { throw .tooLarge }
        states.append(state)
        return states.count - 1
    }

    /// The state at which a node begins that leads to `next`.
    private mutating func state(of node: PatternNode, before next: Int) throws(PatternError) -> Int {
        visitsLeft -= 1
        guard visitsLeft > 0 else { throw .tooLarge }
        switch node {
        case .empty: return next
        case .character(let set): return try add(.character(set, next: next))
        case .begin: return try add(.begin(next: next))
        case .end: return try add(.end(next: next))
        case .sequence(let nodes):
            var next = next
            for node in nodes.reversed() { next = try state(of: node, before: next) }
            return next
        case .alternatives(let nodes):
            var last: Int?
            for node in nodes.reversed() {
                let first = try state(of: node, before: next)
                last = if let last { try add(.either(first, last)) } else { first }
            }
            return last ?? next
        case .repetition(let node, let range, let isOpen):
            var first = next
            if isOpen {
                let loop = try add(.either(next, next))
                states[loop] = .either(try state(of: node, before: loop), next)
                first = loop
            } else {
                for _ in range.lowerBound..<range.upperBound {
                    first = try add(.either(try state(of: node, before: first), next))
                }
            }
            for _ in 0..<range.lowerBound { first = try state(of: node, before: first) }
            return first
        }
    }
}
