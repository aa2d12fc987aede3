/// Items between two brackets: members of a type, arguments of a directive, elements of a list, fields of an object value.
/// It inserts and removes items in the layout that the list has.
struct ItemList {
    let file: FileSyntax
    /// From one bracket to the other.
    let range: Range<Int>
    let items: [Range<Int>]
    /// What stands between two items of one line where the list does not show it.
    var separator = ", "

    /// Where a new item stands.
    enum Position {
        case first
        case after(Int)
        case last
    }

    /// How a new item is written: on a line of its own, or on the line of others.
    struct Spot {
        /// Whether the item begins a line.
        let isOwnLine: Bool
        /// Whether nothing follows it on its line.
        let endsLine: Bool
        let indentation: String
        let newline: String
    }

    var isOneLine: Bool { !file.hasLineEnd(in: range) }

    // MARK: - Insertion

    /// Inserts an item.
    /// - Parameter trail: A comment that follows it on its line, with the space before.
    func insert(
        _ position: Position, into changes: inout Changes, trail: String = "", _ text: (Spot) -> String
    ) {
        guard !items.isEmpty else {
            let spot = inline(newline(at: range.lowerBound))
            return changes.insert(text(spot), at: range.lowerBound + 1, in: file.index)
        }
        switch position {
        case .first: insertFirst(into: &changes, trail, text)
        case .after(let index): insert(after: index, into: &changes, trail, text)
        case .last: insert(after: items.count - 1, into: &changes, trail, text)
        }
    }

    private func insert(after index: Int, into changes: inout Changes, _ trail: String, _ text: (Spot) -> String) {
        let anchor = items[index]
        let newline = newline(at: anchor.upperBound)
        let lineEnd = file.lineEnd(at: anchor.upperBound)
        let next = index + 1 < items.count ? items[index + 1].lowerBound : range.upperBound - 1
        let spot = Spot(
            isOwnLine: true, endsLine: next >= lineEnd, indentation: indentation(near: index), newline: newline)
        let isLast = index == items.count - 1
        if isOneLine || next < lineEnd && !isLast {
            changes.insert(inlineSeparator(near: index) + text(inline(newline)), at: anchor.upperBound, in: file.index)
            return
        }
        let comma = isLast && !hasComma(after: index) && hasCommaHabit ? "," : ""
        if next < lineEnd {
            // The closing bracket is on the line of the last item.
            let item = newline + spot.indentation + text(spot)
            changes.insert(comma + item, at: anchor.upperBound, in: file.index)
            return
        }
        if !comma.isEmpty { changes.insert(comma, at: anchor.upperBound, in: file.index) }
        let ownComma = hasComma(after: index) ? "," : ""
        changes.insert(
            spot.indentation + text(spot) + ownComma + trail + newline, at: file.afterTerminator(at: lineEnd),
            in: file.index)
    }

    private func insertFirst(into changes: inout Changes, _ trail: String, _ text: (Spot) -> String) {
        let first = items[0]
        let newline = newline(at: first.lowerBound)
        let start = file.ownedStart(of: first.lowerBound)
        let lineStart = file.lineStart(at: start)
        guard !isOneLine, lineStart > range.lowerBound else {
            changes.insert(text(inline(newline)) + inlineSeparator(near: 0), at: first.lowerBound, in: file.index)
            return
        }
        let spot = Spot(isOwnLine: true, endsLine: true, indentation: indentation(near: 0), newline: newline)
        let comma = hasCommaHabit || hasComma(after: 0) ? "," : ""
        changes.insert(spot.indentation + text(spot) + comma + trail + newline, at: lineStart, in: file.index)
    }

    private func inline(_ newline: String) -> Spot {
        Spot(isOwnLine: false, endsLine: false, indentation: "", newline: newline)
    }

    private func newline(at offset: Int) -> String { file.newline(at: offset) }

    /// The indentation of an item's line, or of another's that is the first on its line.
    private func indentation(near index: Int) -> String {
        let candidates = [index] + items.indices.reversed()
        for candidate in candidates where file.isFirstOnLine(items[candidate].lowerBound) {
            return file.indentation(at: items[candidate].lowerBound)
        }
        return file.indentation(at: range.lowerBound) + file.indentationUnit
    }

    /// What stands between two items of one line, of those nearest to an item.
    private func inlineSeparator(near index: Int) -> String {
        let pairs = [index, index - 1] + Array(items.indices)
        for pair in pairs where items.indices.contains(pair) && items.indices.contains(pair + 1) {
            let gap = items[pair].upperBound..<items[pair + 1].lowerBound
            if file.isBlank(gap), !gap.isEmpty { return file.text(gap) }
        }
        return separator
    }

    // MARK: - Commas

    /// The comma after an item on its line.
    private func comma(after index: Int) -> Int? {
        let start = items[index].upperBound
        let rest = file.bytes[start..<file.lineEnd(at: start)]
        return rest.firstIndex { $0 != 0x20 && $0 != 0x09 }.flatMap { rest[$0] == UInt8(ascii: ",") ? $0 : nil }
    }

    private func hasComma(after index: Int) -> Bool { comma(after: index) != nil }

    /// Whether the items are separated by commas.
    private var hasCommaHabit: Bool { items.count > 1 && hasComma(after: items.count - 2) }

    // MARK: - Removal

    /// Removes an item with the comments that belong to it.
    func remove(_ index: Int, from changes: inout Changes) {
        changes.remove(removal(of: index), in: file.index)
        let isLast = index == items.count - 1
        if isLast, index > 0, isOnOwnLines(index), !hasComma(after: index), let comma = comma(after: index - 1) {
            changes.remove(comma..<comma + 1, in: file.index)
        }
    }

    /// Whether no other item and no bracket stands on the lines of an item.
    func isOnOwnLines(_ index: Int) -> Bool {
        let item = items[index]
        let start = file.lineStart(at: file.ownedStart(of: item.lowerBound))
        let end = file.lineEnd(at: item.upperBound)
        return file.isFirstOnLine(item.lowerBound) && start > range.lowerBound
            && file.isBlank(file.ownedEnd(of: item.upperBound)..<end)
    }

    private func removal(of index: Int) -> Range<Int> {
        let item = items[index]
        let start = file.ownedStart(of: item.lowerBound)
        if isOnOwnLines(index) {
            return file.lineStart(at: start)..<file.afterTerminator(at: file.lineEnd(at: item.upperBound))
        }
        let lineEnd = file.lineEnd(at: item.upperBound)
        if index + 1 < items.count, items[index + 1].lowerBound < lineEnd {
            return start..<items[index + 1].lowerBound
        }
        let end = file.ownedEnd(of: item.upperBound)
        let previous = index > 0 ? items[index - 1].upperBound : range.lowerBound + 1
        let isAlone = items.count == 1
        if previous >= file.lineStart(at: item.lowerBound) { return (isAlone ? item.lowerBound : previous)..<end }
        return start..<max(end, min(lineEnd, range.upperBound - 1))
    }

    // MARK: - Moving

    /// Moves an item with the comments that belong to it; false where a comment would take what follows it with it.
    func move(_ index: Int, to position: Position, in changes: inout Changes) -> Bool {
        let item = items[index]
        let start = file.ownedStart(of: item.lowerBound)
        let lead = file.text(start..<item.lowerBound)
        let trail = file.text(item.upperBound..<file.ownedEnd(of: item.upperBound))
        let comment = trail.firstIndex(of: "#").map { trail[..<$0].filter { $0 != "," } + trail[$0...] } ?? ""
        var isPossible = true
        remove(index, from: &changes)
        insert(position, into: &changes, trail: comment) { spot in
            isPossible = (lead.isEmpty || spot.isOwnLine) && (comment.isEmpty || spot.endsLine)
            return lead + file.text(item)
        }
        return isPossible
    }
}
