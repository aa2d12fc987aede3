import GraphQL
public import JSON
public import Tables
import Transformer

extension GraphQLAPI {
    /// The stored table of a model, by the model's place.
    public func storedTable(ofModel model: Int) -> StoredTable { schema.tables[definition.models[model].table] }

    /// A filter in JSON, as the API's `Model…FilterInput` has it, as a condition on the items of a model. Unlike the API's it has every
    /// stored field that is no list or nested type, so also those that are generated: keys of connections and timestamps.
    ///
    /// - Returns: Nil for a filter that restricts nothing; or why it is not valid.
    public func condition(ofFilter filter: JSONValue, model: Int) -> Result<Tables.Condition?, FilterError> {
        let name = "Model\(definition.models[model].name)FilterInput"
        guard let type = definition.schema.type(named: name) else {
            return .failure(FilterError(message: "The API has no filter for this model."))
        }
        let table = storedTable(ofModel: model).table
        let (own, generated) = parts(of: filter, type, table)
        do throws(GraphQLError) {
            var value = try definition.schema.coerce(input: own, as: .named(type), named: "filter")
            for (name, operators, type) in generated {
                let operand = try definition.schema.coerce(input: operators, as: .named(type), named: "filter")
                value = .object(value.fields + [CoercedField(name: name, value: operand)])
            }
            do throws(ResolverError) {
                return .success(try FilterCondition.condition(value, on: table, schema.filterRules))
            } catch { return .failure(FilterError(message: error.message)) }
        } catch { return .failure(FilterError(message: error.message)) }
    }

    /// The members of a filter that the API has, and those of other stored fields with the type of their operators.
    private func parts(
        of filter: JSONValue, _ type: TypeID, _ table: Table
    ) -> (own: JSONValue, generated: [(name: String, operators: JSONValue, type: TypeID)]) {
        guard let members = filter.objectValue, case .inputObject(let fields) = definition.schema[type].kind else {
            return (filter, [])
        }
        var own: JSONObject = [:]
        var generated: [(name: String, operators: JSONValue, type: TypeID)] = []
        for (name, operators) in members {
            if !fields.contains(where: { $0.name == name }), let position = table.position(of: name),
                let operand = Self.operandTypeName(of: table.columns[position].type),
                let type = definition.schema.type(named: operand)
            {
                generated.append((name, operators, type))
            } else {
                own[name] = operators
            }
        }
        return (.object(own), generated)
    }

    /// The input with the operators for a column; nil where there is none.
    private static func operandTypeName(of type: ColumnType) -> String? {
        switch type {
        case .text: "ModelIDInput"
        case .integer: "ModelIntInput"
        case .real: "ModelFloatInput"
        case .boolean: "ModelBooleanInput"
        case .json: nil
        }
    }
}
