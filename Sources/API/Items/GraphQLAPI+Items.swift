import GraphQL
public import JSON
public import Tables
import Transformer

extension GraphQLAPI {
    /// The stored table of a model, by the model's place.
    public func storedTable(ofModel model: Int) -> StoredTable { schema.tables[definition.models[model].table] }

    /// A filter in JSON, as the API's `Model…FilterInput` has it, as a condition on the items of a model.
    ///
    /// - Returns: Nil for a filter that restricts nothing; or why it is not valid.
    public func condition(ofFilter filter: JSONValue, model: Int) -> Result<Tables.Condition?, FilterError> {
        let name = "Model\(definition.models[model].name)FilterInput"
        guard let type = definition.schema.type(named: name) else {
            return .failure(FilterError(message: "The API has no filter for this model."))
        }
        do throws(GraphQLError) {
            let value = try definition.schema.coerce(input: filter, as: .named(type), named: "filter")
            do throws(ResolverError) {
                let table = storedTable(ofModel: model).table
                return .success(try FilterCondition.condition(value, on: table, schema.filterRules))
            } catch { return .failure(FilterError(message: error.message)) }
        } catch { return .failure(FilterError(message: error.message)) }
    }
}
