// Names of siblings. Few are compared one with another; of many, whose number is the choice of who wrote the document,
// there is a table.

private let comparedCountMax = 16

/// The first position of each name among siblings.
struct NamePositions {
    private let names: [Name]
    private let table: [String: Int]?

    init(_ names: [Name], in document: Document) {
        self.names = names
        table = document.positions(of: names)
    }

    /// The position of the first that is the same word.
    func position(of name: Name, in document: Document) -> Int? {
        if let table { return table[document.name(name)] }
        return names.firstIndex { document.areEqual($0, name) }
    }
}

extension Document {
    /// The first position of each of many names; nil of few.
    func positions(of names: some RandomAccessCollection<Name>) -> [String: Int]? {
        guard names.count > comparedCountMax else { return nil }
        return Dictionary(names.enumerated().map { (name($1), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The positions of the names that stand further to the front already.
    func repeated(_ names: some RandomAccessCollection<Name>) -> BitSet {
        var repeated = BitSet()
        guard names.count > 1 else { return repeated }
        if names.count <= comparedCountMax {
            for (position, name) in names.enumerated()
            where names.prefix(position).contains(where: { areEqual($0, name) }) { repeated.insert(position) }
        } else {
            var seen: Set<String> = []
            for (position, name) in names.enumerated() where !seen.insert(self.name(name)).inserted {
                repeated.insert(position)
            }
        }
        return repeated
    }
}
