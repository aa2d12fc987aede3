/// Spec §5.5.2.2 Fragment Spreads Must Not Form Cycles, and a bound on the spreads that do not.
struct FragmentGraph {
    /// Per fragment, the fragments it spreads, each once.
    let edges: [[Int]]
    /// Fragments that reach one another, in groups; a group comes after those it spreads. No group where none spreads
    /// another.
    let components: [[Int]]
    /// The longest way from fragment to fragment; cycles are not counted.
    let depth: Int
    /// Whether any fragment reaches itself.
    let hasCycle: Bool
    /// Per fragment, whether it does; empty where none spreads another.
    private let isCyclic: [Bool]

    init(edges: [[Int]]) {
        self.edges = edges
        guard edges.contains(where: { !$0.isEmpty }) else {
            components = []
            depth = min(edges.count, 1)
            hasCycle = false
            isCyclic = []
            return
        }
        let search = ComponentSearch(edges: edges)
        components = search.components
        depth = search.height.max() ?? 0
        hasCycle = search.isCyclic.contains(true)
        isCyclic = search.isCyclic
    }

    /// Whether a fragment reaches itself.
    func isCyclic(_ fragment: Int) -> Bool { hasCycle && isCyclic[fragment] }
}

extension FragmentGraph {
    /// The graph of a document's fragments.
    init(of document: Document, _ positions: NamePositions) {
        self.init(
            edges: document.fragments.map { fragment in
                var spreads: [Int] = []
                var found = BitSet()
                Self.addSpreads(in: fragment.selectionSet, of: document, positions, to: &spreads, &found)
                return spreads
            })
    }

    /// Adds the fragments that are spread anywhere inside a selection set, each once, without following them.
    private static func addSpreads(
        in selections: NodeRange<Selection>, of document: Document, _ positions: NamePositions,
        to spreads: inout [Int], _ found: inout BitSet
    ) {
        for position in selections.indices {
            switch document.selections[position] {
            case .field(let field):
                guard let set = field.selectionSet else { continue }
                addSpreads(in: set, of: document, positions, to: &spreads, &found)
            case .inlineFragment(let fragment):
                addSpreads(in: fragment.selectionSet, of: document, positions, to: &spreads, &found)
            case .fragmentSpread(let spread):
                guard let fragment = positions.position(of: spread.name, in: document), found.insert(fragment) else {
                    continue
                }
                spreads.append(fragment)
            }
        }
    }
}

/// Tarjan's strongly connected components, with its own stack instead of recursion: a document may chain as many
/// fragments as it has tokens for.
private struct ComponentSearch {
    let edges: [[Int]]
    private(set) var components: [[Int]] = []
    private(set) var isCyclic: [Bool]
    /// The longest way that begins at a node.
    private(set) var height: [Int]

    private var number: [Int]
    private var low: [Int]
    private var stack: [Int] = []
    private var isOnStack: [Bool]
    private var next = 1

    init(edges: [[Int]]) {
        self.edges = edges
        isCyclic = edges.map { _ in false }
        height = edges.map { _ in 1 }
        number = edges.map { _ in 0 }
        low = number
        isOnStack = isCyclic
        for start in edges.indices where number[start] == 0 { search(from: start) }
    }

    private mutating func search(from start: Int) {
        var frames: [(node: Int, edge: Int)] = []
        enter(start, &frames)
        while let (node, edge) = frames.last {
            if edge < edges[node].count {
                frames[frames.count - 1].edge += 1
                let target = edges[node][edge]
                if number[target] == 0 {
                    enter(target, &frames)
                } else if isOnStack[target] {
                    low[node] = min(low[node], number[target])
                }
                if target == node { isCyclic[node] = true }
                continue
            }
            frames.removeLast()
            for target in edges[node] where !isOnStack[target] { height[node] = max(height[node], height[target] + 1) }
            if let (parent, _) = frames.last { low[parent] = min(low[parent], low[node]) }
            if low[node] == number[node] { leave(node) }
        }
    }

    private mutating func enter(_ node: Int, _ frames: inout [(node: Int, edge: Int)]) {
        number[node] = next
        low[node] = next
        next += 1
        stack.append(node)
        isOnStack[node] = true
        frames.append((node, 0))
    }

    /// A component is complete: all that lies above its first node.
    private mutating func leave(_ first: Int) {
        guard let start = stack.lastIndex(of: first) else { return }
        let component = stack[start...]
        for node in component {
            isOnStack[node] = false
            if component.count > 1 { isCyclic[node] = true }
        }
        components.append(Array(component))
        stack.removeSubrange(start...)
    }
}
