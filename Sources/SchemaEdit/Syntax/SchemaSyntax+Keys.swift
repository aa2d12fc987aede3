import GraphQL

extension SchemaSyntax {
    /// A key where it is declared: `@key` of version 1 on a type, `@primaryKey` and `@index` of version 2 on a field.
    struct KeySyntax {
        /// The name of an index; nil for the primary key.
        let name: String?
        /// The partition key, then the sort keys.
        let fields: [String]
        let isPrimary: Bool
        let definition: Syntax.Definition
        /// The field that has the directive; nil in version 1.
        let member: Found?
        let directive: Syntax.Directive
    }

    func keys(of type: String) -> [KeySyntax] {
        parts(of: type).flatMap { part in
            let own = part.directives("key").map { directive in
                let name = directive["name"]?.value.node.stringValue
                return KeySyntax(
                    name: name, fields: directive.names("fields"), isPrimary: name == nil, definition: part,
                    member: nil, directive: directive)
            }
            return own + part.members.indices.flatMap { keys(onMember: $0, of: part) }
        }
    }

    /// The keys of version 2 that a field declares.
    private func keys(onMember index: Int, of part: Syntax.Definition) -> [KeySyntax] {
        var keys: [KeySyntax] = []
        let member = part.members[index]
        for directive in member.directives {
            let isPrimary = directive.name.text == "primaryKey"
            guard isPrimary || directive.name.text == "index" else { continue }
            keys.append(
                KeySyntax(
                    name: directive["name"]?.value.node.stringValue,
                    fields: [member.name.text] + directive.names("sortKeyFields"), isPrimary: isPrimary,
                    definition: part, member: Found(definition: part, member: member, index: index),
                    directive: directive))
        }
        return keys
    }

    func key(named name: String?, of type: String) -> KeySyntax? {
        keys(of: type).first { name == nil ? $0.isPrimary : !$0.isPrimary && $0.name == name }
    }

    func existingKey(named name: String?, of type: String) throws(EditRefusal) -> KeySyntax {
        if let key = key(named: name, of: type) { return key }
        let definition = try existingType(type)
        let nameless = keys(of: type).first { !$0.isPrimary && $0.name == nil }
        throw EditRefusal(
            .notFound, "\(type) has no \(name.map { "index \($0)" } ?? "primary key of its own").",
            hint: nameless.map { "The index of \($0.fields.first ?? "") has no name; write one in the file." },
            place: place(definition.name.range.lowerBound, in: definition.file))
    }

    /// The fields of the primary key; `id` where none is declared.
    func primaryKeyFields(of type: String) -> [String] { key(named: nil, of: type)?.fields ?? ["id"] }

    // MARK: - Relations

    static let relationDirectives: Set = ["connection", "hasOne", "hasMany", "belongsTo", "manyToMany"]

    /// A relationship field: its type is another model or a list of one.
    struct Relation {
        let found: Found
        let directive: Syntax.Directive
        let type: String
        let field: String
        let target: String
        let isList: Bool
        var kind: String { directive.name.text }
        var fields: [String] { directive.names("fields") }
        var references: [String] { directive.names("references") }
        /// The index of the target that is queried.
        var indexName: String? { (directive["keyName"] ?? directive["indexName"])?.value.node.stringValue }
        /// The name that both sides of a pair share.
        var name: String? { (directive["name"] ?? directive["relationName"])?.value.node.stringValue }
        /// Whether the transformer generates the key.
        var hasGeneratedKey: Bool { fields.isEmpty && references.isEmpty && kind != "manyToMany" }

        fileprivate func isSame(as other: Relation) -> Bool { type == other.type && field == other.field }
    }

    func relation(of found: Found) -> Relation? {
        guard let directive = relationDirective(of: found.member), let type = found.member.type else { return nil }
        return Relation(
            found: found, directive: directive, type: found.definition.name.text, field: found.member.name.text,
            target: type.name.text, isList: type.node.isList)
    }

    /// The directive that makes a field a relation; nil of another field.
    func relationDirective(of member: Syntax.Member) -> Syntax.Directive? {
        guard member.type != nil else { return nil }
        return member.directives.first { Self.relationDirectives.contains($0.name.text) }
    }

    func relations(of type: String) -> [Relation] { parts(of: type).flatMap { relations(in: $0) } }

    var relations: [Relation] { definitions.filter { $0.kind == .object }.flatMap { relations(in: $0) } }

    private func relations(in part: Syntax.Definition) -> [Relation] {
        part.members.indices.compactMap { index in
            guard relationDirective(of: part.members[index]) != nil else { return nil }
            return relation(of: Found(definition: part, member: part.members[index], index: index))
        }
    }

    /// The reverse field: that of the target with the same key.
    func reverse(of relation: Relation) -> Relation? {
        relations(of: relation.target).first { other in
            !other.isSame(as: relation) && other.target == relation.type && isPair(relation, other)
        }
    }

    private func isPair(_ first: Relation, _ second: Relation) -> Bool {
        if version == .one {
            if first.fields.isEmpty || second.fields.isEmpty { return first.name != nil && first.name == second.name }
            return isPairByKey(first, second)
        }
        switch (first.kind, second.kind) {
        case ("manyToMany", "manyToMany"): return first.name == second.name
        case ("belongsTo", "hasMany"), ("belongsTo", "hasOne"), ("hasMany", "belongsTo"), ("hasOne", "belongsTo"):
            if !first.references.isEmpty || !second.references.isEmpty { return first.references == second.references }
            if first.fields.isEmpty || second.fields.isEmpty { return first.fields.isEmpty && second.fields.isEmpty }
            return first.kind == "hasOne" || second.kind == "hasOne" || isPairByKey(first, second)
        default: return false
        }
    }

    /// A list by an index, and one item by the fields that the index begins with.
    private func isPairByKey(_ first: Relation, _ second: Relation) -> Bool {
        guard first.isList != second.isList else { return false }
        let (list, single) = first.isList ? (first, second) : (second, first)
        guard let key = key(named: list.indexName, of: list.target) else { return false }
        return key.fields.first == single.fields.first
    }

    /// Whether a relation requires its reverse.
    func needsReverse(_ relation: Relation) -> Bool {
        switch relation.kind {
        case "connection": relation.fields.isEmpty && relation.name != nil
        case "manyToMany": true
        case "belongsTo": relation.hasGeneratedKey
        default: false
        }
    }

    /// The attribute that the transformer generates for a relation, and the model whose items have it.
    func generatedKey(of relation: Relation) -> (type: String, name: String)? {
        guard relation.hasGeneratedKey else { return nil }
        if version == .one {
            // The single side of a pair decides.
            if relation.isList, reverse(of: relation) != nil { return nil }
            let given = relation.directive["keyField"]?.value.node.stringValue
            let name = given ?? Self.camelCased([relation.type, relation.field, "id"])
            return (relation.isList ? relation.target : relation.type, name)
        }
        let stored = storedName(of: relation.type) ?? relation.type
        if relation.kind == "belongsTo", reverse(of: relation)?.kind == "hasMany" { return nil }
        let keyed = relation.kind == "hasMany" ? relation.type : relation.target
        guard let key = primaryKeyFields(of: keyed).first else { return nil }
        let name = Self.camelCased([stored, relation.field, key])
        return (relation.kind == "hasMany" ? relation.target : relation.type, name)
    }

    /// The name by which a model is stored in version 2.
    func storedName(of type: String) -> String? {
        let mapping = directives("mapsTo", of: type).first ?? directives("refersTo", of: type).first
        return mapping?.directive["name"]?.value.node.stringValue
    }

    /// The names of a generated key, joined: `bookingRoomId`.
    static func camelCased(_ parts: [String]) -> String {
        parts.dropFirst().reduce(parts[0].firstLowercased) { $0 + $1.firstUppercased }
    }
}
