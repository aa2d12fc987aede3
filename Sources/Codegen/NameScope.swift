/// The names of one scope of generated code: each is used once.
struct NameScope {
    private var taken: Set<String>

    /// - Parameter reserved: Names that nothing of the scope may have.
    init(reserved: Set<String> = []) { taken = reserved }

    /// A name for the scope: the one that is wanted, with as many `_` at its end as it takes to be the first of its name.
    mutating func unique(_ wanted: String) -> String {
        var name = wanted
        while !taken.insert(name).inserted { name += "_" }
        return name
    }
}
