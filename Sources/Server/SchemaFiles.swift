import Amplify
public import GraphQL
import JSON
public import Transformer

/// The files that are the schema: some named, others found in named folders.
public struct SchemaFiles: Sendable, Hashable {
    /// What the operator named: files, and folders that hold `*.graphql`.
    public let paths: [String]
    private let areNamed: Bool
    private let isOff: Bool
    /// Whether a file that is not there is read as an empty one.
    private let mayBeMissing: Bool
    /// The text, where the only file has it among other things.
    private let text: String?
    /// What is said of a folder `amplify/` that is no project, if there is one.
    private let unrecognizedProject: String?
    /// The folder of the Amplify project that the schema is of, without links; nil where it is of none. Links out of it are not
    /// followed.
    let base: String?

    /// The schema of a configuration.
    public init(_ configuration: Configuration) {
        paths = configuration.schema.paths
        (areNamed, isOff) = (configuration.schema.isNamed, configuration.schema.isOff)
        mayBeMissing = configuration.schema.mayBeMissing
        text = configuration.schema.text
        unrecognizedProject = configuration.unrecognizedProject
        base = configuration.amplify.flatMap { project in
            guard let path = project.settings.value["schema"]?.stringValue, configuration.schema.paths == [path] else {
                return nil
            }
            return Files.realPath(project.prefix.isEmpty ? "." : project.prefix)
        }
    }

    /// The files as they are now, in the order of their names: a folder's, and, where it has no `schema.graphql`, those
    /// of its folder `schema` and below. A folder that is called `schema` itself is read as that one.
    public var files: [String] {
        paths.flatMap { path in
            guard Files.isFolder(path) else { return [path] }
            if Self.isSplitSchema(path) { return tree(path) }
            let names = ((try? Files.names(inFolder: path)) ?? []).filter { $0.hasSuffix(".graphql") }
            let files = names.map { Files.path($0, in: path) }.filter { !Files.isFolder($0) }
            return names.contains(Self.fileName) ? files : files + tree(Files.path("schema", in: path))
        }
    }

    /// The folders in which an Amplify project keeps what belongs to the schema.
    var folders: [String] {
        paths.map { path in
            guard Files.isFolder(path) else { return Files.folder(of: path) }
            guard Self.isSplitSchema(path) else { return path }
            return path == "schema" ? "." : Files.folder(of: Self.withoutSlash(path))
        }
    }

    private static let fileName = "schema.graphql"
    /// The bytes of all files together. Each error costs a search for its line, so that a larger schema that is wrong
    /// throughout would be checked for minutes.
    private static let bytesMax = 4 << 20

    private func tree(_ folder: String) -> [String] {
        Files.tree(folder, within: base).filter { $0.hasSuffix(".graphql") && !Files.isFolder($0) }
    }

    /// Whether it is Amplify's folder of a schema in several files.
    private static func isSplitSchema(_ folder: String) -> Bool {
        withoutSlash(folder).split(separator: "/").last == "schema"
    }

    /// A path without the `/` at its end.
    static func withoutSlash(_ path: String) -> String {
        path.hasSuffix("/") && path.count > 1 ? String(path.dropLast()) : path
    }

    /// The text of all files, or all that is wrong with them.
    public func read() throws(ServerError) -> [Source] {
        guard !isOff else {
            throw ServerError(
                .invalid,
                "No GraphQL API is served: the configuration says \"schema\": false, or the Amplify project has none.",
                hint: "Name a schema with \(Setting.schema.flag) FILE_OR_FOLDER.")
        }
        if let text { return [Source(text, name: paths[0])] }
        var problems: [Diagnostic] = []
        for path in paths where Files.isFolder(path) && SchemaFiles(folder: path).files.isEmpty {
            problems.append(
                Diagnostic(
                    kind: "SchemaFileError", message: "The folder \(path) holds no *.graphql file.",
                    hint: "Write the schema into \(Files.path(Self.fileName, in: path))."))
        }
        var sources: [Source] = []
        var bytesLeft = Self.bytesMax
        for file in files {
            do {
                let bytes = try Files.read(file)
                bytesLeft -= bytes.count
                guard bytesLeft >= 0 else {
                    problems.append(
                        Diagnostic(
                            kind: "SchemaFileError",
                            message:
                                "The schema is larger than \(Self.bytesMax >> 20) MiB, with \(file): that is not read.",
                            hint: "Is it a file of something else?"))
                    break
                }
                sources.append(Source(bytes, name: file))
            } catch {
                if mayBeMissing, error.isMissing {
                    sources.append(Source([], name: file))
                    continue
                }
                let target = Files.target(ofLink: file).map { ", a link to \($0)" } ?? ""
                problems.append(
                    Diagnostic(
                        kind: "SchemaFileError",
                        message: "Cannot read the schema \(file)\(target): \(error.reason).",
                        hint: areNamed ? nil : hintOfDefault))
            }
        }
        guard problems.isEmpty else { throw ServerError(.invalid, problems) }
        return sources
    }

    /// The schema of one file or folder.
    init(folder path: String) {
        paths = [path]
        (areNamed, isOff, mayBeMissing, text, unrecognizedProject, base) = (true, false, false, nil, nil, nil)
    }

    private var hintOfDefault: String {
        let projects = AmplifyDetection.projectsBelow()
        let commands = projects.map { "\(Setting.amplify.flag) \($0)" }.joined(separator: ", ")
        let found = projects.isEmpty ? "" : " Amplify projects are in folders below; name one with \(commands)."
        let above =
            AmplifyDetection.projectAbove.map {
                " An Amplify project is in a folder above; name it with '\(Setting.amplify.flag) \($0)'."
            } ?? ""
        return
            "No schema was named, so ./\(paths[0]) was looked for. Name one with \(Setting.schema.flag) FILE_OR_FOLDER, "
            + "\(Setting.schema.variable), or schema in \(Configuration.defaultFile).\(found)\(above)"
            + (unrecognizedProject.map { " \($0)" } ?? "")
    }
}

extension Configuration {
    /// The options of the transform with the modes of the API: those of `authConfig`, or the default and what rules need.
    var transformOptions: TransformOptions {
        var options = transform
        if let authModes { options.authModes = authModes } else { options.addsModesOfRules = true }
        return options
    }

    /// The configuration with the purpose of a mode, which decides what is an error in the schema.
    func read(for mode: Service.Mode) -> Configuration {
        var configuration = self
        configuration.purpose = mode == .dev ? .develop : .serve
        configuration.schema.mayBeEmpty = mode == .dev && !schema.isNamed && amplify == nil
        return configuration
    }

    /// Reads and transforms the schema, or says all that is wrong with it.
    ///
    /// Where the configuration was read for `serve`, a function without a URL is an error.
    ///
    /// - Parameter allowsClosedModels: Whether a model that nobody has access to is a warning, where nothing says that this
    ///   is meant.
    public func loadDefinition(allowsClosedModels: Bool = true) throws(ServerError) -> APIDefinition {
        try loadDefinition(allowsClosedModels: allowsClosedModels, of: try SchemaFiles(self).read())
    }

    /// Transforms a text as if it were the schema's, or says all that is wrong with it.
    ///
    /// - Parameter outcome: Transforms it, or has done so before.
    func loadDefinition(
        allowsClosedModels: Bool, of sources: [Source],
        by outcome: ([Source], TransformOptions) -> TransformOutcome = { Transform.transform($0, options: $1) }
    ) throws(ServerError) -> APIDefinition {
        let allowsMissingFunctions = purpose != .serve
        let neighbours = FilesBesideSchema(
            SchemaFiles(self), reported: amplify?.apiFolder, isOfProject: amplify != nil)
        var problems = neighbours.errors
        var options = transformOptions
        options.functions = FunctionCatalog(
            names: Set(functions.byName.keys), environmentName: environmentName, allowsMissing: allowsMissingFunctions)
        switch outcome(sources, options) {
        case .success(let definition) where schema.mayBeEmpty && definition.document.definitions.isEmpty:
            guard problems.isEmpty else { throw ServerError(.invalid, problems) }
            var empty = try FirstSchema.definition(options: transformOptions)
            empty.warnings = [Self.noticeOfEmptySchema(sources)] + neighbours.warnings
            return empty
        case .success(var definition):
            problems += Self.problem(without: definition, sources).map { [$0] } ?? []
            if !allowsClosedModels { problems += closedModelProblems(of: definition) }
            let missing =
                (definition.authModes.contains(.lambda) ? [auth.missingAuthorizer].compactMap(\.self) : [])
                + resolverConfig.functions.missingFunctions(of: definition.models)
            if !allowsMissingFunctions {
                problems += missing.map { missing in
                    var problem = missing
                    problem.kind = "ConfigurationError"
                    return problem
                }
            }
            guard problems.isEmpty else { throw ServerError(.invalid, problems) }
            definition.warnings += try checkResolverConfig(for: definition)
            definition.warnings += sandboxWarnings(of: definition)
            definition.warnings += neighbours.warnings + missing
            definition.warnings += functions.warnings(
                notIn: definition.functionNames.union(resolverConfig.functions.names)
                    .union([auth.authorizer?.function.name].compactMap(\.self))
                    .union(userPools.triggerFunctions(among: functions))
                    .union(storage.triggerFunctions(among: functions)))
            return definition
        case .failure(let diagnostics):
            throw ServerError(.invalid, withHintOfFlags(diagnostics) + problems)
        }
    }

    /// What is served: the definition of the schema, or one without models where no GraphQL API is served.
    public func loadServedDefinition(allowsClosedModels: Bool = true) throws(ServerError) -> APIDefinition {
        guard schema.isOff else { return try loadDefinition(allowsClosedModels: allowsClosedModels) }
        // No request reaches its field.
        return try FirstSchema.definition(options: TransformOptions())
    }

    /// A directive of version 2 is refused in a project without cli.json, which decides the version.
    private func withHintOfFlags(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
        guard let amplify, amplify.lacksFlagFile, transform.transformerVersion == .v1 else { return diagnostics }
        return diagnostics.map { diagnostic in
            guard diagnostic.kind == "InvalidDirectiveError", diagnostic.message.contains("belongs to version 2") else {
                return diagnostic
            }
            var diagnostic = diagnostic
            diagnostic.hint =
                "The project has no amplify/cli.json, so its transformer is version 1: check the file out of the "
                + "repository, or set \"transformerVersion\": 2 in \(Configuration.defaultFile)."
            return diagnostic
        }
    }

    /// Models that nobody has access to, unless `sandboxModeEnabled: false` says that this is meant.
    func closedModelProblems(of definition: APIDefinition) -> [Diagnostic] {
        guard !definition.closedModels.isEmpty, transform.sandboxModeEnabled != false else { return [] }
        let names = definition.closedModels.joined(separator: ", ")
        return [
            Diagnostic(
                kind: "InvalidDirectiveError",
                message: "Nobody has access to the models without @auth: \(names).", place: definition.closedModelPlace,
                hint:
                    "If this is intended, set 'sandboxModeEnabled' to false. Otherwise write @auth on each, or "
                    + definition.stepsOpeningClosedModels)
        ]
    }

    /// `sandboxModeEnabled: false` overrides the input `AMPLIFY`, which is named by both places.
    private func sandboxWarnings(of definition: APIDefinition) -> [Diagnostic] {
        guard let place = definition.overriddenSandboxPlace else { return [] }
        let origin = sandboxModePlace.map { "\($0.sourceName):\($0.line):\($0.column)" } ?? "the configuration"
        return [
            Diagnostic(
                kind: "Warning",
                message: "The input AMPLIFY has no effect: 'sandboxModeEnabled' is false in \(origin).", place: place,
                hint: "Remove one of them. Without the input, models without @auth are closed.")
        ]
    }

    private static func noticeOfEmptySchema(_ sources: [Source]) -> Diagnostic {
        Diagnostic(
            kind: "Warning", message: "The schema \(sources.map(\.name).joined(separator: ", ")) has no models yet.",
            hint: "Model your data on the console's page Schema, or write types with @model into the file.")
    }

    /// A schema without a model and without a function has nothing to serve.
    private static func problem(without definition: APIDefinition, _ sources: [Source]) -> Diagnostic? {
        guard definition.models.isEmpty, definition.functionNames.isEmpty else { return nil }
        let schema = definition.schema
        let roots = [schema.queryType, schema.mutationType, schema.subscriptionType].compactMap { $0 }
            .map { schema[$0].name }
        let types = definition.document.definitions.compactMap { definition -> String? in
            guard case .type(.object(let type)) = definition, !roots.contains(type.name) else { return nil }
            return type.name
        }
        let files = sources.map(\.name).joined(separator: ", ")
        return Diagnostic(
            kind: "SchemaValidationError",
            message:
                "The schema \(files) has no type with @model and no field with @function: there is nothing to serve.",
            hint: "Write @model on each type whose items are stored, for example: "
                + (types.first.map { "type \($0) @model { … }" } ?? "type Todo @model { id: ID! name: String }"))
    }

    /// The models of `resolverConfig` that the schema does not have: conflicts that are to be detected in one are detected
    /// nowhere.
    ///
    /// - Returns: Warnings of the entries of an Amplify project, which keeps them when a model is removed, and for which Amplify
    ///   looks up the models of the schema alone.
    /// - Throws: Those of the configuration.
    private func checkResolverConfig(for definition: APIDefinition) throws(ServerError) -> [Diagnostic] {
        let models = definition.models.map(\.name)
        let unknown = Set(resolverConfig.modelPlaces.keys).subtracting(models).sorted()
        var (errors, warnings) = ([Diagnostic](), [Diagnostic]())
        for name in unknown {
            let isOfProject = source?.isOfProject(["resolverConfig", "models", name]) ?? false
            let diagnostic = Diagnostic(
                kind: isOfProject ? "Warning" : "ConfigurationError",
                message: isOfProject
                    ? "The conflict resolution of \(name) has no effect: it is no model of the schema."
                    : "ResolverConfig names \(name), which is no model of the schema.",
                place: resolverConfig.modelPlaces[name], hint: SuggestionList.hint(for: name, among: models))
            if isOfProject { warnings.append(diagnostic) } else { errors.append(diagnostic) }
        }
        guard errors.isEmpty else { throw ServerError(.invalid, errors) }
        return warnings
    }
}
