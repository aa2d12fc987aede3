extension Document {
    /// The positions of the names that stand further to the front already.
    func repeated(_ names: some RandomAccessCollection<Name>) -> BitSet {
        var repeated = BitSet()
        guard names.count > 1 else { return repeated }
        if names.count <= NamePositions.comparedCountMax {
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
