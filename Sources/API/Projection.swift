/// The columns that a selection needs, each once; a field remembers its position among them.
struct Projection {
    private(set) var columns: [Int]

    init(_ columns: [Int] = []) { self.columns = columns }

    mutating func position(of column: Int) -> Int {
        if let position = columns.firstIndex(of: column) { return position }
        columns.append(column)
        return columns.count - 1
    }
}
