import GraphQL

extension SchemaSyntax {
    /// The kinds of types that the modeller lists.
    enum TypeGroup {
        case model, enumeration, customType
    }

    private func group(of definition: Syntax.Definition) -> TypeGroup? {
        switch definition.kind {
        case .enumeration: .enumeration
        case .object where isModel(definition.name.text): .model
        case .object where !isRoot(definition.name.text): .customType
        default: nil
        }
    }

    /// Whether a type is the root of an operation.
    func isRoot(_ name: String) -> Bool {
        let schemas = definitions.filter { $0.kind == .schema }
        if schemas.contains(where: { $0.members.contains { $0.type?.name.text == name } }) { return true }
        return schemas.isEmpty && Self.rootTypes.contains(name)
    }

    /// Inserts a type after the last one of its group, else at the end of the last file that has definitions.
    func insertType(
        _ group: TypeGroup, _ changes: inout Changes, _ text: (FileSyntax, ItemList.Spot) -> String
    ) {
        let last = definitions.last { !$0.isExtension && self.group(of: $0) == group }
        guard let last else {
            let index = files.lastIndex { !$0.definitions.isEmpty } ?? 0
            return append(to: index, &changes, text)
        }
        let file = files[last.file]
        let newline = file.newline(at: last.range.upperBound)
        let spot = ItemList.Spot(isOwnLine: true, endsLine: true, indentation: "", newline: newline)
        let end = file.ownedEnd(of: last.range.upperBound)
        let lineEnd = file.lineEnd(at: end)
        let gap = blankLines(around: last, in: file)
        let lead = String(repeating: newline, count: gap + 1)
        if file.isBlank(end..<lineEnd) {
            let next = file.afterTerminator(at: lineEnd)
            let isFollowed = next < file.bytes.count && !file.isBlank(next..<file.lineEnd(at: next))
            let trail = isFollowed ? String(repeating: newline, count: gap) : ""
            changes.insert(lead + text(file, spot) + trail, at: lineEnd, in: last.file)
        } else {
            changes.insert(lead + text(file, spot) + lead, at: last.range.upperBound, in: last.file)
        }
    }

    private func append(
        to index: Int, _ changes: inout Changes, _ text: (FileSyntax, ItemList.Spot) -> String
    ) {
        let file = files[index]
        let content = file.bytes.lastIndex { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
        let isEmpty = content.map { file.lineStart(at: 0) > $0 } ?? true
        let end = isEmpty ? file.lineStart(at: file.bytes.count) : (content ?? 0) + 1
        let newline = file.newline(at: end)
        let spot = ItemList.Spot(isOwnLine: true, endsLine: true, indentation: "", newline: newline)
        let written = text(file, spot)
        changes.insert(isEmpty ? written + newline : newline + newline + written, at: end, in: index)
    }

    /// How many blank lines stand between a definition and the one before or after it: none to two, else one.
    private func blankLines(around definition: Syntax.Definition, in file: FileSyntax) -> Int {
        let sorted = file.definitions
        guard let index = sorted.firstIndex(where: { $0.range == definition.range }), sorted.count > 1 else { return 1 }
        let (first, second) = index > 0 ? (sorted[index - 1], definition) : (definition, sorted[1])
        var position = file.afterTerminator(at: file.lineEnd(at: first.range.upperBound))
        let end = file.lineStart(at: file.ownedStart(of: second.range.lowerBound))
        guard position <= end else { return 1 }
        var count = 0
        while position < end {
            let lineEnd = file.lineEnd(at: position)
            count = file.isBlank(position..<lineEnd) ? count + 1 : 0
            position = file.afterTerminator(at: lineEnd)
        }
        return min(count, 2)
    }

    // MARK: - Removal

    /// Removes a definition with its comments, and the blank lines that then stand before the next one.
    func remove(_ definition: Syntax.Definition, _ changes: inout Changes) {
        let file = files[definition.file]
        let start = file.ownedStart(of: definition.range.lowerBound)
        let end = file.ownedEnd(of: definition.range.upperBound)
        let lineStart = file.lineStart(at: start)
        let lineEnd = file.lineEnd(at: end)
        guard file.isFirstOnLine(start), file.isBlank(end..<lineEnd) else {
            let next = file.token(startingFrom: definition.range.upperBound)?.start
            let isFollowed = next.map { $0 < lineEnd } ?? false
            return changes.remove(isFollowed ? start..<(next ?? end) : start..<end, in: definition.file)
        }
        var position = file.afterTerminator(at: lineEnd)
        var removalStart = lineStart
        let isBeforeBlank = position < file.bytes.count && isBlankLine(position, in: file)
        let isFirst = lineStart == 0 || file.lineStart(at: 0) == lineStart
        if isBeforeBlank, isFirst || isBlankLine(before: lineStart, in: file) {
            while position < file.bytes.count, isBlankLine(position, in: file) {
                position = file.afterTerminator(at: file.lineEnd(at: position))
            }
        } else if position == file.bytes.count {
            while removalStart > file.lineStart(at: 0), isBlankLine(before: removalStart, in: file) {
                removalStart = file.lineStart(at: removalStart - 1 - (isPair(before: removalStart, in: file) ? 1 : 0))
            }
        }
        changes.remove(removalStart..<position, in: definition.file)
    }

    private func isBlankLine(_ start: Int, in file: FileSyntax) -> Bool {
        file.isBlank(start..<file.lineEnd(at: start))
    }

    private func isBlankLine(before start: Int, in file: FileSyntax) -> Bool {
        guard start > 0 else { return false }
        let end = start - 1 - (isPair(before: start, in: file) ? 1 : 0)
        return file.isBlank(file.lineStart(at: end)..<end)
    }

    private func isPair(before start: Int, in file: FileSyntax) -> Bool {
        start > 1 && file.bytes[start - 1] == 0x0A && file.bytes[start - 2] == 0x0D
    }

    /// Removes an interface from those that a type implements, and the word with the last one.
    func removeInterface(
        _ index: Int, of definition: Syntax.Definition, _ changes: inout Changes
    ) throws(EditRefusal) {
        let names = definition.interfaces.map(\.range)
        let start = index > 0 ? names[index - 1].upperBound : definition.name.range.upperBound
        let end = index == 0 && names.count > 1 ? names[1].lowerBound : names[index].upperBound
        let first = index == 0 && names.count > 1 ? names[0].lowerBound : start
        try remove(first..<end, in: definition.file, &changes)
    }

    /// Removes a type from the members of a union that has others.
    func removeMemberType(
        _ index: Int, of definition: Syntax.Definition, _ changes: inout Changes
    ) throws(EditRefusal) {
        let names = definition.memberTypes.map(\.range)
        let range =
            index > 0
            ? names[index - 1].upperBound..<names[index].upperBound : names[0].lowerBound..<names[1].lowerBound
        try remove(range, in: definition.file, &changes)
    }

    /// Removes bytes among which stands no comment.
    func remove(_ range: Range<Int>, in file: Int, _ changes: inout Changes) throws(EditRefusal) {
        guard !files[file].hasComment(in: range) else {
            throw EditRefusal(
                .notExact, "A comment stands within what the edit changes.", hint: "Move the comment in the file.",
                place: place(range.lowerBound, in: file))
        }
        changes.remove(range, in: file)
    }
}
