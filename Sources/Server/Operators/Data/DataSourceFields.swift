import GraphQL
import Tables
import Transformer

/// What is known of the fields of a model for calls about many items.
struct DataSourceFields: Sendable {
    /// A field of the input of the create mutation.
    struct Input: Sendable {
        let type: GraphQLType
        /// The names of the values, of an enum.
        var values: [String]?
        /// The fields, of a nested type; nil for another one.
        var fields: [(name: String, input: Input)]?
        /// The scalar's name; of another type, its name.
        let typeName: String
    }

    /// In the order of the schema.
    let related: [(name: String, item: RelatedItem)]
    let lists: [String: QueryItems]
    let inputs: [(name: String, input: Input)]
    /// The columns that people recognize an item by.
    let titlePositions: [Int]
    /// Whether the model is generated for a relation between two others.
    let isJoin: Bool

    /// Levels of nested inputs.
    private static let depthMax = 6

    init(_ model: Model, _ definition: APIDefinition, _ table: Table, title: [String]) {
        let schema = definition.schema
        var related: [(name: String, item: RelatedItem)] = []
        var lists: [String: QueryItems] = [:]
        let fields = schema.type(named: model.name).flatMap { schema[$0].fields?.fields } ?? []
        for field in fields {
            switch definition.resolver(type: model.name, field: field.name) {
            case .related(let item)?: related.append((field.name, item))
            case .query(let query)?: lists[field.name] = query
            default: break
            }
        }
        (self.related, self.lists) = (related, lists)
        isJoin = definition.declarations.model(named: model.name) == nil
        titlePositions = title.compactMap(table.position(of:))
        inputs = Self.inputs(of: "Create\(model.name)Input", schema, depth: 0) ?? []
    }

    private static func inputs(of name: String, _ schema: Schema, depth: Int) -> [(name: String, input: Input)]? {
        guard depth < depthMax, let id = schema.type(named: name), case .inputObject(let fields) = schema[id].kind
        else {
            return nil
        }
        return fields.map { field in
            let type = schema[field.type.namedType]
            var input = Input(type: field.type, typeName: type.name)
            if case .enumeration(let values) = type.kind { input.values = values.map(\.name) }
            input.fields = inputs(of: type.name, schema, depth: depth + 1)
            return (field.name, input)
        }
    }

    subscript(input name: String) -> Input? { inputs.first { $0.name == name }?.input }
}
