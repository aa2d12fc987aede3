import GraphQL

/// Moves the edits of a draft to a file that changed elsewhere, or refuses them.
///
/// Texts are compared by lines. An edit that touches a changed line is a conflict, and so is a result that defines a name
/// twice or refers to a type or an index that is gone.
public enum SchemaMerge {
    /// The edits for the files as they are now.
    /// - Parameters:
    ///   - edits: The edits of the files as they were, `base`.
    ///   - current: The files as they are now.
    public static func merge(
        _ edits: TextEdits, of base: [SchemaFile], into current: [SchemaFile], limits: SchemaEditLimits = .standard
    ) throws(EditRefusal) -> TextEdits {
        guard let ours = edits.applied(to: base) else {
            throw EditRefusal(.invalid, "The edits are not edits of these files.")
        }
        var merged: [TextEdit] = []
        for file in base where edits.edits.contains(where: { $0.file == file.name }) {
            guard let changed = current.first(where: { $0.name == file.name }) else {
                throw EditRefusal(
                    .conflict, "The file \(file.name) is gone.", hint: "Keep the draft's text, or discard it.")
            }
            merged += try merge(edits.edits.filter { $0.file == file.name }, of: file, into: changed, limits)
        }
        let result = TextEdits(checked: merged)
        guard let files = result.applied(to: current) else {
            throw EditRefusal(.conflict, "The edits do not fit the files.")
        }
        try refuseContradictions(in: files, base: base, ours: ours, theirs: current, limits)
        return result
    }

    /// What the files changed since `base`, moved onto the files as they are now.
    /// - Parameters:
    ///   - files: The draft, with each file of `base`.
    public static func merge(
        _ files: [SchemaFile], of base: [SchemaFile], into current: [SchemaFile], limits: SchemaEditLimits = .standard
    ) throws(EditRefusal) -> [SchemaFile] {
        for file in base where !files.contains(where: { $0.name == file.name }) {
            throw EditRefusal(.invalid, "The draft has no file \(file.name).")
        }
        guard let edits = SchemaDifference.edits(from: base, to: files, limits: limits) else {
            throw EditRefusal(.limit, "The draft differs in too many lines.")
        }
        let moved = try merge(edits, of: base, into: current, limits: limits)
        guard var merged = moved.applied(to: current) else {
            throw EditRefusal(.conflict, "The draft does not fit the files.")
        }
        for file in files where !base.contains(where: { $0.name == file.name }) {
            if let other = current.first(where: { $0.name == file.name }) {
                guard other.bytes == file.bytes else {
                    throw EditRefusal(.conflict, "Both changes add the file \(file.name).")
                }
            } else {
                merged.append(file)
            }
        }
        return merged
    }

    /// Moves the edits of a file by what was inserted and removed before them.
    private static func merge(
        _ edits: [TextEdit], of base: SchemaFile, into current: SchemaFile, _ limits: SchemaEditLimits
    ) throws(EditRefusal) -> [TextEdit] {
        guard let hunks = LineDifference.hunks(from: base.bytes, to: current.bytes, limits: limits) else {
            throw EditRefusal(.limit, "The versions of \(base.name) differ in too many lines.")
        }
        var merged: [TextEdit] = []
        var index = 0
        var shift = 0
        for edit in edits {
            while index < hunks.count, hunks[index].old.upperBound < edit.start {
                shift = hunks[index].new.upperBound - hunks[index].old.upperBound
                index += 1
            }
            if index < hunks.count, hunks[index].old.lowerBound <= lineEnd(of: edit, in: base.bytes) {
                throw EditRefusal(
                    .conflict, "The draft and another change edit the same lines of \(base.name).",
                    hint: "Compare both and choose.",
                    place: SchemaSyntax.place(
                        of: hunks[index].new.lowerBound, in: Source(current.bytes, name: current.name)))
            }
            merged.append(
                TextEdit(file: edit.file, start: edit.start + shift, end: edit.end + shift, text: edit.text))
        }
        return merged
    }

    /// The end of an edit; of one that inserts lines, the start of the next line.
    private static func lineEnd(of edit: TextEdit, in bytes: [UInt8]) -> Int {
        guard edit.text.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return edit.end }
        let end = bytes[edit.end...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count
        let isPair = bytes[end...].starts(with: [0x0D, 0x0A])
        return min(bytes.count, end + (isPair ? 2 : 1))
    }

    // MARK: - Contradictions

    private static func refuseContradictions(
        in files: [SchemaFile], base: [SchemaFile], ours: [SchemaFile], theirs: [SchemaFile],
        _ limits: SchemaEditLimits
    ) throws(EditRefusal) {
        // If a side has syntax errors, its author sees them as usual.
        guard let ours = try? SchemaSyntax(ours, version: nil, limits: limits),
            let theirs = try? SchemaSyntax(theirs, version: nil, limits: limits),
            let base = try? SchemaSyntax(base, version: nil, limits: limits)
        else { return }
        let result: SchemaSyntax
        do throws(EditRefusal) {
            result = try SchemaSyntax(files, version: nil, limits: limits)
        } catch {
            throw EditRefusal(
                .conflict, "Both changes together are not a valid schema: \(error.message)", hint: error.hint,
                place: error.place)
        }
        try refuseMisplaced(in: result, base: base, ours: ours, theirs: theirs)
        let known = Set(ours.contradictions.map(\.subject)).union(theirs.contradictions.map(\.subject))
        guard let new = result.contradictions.first(where: { !known.contains($0.subject) }) else { return }
        throw EditRefusal(
            .conflict, "The two changes contradict each other: \(new.subject).", hint: "Compare both and choose.",
            place: result.place(new.range.lowerBound, in: new.file))
    }
}

extension SchemaMerge {
    /// The comparison can match equal lines of different parts and so move an edit to the wrong place. Each part of the result
    /// must be as it is on the side that changed it.
    private static func refuseMisplaced(
        in result: SchemaSyntax, base: SchemaSyntax, ours: SchemaSyntax, theirs: SchemaSyntax
    ) throws(EditRefusal) {
        let (base, ours, theirs) = (base.parts, ours.parts, theirs.parts)
        let merged = result.parts
        for name in Set(base.keys).union(ours.keys).union(theirs.keys).union(merged.keys).sorted() {
            let expected = ours[name]?.text == base[name]?.text ? theirs[name] : ours[name]
            let isOnlyChange = ours[name]?.text == base[name]?.text || theirs[name]?.text == base[name]?.text
            if merged[name]?.text == expected?.text, isOnlyChange || ours[name]?.text == theirs[name]?.text { continue }
            throw EditRefusal(
                .conflict, "Both changes edit \(name).", hint: "Compare both and choose.",
                place: merged[name].map { result.place($0.offset, in: $0.file) })
        }
    }
}

extension SchemaSyntax {
    /// The tokens of each member, and of each definition without its members, by name.
    fileprivate var parts: [String: (text: String, file: Int, offset: Int)] {
        var parts: [String: (text: String, file: Int, offset: Int)] = [:]
        func add(_ name: String, _ file: Int, _ ranges: [Range<Int>]) {
            let text = ranges.flatMap { files[file].tokenTexts(in: $0) }.joined(separator: " ")
            let known = parts[name].map { $0.text + "\n" } ?? ""
            parts[name] = (known + text, file, ranges[0].lowerBound)
        }
        for definition in definitions {
            let name = definition.name.text
            let braces = definition.braces ?? definition.range.upperBound..<definition.range.upperBound
            let subject = definition.isExtension ? "the extension of \(name)" : name
            add(
                subject, definition.file,
                [definition.range.lowerBound..<braces.lowerBound, braces.upperBound..<definition.range.upperBound])
            for member in definition.members where definition.braces != nil {
                add("\(name).\(member.name.text)", definition.file, [member.range])
            }
        }
        return parts
    }

    /// Names that are defined twice, and references to a type or an index that does not exist.
    fileprivate var contradictions: [ReferenceSyntax] {
        var found: [ReferenceSyntax] = []
        var names: Set<String> = []
        func define(_ name: String, _ file: Int, _ range: Range<Int>) {
            guard !names.insert(name).inserted else { return }
            found.append(ReferenceSyntax(file: file, range: range, subject: "\(name) is defined twice"))
        }
        func refer(_ type: Syntax.TypeReference?, _ file: Int, _ subject: String) {
            guard let type, parts(of: type.name.text).isEmpty, !Self.builtInTypes.contains(type.name.text) else {
                return
            }
            found.append(
                ReferenceSyntax(
                    file: file, range: type.range,
                    subject: "\(subject) refers to the type \(type.name.text), which is gone"))
        }
        for definition in definitions {
            let name = definition.kind == .directive ? "@" + definition.name.text : definition.name.text
            if !definition.isExtension { define(name, definition.file, definition.name.range) }
            for member in definition.members where definition.kind != .directive {
                let subject = "\(name).\(member.name.text)"
                define(subject, definition.file, member.name.range)
                refer(member.type, definition.file, subject)
                for argument in member.arguments { refer(argument.type, definition.file, subject) }
            }
            guard definition.kind == .object else { continue }
            for key in keys(of: name) where key.definition.range == definition.range {
                // An index without a name has one that is derived from its fields, so that there may be several.
                guard key.isPrimary || key.name != nil else { continue }
                let subject = key.name.map { "key \($0)" } ?? "primary key"
                define("the \(subject) of \(name)", definition.file, key.directive.range)
            }
        }
        for relation in relations {
            guard let index = relation.indexName, key(named: index, of: relation.target) == nil else { continue }
            found.append(
                ReferenceSyntax(
                    file: relation.found.file, range: relation.directive.range,
                    subject: "\(relation.found.subject) refers to the index \(index), which is gone"))
        }
        return found
    }
}
