import GraphQL

extension SchemaSyntax {
    // MARK: - Members

    /// The members of a definition as a list; nil where it has no braces.
    func memberList(of definition: Syntax.Definition) -> ItemList? {
        definition.braces.map { braces in
            ItemList(
                file: files[definition.file], range: braces, items: definition.members.map(\.range),
                separator: memberSeparator(in: definition))
        }
    }

    /// What stands between the members of one line, as another type of the file has it.
    private func memberSeparator(in definition: Syntax.Definition) -> String {
        let file = files[definition.file]
        for other in file.definitions where other.kind == definition.kind && other.members.count > 1 {
            let gap = other.members[0].range.upperBound..<other.members[1].range.lowerBound
            if !gap.isEmpty, file.isBlank(gap) { return file.text(gap) }
        }
        return definition.kind == .enumeration ? " " : ", "
    }

    /// Inserts a member into a type, in the part that has its neighbour.
    func insertMember(
        into type: String, _ position: Edit.Position, _ changes: inout Changes,
        _ text: (ItemList.Spot, FileSyntax) -> String
    ) throws(EditRefusal) {
        let main = try existingType(type)
        var part = parts(of: type).first { $0.braces != nil }
        var place = ItemList.Position.last
        switch position {
        case .first: place = .first
        case .last: break
        case .after(let name):
            let found = try existingMember(name, of: type)
            (part, place) = (found.definition, .after(found.index))
        }
        guard let part, let list = memberList(of: part) else {
            let file = files[main.file]
            let end = main.range.upperBound
            let newline = file.newline(at: end)
            let outer = file.indentation(at: main.keyword.lowerBound)
            let spot = ItemList.Spot(
                isOwnLine: true, endsLine: true, indentation: outer + file.indentationUnit, newline: newline)
            let lines = " {" + newline + spot.indentation + text(spot, file) + newline + outer + "}"
            return changes.insert(lines, at: end, in: main.file)
        }
        list.insert(place, into: &changes) { text($0, list.file) }
    }

    /// The text of a field.
    /// - Parameter directives: The directives after the type, already written.
    func fieldText(
        _ name: String, _ type: TypeNode, directives: [String] = [], description: String? = nil,
        at spot: ItemList.Spot, in file: FileSyntax
    ) -> String {
        let line = ([name + ": " + type.description] + directives).joined(separator: " ")
        return described(description, line, at: spot, in: file)
    }

    /// A member or a definition with its description before it.
    func described(
        _ description: String?, _ text: String, at spot: ItemList.Spot, in file: FileSyntax
    ) -> String {
        guard let description else { return text }
        let form = DescriptionText(
            text: description, prefersBlock: file.prefersBlockDescriptions)
        let written = form.written(
            indentation: spot.indentation, newline: spot.newline, allowsLines: spot.isOwnLine)
        return written + (spot.isOwnLine ? spot.newline + spot.indentation : " ") + text
    }

    // MARK: - Directives

    /// The text of a directive in the layout of another one of its name: one of the type, else of the file, else of any file.
    func directiveText(
        _ name: String, _ arguments: [(String, ConstValue)], in file: Int, near type: String? = nil,
        indentation: String
    ) -> String {
        let own = type.map { parts(of: $0).filter { $0.file == file } } ?? []
        for (index, definitions) in [(file, own)] + [(file, files[file].definitions)]
            + files.indices.map({ ($0, files[$0].definitions) })
        {
            let all = definitions.lazy.flatMap { $0.directives + $0.members.flatMap(\.directives) }
            guard let example = all.first(where: { $0.name.text == name && !$0.arguments.isEmpty }) else { continue }
            let newline = files[file].newline(at: 0)
            return ValueText(file: files[index], newline: newline).directive(
                name, arguments, like: example, indentation: indentation)
        }
        return ValueText(file: nil, newline: "\n").directive(name, arguments, like: nil, indentation: indentation)
    }

    /// Inserts a directive after those that are there: on a line of its own where they are, else on the same line.
    func insertDirective(
        after directives: [Syntax.Directive], _ start: Int, in file: Int, _ changes: inout Changes,
        _ text: (_ indentation: String) -> String
    ) {
        let syntax = files[file]
        guard let last = directives.last, syntax.isFirstOnLine(last.range.lowerBound) else {
            let end = directives.last?.range.upperBound ?? start
            return changes.insert(" " + text(syntax.indentation(at: end)), at: end, in: file)
        }
        let indentation = syntax.indentation(at: last.range.lowerBound)
        let end = syntax.ownedEnd(of: last.range.upperBound)
        changes.insert(syntax.newline(at: end) + indentation + text(indentation), at: end, in: file)
    }

    /// Removes a directive, with its line if nothing else is on it.
    func remove(_ directive: Syntax.Directive, in file: Int, _ changes: inout Changes) {
        let syntax = files[file]
        let range = directive.range
        let lineEnd = syntax.lineEnd(at: range.upperBound)
        let next = syntax.token(startingFrom: range.upperBound)?.start ?? syntax.bytes.count
        let previous = syntax.token(endingBy: range.lowerBound)?.end ?? 0
        if previous >= syntax.lineStart(at: range.lowerBound) {
            changes.remove(previous..<range.upperBound, in: file)
        } else if syntax.isFirstOnLine(range.lowerBound), syntax.isBlank(range.upperBound..<lineEnd) {
            changes.remove(
                syntax.lineStart(at: range.lowerBound)..<syntax.afterTerminator(at: lineEnd), in: file)
        } else if next <= lineEnd {
            changes.remove(range.lowerBound..<next, in: file)
        } else {
            changes.remove(range, in: file)
        }
    }

    // MARK: - Strings

    /// Replaces the text of a string token, in the form that it has.
    func replaceString(_ range: Range<Int>, in file: Int, with text: String, _ changes: inout Changes) {
        let isBlock = files[file].text(range).hasPrefix("\"\"\"")
        let quotes = isBlock ? "\"\"\"" : "\""
        changes.replace(range, in: file, with: quotes + text + quotes)
    }

    /// Gives a reference another name.
    func rename(_ references: [ReferenceSyntax], to name: String, _ changes: inout Changes) {
        for reference in references {
            if reference.isString {
                replaceString(reference.range, in: reference.file, with: name, &changes)
            } else {
                changes.replace(reference.range, in: reference.file, with: name)
            }
        }
    }

    // MARK: - Refusals

    func refuseBuiltIn(_ name: String) throws(EditRefusal) {
        guard Self.builtInTypes.contains(name) || Self.rootTypes.contains(name) || name == "AMPLIFY" else { return }
        throw EditRefusal(.invalid, "\(name) is a reserved name and cannot be the name of a type.")
    }

    func refuseExistingType(_ name: String) throws(EditRefusal) {
        try refuseBuiltIn(name)
        guard let existing = parts(of: name).first else { return }
        throw EditRefusal(
            .exists, "The schema has a type \(name) already.",
            place: place(existing.name.range.lowerBound, in: existing.file))
    }

    func refuseExistingMember(_ name: String, of type: String) throws(EditRefusal) {
        guard let existing = member(name, of: type) else { return }
        throw EditRefusal(
            .exists, "\(existing.subject) is there already.",
            place: place(existing.member.name.range.lowerBound, in: existing.file))
    }

    /// The scalars that every schema has.
    static let builtInTypes: Set = [
        "String", "Int", "Float", "Boolean", "ID", "AWSDate", "AWSTime", "AWSDateTime", "AWSTimestamp", "AWSEmail",
        "AWSJSON", "AWSURL", "AWSPhone", "AWSIPAddress", "BigInt", "Double",
    ]
    static let rootTypes: Set = ["Query", "Mutation", "Subscription"]
}
