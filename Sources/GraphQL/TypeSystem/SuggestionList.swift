/// The known names that a misspelt one may have meant, best first. Bounded: long names are not compared.
package enum SuggestionList {
    static let nameBytesMax = 64
    static let suggestionsMax = 5

    /// `Did you mean "User"?`, with an `or` before the last of several; `nil` where nothing is near.
    package static func hint(for name: String, among options: some Sequence<String>, prefix: String = "") -> String? {
        let names = suggestions(for: name, among: options).map { "\"\(prefix)\($0)\"" }
        guard let last = names.last else { return nil }
        let others = names.dropLast()
        guard !others.isEmpty else { return "Did you mean \(last)?" }
        let comma = others.count > 1 ? "," : ""
        return "Did you mean \(others.joined(separator: ", "))\(comma) or \(last)?"
    }

    static func suggestions(for name: String, among options: some Sequence<String>) -> [String] {
        let input = Array(name.utf8)
        guard input.count <= nameBytesMax else { return [] }
        // Two fifths of the letters may differ: "Usr" finds "User", "foo" does not find "bar".
        let bound = input.count * 2 / 5 + 1
        var found: [(name: String, distance: Int)] = []
        for option in options where option.utf8.count <= nameBytesMax {
            if let distance = distance(input, Array(option.utf8), within: bound) { found.append((option, distance)) }
        }
        found.sort { ($0.distance, $0.name) < ($1.distance, $1.name) }
        return found.prefix(suggestionsMax).map(\.name)
    }

    /// Edits that lead from one name to the other (insert, delete, replace, swap neighbours; case alone is one edit),
    /// or `nil` beyond the bound. Three rows of the usual table are enough.
    private static func distance(_ first: [UInt8], _ second: [UInt8], within bound: Int) -> Int? {
        if first == second { return 0 }
        let first = first.map(lowercased), second = second.map(lowercased)
        if first == second { return 1 }
        guard abs(first.count - second.count) <= bound else { return nil }
        var beforeLast: [Int] = []
        var last = Array(0...second.count)
        for row in first.indices {
            var current = [row + 1]
            for column in second.indices {
                let replaced = last[column] + (first[row] == second[column] ? 0 : 1)
                var cost = min(last[column + 1] + 1, current[column] + 1, replaced)
                if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            guard let best = current.min(), best <= bound else { return nil }
            (beforeLast, last) = (last, current)
        }
        return last[second.count] <= bound ? last[second.count] : nil
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
