import GraphQL

extension EditSession {
    /// Refuses names that are literals of values (spec §3.9 Enums).
    func checkEnumValue(_ value: String) throws(EditRefusal) {
        guard !["true", "false", "null"].contains(value) else {
            throw EditRefusal(.invalid, "\(value) cannot be a value of an enum.")
        }
    }

    mutating func addEnumValue(
        _ value: String, to type: String, _ position: Edit.Position, _ description: String?
    ) throws(EditRefusal) {
        _ = try syntax.existingType(type, [.enumeration])
        try syntax.refuseExistingMember(value, of: type)
        try checkEnumValue(value)
        try step { syntax, changes throws(EditRefusal) in
            try syntax.insertMember(into: type, position, &changes) { spot, file in
                syntax.described(description, value, at: spot, in: file)
            }
        }
    }

    mutating func moveEnumValue(
        _ value: String, of type: String, _ position: Edit.Position
    ) throws(EditRefusal) {
        _ = try syntax.existingType(type, [.enumeration])
        try moveMember(value, of: type, position, noun: "value")
    }

    mutating func renameEnumValue(_ value: String, of type: String, to new: String) throws(EditRefusal) {
        _ = try syntax.existingType(type, [.enumeration])
        let found = try syntax.existingMember(value, of: type)
        guard value != new else { return }
        try checkEnumValue(new)
        try syntax.refuseExistingMember(new, of: type)
        try refuseNestedDefaults(with: value)
        try step { syntax, changes throws(EditRefusal) in
            changes.replace(found.member.name.range, in: found.file, with: new)
            syntax.rename(syntax.references(toValue: value, of: type), to: new, &changes)
        }
    }

    mutating func removeEnumValue(_ value: String, of type: String) throws(EditRefusal) {
        _ = try syntax.existingType(type, [.enumeration])
        let found = try syntax.existingMember(value, of: type)
        try refuseNestedDefaults(with: value)
        let references = syntax.references(toValue: value, of: type)
        guard references.isEmpty else {
            throw EditRefusal(
                .referenced, "Defaults use the value \(value) of \(type).", hint: "Change them first.",
                place: syntax.place(of: found),
                references: syntax.listed(references))
        }
        guard found.definition.members.count > 1 else {
            throw EditRefusal(
                .notExact, "\(value) is the only value of \(type).", hint: "Remove the enum.",
                place: syntax.place(of: found))
        }
        try step { syntax, changes throws(EditRefusal) in
            syntax.memberList(of: found.definition)?.remove(found.index, from: &changes)
        }
    }

    private func refuseNestedDefaults(with value: String) throws(EditRefusal) {
        guard let nested = syntax.nestedDefaults(with: value).first else { return }
        throw EditRefusal(
            .notExact, "The default of \(nested.subject) has \(value) inside an object.",
            hint: "Change it in the file.",
            place: syntax.place(nested.range.lowerBound, in: nested.file))
    }
}
