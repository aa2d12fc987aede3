import GraphQL

// @manyToMany: a model that joins two others, which its author need not write
// (reference: transformer, "Relations of version 2").

/// One side of a `@manyToMany`.
private struct ManyToManySide {
    let type: ObjectTypeDefinition
    let field: FieldDefinition
    let directive: RelationDeclaration
    let declaration: ModelDeclaration

    var place: Place? { directive.place.place }
    var isList: Bool { field.type.isList }
    var primaryKey: [String] { declaration.primaryKey?.fields ?? ["id"] }
    /// What the join model calls the item of this side: `post`.
    var fieldName: String { type.name.firstLowercased }
    /// The name the type had before it was renamed, by which the index is called.
    var originalName: String { declaration.originalName }
    var indexName: String { "by\(originalName)" }

    /// The join model's fields that hold the key of this side: `postId`, and further ones verbatim (`poststatus`).
    func keyNames(respectsKey: Bool) -> [String] {
        [fieldName + (respectsKey ? primaryKey[0].firstUppercased : "ID")]
            + primaryKey.dropFirst().map { fieldName + $0 }
    }
}

extension TransformContext {
    /// Declares the join models as if the author had written them after all other types.
    mutating func declareJoinModels() {
        var names: [String] = []
        var sides: [String: [ManyToManySide]] = [:]
        for side in manyToManySides() {
            guard let name = side.directive.name.map(Names.joinModel) else { continue }
            if sides[name] == nil { names.append(name) }
            sides[name, default: []].append(side)
        }
        for name in names {
            guard let pair = sides[name], isValid(pair, named: name) else { continue }
            joinModels.insert(name)
            let type = joinModel(name, of: pair[0], and: pair[1])
            let reader = VersionTwoReader(options: options, declared: declared)
            guard var declaration = reader.model(type) else { preconditionFailure("a join model has @model") }
            declaration.rules = Self.joinRules(pair.flatMap(\.declaration.rules), of: name)
            declare(type, declaration)
        }
    }

    /// The rules of both sides as those of the join model, a rule for each role: of two for one role, the later one's
    /// operations (reference: authorization, "Models without rules").
    private static func joinRules(_ rules: [AuthorizationRule], of name: String) -> [AuthorizationRule] {
        var joined: [AuthorizationRule] = []
        for rule in rules {
            var parts = [rule]
            if case .groups(let groups, let claim) = rule.allow {
                parts = groups.map { group in
                    var part = rule
                    part.allow = .groups([group], groupClaim: claim)
                    return part
                }
            }
            for var part in parts {
                part.type = name
                if let position = joined.firstIndex(where: { $0.roles(in: .v2) == part.roles(in: .v2) }) {
                    joined[position] = part
                } else {
                    joined.append(part)
                }
            }
        }
        return joined
    }

    /// The fields with `@manyToMany` in the order of the text.
    private func manyToManySides() -> [ManyToManySide] {
        declared.models.flatMap { type -> [ManyToManySide] in
            guard let model = model(named: type.name),
                model.fields.contains(where: { $0.relation(.manyToMany) != nil })
            else { return [] }
            return zip(type.fields, model.fields).compactMap { field, declaration in
                declaration.relation(.manyToMany).map {
                    ManyToManySide(type: type, field: field, directive: $0, declaration: model)
                }
            }
        }
    }

    /// The two sides of a relation as pages of its join model.
    mutating func applyManyToManyRelations() {
        for var relation in relations(.manyToMany) {
            guard let name = relation.directive.name.map(Names.joinModel), joinModels.contains(name),
                let join = modelIndex(name), !brokenModels.contains(name)
            else { continue }
            let side = ManyToManySide(
                type: relation.parent, field: relation.field, directive: relation.directive,
                declaration: models[relation.parentModel].declaration)
            relation = Relation(
                directive: relation.directive, parent: relation.parent, field: relation.field,
                related: models[join].declared, parentModel: relation.parentModel, relatedModel: join,
                fields: side.primaryKey, references: [], indexName: side.indexName)
            applyManyToMany(relation)
        }
    }

    private mutating func isValid(_ sides: [ManyToManySide], named name: String) -> Bool {
        func refuse(_ message: String, hint: String? = nil) -> Bool {
            for side in sides { diagnostics.report(.invalidDirective, message, at: side.place, hint: hint) }
            return false
        }
        guard !name.isEmpty else { return refuse("A @manyToMany needs a relationName of letters and digits.") }
        guard sides.count == 2 else {
            return refuse(
                "@manyToMany relation '\(name)' must be used in exactly two locations; it is in \(sides.count).",
                hint: "Give each pair of fields a relationName of its own.")
        }
        let (first, second) = (sides[0], sides[1])
        guard first.isList, second.isList else {
            return refuse("@manyToMany must be used with a list.", hint: "Make both fields of '\(name)' lists.")
        }
        for (side, other) in [(first, second), (second, first)] where side.field.type.namedType != other.type.name {
            return refuse(
                "@manyToMany relation '\(name)' expects '\(side.field.type.namedType)' but got '\(other.type.name)'.")
        }
        guard first.type.name != second.type.name else {
            // The original reports this when it generates the two indexes of the join model.
            return refuse(
                "You may only supply one @index with the name '\(first.indexName)' on type '\(name)'.",
                hint: "A @manyToMany cannot join \(first.type.name) with itself: write the model that joins them, with "
                    + "an @index on each of two keys, and @hasMany(indexName:, fields:) on the lists.")
        }
        guard first.fieldName != second.fieldName else {
            return refuse(
                "@manyToMany relation '\(name)' joins \(first.type.name) with \(second.type.name), which the fields of "
                    + "its join model cannot distinguish.",
                hint: "Write the model that joins them, with two fields that have @belongsTo.")
        }
        guard declared[name] == nil else {
            return refuse(
                "@manyToMany relation name '\(name)' already exists as a type in the schema.",
                hint: "Give the relation another name.")
        }
        return true
    }

    /// A model with an `id`, the keys of both sides, an index on each, and fields that lead to their items.
    private func joinModel(
        _ name: String, of first: ManyToManySide, and second: ManyToManySide
    ) -> ObjectTypeDefinition {
        var fields = [FieldDefinition(name: "id", type: .nonNull(.named("ID")))]
        for side in [first, second] {
            let names = side.keyNames(respectsKey: options.respectPrimaryKeyAttributesOnConnectionField)
            for (position, (name, key)) in zip(names, side.primaryKey).enumerated() {
                let index = DirectiveNode(
                    "index",
                    arguments: [
                        ConstArgument(name: "name", value: .string(side.indexName)),
                        ConstArgument(name: "sortKeyFields", value: .list(names.dropFirst().map(ConstValue.string))),
                    ], place: side.place)
                fields.append(
                    FieldDefinition(
                        name: name, type: .nonNull(.named(keyTypeName(of: key, in: side.type))),
                        directives: position == 0 ? [index] : [], place: side.field.place))
            }
        }
        for side in [first, second] {
            let names = side.keyNames(respectsKey: options.respectPrimaryKeyAttributesOnConnectionField)
            let hasOne = DirectiveNode(
                "hasOne", arguments: [ConstArgument(name: "fields", value: .list(names.map(ConstValue.string)))],
                place: side.place)
            fields.append(
                FieldDefinition(
                    name: side.fieldName, type: .nonNull(.named(side.type.name)), directives: [hasOne],
                    place: side.field.place))
        }
        return ObjectTypeDefinition(
            name: name, directives: [DirectiveNode("model", place: first.place)], fields: fields, place: first.place)
    }

    /// The keys of renamed models keep the attributes they are stored in: `postId` for `articleId`.
    mutating func mapJoinModels() {
        for side in manyToManySides() where side.originalName != side.type.name {
            guard let name = side.directive.name.map(Names.joinModel), joinModels.contains(name),
                let join = modelIndex(name)
            else { continue }
            for key in side.keyNames(respectsKey: options.respectPrimaryKeyAttributesOnConnectionField) {
                models[join].attributes[key] = side.originalName.firstLowercased + key.dropFirst(side.fieldName.count)
            }
        }
    }
}
