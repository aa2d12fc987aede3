/// What a fragment uses, for the operations that spread it.
struct FragmentUses {
    /// The variables in it, each with its kind and the path from the fragment's name on.
    var variables: [(use: VariableUse, kind: Int, path: [Name])] = []
    /// The fragments it spreads, each where it does so first.
    var spreads: [(fragment: Int, path: [Name])] = []
    /// The kinds of its uses, and once all fragments are walked those of the fragments it reaches.
    var kinds = BitSet()

    private var spreadSet = BitSet()

    mutating func noteSpread(of fragment: Int, at path: [Name]) {
        if spreadSet.insert(fragment) { spreads.append((fragment, path)) }
    }
}
