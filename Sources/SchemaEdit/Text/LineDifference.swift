/// The difference of two texts by lines: which bytes of the first are replaced by which bytes of the second.
///
/// E. W. Myers, "An O(ND) Difference Algorithm and Its Variations": the shortest script, in the number of lines times the
/// number of differences.
enum LineDifference {
    /// A replacement of whole lines.
    struct Hunk {
        let old: Range<Int>
        let new: Range<Int>
    }

    /// The replacements, in order; nil if there are more lines or differences than the limits allow.
    static func hunks(from old: [UInt8], to new: [UInt8], limits: SchemaEditLimits) -> [Hunk]? {
        let (oldLines, newLines) = (lines(of: old), lines(of: new))
        return lineHunks(from: old, to: new, limits: limits)?.map {
            Hunk(old: bytes($0.old, of: oldLines, old.count), new: bytes($0.new, of: newLines, new.count))
        }
    }

    /// The replacements by the numbers of the lines, from 0.
    static func lineHunks(
        from old: [UInt8], to new: [UInt8], limits: SchemaEditLimits
    ) -> [(old: Range<Int>, new: Range<Int>)]? {
        let (oldLines, newLines) = (lines(of: old), lines(of: new))
        guard max(oldLines.count, newLines.count) <= limits.mergeLinesMax else { return nil }
        var numbers: [ArraySlice<UInt8>: Int] = [:]
        func number(_ line: ArraySlice<UInt8>) -> Int {
            if let number = numbers[line] { return number }
            numbers[line] = numbers.count
            return numbers.count - 1
        }
        let first = oldLines.map { number(old[$0]) }
        let second = newLines.map { number(new[$0]) }
        guard let matches = matches(first, second, differencesMax: limits.mergeDifferencesMax) else { return nil }
        var hunks: [(old: Range<Int>, new: Range<Int>)] = []
        var (row, column) = (0, 0)
        for (nextRow, nextColumn) in matches + [(first.count, second.count)] {
            if row < nextRow || column < nextColumn {
                hunks.append((row..<nextRow, column..<nextColumn))
            }
            (row, column) = (nextRow + 1, nextColumn + 1)
        }
        return hunks
    }

    private static func bytes(_ range: Range<Int>, of lines: [Range<Int>], _ count: Int) -> Range<Int> {
        let start = range.lowerBound < lines.count ? lines[range.lowerBound].lowerBound : count
        return start..<(range.isEmpty ? start : lines[range.upperBound - 1].upperBound)
    }

    /// The ranges of the lines, each with its terminator.
    static func lines(of bytes: [UInt8]) -> [Range<Int>] {
        var lines: [Range<Int>] = []
        var start = 0
        for position in bytes.indices {
            let isPair = bytes[position] == 0x0D && position + 1 < bytes.count && bytes[position + 1] == 0x0A
            guard bytes[position] == 0x0A || bytes[position] == 0x0D, !isPair else { continue }
            lines.append(start..<position + 1)
            start = position + 1
        }
        if start < bytes.count { lines.append(start..<bytes.count) }
        return lines
    }

    /// The pairs of equal lines of a longest common subsequence.
    private static func matches(_ old: [Int], _ new: [Int], differencesMax: Int) -> [(Int, Int)]? {
        let prefix = zip(old, new).prefix { $0 == $1 }.count
        let suffix = zip(old.dropFirst(prefix).reversed(), new.dropFirst(prefix).reversed()).prefix { $0 == $1 }.count
        let (first, second) = (
            Array(old.dropFirst(prefix).dropLast(suffix)), Array(new.dropFirst(prefix).dropLast(suffix))
        )
        guard let inner = shortest(first, second, differencesMax: differencesMax) else { return nil }
        return (0..<prefix).map { ($0, $0) } + inner.map { ($0 + prefix, $1 + prefix) }
            + (0..<suffix).map { (old.count - suffix + $0, new.count - suffix + $0) }
    }

    private static func shortest(_ old: [Int], _ new: [Int], differencesMax: Int) -> [(Int, Int)]? {
        let bound = min(old.count + new.count, differencesMax)
        var furthest = Array(repeating: 0, count: 2 * bound + 3)
        var trace: [[Int]] = []
        for differences in 0...bound {
            trace.append(Array(furthest[(bound - differences)...(bound + differences + 2)]))
            for diagonal in stride(from: -differences, through: differences, by: 2) {
                let index = bound + 1 + diagonal
                let isDown =
                    diagonal == -differences || diagonal != differences && furthest[index - 1] < furthest[index + 1]
                var row = isDown ? furthest[index + 1] : furthest[index - 1] + 1
                while row < old.count, row - diagonal < new.count, old[row] == new[row - diagonal] { row += 1 }
                furthest[index] = row
                if row >= old.count, row - diagonal >= new.count {
                    return path(back: trace, old.count, new.count)
                }
            }
        }
        return nil
    }

    /// Walks back over what was reached with each number of differences.
    private static func path(back trace: [[Int]], _ oldCount: Int, _ newCount: Int) -> [(Int, Int)] {
        var matches: [(Int, Int)] = []
        var (row, column) = (oldCount, newCount)
        for differences in trace.indices.reversed() {
            let furthest = trace[differences]
            let diagonal = row - column
            func reached(_ diagonal: Int) -> Int { furthest[differences + 1 + diagonal] }
            let isDown =
                diagonal == -differences || diagonal != differences && reached(diagonal - 1) < reached(diagonal + 1)
            let previous = isDown ? diagonal + 1 : diagonal - 1
            let start = reached(previous) + (isDown ? 0 : 1)
            while row > start {
                (row, column) = (row - 1, column - 1)
                matches.append((row, column))
            }
            (row, column) = (reached(previous), reached(previous) - previous)
        }
        return matches.reversed()
    }
}
