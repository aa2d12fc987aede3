import GraphQL
import Tables

/// The conditions of the rules on the stored item of an update or delete (reference: authorization, "Writes").
struct StoredItemDecision: Sendable, Hashable {
    let grants: [WriteGrant]
    /// The fields that every caller that may write some field may set: the partition key and generated fields.
    let openFields: Set<String>

    /// The guard of an update with this input.
    ///
    /// Every field needs a role that may update it, and a null also one that may delete it.
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

    /// The condition that the item matches one of the roles.
    private func condition(of matches: (WriteGrant) -> Bool) -> Condition {
        .any(grants.filter(matches).map(\.condition))
    }
}
