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
