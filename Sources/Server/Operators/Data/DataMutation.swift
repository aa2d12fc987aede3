import GraphQL
import Tables
import Transformer

/// The operation that writes one item by the API's own mutation. It selects every stored field, because subscribers receive what
/// it selects; of that, events of an operator's write omit the fields that not every reader of the model may read.
struct DataMutation: Sendable {
    let document: String

    /// Levels of nested types that are selected.
    private static let depthMax = 8

    /// - Parameters:
    ///   - field: That of `Mutation`.
    ///   - selection: Its selection set.
    init(_ field: FieldType, selecting selection: String, _ schema: Schema) {
        let arguments = field.arguments.filter { $0.name == "input" }
        let variables = arguments.map { "$\($0.name): \(schema.name(of: $0.type))" }.joined(separator: ", ")
        let given = arguments.map { "\($0.name): $\($0.name)" }.joined(separator: ", ")
        document = "mutation Console(\(variables)) { item: \(field.name)(\(given)) \(selection) }"
    }

    /// The stored fields of a model as a selection set.
    static func selection(of model: Model, _ table: Table, _ definition: APIDefinition) -> String {
        selection(of: model.name, table, definition, depth: 0)
    }

    private static func selection(
        of name: String, _ table: Table, _ definition: APIDefinition, depth: Int
    ) -> String {
        let schema = definition.schema
        guard depth < depthMax, let id = schema.type(named: name), let fields = schema[id].fields?.fields else {
            return "{ __typename }"
        }
        let names = fields.compactMap { field -> String? in
            guard depth > 0 || table.position(of: field.name) != nil,
                definition.resolver(type: name, field: field.name) == nil
            else { return nil }
            let type = schema[field.type.namedType]
            guard !type.isLeaf else { return field.name }
            return "\(field.name) \(selection(of: type.name, table, definition, depth: depth + 1))"
        }
        return "{ \((names.isEmpty ? ["__typename"] : names).joined(separator: " ")) }"
    }
}
