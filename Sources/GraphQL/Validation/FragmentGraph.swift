/// Spec §5.5.2.2 Fragment Spreads Must Not Form Cycles, and a bound on the spreads that do not.
struct FragmentGraph {
    /// Per fragment, the fragments it spreads, each once.
    let edges: [[Int]]
    /// Per fragment, whether it reaches itself.
    private(set) var isCyclic: [Bool]
    /// Whether any fragment does.
    var hasCycle: Bool { cycles > 0 }
    /// The longest way from fragment to fragment; cycles are not counted.
    private(set) var depth = 0

    /// Fragments that reach one another, in groups; a group comes after those it spreads.
    private(set) var components: [[Int]] = []

    private var cycles = 0
    private var number: [Int]
    private var low: [Int]
    private var height: [Int]
    private var stack: [Int] = []
    private var isOnStack: [Bool]
    private var next = 1

    /// Tarjan's strongly connected components, with its own stack instead of recursion: a document may chain as many
    /// fragments as it has tokens for.
    init(edges: [[Int]]) {
        self.edges = edges
        isCyclic = edges.map { _ in false }
        number = edges.map { _ in 0 }
        low = number
        height = edges.map { _ in 1 }
        isOnStack = isCyclic
        for start in edges.indices where number[start] == 0 { search(from: start) }
        depth = height.max() ?? 0
        cycles = isCyclic.count { $0 }
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
