/// Tarjan's strongly connected components, with its own stack instead of recursion: a document may chain as many
/// fragments as it has tokens for, and a schema as many types.
package struct ComponentSearch {
    let edges: [[Int]]
    /// The nodes of each component; a component comes after those that it leads to.
    package private(set) var components: [[Int]] = []
    private(set) var isCyclic: [Bool]
    /// For each node, the number of nodes on the longest path that begins at it; cycles are not counted.
    private(set) var height: [Int]

    private var number: [Int]
    private var low: [Int]
    private var stack: [Int] = []
    private var isOnStack: [Bool]
    private var next = 1

    /// - Parameter edges: For each node, the nodes that it leads to.
    package init(edges: [[Int]]) {
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
