import GraphQL
import JSON

/// An object type: a model, or a type whose values are embedded in those of others.
struct CodegenModel {
    /// What identifies an item.
    struct PrimaryKey {
        enum Kind {
            /// The `id` that the service fills in.
            case managed
            /// An `id` that the schema declares to be the key.
            case optionallyManaged
            /// Any other key.
            case custom
        }

        var kind: Kind
        var field: String
        var sortKeyFields: [String]

        var fields: [String] { [field] + sortKeyFields }
    }

    let name: String
    var directives: [CodegenDirective]
    var fields: [CodegenField]
    /// Nil for other types, and for models whose flags ignore custom keys.
    var primaryKey: PrimaryKey?
    var place: Place?

    func field(_ name: String) -> CodegenField? { fields.first { $0.name == name } }

    /// The fields of the primary key in their order; none where the key is not known.
    var keyFields: [CodegenField] { (primaryKey?.fields ?? []).compactMap(field) }

    /// Adds a field at the end, unless there is one of its name.
    mutating func add(_ field: CodegenField) {
        if self.field(field.name) == nil { fields.append(field) }
    }

    mutating func removeField(_ name: String) { fields.removeAll { $0.name == name } }

    /// The `@key` of a name; the primary key's has none.
    func key(named name: String?) -> CodegenDirective? {
        directives.first { $0.name == "key" && $0.text("name") == name }
    }

    /// The field with `@primaryKey`.
    var primaryKeyField: CodegenField? { fields.first { $0.directive("primaryKey") != nil } }

    /// The fields after the partition key of the key that has no name.
    var sortKeyFieldsOfKey: [CodegenField] {
        (key(named: nil)?.names("fields") ?? []).dropFirst().compactMap(field)
    }

    /// Notes in each directive of the fields the field that carries it, as reading them by the generator does.
    mutating func tagFieldDirectives() {
        for index in fields.indices {
            for position in fields[index].directives.indices {
                fields[index].directives[position].fieldName = fields[index].name
            }
        }
    }
}
