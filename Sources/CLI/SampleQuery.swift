import GraphQL
import Transformer

/// A query that works on the served schema: the first model's list, with a few plain fields.
struct SampleQuery {
    /// The document; without quotes, so that it can stand in a shell's and in JSON's.
    let text: String

    private static let fieldCountMax = 4

    init(_ definition: APIDefinition) {
        text = Self.list(definition) ?? "{ __typename }"
    }

    /// The first field of the query type that lists a model without any required argument.
    private static func list(_ definition: APIDefinition) -> String? {
        let schema = definition.schema
        let queryType = schema[schema.queryType]
        guard case .object(let root) = queryType.kind else { return nil }
        for field in root.fields {
            guard case .query(let query)? = definition.resolver(type: queryType.name, field: field.name),
                query.kind == .list, let model = schema.type(named: definition.models[query.model].name)
            else { continue }
            let fields = plainFields(of: model, schema).prefix(fieldCountMax).joined(separator: " ")
            return "{ \(field.name) { items { \(fields.isEmpty ? "__typename" : fields) } } }"
        }
        return nil
    }

    /// The fields that need neither arguments nor a selection of their own.
    private static func plainFields(of type: TypeID, _ schema: GraphQL.Schema) -> [String] {
        guard case .object(let object) = schema[type].kind else { return [] }
        return object.fields.filter { field in
            guard field.arguments.isEmpty else { return false }
            return switch schema[field.type.namedType].kind {
            case .scalar, .enumeration: true
            default: false
            }
        }.map(\.name)
    }
}
