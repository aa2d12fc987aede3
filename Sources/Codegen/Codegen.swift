public import GraphQL
public import Transformer

/// Client code from a schema: text in, named files out, without clock, network or files. Equal input gives equal files.
///
/// Models are those of Amplify's generator, byte for byte, because clients compare their version hash and developers
/// compare their text. `docs/codegen.md` describes all of it.
public enum Codegen {
    /// Generates the models of a schema, or reports everything that is wrong with it, in the order of the places.
    ///
    /// What the service does not serve yet does not keep code from being generated.
    ///
    /// - Parameter transform: How the schema is read; the version is that of `options`, unless that is `automatic`.
    public static func models(
        _ sources: [Source], target: CodegenTarget, options: CodegenOptions = CodegenOptions(),
        transform: TransformOptions = TransformOptions()
    ) -> CodegenOutcome {
        var transform = transform
        // Which modes an API accepts is a matter of serving.
        transform.authModes += TransformOptions.AuthMode.allCases.filter { !transform.authModes.contains($0) }
        transform.functions = nil
        if options.transformerVersion != .automatic { transform.transformerVersion = options.transformerVersion }
        if case .failure(let diagnostics) = Transform.transform(sources, options: transform) {
            let errors = diagnostics.filter { $0.kind != "NotServedError" }
            guard errors.isEmpty else { return .failure(errors) }
        }
        let document = Parser.parseTypeSystem(sources).document
        var options = options
        if options.transformerVersion == .automatic {
            options.transformerVersion = Transform.version(of: document, options: transform)
            // Projects of version 1 have the flag off.
            if options.transformerVersion == .v1 { options.respectPrimaryKeyAttributesOnConnectionField = false }
        }
        do throws(Diagnostic) {
            var schema = try CodegenSchema(document, options: options, for: target)
            try schema.connect(for: target)
            schema.processAuthorization()
            switch target {
            case .swift: schema.warnOfUncompilableFields()
            case .typescript: schema.warnOfLostMembers()
            case .introspection: break
            }
            let files =
                switch target {
                case .swift: try SwiftModels(schema).files
                case .introspection:
                    [GeneratedFile(name: "model-introspection.json", text: try ModelIntrospection(schema).text)]
                case .typescript: try TypeScriptModels(schema).files
                }
            return .success(files, warnings: schema.warnings)
        } catch {
            return .failure([error])
        }
    }

    /// Generates the statements of a schema that is served: one for each field of its root types.
    ///
    /// Each is valid in the schema, and within the bounds that the service has for documents by default.
    public static func statements(
        of schema: Schema, target: StatementTarget, options: StatementOptions = StatementOptions()
    ) -> CodegenOutcome {
        do throws(StatementFailure) {
            let statements = try Statements(of: schema, maxDepth: options.maxDepth)
            let files = StatementFiles(statements: statements, target: target, typesModule: options.typesModule)
            return .success(files.files, warnings: statements.warnings)
        } catch {
            return .failure(error.diagnostics)
        }
    }

    /// Generates the types of the statements that the same schema and depth give.
    ///
    /// - Parameter fileName: The file's name; nil for the one that Amplify gives it.
    public static func types(
        of schema: Schema, target: TypesTarget, fileName: String? = nil, options: StatementOptions = StatementOptions()
    ) -> CodegenOutcome {
        do throws(StatementFailure) {
            let statements = try Statements(of: schema, maxDepth: options.maxDepth)
            let text =
                switch target {
                case .swift: SwiftAPI(statements).text
                case .typescript: TypeScriptTypes(statements).text
                }
            return .success(
                [GeneratedFile(name: fileName ?? target.fileName, text: text)], warnings: statements.warnings)
        } catch {
            return .failure(error.diagnostics)
        }
    }
}
