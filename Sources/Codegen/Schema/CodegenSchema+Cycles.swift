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

    /// For each node of a graph, the number of its strongly connected component.
    private static func cycles(_ edges: [[Int]]) -> [Int] {
        var numbers = [Int](repeating: 0, count: edges.count)
        for (number, component) in ComponentSearch(edges: edges).components.enumerated() {
            for node in component { numbers[node] = number }
        }
        return numbers
    }
}
