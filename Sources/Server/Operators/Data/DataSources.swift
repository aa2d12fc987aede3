import API
import GraphQL
import Synchronization
import Transformer

/// The models of a schema as operators see them, made once for the schema, when the first call needs them. May be used from any
/// thread.
final class DataSources: Sendable {
    private let api: GraphQLAPI
    private let definition: APIDefinition
    private let made = Mutex<[DataSource]?>(nil)

    init(_ api: GraphQLAPI, _ definition: APIDefinition) { (self.api, self.definition) = (api, definition) }

    /// In the order of the definition's models.
    var all: [DataSource] {
        made.withLock { made in
            let sources = made ?? makeAll()
            made = sources
            return sources
        }
    }

    /// Nil where the API has no such model.
    subscript(name: String) -> DataSource? { definition.model(named: name).map { all[$0] } }

    /// The source of the model that a call names.
    func source(named name: String) throws(OperatorProblem) -> DataSource {
        guard let source = self[name] else { throw .unknownModel(name) }
        return source
    }

    private func makeAll() -> [DataSource] {
        let schema = definition.schema
        var mutationFields: [Resolver: FieldType] = [:]
        if let type = schema.mutationType, let fields = schema[type].fields?.fields {
            for field in fields {
                guard let resolver = definition.resolver(type: schema[type].name, field: field.name),
                    mutationFields[resolver] == nil
                else { continue }
                mutationFields[resolver] = field
            }
        }
        return definition.models.indices.map {
            DataSource($0, definition, api.storedTable(ofModel: $0), mutationFields)
        }
    }
}
