/// A regular expression that must match a whole text. Matching takes linear time for every expression, because callers choose
/// the texts: the states of a nondeterministic automaton are simulated in parallel, without backtracking (Thompson, "Regular
/// Expression Search Algorithm", CACM 11, 1968).
///
/// The syntax is the common subset of Java and ECMAScript that such an automaton supports: `|`, groups, `* + ? {n,m}` and their
/// lazy forms, classes, `.`, `\d \w \s`, `^` and `$`, and `(?i)` at the beginning. Look-around, back references, word boundaries
/// and possessive quantifiers are refused when the pattern is parsed. `\d`, `\w`, `\s` and `(?i)` apply to ASCII only.
struct WholePattern: Sendable, Hashable {
    /// The expression as it was written.
    let text: String
    private let states: [State]

    /// Maximum number of states of an automaton, and so of operations for each character of a match.
    static let statesMax = 4_000

    fileprivate enum State: Sendable {
        /// A transition on a character of the set.
        case character(ScalarSet, next: Int)
        case either(Int, Int)
        /// A transition at the beginning or the end of the text.
        case begin(next: Int)
        case end(next: Int)
        case accepted
    }

    /// Parses an expression.
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

    /// Adds a state and all states that it reaches without a character.
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

/// The set of states of an automaton that a text has reached.
private struct Places {
    var places: [Int] = []
    var isAccepted = false
    private var marks: [Int]
    private var mark = 1

    init(_ count: Int) { marks = Array(repeating: 0, count: count) }

    /// Whether the state was not visited since `removeAll`.
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

/// Builds the states of a pattern, from its end to its beginning.
private struct Automaton {
    let begin: PatternNode
    private var states: [WholePattern.State] = []
    /// Remaining budget of visited nodes: repetitions of empty nodes have no states, but take time.
    private var visitsLeft = visitsMax
    private static let visitsMax = 20 * WholePattern.statesMax

    init(begin: PatternNode) { self.begin = begin }

    mutating func make() throws(PatternError) -> [WholePattern.State] {
        // The first state leads to the beginning of the pattern, which is known only at the end.
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

    /// The first state of a node that is followed by `next`.
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
