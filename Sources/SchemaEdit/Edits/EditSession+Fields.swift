import GraphQL

extension EditSession {
    // MARK: - Adding

    mutating func addField(
        _ field: Edit.Field, to type: String, _ position: Edit.Position
    ) throws(EditRefusal) {
        _ = try syntax.existingType(type, [.object])
        try syntax.refuseExistingMember(field.name, of: type)
        try checkNewField(field, of: type)
        try step { syntax, changes throws(EditRefusal) in
            try syntax.insertMember(into: type, position, &changes) { spot, file in
                syntax.fieldText(
                    field.name, field.node, directives: syntax.defaultDirectives(field, in: file.index),
                    description: field.description, at: spot, in: file)
            }
        }
    }

    /// Refuses a field that a schema of this version cannot have.
    func checkNewField(_ field: Edit.Field, of type: String) throws(EditRefusal) {
        try checkFieldType(field.type)
        if syntax.isModel(field.type) { throw modelField(field, of: type) }
        if field.defaultValue != nil, version == .one { throw defaultOfVersionOne() }
    }

    func checkFieldType(_ name: String) throws(EditRefusal) {
        guard !SchemaSyntax.builtInTypes.contains(name) else { return }
        let definition = try syntax.existingType(name)
        guard definition.kind == .inputObject else { return }
        throw EditRefusal(
            .invalid, "\(name) is an input type and cannot be the type of a field.",
            place: syntax.place(definition.name.range.lowerBound, in: definition.file))
    }

    func modelField(_ field: Edit.Field, of type: String) -> EditRefusal {
        EditRefusal(
            .invalid, "\(field.type) is a model: \(type).\(field.name) would be a relationship.",
            hint: "Add a relationship instead.")
    }

    private func defaultOfVersionOne() -> EditRefusal {
        EditRefusal(.invalid, "Version 1 has no defaults.", hint: "They are written @default in version 2.")
    }

    // MARK: - Changing

    mutating func changeField(
        _ name: String, of type: String, _ change: Edit.FieldChange
    ) throws(EditRefusal) {
        _ = try syntax.existingType(type, [.object])
        let found = try syntax.existingMember(name, of: type)
        guard let reference = found.member.type else { return }
        let node = changed(reference.node, change)
        if let target = change.type, target != reference.name.text {
            try checkFieldType(target)
            guard !syntax.isModel(target) else {
                throw modelField(Edit.Field(name: name, type: target), of: type)
            }
        }
        if let relation = syntax.relation(of: found),
            node.namedType != relation.target || node.isList != relation.isList
        {
            throw EditRefusal(
                .notExact, "\(found.subject) is a relationship.", hint: "Remove it and add another one.",
                place: syntax.place(relation.directive.range.lowerBound, in: found.file))
        }
        if let interface = syntax.interfaceField(name, of: type), node != reference.node {
            throw EditRefusal(
                .notExact, "The interface \(interface.definition.name.text) has the field \(name).",
                hint: "Change both in the file.",
                place: syntax.place(of: interface))
        }
        try step { syntax, changes throws(EditRefusal) in
            try syntax.change(reference, to: node, in: found.file, &changes)
        }
        guard let value = change.defaultValue else { return }
        try changeDefault(value, of: name, in: type)
    }

    private func changed(_ old: TypeNode, _ change: Edit.FieldChange) -> TypeNode {
        var inner = old.renamed(change.type ?? old.namedType).nullable
        let isList = change.isList ?? old.isList
        if isList != old.isList {
            let element = TypeNode.named(inner.namedType)
            inner = isList ? .list(change.isElementRequired == true ? .nonNull(element) : element) : element
        } else if isList, let isRequired = change.isElementRequired, let element = inner.element {
            inner = .list(isRequired ? element.nonNullable : element.nullable)
        }
        return change.isRequired ?? old.isNonNull ? .nonNull(inner) : inner
    }

    private mutating func changeDefault(
        _ value: Edit.FieldChange.Default, of name: String, in type: String
    ) throws(EditRefusal) {
        switch value {
        case .remove:
            try step { syntax, changes throws(EditRefusal) in
                guard let found = syntax.member(name, of: type), let directive = found.member.directive("default")
                else { return }
                syntax.remove(directive, in: found.file, &changes)
            }
        case .set(let text):
            guard version == .two else { throw defaultOfVersionOne() }
            try step { syntax, changes throws(EditRefusal) in
                let found = try syntax.existingMember(name, of: type)
                if let value = found.member.directive("default")?["value"]?.value {
                    guard value.node.stringValue != text else { return }
                    changes.replace(value.range, in: found.file, with: ConstValue.string(text).description)
                } else {
                    syntax.insertDirective(
                        after: found.member.directives, found.member.directivesStart, in: found.file, &changes
                    ) {
                        syntax.directiveText(
                            "default", [("value", .string(text))], in: found.file, near: type, indentation: $0)
                    }
                }
            }
        }
    }

    // MARK: - Moving

    mutating func moveField(_ name: String, of type: String, _ position: Edit.Position) throws(EditRefusal) {
        _ = try syntax.existingType(type, [.object, .interface, .inputObject])
        try moveMember(name, of: type, position, noun: "field")
    }

    /// Moves a field, or a value of an enum, within the part of the type that has it.
    /// - Parameter noun: What it is, for refusals.
    mutating func moveMember(
        _ name: String, of type: String, _ position: Edit.Position, noun: String
    ) throws(EditRefusal) {
        let found = try syntax.existingMember(name, of: type)
        let count = found.definition.members.count
        var place = ItemList.Position.last
        switch position {
        case .first:
            guard found.index > 0 else { return }
            place = .first
        case .last:
            guard found.index < count - 1 else { return }
        case .after(let anchor):
            guard anchor != name else { throw EditRefusal(.invalid, "A \(noun) cannot stand after itself.") }
            let other = try syntax.existingMember(anchor, of: type)
            guard other.definition.range == found.definition.range, other.file == found.file else {
                throw EditRefusal(
                    .notExact, "\(found.subject) and \(other.subject) stand in different parts of the type.",
                    hint: "Move the \(noun) in the file.",
                    place: syntax.place(of: found))
            }
            guard other.index != found.index - 1 else { return }
            place = .after(other.index)
        }
        try step { syntax, changes throws(EditRefusal) in
            guard let list = syntax.memberList(of: found.definition) else { return }
            guard list.move(found.index, to: place, in: &changes) else {
                throw EditRefusal(
                    .notExact, "The comment of \(found.subject) cannot be on a line with other \(noun)s.",
                    hint: "Move the \(noun) in the file.",
                    place: syntax.place(of: found))
            }
        }
    }

    // MARK: - Removing

    mutating func removeField(_ name: String, of type: String) throws(EditRefusal) {
        _ = try syntax.existingType(type, [.object])
        try removeMember(name, of: type, ignoring: nil)
    }

    /// Removes a field to which nothing refers.
    /// - Parameter removedType: A type that is removed too, so that references in it do not count.
    mutating func removeMember(
        _ name: String, of type: String, ignoring removedType: String?, ignoringReverse: Bool = false
    ) throws(EditRefusal) {
        let found = try syntax.existingMember(name, of: type)
        var references = syntax.references(toField: name, of: type)
        references.removeAll { reference in
            let isOwn = reference.file == found.file && found.member.range.contains(reference.range.lowerBound)
            let isRemoved = removedType.map { removed in
                syntax.parts(of: removed).contains {
                    $0.file == reference.file && $0.range.contains(reference.range.lowerBound)
                }
            }
            return isOwn || isRemoved == true
        }
        if let relation = syntax.relation(of: found), !ignoringReverse, relation.target != removedType,
            let reverse = syntax.reverse(of: relation), syntax.needsReverse(reverse)
        {
            references.append(
                SchemaSyntax.ReferenceSyntax(
                    file: reverse.found.file, range: reverse.directive.range, subject: reverse.found.subject))
        }
        for key in syntax.keys(of: type) where key.member?.member.name.text == name {
            // In version 2 the field's own directive is the key.
            if key.isPrimary {
                references.append(
                    SchemaSyntax.ReferenceSyntax(
                        file: found.file, range: key.directive.range, subject: "@primaryKey of \(type)"))
            } else if let index = key.name {
                references += syntax.references(toIndex: index, of: type)
            }
        }
        if let interface = syntax.interfaceField(name, of: type) {
            references.append(
                SchemaSyntax.ReferenceSyntax(
                    file: interface.file, range: interface.member.range, subject: interface.subject))
        }
        guard references.isEmpty else {
            throw EditRefusal(
                .referenced, "Other parts of the schema refer to \(found.subject).", hint: "Change them first.",
                place: syntax.place(of: found),
                references: syntax.listed(references))
        }
        guard found.definition.members.count > 1 else {
            throw EditRefusal(
                .notExact, "\(found.subject) is the only field of its type.",
                hint: "Remove the type, or add another field first.",
                place: syntax.place(of: found))
        }
        try step { syntax, changes throws(EditRefusal) in
            syntax.memberList(of: found.definition)?.remove(found.index, from: &changes)
        }
    }
}

extension SchemaSyntax {
    func defaultDirectives(_ field: Edit.Field, in file: Int) -> [String] {
        field.defaultValue.map {
            [directiveText("default", [("value", .string($0))], in: file, indentation: "")]
        } ?? []
    }

    /// The field of an interface that a type implements.
    func interfaceField(_ name: String, of type: String) -> Found? {
        for interface in parts(of: type).flatMap(\.interfaces) {
            if let found = member(name, of: interface.text) { return found }
        }
        return nil
    }

    /// Changes a type reference: its name, its last exclamation mark, or the whole.
    func change(
        _ old: Syntax.TypeReference, to new: TypeNode, in file: Int, _ changes: inout Changes
    ) throws(EditRefusal) {
        guard old.node != new else { return }
        if old.node.nullable.renamed(new.namedType) == new.nullable {
            changes.replace(old.name.range, in: file, with: new.namedType)
            if new.isNonNull, !old.node.isNonNull { changes.insert("!", at: old.range.upperBound, in: file) }
        } else if !old.node.isList, let element = new.element, !element.isList {
            changes.insert("[", at: old.range.lowerBound, in: file)
            changes.replace(old.name.range, in: file, with: new.namedType)
            changes.insert(element.isNonNull ? "!]" : "]", at: old.name.range.upperBound, in: file)
            if new.isNonNull, !old.node.isNonNull { changes.insert("!", at: old.range.upperBound, in: file) }
        } else {
            guard !files[file].hasComment(in: old.range) else {
                throw EditRefusal(
                    .notExact, "A comment stands within the type.", hint: "Change the type in the file.",
                    place: place(old.range.lowerBound, in: file))
            }
            return changes.replace(old.range, in: file, with: new.description)
        }
        if !new.isNonNull, old.node.isNonNull {
            let end = old.range.upperBound
            changes.remove(end - 1..<end, in: file)
        }
    }
}
