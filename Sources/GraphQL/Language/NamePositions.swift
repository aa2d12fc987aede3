/// The first position of each name among siblings.
struct NamePositions {
    /// Few are compared one with another; of many, whose number is the choice of who wrote the document, there is a table.
    static let comparedCountMax = 16

    private let names: [Name]
    private let table: [String: Int]?

    init(_ names: [Name], in document: Document) {
        self.names = names
        table =
            names.count <= Self.comparedCountMax
            ? nil
            : Dictionary(names.enumerated().map { (document.name($1), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The position of the first that is the same word.
    func position(of name: Name, in document: Document) -> Int? {
        if let table { return table[document.name(name)] }
        return names.firstIndex { document.areEqual($0, name) }
    }
}
