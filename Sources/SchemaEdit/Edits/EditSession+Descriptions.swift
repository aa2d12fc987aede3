import GraphQL

extension EditSession {
    mutating func setDescription(
        of type: String, _ member: String?, to text: String?
    ) throws(EditRefusal) {
        let definition = try syntax.existingType(type)
        var (old, start, file) = (
            definition.description, definition.keyword.lowerBound, definition.file
        )
        if let member {
            let found = try syntax.existingMember(member, of: type)
            (old, start, file) = (found.member.description, found.member.name.range.lowerBound, found.file)
        }
        try step { syntax, changes throws(EditRefusal) in
            let lines = syntax.files[file]
            guard let text else {
                if let old { syntax.removeDescription(old, before: start, in: file, &changes) }
                return
            }
            if let old {
                guard old.stringValue(in: lines.source) != text else { return }
                let form = DescriptionText(text: text, prefersBlock: old.kind == .blockString)
                let allowsLines = lines.isFirstOnLine(old.start) && lines.hasLineEnd(in: old.end..<start)
                let written = form.written(
                    indentation: lines.indentation(at: old.start), newline: lines.newline(at: old.start),
                    allowsLines: allowsLines)
                return changes.replace(old.start..<old.end, in: file, with: written)
            }
            let isOwnLine = lines.isFirstOnLine(start)
            let spot = ItemList.Spot(
                isOwnLine: isOwnLine, endsLine: false, indentation: lines.indentation(at: start),
                newline: lines.newline(at: start))
            changes.insert(syntax.described(text, "", at: spot, in: lines), at: start, in: file)
        }
    }
}

extension SchemaSyntax {
    /// Removes a description, with its lines where nothing else is on them.
    fileprivate func removeDescription(
        _ description: SourceToken, before start: Int, in file: Int, _ changes: inout Changes
    ) {
        let lines = files[file]
        let lineEnd = lines.lineEnd(at: description.end)
        if lines.isFirstOnLine(description.start), lines.isBlank(description.end..<lineEnd) {
            let end = lines.afterTerminator(at: lineEnd)
            changes.remove(lines.lineStart(at: description.start)..<end, in: file)
        } else if start <= lineEnd {
            changes.remove(description.start..<start, in: file)
        } else {
            changes.remove(description.start..<description.end, in: file)
        }
    }
}
