/// The uses in fragments by what decides whether an operation allows them, so that it tests each kind once however
/// often it occurs.
struct VariableUseKinds {
    private struct Kind: Hashable {
        var name: String
        var type: SchemaIndex.TypeReference?
        var hasDefault: Bool
    }

    /// One use of each kind.
    private(set) var examples: [VariableUse] = []
    private var positions: [Kind: Int] = [:]

    /// The position of a use's kind in `examples`.
    mutating func position(of use: VariableUse, in document: Document) -> Int {
        let kind = Kind(name: document.name(use.name), type: use.type, hasDefault: use.hasDefault)
        if let position = positions[kind] { return position }
        positions[kind] = examples.count
        examples.append(use)
        return examples.count - 1
    }
}
