/// The variables of an operation while it is walked.
struct VariableScope {
    struct Variable {
        var name: Name
        var type: TypeReference.Index
        /// What is left of the type without its wrappers; `nil` of an unknown type.
        var namedType: TypeID?
        /// A default other than null.
        var hasDefault: Bool
        var offset: UInt32
        var isUsed = false
    }

    /// In the order of the text.
    var variables: [Variable] = []
    private var positions: NamePositions?
    /// The kinds of uses in fragments that have been tested against this scope, and those it does not allow.
    var testedKinds = BitSet()
    var refusedKinds = BitSet()
    /// The fragments whose refused uses have been reported.
    var visitedFragments = BitSet()

    /// No variables.
    init() {}

    init(_ definitions: NodeRange<VariableDefinition>, in document: Document, _ index: SchemaIndex) {
        positions = NamePositions(document[definitions].map { $0.name }, in: document)
        variables = document[definitions].map { definition in
            let hasDefault =
                if case .null? = definition.defaultValue?.kind { false } else { definition.defaultValue != nil }
            return Variable(
                name: definition.name, type: definition.type,
                namedType: index.type(named: document.typeName(of: definition.type), in: document),
                hasDefault: hasDefault, offset: definition.offset)
        }
    }

    /// The position of the first variable of this name.
    func position(of name: Name, in document: Document) -> Int? {
        positions?.position(of: name, in: document)
    }
}
