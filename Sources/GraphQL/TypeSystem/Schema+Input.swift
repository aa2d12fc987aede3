public import JSON

extension Schema {
    /// A JSON value as an input of a type, coerced as the value of a variable is (spec §3.10 Input Coercion).
    ///
    /// - Parameter name: What error messages call it.
    public func coerce(input value: JSONValue, as type: GraphQLType, named name: String) throws(GraphQLError)
        -> CoercedValue
    {
        let variable = OperationVariables.Variable(name: name, type: type, defaultValue: nil, offset: 0)
        return try VariableCoercion(
            schema: self, variable: variable, operationType: .query, source: Source([], name: name)
        ).coerce(value, as: type, named: name)
    }
}
