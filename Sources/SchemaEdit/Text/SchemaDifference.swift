/// The difference of two versions of a schema.
public enum SchemaDifference {
    /// Lines around a change that are shown.
    private static let contextLines = 3

    /// The replacements of whole lines that lead from one version to another, for the files that both have; nil if they differ
    /// in too many lines.
    public static func edits(
        from old: [SchemaFile], to new: [SchemaFile], limits: SchemaEditLimits = .standard
    ) -> TextEdits? {
        var edits: [TextEdit] = []
        for file in old {
            guard let other = new.first(where: { $0.name == file.name }) else { continue }
            guard let hunks = LineDifference.hunks(from: file.bytes, to: other.bytes, limits: limits) else {
                return nil
            }
            edits += hunks.map {
                TextEdit(
                    file: file.name, start: $0.old.lowerBound, end: $0.old.upperBound,
                    text: String(decoding: other.bytes[$0.new], as: UTF8.self))
            }
        }
        return TextEdits(checked: edits)
    }

    /// The difference of each file that differs, as `diff -u` prints it; a file that one version lacks is empty there. Two
    /// versions with too many differences are removed and added whole.
    public static func unified(
        from old: [SchemaFile], to new: [SchemaFile], limits: SchemaEditLimits = .standard
    ) -> [(file: String, text: String)] {
        let names = old.map(\.name) + new.map(\.name).filter { name in !old.contains { $0.name == name } }
        return names.compactMap { name in
            let first = old.first { $0.name == name }?.bytes ?? []
            let second = new.first { $0.name == name }?.bytes ?? []
            guard first != second else { return nil }
            return (name, unified(name, first, second, limits))
        }
    }

    private static func unified(
        _ name: String, _ old: [UInt8], _ new: [UInt8], _ limits: SchemaEditLimits
    ) -> String {
        let (oldLines, newLines) = (LineDifference.lines(of: old), LineDifference.lines(of: new))
        let hunks =
            LineDifference.lineHunks(from: old, to: new, limits: limits)
            ?? [(0..<oldLines.count, 0..<newLines.count)]
        var text = "--- \(name)\n+++ \(name)\n"
        var index = 0
        while index < hunks.count {
            var end = index
            while end + 1 < hunks.count,
                hunks[end + 1].old.lowerBound - hunks[end].old.upperBound <= 2 * contextLines
            {
                end += 1
            }
            let start = max(0, hunks[index].old.lowerBound - contextLines)
            let newStart = hunks[index].new.lowerBound - (hunks[index].old.lowerBound - start)
            let stop = min(oldLines.count, hunks[end].old.upperBound + contextLines)
            let newStop = hunks[end].new.upperBound + stop - hunks[end].old.upperBound
            text += "@@ -\(range(start..<stop)) +\(range(newStart..<newStop)) @@\n"
            var position = start
            for hunk in hunks[index...end] {
                for line in position..<hunk.old.lowerBound { text += " " + self.line(oldLines[line], old) }
                for line in hunk.old { text += "-" + self.line(oldLines[line], old) }
                for line in hunk.new { text += "+" + self.line(newLines[line], new) }
                position = hunk.old.upperBound
            }
            for line in position..<stop { text += " " + self.line(oldLines[line], old) }
            index = end + 1
        }
        return text
    }

    private static func range(_ lines: Range<Int>) -> String {
        let first = lines.isEmpty ? lines.lowerBound : lines.lowerBound + 1
        return lines.count == 1 ? "\(first)" : "\(first),\(lines.count)"
    }

    private static func line(_ range: Range<Int>, _ bytes: [UInt8]) -> String {
        var end = range.upperBound
        while end > range.lowerBound, bytes[end - 1] == 0x0A || bytes[end - 1] == 0x0D { end -= 1 }
        let text = String(decoding: bytes[range.lowerBound..<end], as: UTF8.self) + "\n"
        return end == range.upperBound ? text + "\\ No newline at end of file\n" : text
    }
}
