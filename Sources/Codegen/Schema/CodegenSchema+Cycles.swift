import GraphQL
import Transformer

extension CodegenSchema {
    /// Warns of fields by which a struct of Swift would contain itself: of relations to one item unless they are lazy, and of
    /// embedded types. Lists are stored elsewhere.
    mutating func warnOfTypesInThemselves() {
        let types = models + nonModels
        let numbers = Dictionary(types.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        let edges = types.map { type in
            type.fields.compactMap { field -> (field: CodegenField, target: Int)? in
                guard !field.isList, !field.isHasMany, !(options.isLazy && field.isReference) else { return nil }
                return numbers[field.type].map { (field, $0) }
            }
        }
        let cycles = Self.cycles(edges.map { $0.map(\.target) })
        for (number, type) in types.enumerated() {
            for (field, target) in edges[number] where cycles[number] == cycles[target] {
                warn(
                    "The Swift of \(type.name).\(field.name) does not compile: the struct \(type.name) would contain itself"
                        + (target == number ? "." : ", by \(field.type)."),
                    at: field.place,
                    hint: field.isReference
                        ? (options.isVersionTwo
                            ? "Load relations when they are first read: --profile v2-lazy, or the feature flag "
                                + "generateModelsForLazyLoadAndCustomSelectionSet."
                            : "Remove the field on one of the sides.")
                        : "Make the field a list.")
            }
        }
    }

    /// For each node of a graph the number of its strongly connected component; nodes without a cycle have numbers of their own.
    ///
    /// Tarjan's algorithm ("Depth-first search and linear graph algorithms", 1972), with a stack of its own: a path may be as
    /// long as the schema has types.
    private static func cycles(_ edges: [[Int]]) -> [Int] {
        var order = [Int?](repeating: nil, count: edges.count)
        var lowest = [Int](repeating: 0, count: edges.count)
        var component = [Int?](repeating: nil, count: edges.count)
        var (open, visits, count) = ([Int](), [(node: Int, next: Int)](), 0)
        for root in edges.indices where order[root] == nil {
            visits.append((root, 0))
            while let (node, next) = visits.last {
                if next == 0 {
                    (order[node], lowest[node]) = (count, count)
                    count += 1
                    open.append(node)
                }
                if next < edges[node].count {
                    visits[visits.count - 1].next += 1
                    let target = edges[node][next]
                    if order[target] == nil {
                        visits.append((target, 0))
                    } else if component[target] == nil {
                        lowest[node] = min(lowest[node], order[target] ?? 0)
                    }
                    continue
                }
                visits.removeLast()
                if let above = visits.last?.node { lowest[above] = min(lowest[above], lowest[node]) }
                guard lowest[node] == order[node] else { continue }
                while let member = open.popLast() {
                    component[member] = node
                    if member == node { break }
                }
            }
        }
        return component.map { $0 ?? 0 }
    }
}
