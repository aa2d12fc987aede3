public import JSON

extension OperatorClient {
    /// Creates an API key. The answer has `key`, which is not stored and cannot be shown again, `name` and `expires`.
    ///
    /// - Parameter days: How long the key is valid; nil for `apiKeyExpirationDays` of the configuration, or else 7.
    public func createKey(_ name: String, days: Int?) async throws(ServerError) -> JSONValue {
        try await send(.createKey(name: name, days: days ?? configuration.auth.apiKeyDays ?? APIKey.daysDefault))
    }

    /// The created API keys in the order in which they were created, and before them those of the configuration that have a
    /// name, each with `name`, `created`, `expires`, `expired` and `source`, which is `created` or `configuration`.
    public func keys() async throws(ServerError) -> [JSONValue] {
        try Self.items(try await send(.listKeys))
    }

    /// Revokes an API key.
    public func revokeKey(_ name: String) async throws(ServerError) -> JSONValue {
        // A name that none can have would not be a path.
        guard Operator.isName(name) else { throw OperatorProblem.unknownKey(name).serverError }
        return try await send(.revokeKey(name: name))
    }
}
