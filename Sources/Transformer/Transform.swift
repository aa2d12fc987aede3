public import GraphQL
import Tables

/// The transform of a schema: text in, value out (reference: transformer, "Transform").
///
/// The directives are applied one after another, each to all types of the author's document in its order, before the
/// next begins: that order is the order of the generated types.
public enum Transform {
    /// Reads the sources as one schema and gives its definition, or everything that is wrong with it, in the order
    /// of the places.
    public static func transform(
        _ sources: [Source], options: TransformOptions = TransformOptions()
    ) -> TransformOutcome {
        var diagnostics = DiagnosticList(sources: sources)
        refuseUnserved(options, in: &diagnostics)
        let parsed = Parser.parseTypeSystem(sources)
        for error in parsed.errors { diagnostics.report(error, in: sources) }
        // What a broken definition meant to say is not known, and what refers to it would be blamed in its place.
        guard parsed.errors.isEmpty else { return .failure(diagnostics.errors) }

        var document = Directives.refuseUnserved(in: parsed.document, diagnostics: &diagnostics)
        var mixture = DiagnosticList(sources: sources)
        let version = SchemaVersion.version(of: document, options: options, diagnostics: &mixture)
        // Half of a mixed schema would be blamed for not being of the other half's version.
        guard !mixture.hasErrors else {
            diagnostics.add(mixture)
            return .failure(diagnostics.errors)
        }
        var grants: [String: Set<AuthDirective.Operation>] = [:]
        let ruled = document
        document = document.applyingRules(version, options: options, grants: &grants, diagnostics: &diagnostics)
        if version == .v2 {
            SandboxMode.refuseClosedModels(of: ruled, options: options, diagnostics: &diagnostics)
            document = SandboxMode.strip(document, diagnostics: &diagnostics)
        }
        let prelude = Directives.prelude(of: version)
        for error in SchemaValidation.errors(in: document, prelude: prelude, requiresQuery: false) {
            diagnostics.report(.schemaValidation, error.message, at: error.place, hint: error.hint)
        }
        var context = TransformContext(
            DeclaredSchema(document), version: version, options: options, grants: grants, diagnostics: diagnostics)
        if version == .v2 { context.applyDirectivesVersionTwo() } else { context.applyDirectives() }
        guard !context.diagnostics.hasErrors else { return .failure(context.diagnostics.errors) }
        return context.outcome(sources: sources)
    }

    private static func refuseUnserved(_ options: TransformOptions, in diagnostics: inout DiagnosticList) {
        if options.authModes != [.apiKey] {
            diagnostics.report(
                .notServed, "The only mode of authorization that is served is the API key.", at: nil,
                hint: "Name apiKey as the only mode.")
        }
    }
}

/// What a transform comes to.
public enum TransformOutcome: Sendable {
    /// The schema is served as this definition.
    case success(APIDefinition)
    /// The schema is refused, for all of these reasons.
    case failure([Diagnostic])
}

extension TransformContext {
    /// The pipeline of version 1 (reference: transformer, "Transform"). What comes later has its place in it:
    /// versioned, function and http between model and key; predictions, searchable and auth at the end.
    fileprivate mutating func applyDirectives() {
        for type in declared.models {
            for directive in type.directives(named: "model").prefix(1) { applyModel(directive, to: type) }
        }
        for case .object(let type) in declared.types { applyKeys(of: type) }
        let pages = declared.types.flatMap { applyConnections(of: $0) }
        guard !diagnostics.hasErrors else { return }
        for page in pages { resolve(page) }
        resolveRootFields()
    }

    /// The pipeline of version 2 (reference: transformer, "Transform"): function, http and predictions come between
    /// model and primaryKey; auth and searchable after default. A foreign key has its place by the kind of its
    /// relation.
    fileprivate mutating func applyDirectivesVersionTwo() {
        declareJoinModels()
        if !declared.models.isEmpty { addSharedInputs() }
        for type in declared.models {
            for directive in type.directives(named: "model").prefix(1) { applyModelVersionTwo(directive, to: type) }
        }
        for case .object(let type) in declared.types { applyPrimaryKeys(of: type) }
        for case .object(let type) in declared.types { applyIndexes(of: type) }
        for relation in relations(.hasMany) { applyHasMany(relation) }
        for relation in relations(.hasOne) { applyHasOne(relation) }
        applyManyToManyRelations()
        for relation in relations(.belongsTo) { applyBelongsTo(relation) }
        for case .object(let type) in declared.types { applyDefaults(of: type) }
        applyMappings()
        guard !diagnostics.hasErrors else { return }
        resolveRootFields()
        closeFields()
    }

    private mutating func resolveRootFields() {
        for index in models.indices { resolveOperations(of: index) }
        resolveSubscriptions()
        warnOfUnansweredFields()
    }

    /// The definition, unless what was generated and what the author wrote make no schema together.
    fileprivate func outcome(sources: [Source]) -> TransformOutcome {
        let printed = printedTypes()
        let schema: Schema
        do {
            schema = try SchemaBuilder.build(
                from: TypeSystemDocument(servedDefinitions(printed), sources: sources))
        } catch {
            var diagnostics = diagnostics
            for error in error.errors {
                diagnostics.report(.schemaValidation, error.message, at: error.place, hint: error.hint)
            }
            return .failure(diagnostics.errors)
        }
        return .success(
            APIDefinition(
                document: TypeSystemDocument(printed.map(TypeSystemDefinition.type), sources: sources),
                schema: schema,
                models: models.enumerated().map { model(of: $0.element, table: $0.offset) },
                tables: models.map(table), resolvers: resolvers, closedFields: closedFields,
                transformerVersion: version,
                warnings: diagnostics.warnings))
    }

    /// The types as they are printed: of the directives only those the service knows, root types only with fields
    /// (reference: transformer, "Printed schema").
    private func printedTypes() -> [TypeDefinition] {
        types.filter { !declared.isRootName($0.name) || $0.object?.fields.isEmpty == false }
            .map { $0.filteringDirectives { directive, _ in Directives.printed.contains(directive.name) } }
    }

    /// The printed types with the `schema` definition that is never printed. A schema needs a query type; where there
    /// is nothing to query, one with a field that answers null stands in.
    private func servedDefinitions(_ printed: [TypeDefinition]) -> [TypeSystemDefinition] {
        var types = printed
        if !types.contains(where: { $0.name == declared.queryName }) {
            types.append(
                .object(
                    ObjectTypeDefinition(
                        name: declared.queryName, fields: [FieldDefinition(name: "_", type: .named("Boolean"))])))
        }
        let roots = [
            (OperationType.query, declared.queryName), (.mutation, declared.mutationName),
            (.subscription, declared.subscriptionName),
        ]
        let schema = SchemaDefinition(
            operationTypes: roots.filter { _, name in types.contains { $0.name == name } }
                .map { OperationTypeDefinition(operation: $0, typeName: $1) })
        return [.schema(schema)] + types.map(TypeSystemDefinition.type)
    }
}
