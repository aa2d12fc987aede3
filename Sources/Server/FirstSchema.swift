import GraphQL
import Transformer

/// The schema that the first `dev` in a folder writes: a file with comments only. It is served as an API without models until the
/// console or an editor adds some.
enum FirstSchema {
    private static let text = """
        # The schema of this API. Model your data in the console, or write types here, for example:
        #
        # type Todo @model @auth(rules: [{allow: public}]) {
        #   id: ID!
        #   name: String!
        # }

        """

    /// Whether the folder has no schema, not even a link to one that is missing, and no data, and no Amplify project is above or below it.
    static func isWanted(by configuration: Configuration) -> Bool {
        let schema = configuration.schema
        guard !schema.isNamed, !schema.isOff, schema.text == nil, schema.paths == SchemaLocation().paths,
            configuration.amplify == nil, configuration.unrecognizedProject == nil
        else { return false }
        return !isTaken(schema.paths[0])
            && (configuration.data.isEphemeral || !Files.exists(configuration.data.folder))
            && AmplifyDetection.projectsBelow().isEmpty && AmplifyDetection.projectAbove == nil
    }

    /// A link that leads nowhere has its place: a file of that name would take it away.
    private static func isTaken(_ path: String) -> Bool { Files.exists(path) || Files.target(ofLink: path) != nil }

    /// Writes the file after the data folder was made. One that was written meanwhile stays.
    ///
    /// - Returns: The file as it was written, for the watcher, which has no change to report then; nothing for another one.
    static func write(_ configuration: Configuration) throws(ServerError) -> Watcher.View {
        let path = configuration.schema.paths[0]
        guard !isTaken(path) else { return [:] }
        do throws(Files.Failure) { try Files.write(text, to: path) } catch {
            throw ServerError(.invalid, "Cannot write the schema \(path): \(error.reason).")
        }
        // Read after the fingerprint was taken: a later edit has another one.
        guard let fingerprint = Files.fingerprint(path), (try? Files.read(path)) == Array(text.utf8) else { return [:] }
        return [path: fingerprint]
    }

    /// Whether a definition is that of a schema without definitions.
    static func isServed(as definition: APIDefinition) -> Bool {
        definition.models.isEmpty && definition.functionNames.isEmpty
    }

    /// What is served where the schema has no definition yet.
    ///
    /// A schema has a query type with a field (GraphQL specification, "Root Operation Types").
    static func definition(options: TransformOptions) throws(ServerError) -> APIDefinition {
        let source = Source("type Query { unserved: String }", name: "schema")
        switch Transform.transform([source], options: options) {
        case .success(var definition):
            definition.warnings = []
            return definition
        case .failure(let diagnostics): throw ServerError(.invalid, diagnostics)
        }
    }
}
