import Tables

/// What a running server does for a deployment.
struct SchemaServing: Sendable {
    /// Migrates the tables and makes the API, in one transaction; nothing is served yet.
    let migrate: @Sendable (ServedSchema, MigrationRequest) throws(ServerError) -> PreparedAPI
    /// Serves an API that was made so. It cannot fail.
    let serve: @Sendable (PreparedAPI) -> Void
    /// The command that gets the configuration of clients; nil if it is not known.
    let pullCommand: @Sendable () -> String?
}
