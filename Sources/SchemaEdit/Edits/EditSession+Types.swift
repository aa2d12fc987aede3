import GraphQL

extension EditSession {
    // MARK: - Adding

    mutating func addObject(_ object: Edit.Object, isModel: Bool) throws(EditRefusal) {
        try syntax.refuseExistingType(object.name)
        var fields = object.fields
        if fields.isEmpty {
            guard isModel else { throw EditRefusal(.invalid, "A type needs a field.") }
            fields = [Edit.Field(name: "id", type: "ID", isRequired: true)]
        }
        guard Set(fields.map(\.name)).count == fields.count else {
            throw EditRefusal(.invalid, "Two fields of \(object.name) have the same name.")
        }
        for field in fields {
            guard field.type != object.name || !isModel else { throw modelField(field, of: object.name) }
            if field.type != object.name { try checkNewField(field, of: object.name) }
        }
        try step { syntax, changes throws(EditRefusal) in
            syntax.insertType(isModel ? .model : .customType, &changes) { file, spot in
                var directives = isModel ? ["@model"] : []
                if !object.rules.isEmpty {
                    directives.append(
                        syntax.directiveText("auth", [("rules", .list(object.rules))], in: file.index, indentation: ""))
                }
                let inner = ItemList.Spot(
                    isOwnLine: true, endsLine: true, indentation: file.indentationUnit, newline: spot.newline)
                let lines = fields.map { field in
                    inner.indentation
                        + syntax.fieldText(
                            field.name, field.node, directives: syntax.defaultDirectives(field, in: file.index),
                            description: field.description, at: inner, in: file)
                }
                let head = (["type", object.name] + directives + ["{"]).joined(separator: " ")
                return syntax.described(
                    object.description, ([head] + lines + ["}"]).joined(separator: spot.newline), at: spot, in: file)
            }
        }
    }

    mutating func addEnum(_ name: String, _ values: [String], _ description: String?) throws(EditRefusal) {
        try syntax.refuseExistingType(name)
        guard !values.isEmpty else { throw EditRefusal(.invalid, "An enum needs a value.") }
        guard Set(values).count == values.count else {
            throw EditRefusal(.invalid, "Two values of \(name) have the same name.")
        }
        for value in values { try checkEnumValue(value) }
        try step { syntax, changes throws(EditRefusal) in
            syntax.insertType(.enumeration, &changes) { file, spot in
                let lines = values.map { file.indentationUnit + $0 }
                return syntax.described(
                    description, (["enum \(name) {"] + lines + ["}"]).joined(separator: spot.newline), at: spot,
                    in: file)
            }
        }
    }

    // MARK: - Removing

    mutating func removeType(_ name: String, _ removesReferences: Bool) throws(EditRefusal) {
        let type = try syntax.existingType(name)
        let outside =
            syntax.references(toType: name).filter { !isWithin($0, name) }
            + syntax.references(toGeneratedNamesOf: name).filter { !isWithin($0, name) }
        guard removesReferences || outside.isEmpty else {
            throw EditRefusal(
                .referenced, "Other parts of the schema refer to \(name).",
                hint: "Remove the references as well, or change them first.",
                place: syntax.place(type.name.range.lowerBound, in: type.file), references: syntax.listed(outside))
        }
        for _ in outside {
            guard let reference = syntax.references(toType: name).first(where: { !isWithin($0, name) }) else { break }
            try remove(reference, to: name)
        }
        let rest = syntax.references(toGeneratedNamesOf: name).filter { !isWithin($0, name) }
        guard rest.isEmpty else { throw cannotRemove(rest[0]) }
        while let part = syntax.parts(of: name).last {
            try step { syntax, changes throws(EditRefusal) in syntax.remove(part, &changes) }
        }
    }

    private func isWithin(_ reference: SchemaSyntax.ReferenceSyntax, _ name: String) -> Bool {
        syntax.parts(of: name).contains { $0.file == reference.file && $0.range.contains(reference.range.lowerBound) }
    }

    private mutating func remove(
        _ reference: SchemaSyntax.ReferenceSyntax, to name: String
    ) throws(EditRefusal) {
        switch reference.part {
        case .field(let found):
            let type = found.definition.name.text
            try removeMember(found.member.name.text, of: type, ignoring: name)
        case .interface(let definition, let index):
            try step { syntax, changes throws(EditRefusal) in
                try syntax.removeInterface(index, of: definition, &changes)
            }
        case .memberType(let definition, let index):
            guard definition.memberTypes.count > 1 else { throw cannotRemove(reference) }
            try step { syntax, changes throws(EditRefusal) in
                try syntax.removeMemberType(index, of: definition, &changes)
            }
        case .other: throw cannotRemove(reference)
        }
    }

    private func cannotRemove(_ reference: SchemaSyntax.ReferenceSyntax) -> EditRefusal {
        EditRefusal(
            .notExact, "\(reference.subject) refers to the type and cannot be removed with it.",
            hint: "Change it in the file.", place: syntax.place(reference.range.lowerBound, in: reference.file),
            references: syntax.listed([reference]))
    }

    // MARK: - Renaming

    mutating func renameType(_ name: String, to new: String, _ keepsData: Bool) throws(EditRefusal) {
        let type = try syntax.existingType(name)
        guard name != new else { return }
        guard !SchemaSyntax.rootTypes.contains(name), name != "AMPLIFY" else {
            throw EditRefusal(
                .invalid, "\(name) is a reserved name: the type cannot be renamed.",
                place: syntax.place(type.name.range.lowerBound, in: type.file))
        }
        try syntax.refuseExistingType(new)
        let isModel = syntax.isModel(name)
        if isModel, let reference = syntax.references(toGeneratedNamesOf: name).first {
            throw EditRefusal(
                .notExact, "\(reference.subject) uses a name that is generated for \(name).",
                hint: "Change it in the file.", place: syntax.place(reference.range.lowerBound, in: reference.file))
        }
        let keys = isModel ? syntax.relations.filter { $0.type == name }.compactMap(syntax.generatedKey) : []
        if isModel, version == .one { try refuseDeclaredKeys(of: name) }
        try step { syntax, changes throws(EditRefusal) in
            for part in syntax.parts(of: name) { changes.replace(part.name.range, in: part.file, with: new) }
            syntax.rename(syntax.references(toType: name), to: new, &changes)
        }
        guard isModel else { return }
        if version == .two { return try mapTable(of: new, from: name, keepsData) }
        guard keepsData else { return }
        add(.type(old: name, new: new))
        let renamed = syntax.relations.filter { $0.type == new }.compactMap(syntax.generatedKey)
        for (old, key) in zip(keys, renamed) where old.name != key.name {
            add(.field(type: key.type, old: old.name, new: key.name))
        }
    }

    /// A field that is declared under the name of a generated key would hold it no longer.
    private func refuseDeclaredKeys(of type: String) throws(EditRefusal) {
        for relation in syntax.relations where relation.type == type && relation.directive["keyField"] == nil {
            guard let key = syntax.generatedKey(of: relation), let field = syntax.member(key.name, of: key.type) else {
                continue
            }
            throw EditRefusal(
                .notExact, "\(field.subject) holds the key of \(relation.found.subject) by its name.",
                hint: "Write keyField: \"\(key.name)\" in its @connection first.",
                place: syntax.place(field.member.name.range.lowerBound, in: field.file))
        }
    }

    /// In version 2 the table stays by `@mapsTo`, which goes where the name is the table's again.
    private mutating func mapTable(of type: String, from old: String, _ keepsData: Bool) throws(EditRefusal) {
        try step { syntax, changes throws(EditRefusal) in
            let mapping = syntax.directives("mapsTo", of: type).first
            let stored = syntax.storedName(of: type)
            if let mapping, !keepsData || stored == type {
                syntax.remove(mapping.directive, in: mapping.definition.file, &changes)
            } else if keepsData, stored == nil {
                guard let part = syntax.parts(of: type).first(where: \.isModel) else { return }
                syntax.insertDirective(after: part.directives, part.directivesStart, in: part.file, &changes) {
                    syntax.directiveText("mapsTo", [("name", .string(old))], in: part.file, indentation: $0)
                }
            }
        }
    }
}
