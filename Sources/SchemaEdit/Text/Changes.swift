/// The changes of one edit while it is made: replacements of ranges of files, in any order.
struct Changes {
    private struct Change {
        let file: Int
        let range: Range<Int>
        let text: String
        let order: Int
    }

    private var changes: [Change] = []

    mutating func replace(_ range: Range<Int>, in file: Int, with text: String) {
        changes.append(Change(file: file, range: range, text: text, order: changes.count))
    }

    mutating func insert(_ text: String, at offset: Int, in file: Int) {
        replace(offset..<offset, in: file, with: text)
    }

    mutating func remove(_ range: Range<Int>, in file: Int) {
        replace(range, in: file, with: "")
    }

    /// The edits in the order of the text, each as short as it can be; nil if two contradict each other.
    ///
    /// Insertions at one place stand in the order in which they were made, before what replaces the bytes after it.
    func edits(of files: [FileSyntax]) -> TextEdits? {
        let sorted = changes.sorted {
            ($0.file, $0.range.lowerBound, $0.range.isEmpty ? 0 : 1, $0.order)
                < ($1.file, $1.range.lowerBound, $1.range.isEmpty ? 0 : 1, $1.order)
        }
        var edits: [TextEdit] = []
        var last: Change?
        for change in sorted {
            if let last, last.file == change.file {
                if last.range == change.range, last.text.isEmpty, change.text.isEmpty { continue }
                guard change.range.lowerBound >= last.range.upperBound else { return nil }
            }
            last = change
            let file = files[change.file]
            guard change.range.upperBound <= file.bytes.count else { return nil }
            guard let edit = trimmed(change, of: file) else { continue }
            if let previous = edits.last, previous.file == edit.file, previous.end == edit.start {
                edits[edits.count - 1].end = edit.end
                edits[edits.count - 1].text += edit.text
            } else {
                edits.append(edit)
            }
        }
        return TextEdits(edits)
    }

    /// The replacement without what both texts begin and end with; nil when nothing is left.
    private func trimmed(_ change: Change, of file: FileSyntax) -> TextEdit? {
        let old = file.bytes[change.range]
        let new = Array(change.text.utf8)[...]
        var prefix = zip(old, new).prefix { $0 == $1 }.count
        // A scalar stays whole.
        while prefix > 0, isContinuation(old.dropFirst(prefix).first) || isContinuation(new.dropFirst(prefix).first) {
            prefix -= 1
        }
        let (restOld, restNew) = (old.dropFirst(prefix), new.dropFirst(prefix))
        var suffix = zip(restOld.reversed(), restNew.reversed()).prefix { $0 == $1 }.count
        while suffix > 0, isContinuation(restNew.suffix(suffix).first) { suffix -= 1 }
        let (left, text) = (restOld.dropLast(suffix), restNew.dropLast(suffix))
        guard !left.isEmpty || !text.isEmpty else { return nil }
        return TextEdit(
            file: file.name, start: change.range.lowerBound + prefix, end: change.range.upperBound - suffix,
            text: String(decoding: text, as: UTF8.self))
    }

    private func isContinuation(_ byte: UInt8?) -> Bool { byte.map { $0 & 0xC0 == 0x80 } ?? false }
}
