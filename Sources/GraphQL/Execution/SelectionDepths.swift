/// How deep the selections of a document nest once each fragment stands where it is spread.
///
/// A short text can nest very deep: fragments that spread one another, each nested in itself. Each definition is walked
/// once, in the order of the spreads, so no walk is deeper than the text that the parser has accepted.
public struct SelectionDepths: Sendable {
    /// The depth of a selection set.
    public struct Depth: Sendable, Hashable {
        /// Levels of fields.
        public internal(set) var fields = 0
        /// Levels of fields, inline fragments and fragment spreads.
        public internal(set) var levels = 0
    }

    /// The most levels of any operation or fragment.
    public private(set) var levelsMax = 0

    private let document: Document
    private let positions: NamePositions
    /// By the positions of the fragments in the document.
    private var fragments: [Depth]

    /// The depths of a document, valid or not. Fragments that spread one another in a cycle, which validation refuses,
    /// count as if each of them were spread once.
    public init(of document: Document) {
        self.document = document
        positions = NamePositions(document.fragments.map { $0.name }, in: document)
        fragments = document.fragments.map { _ in Depth() }
        let graph = FragmentGraph(of: document, positions)
        if graph.components.isEmpty {
            for position in fragments.indices {
                fragments[position] = depth(of: document.fragments[position].selectionSet)
            }
        }
        for component in graph.components {
            // Of the component's own fragments none has a depth yet, so that a cycle ends there.
            var sum = Depth(levels: -1)
            for position in component {
                let own = depth(of: document.fragments[position].selectionSet)
                sum.fields += own.fields
                sum.levels += own.levels + 1
            }
            for position in component { fragments[position] = sum }
        }
        for fragment in fragments { levelsMax = max(levelsMax, fragment.levels) }
        for operation in document.operations {
            levelsMax = max(levelsMax, depth(of: operation.selectionSet).levels)
        }
    }

    /// The depth of an operation of the document.
    public func depth(of operation: OperationDefinition) -> Depth { depth(of: operation.selectionSet) }

    private func depth(of selections: NodeRange<Selection>) -> Depth {
        var deepest = Depth()
        for position in selections.indices {
            var depth: Depth
            switch document.selections[position] {
            case .field(let field):
                depth = field.selectionSet.map { self.depth(of: $0) } ?? Depth()
                depth.fields += 1
            case .inlineFragment(let fragment): depth = self.depth(of: fragment.selectionSet)
            case .fragmentSpread(let spread):
                depth = positions.position(of: spread.name, in: document).map { fragments[$0] } ?? Depth()
            }
            deepest.fields = max(deepest.fields, depth.fields)
            deepest.levels = max(deepest.levels, depth.levels + 1)
        }
        return deepest
    }
}
