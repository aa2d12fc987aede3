import GraphQL
import Tables
import Transformer

/// Which models may have stored items that another schema does not fit. It compares declarations and reads no item.
struct ItemFit {
    /// Models whose items have to be counted: with new fields, or with fields of other types. A column that was once declared
    /// still has its values.
    private(set) var uncertainModels: Set<String> = []
    /// Those of them that the old schema writes in a way that the new one may not accept: a field is new and required, or not
    /// every value of its old type is one of the new type.
    private(set) var narrowedModels: Set<String> = []

    init(from old: APIDefinition, to new: APIDefinition) {
        for model in new.models {
            let table = new.tables[model.table]
            guard let known = old.models.first(where: { old.tables[$0.table].name == table.name }) else {
                uncertainModels.insert(model.name)
                continue
            }
            let before = old.storedFields(of: known)
            for (column, field) in new.storedFields(of: model) {
                var comparison = TypeComparison(old: old, new: new)
                let isNarrowed = before[column].map { !comparison.accepts($0.type, as: field.type) }
                if isNarrowed != false { uncertainModels.insert(model.name) }
                if isNarrowed ?? field.type.isNonNull { narrowedModels.insert(model.name) }
            }
        }
    }
}

/// Whether a type accepts every value of another one, in two schemas.
private struct TypeComparison {
    let old: APIDefinition
    let new: APIDefinition
    /// Nested types that are being compared: a type may lead back to itself.
    private var compared: Set<[String]> = []

    init(old: APIDefinition, new: APIDefinition) { (self.old, self.new) = (old, new) }

    mutating func accepts(_ before: GraphQLType, as after: GraphQLType) -> Bool {
        guard before.isNonNull || !after.isNonNull else { return false }
        switch (before.element, after.element) {
        case (let before?, let after?): return accepts(before, as: after)
        case (nil, nil): return accepts(old.schema[before.namedType], as: new.schema[after.namedType])
        default: return false
        }
    }

    private mutating func accepts(_ before: NamedType, as after: NamedType) -> Bool {
        switch (before.kind, after.kind) {
        case (.scalar, .scalar): return before.name == after.name
        case (.enumeration(let before), .enumeration(let after)):
            return Set(before.map(\.name)).isSubset(of: after.map(\.name))
        case (.object(let known), .object(let fields)):
            guard new.model(named: after.name) == nil, compared.insert([before.name, after.name]).inserted else {
                return true
            }
            for field in fields.fields {
                let before = known.fields.first { $0.name == field.name }
                guard before.map({ accepts($0.type, as: field.type) }) ?? !field.type.isNonNull else { return false }
            }
            return true
        default: return false
        }
    }
}

extension APIDefinition {
    /// The fields of a model that are attributes of its items, by the names of their columns; without the primary key, which
    /// every item has.
    fileprivate func storedFields(of model: Model) -> [String: FieldType] {
        guard let type = schema.type(named: model.name), let object = schema[type].fields else { return [:] }
        let table = tables[model.table]
        var fields: [String: FieldType] = [:]
        for (position, column) in table.columns.enumerated() where !table.key.columns.contains(position) {
            fields[column.name] = object.fields.first { $0.name == column.field }
        }
        return fields
    }
}
