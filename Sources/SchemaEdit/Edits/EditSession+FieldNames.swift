import GraphQL

extension EditSession {
    /// Renames a field. What is stored stays under the old name if the edit says so: by `@refersTo` in version 2, by an entry
    /// of `renames` in version 1 and for generated keys.
    mutating func renameField(
        _ name: String, of type: String, to new: String, _ keepsData: Bool
    ) throws(EditRefusal) {
        _ = try syntax.existingType(type, [.object])
        let found = try syntax.existingMember(name, of: type)
        guard name != new else { return }
        try syntax.refuseExistingMember(new, of: type)
        if let interface = syntax.interfaceField(name, of: type) {
            throw EditRefusal(
                .notExact, "The interface \(interface.definition.name.text) has the field \(name).",
                hint: "Rename both in the file.",
                place: syntax.place(of: interface))
        }
        let isModel = syntax.isModel(type)
        if isModel { try refuseImpliedUses(of: found) }
        let relation = syntax.relation(of: found)
        if keepsData, !isModel, !syntax.isRoot(type) {
            throw EditRefusal(
                .notExact, "The values of \(found.subject) are stored within items and would keep the old name.",
                hint: "Rename the field without keeping its values.",
                place: syntax.place(of: found))
        }
        let key = relation.flatMap(syntax.generatedKey)
        try step { syntax, changes throws(EditRefusal) in
            changes.replace(found.member.name.range, in: found.file, with: new)
            syntax.rename(syntax.references(toField: name, of: type), to: new, &changes)
        }
        guard isModel, keepsData else { return }
        if relation != nil {
            guard let key, let renamed = syntax.member(new, of: type).flatMap(syntax.relation) else { return }
            guard let newKey = syntax.generatedKey(of: renamed), newKey.name != key.name else { return }
            add(.field(type: key.type, old: key.name, new: newKey.name))
        } else if version == .one {
            add(.field(type: type, old: name, new: new))
        } else {
            try mapField(new, of: type, from: name)
        }
    }

    /// In version 2 the attribute stays by `@refersTo`, which goes where the name is the attribute's again.
    private mutating func mapField(_ name: String, of type: String, from old: String) throws(EditRefusal) {
        try step { syntax, changes throws(EditRefusal) in
            let found = try syntax.existingMember(name, of: type)
            if let mapping = found.member.directive("refersTo") {
                guard mapping["name"]?.value.node.stringValue == name else { return }
                syntax.remove(mapping, in: found.file, &changes)
            } else {
                syntax.insertDirective(
                    after: found.member.directives, found.member.directivesStart, in: found.file, &changes
                ) {
                    syntax.directiveText("refersTo", [("name", .string(old))], in: found.file, indentation: $0)
                }
            }
        }
    }

    /// Refuses to rename a field that has a meaning by its name, without a directive that says so.
    private func refuseImpliedUses(of found: SchemaSyntax.Found) throws(EditRefusal) {
        let type = found.definition.name.text
        let name = found.member.name.text
        func refuse(_ reason: String, _ hint: String, at place: EditRefusal.Place? = nil) -> EditRefusal {
            EditRefusal(
                .notExact, reason, hint: hint,
                place: place ?? syntax.place(found.member.name.range.lowerBound, in: found.file))
        }
        if name == "id", syntax.key(named: nil, of: type) == nil {
            throw refuse("\(found.subject) is the primary key by its name.", "Add a primary key first.")
        }
        if ["createdAt", "updatedAt"].contains(name), isTimestamp(name, of: type) {
            throw refuse(
                "\(found.subject) is filled in by its name.", "Set the model's timestamps first.")
        }
        for relation in syntax.relations {
            if version == .one, relation.directive["keyField"] == nil, let key = syntax.generatedKey(of: relation),
                key.type == type, key.name == name
            {
                throw refuse(
                    "\(found.subject) holds the key of \(relation.found.subject) by its name.",
                    "Write keyField: \"\(name)\" in its @connection first.")
            }
            guard version == .two, relation.hasGeneratedKey else { continue }
            let keyed = relation.kind == "hasMany" ? relation.type : relation.target
            if keyed == type, syntax.primaryKeyFields(of: type).contains(name) {
                throw refuse(
                    "The key that is generated for \(relation.found.subject) is named after \(found.subject).",
                    "Give the relationship a key of its own first.",
                    at: syntax.place(relation.directive.range.lowerBound, in: relation.found.file))
            }
        }
        for rules in authorization(of: type) {
            for rule in rules.directive["rules"]?.value.listed ?? [] {
                let allow = rule.node["allow"]?.nameValue
                let isImplied =
                    name == "owner" && allow == "owner" && rule.node["ownerField"] == nil
                    || name == "groups" && allow == "groups" && rule.node["groups"] == nil
                        && rule.node["groupsField"] == nil
                guard isImplied else { continue }
                throw refuse(
                    "A rule uses \(found.subject) by its name.", "Name the field in the rule first.",
                    at: syntax.place(rule.range.lowerBound, in: rules.file))
            }
        }
    }

    private func isTimestamp(_ name: String, of type: String) -> Bool {
        for part in syntax.parts(of: type) {
            guard let timestamps = part.directive("model")?["timestamps"]?.value.node else { continue }
            return !timestamps.isNull && timestamps[name] == nil
        }
        return true
    }

    private func authorization(of type: String) -> [(file: Int, directive: Syntax.Directive)] {
        syntax.parts(of: type).flatMap { part in
            (part.directives("auth") + part.members.flatMap { $0.directives("auth") }).map { (part.file, $0) }
        }
    }
}
