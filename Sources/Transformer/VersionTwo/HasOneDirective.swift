import GraphQL
import Tables

// @hasOne and @belongsTo: a field leads to one item of another model
// (reference: transformer, "Relations of version 2").

extension TransformContext {
    mutating func applyHasOne(_ relation: Relation) {
        guard isSingle(relation), isFreeOfCircles(relation) else { return }
        if !relation.references.isEmpty {
            guard areReferencesValid(of: relation) else { return }
            let access = addImplicitIndex(on: relation.references, for: relation)
            relationPlans.append(
                .itemOfIndex(relation, columns: models[relation.parentModel].primaryKey, access: access))
        } else {
            relateByOwnKey(relation)
        }
    }

    /// `@belongsTo`: where the other side has many, its foreign key is here already; where it has one, each side has a
    /// key of its own.
    mutating func applyBelongsTo(_ relation: Relation) {
        guard isSingle(relation) else { return }
        guard relation.references.isEmpty else {
            if areReferencesValid(of: relation) {
                relationPlans.append(.item(relation, columns: relation.references))
            }
            return
        }
        guard let (other, kind) = otherSide(of: relation) else {
            diagnostics.report(
                .invalidDirective,
                "\(relation.related.name) must have a relationship with \(relation.parent.name) in order to use "
                    + "@belongsTo.", at: relation.place,
                hint: "Add a field of type [\(relation.parent.name)] with @hasMany to \(relation.related.name), or use "
                    + "@hasOne here.")
            return
        }
        guard relation.fields.isEmpty, kind == .hasMany else { return relateByOwnKey(relation) }
        let related = models[relation.relatedModel]
        let keys = foreignKeys(of: related, field: other, to: related)
        relationPlans.append(.item(relation, columns: keys.map(\.name)))
    }

    /// The first field of the related model that has one or many of this model's items.
    private func otherSide(of relation: Relation) -> (FieldDefinition, RelationDeclaration.Kind)? {
        for (field, declaration) in zip(relation.related.fields, fieldDeclarations(of: relation.related.name))
        where field.type.namedType == relation.parent.name {
            for kind in [RelationDeclaration.Kind.hasOne, .hasMany] where declaration.relation(kind) != nil {
                return (field, kind)
            }
        }
        return nil
    }

    /// By the fields that are named, else by a generated key in this model.
    private mutating func relateByOwnKey(_ relation: Relation) {
        let related = models[relation.relatedModel]
        guard relation.fields.isEmpty else {
            if areValid(relation.fields, of: relation, for: related.primaryKey) {
                relationPlans.append(.item(relation, columns: relation.fields))
            }
            return
        }
        let keys = foreignKeys(of: models[relation.parentModel], field: relation.field, to: related)
        addForeignKeys(keys, to: relation.parentModel, of: relation.parentModel, at: relation.place)
        relationPlans.append(.item(relation, columns: keys.map(\.name)))
    }

    private mutating func isSingle(_ relation: Relation) -> Bool {
        guard relation.field.type.isList else { return true }
        diagnostics.report(
            .invalidDirective,
            relation.kind == .hasOne
                ? "@hasOne cannot be used with lists. Use @hasMany instead." : "@belongsTo cannot be used with lists.",
            at: relation.place, hint: "Declare it as \(relation.field.name): \(relation.related.name)")
        return false
    }
}
