import GraphQL

extension EditSession {
    // MARK: - Adding

    mutating func addKey(_ key: Edit.Key, to type: String) throws(EditRefusal) {
        let definition = try syntax.existingModel(type)
        try check(key, of: type)
        if let existing = syntax.key(named: key.name, of: type) {
            throw EditRefusal(
                .exists, "\(type) has \(key.name.map { "an index \($0)" } ?? "a primary key") already.",
                place: syntax.place(existing.directive.range.lowerBound, in: existing.definition.file))
        }
        try step { syntax, changes throws(EditRefusal) in
            if syntax.version == .one {
                let part = syntax.parts(of: type).first(where: \.isModel) ?? definition
                syntax.insertKey(key, of: part, &changes)
            } else {
                let found = try syntax.existingMember(key.fields[0], of: type)
                syntax.insertDirective(
                    after: found.member.directives, found.member.directivesStart, in: found.file, &changes
                ) { syntax.keyText(key, in: found.file, near: type, indentation: $0) }
            }
        }
    }

    /// Refuses a key whose fields a key cannot have.
    private func check(_ key: Edit.Key, of type: String) throws(EditRefusal) {
        guard !key.fields.isEmpty else { throw EditRefusal(.invalid, "A key needs a field.") }
        guard Set(key.fields).count == key.fields.count else {
            throw EditRefusal(.invalid, "A key cannot have the same field twice.")
        }
        if key.name == nil, key.queryField != .standard {
            throw EditRefusal(.invalid, "A primary key has no query of its own.")
        }
        for name in key.fields {
            let found = try syntax.existingMember(name, of: type)
            guard let reference = found.member.type else { continue }
            let isScalar =
                SchemaSyntax.builtInTypes.contains(reference.name.text) && reference.name.text != "Boolean"
                || syntax.type(reference.name.text)?.kind == .enumeration
            guard isScalar, !reference.node.isList else {
                throw EditRefusal(
                    .invalid, "\(found.subject) cannot be in a key: it is of type \(reference.node).",
                    place: syntax.place(reference.range.lowerBound, in: found.file))
            }
            guard key.name != nil || reference.node.isNonNull else {
                throw EditRefusal(
                    .invalid, "\(found.subject) cannot be in the primary key: it is not required.",
                    place: syntax.place(reference.range.lowerBound, in: found.file))
            }
        }
    }

    // MARK: - Changing

    mutating func changeKey(_ name: String?, of type: String, to key: Edit.Key) throws(EditRefusal) {
        _ = try syntax.existingModel(type)
        let old = try syntax.existingKey(named: name, of: type)
        guard (name == nil) == (key.name == nil) else {
            throw EditRefusal(
                .invalid, "A primary key cannot be changed to an index, nor an index to a primary key.",
                hint: "Remove one and add the other.",
                place: syntax.place(old.directive.range.lowerBound, in: old.definition.file))
        }
        try check(key, of: type)
        if let new = key.name, new != name, let existing = syntax.key(named: new, of: type) {
            throw EditRefusal(
                .exists, "\(type) has an index \(new) already.",
                place: syntax.place(existing.directive.range.lowerBound, in: existing.definition.file))
        }
        if old.member != nil, old.fields.first != key.fields.first { try moveKey(old, of: type, to: key.fields[0]) }
        try updateDirective(
            knowing: ["name", "fields", "sortKeyFields", "queryField"],
            to: { $0.keyArguments(key) }
        ) { syntax in
            // The name is one of the differences: the key has the old one before and the new one after.
            let found = syntax.key(named: name, of: type) ?? syntax.key(named: key.name, of: type)
            return found.map { ($0.definition.file, $0.directive) }
        }
        guard let name, let new = key.name, new != name else { return }
        try step { syntax, changes throws(EditRefusal) in
            syntax.rename(syntax.references(toIndex: name, of: type), to: new, &changes)
        }
    }

    /// In version 2 a key stands on its partition key. The directive is moved as it is written.
    private mutating func moveKey(
        _ old: SchemaSyntax.KeySyntax, of type: String, to field: String
    ) throws(EditRefusal) {
        let text = syntax.files[old.definition.file].text(old.directive.range)
        try step { syntax, changes throws(EditRefusal) in
            let found = try syntax.existingMember(field, of: type)
            syntax.remove(old.directive, in: old.definition.file, &changes)
            syntax.insertDirective(
                after: found.member.directives, found.member.directivesStart, in: found.file, &changes
            ) { _ in text }
        }
    }

    // MARK: - Removing

    mutating func removeKey(_ name: String?, of type: String) throws(EditRefusal) {
        _ = try syntax.existingModel(type)
        let key = try syntax.existingKey(named: name, of: type)
        let references =
            name.map { syntax.references(toIndex: $0, of: type) }
            ?? syntax.relations.filter { $0.target == type && $0.indexName == nil && !$0.fields.isEmpty }.map {
                SchemaSyntax.ReferenceSyntax(
                    file: $0.found.file, range: $0.directive.range, subject: $0.found.subject)
            }
        guard references.isEmpty else {
            throw EditRefusal(
                .referenced, "Relationships use the key.", hint: "Remove them first.",
                place: syntax.place(key.directive.range.lowerBound, in: key.definition.file),
                references: syntax.listed(references))
        }
        try step { syntax, changes throws(EditRefusal) in
            syntax.remove(key.directive, in: key.definition.file, &changes)
        }
    }
}

extension SchemaSyntax {
    /// The arguments of a key in this version, in the order in which they are written.
    func keyArguments(_ key: Edit.Key) -> [(name: String, value: ConstValue)] {
        func strings(_ names: some Sequence<String>) -> ConstValue { .list(names.map { .string($0) }) }
        var arguments: [(name: String, value: ConstValue)] = []
        if let name = key.name { arguments.append(("name", .string(name))) }
        if version == .one {
            arguments.append(("fields", strings(key.fields)))
        } else if key.fields.count > 1 {
            arguments.append(("sortKeyFields", strings(key.fields.dropFirst())))
        }
        switch key.queryField {
        case .named(let name): arguments.append(("queryField", .string(name)))
        case .none where version == .two: arguments.append(("queryField", .null))
        case .none, .standard: break
        }
        return arguments
    }

    fileprivate func keyText(_ key: Edit.Key, in file: Int, near type: String, indentation: String) -> String {
        let name = version == .one ? "key" : key.name == nil ? "primaryKey" : "index"
        return directiveText(
            name, keyArguments(key).map { ($0.name, $0.value) }, in: file, near: type, indentation: indentation)
    }

    /// Version 1: after the last key of the type, else after its last directive.
    fileprivate func insertKey(_ key: Edit.Key, of part: Syntax.Definition, _ changes: inout Changes) {
        let count = part.directives.lastIndex { $0.name.text == "key" }.map { $0 + 1 } ?? part.directives.count
        insertDirective(
            after: Array(part.directives.prefix(count)), part.directivesStart, in: part.file, &changes
        ) { keyText(key, in: part.file, near: part.name.text, indentation: $0) }
    }
}
