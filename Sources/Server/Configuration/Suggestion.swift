/// The known key that a misspelt one may have meant.
enum Suggestion {
    /// "Did you mean 'port'?", or all that there is when nothing is near and the list is short.
    static func hint(for name: String, among known: [String]) -> String? {
        let nearest = known.map { ($0, distance($0.lowercased(), name.lowercased())) }.min { $0.1 < $1.1 }
        guard let (candidate, distance) = nearest else { return nil }
        if distance <= max(2, name.count / 3) { return "Did you mean '\(candidate)'?" }
        return known.count <= 20 ? "Known here: \(known.joined(separator: ", "))." : nil
    }

    /// Levenshtein's distance: insertions, deletions and replacements that lead from one to the other.
    private static func distance(_ first: String, _ second: String) -> Int {
        let second = Array(second.utf8)
        var row = Array(0...second.count)
        for (position, byte) in first.utf8.enumerated() {
            var diagonal = row[0]
            row[0] = position + 1
            for column in second.indices {
                let replaced = diagonal + (byte == second[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[second.count]
    }
}
