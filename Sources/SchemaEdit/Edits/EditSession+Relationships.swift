import GraphQL

extension EditSession {
    // MARK: - Adding

    mutating func addRelationship(_ relationship: Edit.Relationship) throws(EditRefusal) {
        for type in [relationship.type, relationship.target] { _ = try syntax.existingModel(type) }
        try check(relationship)
        switch (relationship.has, relationship.reverse) {
        case (.one, .many), (.many, .none), (.many, .one): try addOneToMany(relationship)
        case (.many, .many):
            if version == .one { try addJoinModel(relationship) } else { try addManyToMany(relationship) }
        case (.one, .none), (.one, .one): try addOne(relationship)
        case (.none, _): throw EditRefusal(.invalid, "'has' of 'addRelationship' must be \"one\" or \"many\".")
        }
    }

    private func check(_ relationship: Edit.Relationship) throws(EditRefusal) {
        let needsReverse = relationship.reverse != .none
        guard needsReverse == (relationship.reverseField != nil) else {
            throw EditRefusal(
                .invalid,
                needsReverse
                    ? "The relationship needs the name of its reverse field: 'reverseField'."
                    : "'reverseField' needs 'reverse' to be \"one\" or \"many\".")
        }
        try syntax.refuseExistingMember(relationship.field, of: relationship.type)
        guard let reverse = relationship.reverseField else { return }
        try syntax.refuseExistingMember(reverse, of: relationship.target)
        guard relationship.type != relationship.target || reverse != relationship.field else {
            throw EditRefusal(.invalid, "The two fields of the relationship have the same name.")
        }
    }

    /// One item, found by its primary key. The key is generated, or a field holds it.
    private mutating func addOne(_ relationship: Edit.Relationship) throws(EditRefusal) {
        let type = relationship.type
        let position = relationship.position ?? defaultPosition(in: type)
        var arguments: [(String, ConstValue)] = []
        if let key = relationship.keyField {
            try addKeyField(key, to: type, of: relationship.target, relationship, position)
            arguments = [("fields", [.string(key)])]
        }
        let isPaired = relationship.reverse == .one
        try addRelation(
            relationship.field, to: type, TypeNode.named(relationship.target), isRequired: relationship.isRequired,
            version == .one ? "connection" : "hasOne", arguments,
            relationship.keyField.map { .after($0) } ?? position)
        guard isPaired, let reverse = relationship.reverseField else { return }
        try addRelation(
            reverse, to: relationship.target, .named(type), isRequired: false,
            version == .one ? "connection" : "belongsTo", [], .last)
    }

    /// A list by an index of the other side, on which a field holds the key and may lead back.
    private mutating func addOneToMany(_ relationship: Edit.Relationship) throws(EditRefusal) {
        let isForward = relationship.has == .many
        let one = isForward ? relationship.type : relationship.target
        let many = isForward ? relationship.target : relationship.type
        let listField = isForward ? relationship.field : relationship.reverseField ?? ""
        let singleField = isForward ? relationship.reverseField : relationship.field
        let singlePosition = isForward ? nil : relationship.position
        let listPosition = isForward ? relationship.position : nil
        let key = relationship.keyField ?? one.firstLowercased + "ID"
        let position = singlePosition ?? defaultPosition(in: many)
        try addKeyField(key, to: many, of: one, relationship, position)
        let index = relationship.index ?? "by" + one.firstUppercased
        try addIndex(Edit.Key(name: index, fields: [key]), to: many)
        if let singleField {
            try addRelation(
                singleField, to: many, .named(one), isRequired: relationship.isRequired,
                version == .one ? "connection" : "belongsTo", [("fields", [.string(key)])], .after(key))
        }
        try addRelation(
            listField, to: one, .list(.named(many)), isRequired: false,
            version == .one ? "connection" : "hasMany",
            [
                (version == .one ? "keyName" : "indexName", .string(index)),
                ("fields", [.string(try primaryKeyField(of: one))]),
            ], listPosition ?? .last)
    }

    private mutating func addManyToMany(_ relationship: Edit.Relationship) throws(EditRefusal) {
        let name = relationship.name ?? relationship.type.firstUppercased + relationship.target.firstUppercased
        let used = syntax.relations.first { $0.kind == "manyToMany" && $0.name == name }
        guard used == nil, syntax.type(name.firstUppercased) == nil else {
            throw EditRefusal(
                .exists, "The name \(name) of the relationship is in use.", hint: "Choose another name.",
                place: used.map { syntax.place($0.directive.range.lowerBound, in: $0.found.file) })
        }
        let arguments: [(String, ConstValue)] = [("relationName", .string(name))]
        try addRelation(
            relationship.field, to: relationship.type, .list(.named(relationship.target)), isRequired: false,
            "manyToMany", arguments, relationship.position ?? .last)
        try addRelation(
            relationship.reverseField ?? "", to: relationship.target, .list(.named(relationship.type)),
            isRequired: false, "manyToMany", arguments, .last)
    }

    /// Version 1: a model with the keys of both sides, an index for each, and a list on each side.
    private mutating func addJoinModel(_ relationship: Edit.Relationship) throws(EditRefusal) {
        let sides = [relationship.type, relationship.target]
        guard sides[0] != sides[1] else {
            throw EditRefusal(
                .notExact, "The join model of a model with itself needs two names for its keys.",
                hint: "Write the join model in the file.")
        }
        let name = relationship.name ?? sides[0].firstUppercased + sides[1].firstUppercased
        let fields = sides.map(\.firstLowercased)
        let keys = fields.map { $0 + "ID" }
        var members = [Edit.Field(name: "id", type: "ID", isRequired: true)]
        for (side, key) in zip(sides, keys) {
            let primary = try syntax.existingMember(try primaryKeyField(of: side), of: side, orImplied: "id")
            members.append(Edit.Field(name: key, type: primary, isRequired: true))
        }
        let rules = try joinRules(relationship)
        try addObject(Edit.Object(name: name, fields: members, rules: rules), isModel: true)
        for (index, key) in keys.enumerated() {
            let pair = [key, keys[1 - index]]
            try addKey(Edit.Key(name: "by" + sides[index].firstUppercased, fields: pair), to: name)
        }
        for (index, key) in keys.enumerated() {
            try addRelation(
                fields[index], to: name, .named(sides[index]), isRequired: true, "connection",
                [("fields", [.string(key)])], .last)
        }
        for (index, field) in [relationship.field, relationship.reverseField ?? ""].enumerated() {
            try addRelation(
                field, to: sides[index], .list(.named(name)), isRequired: false, "connection",
                [
                    ("keyName", .string("by" + sides[index].firstUppercased)),
                    ("fields", [.string(try primaryKeyField(of: sides[index]))]),
                ], index == 0 ? relationship.position ?? .last : .last)
        }
    }

    /// The rules of a join model: those given, else those that both sides have.
    private func joinRules(_ relationship: Edit.Relationship) throws(EditRefusal) -> [ConstValue] {
        if let rules = relationship.rules { return rules }
        let sides = [relationship.type, relationship.target].map { type in
            syntax.directives("auth", of: type).first?.directive["rules"]?.value.listed.map(\.node) ?? []
        }
        guard sides[0] == sides[1] else {
            let auth = [relationship.type, relationship.target].lazy
                .compactMap { syntax.directives("auth", of: $0).first }.first
            throw EditRefusal(
                .invalid, "The two models have different rules.", hint: "Give the rules of the join model: 'rules'.",
                place: auth.map { syntax.place($0.directive.range.lowerBound, in: $0.definition.file) })
        }
        return sides[0]
    }

    // MARK: - Parts

    /// After the primary key, if the model begins with it.
    private func defaultPosition(in type: String) -> Edit.Position {
        let fields = syntax.primaryKeyFields(of: type)
        let members = syntax.type(type)?.members.map(\.name.text) ?? []
        guard let last = fields.last, Set(members.prefix(fields.count)) == Set(fields) else { return .last }
        return .after(fields.count == 1 ? last : members[fields.count - 1])
    }

    /// The one field of a model's primary key.
    private func primaryKeyField(of type: String) throws(EditRefusal) -> String {
        let key = syntax.key(named: nil, of: type)
        let fields = key?.fields ?? ["id"]
        guard fields.count == 1 else {
            throw EditRefusal(
                .notExact, "The primary key of \(type) has more than one field.",
                hint: "Write the relationship in the file.",
                place: key.map { syntax.place($0.directive.range.lowerBound, in: $0.definition.file) })
        }
        return fields[0]
    }

    /// The field that holds the key of another model: a new one, or one of the same type that is there.
    private mutating func addKeyField(
        _ name: String, to type: String, of target: String, _ relationship: Edit.Relationship,
        _ position: Edit.Position
    ) throws(EditRefusal) {
        let keyType = try syntax.existingMember(try primaryKeyField(of: target), of: target, orImplied: "id")
        if let existing = syntax.member(name, of: type), let reference = existing.member.type {
            guard reference.name.text == keyType, !reference.node.isList else {
                throw EditRefusal(
                    .exists, "\(existing.subject) exists already, with the type \(reference.node).",
                    hint: "Choose another field for the key.",
                    place: syntax.place(reference.range.lowerBound, in: existing.file))
            }
            return
        }
        try addField(
            Edit.Field(name: name, type: keyType, isRequired: relationship.isKeyRequired), to: type, position)
    }

    /// An index for a list, unless there is one.
    private mutating func addIndex(_ key: Edit.Key, to type: String) throws(EditRefusal) {
        guard let existing = syntax.key(named: key.name, of: type) else { return try addKey(key, to: type) }
        guard existing.fields.first != key.fields.first else { return }
        throw EditRefusal(
            .exists, "\(type) has an index \(key.name ?? "") with other fields.", hint: "Choose another name for it.",
            place: syntax.place(existing.directive.range.lowerBound, in: existing.definition.file))
    }

    private mutating func addRelation(
        _ field: String, to type: String, _ node: TypeNode, isRequired: Bool, _ directive: String,
        _ arguments: [(String, ConstValue)], _ position: Edit.Position
    ) throws(EditRefusal) {
        try step { syntax, changes throws(EditRefusal) in
            try syntax.insertMember(into: type, position, &changes) { spot, file in
                let text = syntax.directiveText(
                    directive, arguments, in: file.index, near: type, indentation: spot.indentation)
                return syntax.fieldText(
                    field, isRequired ? .nonNull(node) : node, directives: [text], at: spot, in: file)
            }
        }
    }

    // MARK: - Removing

    mutating func removeRelationship(
        _ field: String, of type: String, _ removesReverse: Bool, _ removesKey: Bool
    ) throws(EditRefusal) {
        _ = try syntax.existingType(type, [.object])
        let found = try syntax.existingMember(field, of: type)
        guard let relation = syntax.relation(of: found) else {
            throw EditRefusal(
                .invalid, "\(found.subject) is not a relationship.",
                place: syntax.place(of: found))
        }
        let reverse = syntax.reverse(of: relation)
        let sides = [relation] + (removesReverse ? [reverse].compactMap { $0 } : [])
        let holders = removesKey ? keyHolders(of: sides) : []
        try removeMember(field, of: type, ignoring: nil, ignoringReverse: removesReverse)
        if removesReverse, let reverse {
            try removeMember(reverse.field, of: reverse.type, ignoring: nil, ignoringReverse: true)
        }
        for holder in holders { try removeHolder(holder) }
    }

    /// What holds the key of a relationship: an index, a field.
    private struct KeyHolder {
        let type: String
        var index: String?
        var field: String?
    }

    private func keyHolders(of sides: [SchemaSyntax.Relation]) -> [KeyHolder] {
        var holders: [KeyHolder] = []
        for side in sides where side.isList {
            guard let name = side.indexName, let key = syntax.key(named: name, of: side.target) else { continue }
            holders.append(KeyHolder(type: side.target, index: name))
            if key.fields.count == 1 { holders.append(KeyHolder(type: side.target, field: key.fields[0])) }
        }
        for side in sides where !side.isList {
            for field in side.fields where !syntax.primaryKeyFields(of: side.type).contains(field) {
                holders.append(KeyHolder(type: side.type, field: field))
            }
        }
        return holders
    }

    /// Removes an index that no relationship uses any more, and a field that nothing refers to.
    private mutating func removeHolder(_ holder: KeyHolder) throws(EditRefusal) {
        if let index = holder.index, let key = syntax.key(named: index, of: holder.type) {
            let hasQuery = key.directive["queryField"] != nil
            guard syntax.references(toIndex: index, of: holder.type).isEmpty, !hasQuery else { return }
            try removeKey(index, of: holder.type)
        }
        if let field = holder.field, let found = syntax.member(field, of: holder.type) {
            let hasOwnKey = !found.member.directives.isEmpty
            guard syntax.references(toField: field, of: holder.type).isEmpty, !hasOwnKey,
                found.definition.members.count > 1, syntax.interfaceField(field, of: holder.type) == nil
            else { return }
            try removeMember(field, of: holder.type, ignoring: nil)
        }
    }
}

extension SchemaSyntax {
    /// The name of a field's type; of a field that is implied, ID.
    fileprivate func existingMember(
        _ name: String, of type: String, orImplied implied: String
    ) throws(EditRefusal) -> String {
        if name == implied, member(name, of: type) == nil { return "ID" }
        return try existingMember(name, of: type).member.type?.name.text ?? "ID"
    }
}
