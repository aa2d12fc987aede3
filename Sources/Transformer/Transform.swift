public import GraphQL

/// The transform of a schema: text in, value out (reference: transformer, "Transform").
///
/// In three steps: the directives are read into `Declarations`, the schema is generated from them, and its fields are
/// bound to resolvers and tables. Directives are generated one after another, each for all types of the author's
/// document in its order, before the next begins: that order is the order of the generated types.
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
        // A definition that cannot be parsed is missing, so that each reference to it would be a second error.
        guard parsed.errors.isEmpty else { return .failure(diagnostics.errors) }

        var document = Directives.refuseUnserved(in: parsed.document, diagnostics: &diagnostics)
        var mixture = DiagnosticList(sources: sources)
        let version = SchemaVersion.version(of: document, options: options, diagnostics: &mixture)
        // In a schema of mixed versions each directive of one version would be a second error.
        guard !mixture.hasErrors else {
            diagnostics.add(mixture)
            return .failure(diagnostics.errors)
        }
        let options = options.addingModes(of: document, version)
        let declarations = Declarations(DeclaredSchema(parsed.document), version: version, options: options)
        var enforced: [AuthorizationRule] = []
        var grants: [String: Set<AuthorizationRule.Operation>] = [:]
        let ruled = document
        document = document.applyingRules(
            version, options: options, grants: &grants, enforced: &enforced, diagnostics: &diagnostics)
        if version == .v2 {
            SandboxMode.refuseClosedModels(of: ruled, options: options, diagnostics: &diagnostics)
            document = SandboxMode.strip(document, diagnostics: &diagnostics)
        }
        let prelude = Directives.prelude(of: version)
        for error in SchemaValidation.errors(in: document, prelude: prelude, requiresQuery: false) {
            diagnostics.report(.schemaValidation, error.message, at: error.place, hint: error.hint)
        }
        var context = TransformContext(
            DeclaredSchema(document), declarations: declarations, grants: grants, diagnostics: diagnostics)
        if version == .v2 { context.generateVersionTwo() } else { context.generateVersionOne() }
        guard !context.diagnostics.hasErrors else { return .failure(context.diagnostics.errors) }
        context.bind()
        guard !context.diagnostics.hasErrors else { return .failure(context.diagnostics.errors) }
        return context.outcome(sources: sources).settingAccess(
            context.addingJoinRules(to: enforced), options.authModes)
    }

    private static func refuseUnserved(_ options: TransformOptions, in diagnostics: inout DiagnosticList) {
        if options.authModes.isEmpty || options.authModes.contains(where: { $0 != .apiKey && $0 != .userPools }) {
            diagnostics.report(
                .notServed, "The modes of authorization that are served are the API key and the user pool.", at: nil,
                hint: "Name apiKey, userPools or both.")
        }
    }
}

extension TransformOutcome {
    /// The outcome with the rules that every caller is held to: those of the schema and, of a model without any, one for all
    /// callers of the default mode. An API whose only mode is the API key needs none.
    fileprivate func settingAccess(
        _ rules: [AuthorizationRule], _ modes: [TransformOptions.AuthMode]
    ) -> TransformOutcome {
        guard case .success(var definition) = self else { return self }
        definition.authModes = modes
        if modes != [.apiKey] {
            let ruled = Set(rules.map(\.type))
            definition.enforcedRules =
                rules
                + definition.models.filter { !ruled.contains($0.name) }.map { model in
                    modes[0] == .userPools
                        ? AuthorizationRule(type: model.name, allow: .private, provider: .userPools)
                        : AuthorizationRule(type: model.name, allow: .public, provider: .apiKey)
                }
        }
        return .success(definition)
    }
}

extension TransformContext {
    /// The rules, with those of both sides for each join model.
    fileprivate func addingJoinRules(to rules: [AuthorizationRule]) -> [AuthorizationRule] {
        var all = rules
        for (name, sides) in joinModels.sorted(by: { $0.key < $1.key }) {
            for rule in rules where sides.contains(rule.type) {
                var joined = rule
                joined.type = name
                if !all.contains(joined) { all.append(joined) }
            }
        }
        return all
    }

    /// Makes the resolvers, now that everything is generated.
    fileprivate mutating func bind() {
        bindConnections()
        bindRelations()
        bindFunctions()
        for index in models.indices { resolveOperations(of: index) }
        resolveSubscriptions()
        warnOfUnansweredFields()
        if conventions.closesUngrantedOperations { closeFields() }
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
                tables: models.map(table), declarations: declarations, resolvers: resolvers,
                closedFields: closedFields,
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
