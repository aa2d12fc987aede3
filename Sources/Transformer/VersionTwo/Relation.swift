import GraphQL
import Tables

// What the relations of version 2 have in common (reference: transformer, "Relations of version 2"): a field of one
// model leads to another, by fields the author names, by references on the other side, or by a foreign key that is
// generated.

/// A field with `@hasOne`, `@hasMany`, `@belongsTo` or `@manyToMany`, read.
struct Relation {
    let directive: RelationDeclaration
    let parent: ObjectTypeDefinition
    let field: FieldDefinition
    let related: ObjectTypeDefinition
    /// The positions of both in `TransformContext.models`.
    let parentModel: Int
    let relatedModel: Int
    /// Fields of the parent that hold the related model's key; empty when they are not named.
    var fields: [String]
    /// Fields that hold the primary key of the side that has one or many, on the side that belongs to it.
    let references: [String]
    var indexName: String?

    var kind: RelationDeclaration.Kind { directive.kind }
    var place: Place? { directive.place.place }
    var fieldName: FieldName { FieldName(type: parent.name, field: field.name) }
    var limit: Int? { directive.limit }
}

extension TransformContext {
    /// The relations of a kind in the order of the text, without those that are at fault, which is reported.
    mutating func relations(_ kind: RelationDeclaration.Kind) -> [Relation] {
        var relations: [Relation] = []
        for type in declared.types {
            let fields: [FieldDefinition]
            switch type {
            case .object(let object): fields = object.fields
            case .interface(let interface): fields = interface.fields
            case .scalar, .union, .enumeration, .inputObject: continue
            }
            let declarations = fieldDeclarations(of: type.name)
            guard declarations.contains(where: { $0.relation(kind) != nil }) else { continue }
            for (field, declaration) in zip(fields, declarations) {
                guard let directive = declaration.relation(kind) else { continue }
                let isAlone = declaration.relations.count == 1
                if let relation = relation(directive, isAlone: isAlone, at: field, of: type) {
                    relations.append(relation)
                }
            }
        }
        return relations
    }

    /// What every relation needs: models on both sides, and one way to find the items.
    private mutating func relation(
        _ directive: RelationDeclaration, isAlone: Bool, at field: FieldDefinition, of type: TypeDefinition
    ) -> Relation? {
        let kind = directive.kind
        func refuse(_ message: String, hint: String? = nil) -> Relation? {
            diagnostics.report(.invalidDirective, message, at: directive.place.place, hint: hint)
            return nil
        }
        let place = "\(type.name).\(field.name)"
        guard let parent = type.object, parent.isModel else {
            return refuse(
                "@\(kind.rawValue) must be on a field of an object type with @model.",
                hint: "Add @model to type \(type.name), or remove @\(kind.rawValue) from \(place).")
        }
        let name = field.type.namedType
        // A type that does not exist at all is validation's to report.
        guard declared[name] != nil || ScalarMapping[name] != nil else { return nil }
        guard let related = declared.object(named: name), related.isModel else {
            return refuse(
                "Object type \(name) must be annotated with @model.",
                hint: declared.object(named: name) == nil
                    ? "\(place) leads to items of a model; \(name) is no object type." : "Add @model to type \(name).")
        }
        guard isAlone else {
            return refuse("\(place) has more than one relation.", hint: "Leave one of them.")
        }
        if let limit = directive.limit, limit < 1 {
            return refuse("The limit of a relation must be at least 1.")
        }
        if let argument = directive.emptyLists.first {
            return refuse("No \(argument) passed to @\(kind.rawValue) directive.", hint: "Leave `\(argument)` out.")
        }
        if directive.fields != nil, !directive.references.isEmpty {
            return refuse(
                "'references' defined on \(place) @\(kind.rawValue). Expecting 'fields' only.",
                hint: "Use one of `fields` and `references`.")
        }
        // Relations to a model whose own directives are invalid are not checked; its errors are reported already.
        guard let parentModel = modelIndex(parent.name), let relatedModel = modelIndex(name),
            brokenModels.isDisjoint(with: [parent.name, name])
        else { return nil }
        return Relation(
            directive: directive, parent: parent, field: field, related: related, parentModel: parentModel,
            relatedModel: relatedModel, fields: directive.fields ?? [], references: directive.references,
            indexName: directive.indexName)
    }

    // MARK: - Fields

    /// Whether the fields a relation names are matched by a key of the related model, part by part.
    mutating func areValid(_ fields: [String], of relation: Relation, for key: [String]) -> Bool {
        var faults: [Fault] = []
        for name in fields {
            guard let field = relation.parent.field(named: name) else {
                faults.append(
                    (
                        "\(name) is not a field in \(relation.parent.name)",
                        SuggestionList.hint(for: name, among: relation.parent.fields.map(\.name))
                    ))
                continue
            }
            if field.type.isList || !isScalarOrEnum(field.type.namedType) {
                faults.append(
                    (
                        "All fields provided to @\(relation.kind.rawValue) must be scalar or enum fields; \(name) is "
                            + "not.", nil
                    ))
            }
        }
        if faults.isEmpty { faults = mismatch(of: fields, of: relation, for: key).map { [$0] } ?? [] }
        report(faults, at: relation.place)
        return faults.isEmpty
    }

    private func mismatch(of fields: [String], of relation: Relation, for key: [String]) -> Fault? {
        let keyText = "The key of \(relation.related.name) is \(key.joined(separator: ", "))."
        if fields.count > 1, fields.count != key.count {
            return (
                "Invalid @\(relation.kind.rawValue) directive on \(relation.field.name). Partial sort keys are not "
                    + "accepted.", keyText
            )
        }
        for (name, keyField) in zip(fields, key) {
            let expected = keyTypeName(of: keyField, in: relation.related)
            if relation.parent.typeName(of: name) != expected {
                return ("\(name) field is not of type \(expected)", keyText)
            }
        }
        return nil
    }

    /// The named type of a key's field; an `id` that is not declared is an ID.
    func keyTypeName(of field: String, in type: ObjectTypeDefinition) -> String {
        type.field(named: field)?.type.namedType ?? "ID"
    }

    // MARK: - Generated foreign keys

    /// The keys by which items are found that a model's field leads to, or comes from: `postCommentsId` after the
    /// field `Post.comments` and the key `id`.
    func foreignKeys(
        of source: ModelDraft, field: FieldDefinition, to keyed: ModelDraft
    ) -> [ModelDraft.ForeignKey] {
        keyed.primaryKey.enumerated().map { position, key in
            let respectsKey = options.respectPrimaryKeyAttributesOnConnectionField || position > 0
            let typeName = respectsKey ? keyTypeName(of: key, in: keyed.declared) : "ID"
            let name = respectsKey ? key : "id"
            return ModelDraft.ForeignKey(
                name: Names.camelCased([source.name, field.name, name]),
                attribute: Names.camelCased([source.originalName, field.name, name]),
                typeName: typeName, columnType: ScalarMapping[typeName]?.columnType ?? .text,
                isRequired: field.type.isNonNull)
        }
    }

    /// Adds generated keys to the model that stores them: to its type, visible as any field, to its inputs, filter and
    /// condition. The subscriptions' filter that gets them is that of the field's own model, as in the original, also
    /// where the other one stores them.
    mutating func addForeignKeys(_ keys: [ModelDraft.ForeignKey], to owner: Int, of source: Int, at place: Place?) {
        let name = models[owner].name
        for key in keys {
            if let field = models[owner].declared.field(named: key.name),
                field.type.isList || !isScalarOrEnum(field.type.namedType)
            {
                diagnostics.report(
                    .invalidDirective,
                    "\(name).\(key.name) is the key of a relation and cannot be of type \(field.type).", at: place)
                continue
            }
            models[owner].addForeignKey(key)
            let type = TypeNode.named(key.typeName)
            let required = key.isRequired ? type.nonNullable : type
            updateObject(name) { object in
                guard object.field(named: key.name) == nil else { return }
                object.fields.append(FieldDefinition(name: key.name, type: required))
            }
            addEntry(key.name, required, to: Names.mutationInput("Create", name))
            addEntry(key.name, type, to: Names.mutationInput("Update", name))
            let operand = TypeNode.named(
                Names.operandInput(ScalarMapping[key.typeName]?.base ?? key.typeName))
            addEntry(key.name, operand, to: filterInputName(name))
            addEntry(key.name, operand, to: conditionInputName(name))
            if let operand = subscriptionOperand(of: key.typeName) {
                addEntry(key.name, operand, to: Names.subscriptionFilterInput(models[source].name.firstUppercased))
            }
        }
    }

    private mutating func addEntry(_ name: String, _ type: TypeNode, to input: String) {
        updateInput(input) { input in
            guard input.field(named: name) == nil else { return }
            input.fields.append(InputValueDefinition(name: name, type: type))
        }
    }

    // MARK: - References

    /// Whether the references of a relation stand for the primary key of the side that has one or many, and the other
    /// side names the same ones.
    mutating func areReferencesValid(of relation: Relation) -> Bool {
        let owner = relation.kind == .belongsTo ? relation.parent : relation.related
        let keyed = relation.kind == .belongsTo ? models[relation.relatedModel] : models[relation.parentModel]
        var faults = referenceFieldFaults(of: relation, in: owner)
        if relation.references.count != keyed.primaryKey.count {
            faults.append(
                (
                    "The number of references provided to @\(relation.kind.rawValue) must match the number of primary "
                        + "keys on \(keyed.name).", "The key is \(keyed.primaryKey.joined(separator: ", "))."
                ))
        } else if faults.isEmpty {
            for (reference, key) in zip(relation.references, keyed.primaryKey) {
                let (found, expected) = (owner.typeName(of: reference), keyTypeName(of: key, in: keyed.declared))
                if found != expected, !Set([found, expected]).isSubset(of: ["ID", "String"]) {
                    faults.append(
                        (
                            "Type mismatch between primary key field(s) of \(keyed.name) and reference fields of "
                                + "\(owner.name).",
                            "\(keyed.name).\(key) is of type \(expected), \(owner.name).\(reference) of type \(found)."
                        ))
                }
            }
        }
        if relation.field.type.isNonNull {
            faults.append(
                (
                    "\(relation.fieldName.text) is found by references and must be nullable.",
                    "Declare it as \(relation.field.name): \(relation.field.type.nullable)"
                ))
        }
        faults += counterpartFault(of: relation).map { [$0] } ?? []
        report(faults, at: relation.place)
        return faults.isEmpty
    }

    private func referenceFieldFaults(of relation: Relation, in owner: ObjectTypeDefinition) -> [Fault] {
        var faults: [Fault] = []
        var isNonNull: Set<Bool> = []
        for reference in relation.references {
            guard let field = owner.field(named: reference) else {
                faults.append(
                    (
                        "\(reference) is not a field in \(owner.name)",
                        SuggestionList.hint(for: reference, among: owner.fields.map(\.name))
                    ))
                continue
            }
            if field.type.isList || !isScalarOrEnum(field.type.namedType) {
                faults.append(
                    (
                        "All references provided to @\(relation.kind.rawValue) must be scalar or enum fields; "
                            + "\(reference) is not.", nil
                    ))
            }
            isNonNull.insert(field.type.isNonNull)
        }
        if isNonNull.count > 1 {
            faults.append(
                ("Reference fields must have consistent nullability.", "Make all of them non-null, or none."))
        }
        return faults
    }

    private func counterpartFault(of relation: Relation) -> Fault? {
        // What the other side of `references` must have.
        let kinds: [RelationDeclaration.Kind] = relation.kind == .belongsTo ? [.hasOne, .hasMany] : [.belongsTo]
        let isThere = fieldDeclarations(of: relation.related.name).contains { field in
            field.type.namedType == relation.parent.name
                && kinds.contains { field.relation($0)?.references == relation.references }
        }
        guard !isThere else { return nil }
        let names = kinds.map { "@\($0.rawValue)" }.joined(separator: " or ")
        let references = relation.references.map { "\"\($0)\"" }.joined(separator: ", ")
        return (
            "Uni-directional relationships are not supported. Expected \(names) in \(relation.related.name) to match "
                + "@\(relation.kind.rawValue) in \(relation.fieldName.text).",
            "Add a field of type \(relation.parent.name) with \(names) and references: [\(references)] to "
                + "\(relation.related.name)."
        )
    }
}
