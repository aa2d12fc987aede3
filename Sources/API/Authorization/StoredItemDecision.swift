import GraphQL
import Tables

/// What an update or delete asks of the stored item (reference: authorization, "Writes").
struct StoredItemDecision: Sendable, Hashable {
    let grants: [WriteGrant]
    /// The fields that a caller that may write any field may set: the partition key, and what the schema has added.
    let openFields: Set<String>

    /// The guard of an update with this input.
    ///
    /// A null needs a role that may delete the field, and every field one that may update it.
    func writeGuard(updating input: CoercedValue) -> WriteGuard {
        let names = input.fields.filter { !openFields.contains($0.name) }
        let nulls = names.filter(\.value.isNull).map { field in
            WriteGuard.Field(name: field.name, condition: condition { $0.nullableFields.contains(field.name) })
        }
        let all = names.map { field in
            WriteGuard.Field(name: field.name, condition: condition { $0.fields.contains(field.name) })
        }
        return WriteGuard(full: condition(of: \.isWhole), admission: condition { _ in true }, fields: nulls + all)
    }

    /// The guard of a delete, which needs a role that may delete every field.
    var guardOfDelete: WriteGuard {
        let whole = condition(of: \.isWhole)
        return WriteGuard(full: whole, admission: whole)
    }

    /// What must hold of the item for one of the roles.
    private func condition(of matches: (WriteGrant) -> Bool) -> Condition {
        .any(grants.filter(matches).map(\.condition))
    }
}
