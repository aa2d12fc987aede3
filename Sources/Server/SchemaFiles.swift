public import GraphQL
public import Transformer

/// The files that are the schema: some named, others found in named folders.
public struct SchemaFiles: Sendable, Hashable {
    /// What the operator named: files, and folders that hold `*.graphql`.
    public let paths: [String]
    private let areNamed: Bool

    /// The schema of a configuration.
    public init(_ configuration: Configuration) {
        paths = configuration.schema
        areNamed = configuration.namesSchema
    }

    /// The files as they are now: a folder's in the order of their names.
    public var files: [String] {
        paths.flatMap { path in
            guard Files.isFolder(path) else { return [path] }
            let names = ((try? Files.names(inFolder: path)) ?? []).filter { $0.hasSuffix(".graphql") }
            return names.map { path.hasSuffix("/") ? path + $0 : "\(path)/\($0)" }
        }
    }

    /// The text of all files, or all that is wrong with them.
    public func read() throws(ServerError) -> [Source] {
        var problems: [Diagnostic] = []
        for path in paths where Files.isFolder(path) && SchemaFiles(path).files.isEmpty {
            problems.append(Diagnostic(kind: "SchemaFileError", message: "The folder \(path) holds no *.graphql file."))
        }
        var sources: [Source] = []
        for file in files {
            do {
                sources.append(Source(try Files.read(file), name: file))
            } catch {
                problems.append(
                    Diagnostic(
                        kind: "SchemaFileError", message: "Cannot read the schema \(file): \(error.reason).",
                        hint: areNamed ? nil : hintOfDefault))
            }
        }
        guard problems.isEmpty else { throw ServerError(.invalid, problems) }
        return sources
    }

    private init(_ path: String) {
        paths = [path]
        areNamed = true
    }

    private var hintOfDefault: String {
        "No schema was named, so ./\(paths[0]) was looked for. Name one with \(Setting.schema.flag) FILE_OR_FOLDER, "
            + "\(Setting.schema.variable), or schema in \(Configuration.defaultFile)."
    }
}

extension Configuration {
    /// Reads and transforms the schema, or says all that is wrong with it.
    public func loadDefinition() throws(ServerError) -> APIDefinition {
        let sources = try SchemaFiles(self).read()
        switch Transform.transform(sources, options: transform) {
        case .success(let definition):
            try checkResolverConfig(for: definition)
            return definition
        case .failure(let diagnostics): throw ServerError(.invalid, diagnostics)
        }
    }

    /// Conflicts that are to be detected in a model that is not there are detected nowhere.
    private func checkResolverConfig(for definition: APIDefinition) throws(ServerError) {
        let models = definition.models.map(\.name)
        let unknown = Set(modelsOfResolverConfig.keys).subtracting(models).sorted()
        guard !unknown.isEmpty else { return }
        throw ServerError(
            .invalid,
            unknown.map { name in
                Diagnostic(
                    kind: "ConfigurationError",
                    message: "ResolverConfig names \(name), which is no model of the schema.",
                    place: modelsOfResolverConfig[name], hint: SuggestionList.hint(for: name, among: models))
            })
    }
}
