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
        document = document.removingRules(version, options: options, diagnostics: &diagnostics)
        var isSandbox = false
        var overriddenInput: Place?
        if version == .v2 {
            let input = SandboxMode.input(in: document)
            isSandbox = options.sandboxModeEnabled ?? (input != nil)
            overriddenInput = isSandbox ? nil : input?.place
            document = SandboxMode.strip(document, diagnostics: &diagnostics)
        }
        let prelude = Directives.prelude(of: version)
        for error in SchemaValidation.errors(in: document, prelude: prelude, requiresQuery: false) {
            diagnostics.report(.schemaValidation, error.message, at: error.place, hint: error.hint)
        }
        var context = TransformContext(
            DeclaredSchema(document), declarations: declarations, isSandbox: isSandbox, diagnostics: diagnostics)
        if version == .v2 { context.generateVersionTwo() } else { context.generateVersionOne() }
        guard !context.diagnostics.hasErrors else { return .failure(context.diagnostics.errors) }
        context.bind()
        guard !context.diagnostics.hasErrors else { return .failure(context.diagnostics.errors) }
        return context.outcome(sources: sources, overriddenInput: overriddenInput)
    }

    private static func refuseUnserved(_ options: TransformOptions, in diagnostics: inout DiagnosticList) {
        guard options.authModes.isEmpty else { return }
        diagnostics.report(
            .notServed, "An API needs a mode of authorization.", at: nil,
            hint: "Name the default mode: 'authenticationType' in 'authConfig'.")
    }
}

extension TransformContext {
    /// Makes the resolvers, now that everything is generated.
    fileprivate mutating func bind() {
        bindConnections()
        bindRelations()
        bindFunctions()
        for index in models.indices { resolveOperations(of: index) }
        resolveSubscriptions()
        warnOfUnansweredFields()
        warnOfClosedModels()
        warnOfModeDirectives()
    }

    /// All rules: those of the schema, those of join models, and of a sandbox the rule of each model without any.
    private var rules: [AuthorizationRule] {
        declarations.rules + models.filter { joinModels.contains($0.name) }.flatMap(\.declaration.rules)
            + (sandboxOpensModels ? modelsWithoutRules : []).map { .sandbox($0.name) }
    }

    private var modelsWithoutRules: [ModelDraft] { models.filter(\.declaration.allRules.isEmpty) }

    /// Whether the sandbox gives anyone access: only callers with API keys have it.
    private var sandboxOpensModels: Bool { isSandbox && options.authModes.contains(.apiKey) }

    /// Warns of the models that version 2 closes to everyone.
    private mutating func warnOfClosedModels() {
        guard declarations.version == .v2, !sandboxOpensModels else { return }
        let opening = SandboxMode.steps(
            isSandbox: isSandbox, isOff: options.sandboxModeEnabled == false, modes: options.authModes)
        for model in modelsWithoutRules where !joinModels.contains(model.name) {
            diagnostics.warn(
                APIDefinition.closedModelText(model.name), at: model.declared.place,
                hint: "Write @auth(rules: [...]) on \(model.name), or \(opening)")
        }
    }

    /// The definition, unless what was generated and what the author wrote make no schema together.
    /// - Parameter overriddenInput: The input `AMPLIFY` that an option overrides.
    fileprivate func outcome(sources: [Source], overriddenInput: Place?) -> TransformOutcome {
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
        var definition = APIDefinition(
            document: TypeSystemDocument(printed.map(TypeSystemDefinition.type), sources: sources),
            schema: schema, models: models.enumerated().map { model(of: $0.element, table: $0.offset) },
            tables: models.map(table), declarations: declarations, resolvers: resolvers,
            gates: ModeGates(of: printed, modes: options.authModes, deniesByDefault: options.deniesByDefault),
            warnings: diagnostics.warnings)
        definition.authModes = options.authModes
        definition.signedAccess = signedAccess()
        definition.enablesIAMAccess = options.enablesIAMAccess
        definition.populatesOwnerForStaticRoles = options.populateOwnerFieldForStaticGroupAuth
        definition.subscriptionsInheritPrimaryAuth = options.subscriptionsInheritPrimaryAuth
        if declarations.version == .v2 || !rules.isEmpty { definition.enforcedRules = rules }
        definition.adminRoles = declarations.version == .v2 ? options.adminRoles : []
        definition.isSandbox = isSandbox
        definition.overriddenSandboxPlace = overriddenInput.flatMap(diagnostics.resolve)
        if declarations.version == .v2, !sandboxOpensModels {
            definition.closedModels = modelsWithoutRules.map(\.name)
            definition.closedModelPlace = modelsWithoutRules.lazy.compactMap(\.declared.place).first
                .flatMap(diagnostics.resolve)
        }
        definition.makeAccess()
        definition.warnings += readWarnings(definition)
        return .success(definition)
    }

    /// The warnings about what callers are shown or sent though no rule lets them read it.
    private func readWarnings(_ definition: APIDefinition) -> [Diagnostic] {
        let texts = zip(definition.versionOneAccess, definition.modelAccess).map { one, two -> [String] in
            guard let one, let declared = declarations.model(named: one.model) else {
                return two?.unintendedReads ?? []
            }
            return one.publishedReads(declared.operations)
        }
        let reads = zip(models, texts).flatMap { model, texts in
            texts.map { (text: $0, place: model.declared.place) }
        }
        return zip(reads, diagnostics.resolve(reads.map(\.place))).map { read, place in
            Diagnostic(kind: "Warning", message: read.text, place: place)
        }
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
