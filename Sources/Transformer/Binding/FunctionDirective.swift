import GraphQL

// `@function`: fields that functions of the project answer (reference: resolvers, "Functions").

extension TransformContext {
    /// AWS AppSync, "Quotas": functions of one pipeline.
    private static let functionCountMax = 10

    /// Makes a pipeline of the functions of each field that has some.
    mutating func bindFunctions() {
        for type in declared.types {
            for declaration in fieldDeclarations(of: type.name) where !declaration.functions.isEmpty {
                let field = FieldName(type: type.name, field: declaration.name)
                let countBefore = diagnostics.errors.count
                validate(declaration, field, isInterface: type.object == nil)
                let steps = declaration.functions.compactMap { step(of: $0, field) }
                guard diagnostics.errors.count == countBefore else { continue }
                resolvers[field] = .pipeline(steps)
            }
        }
    }

    private mutating func validate(_ declaration: FieldDeclaration, _ field: FieldName, isInterface: Bool) {
        let place = declaration.functions[0].place.place
        if isInterface {
            diagnostics.report(
                .invalidDirective, "@function on \(field.text) has no effect: \(field.type) is an interface.",
                at: place,
                hint: "Write it on the field of each type that implements \(field.type).")
        }
        if field.type == declared.subscriptionName {
            diagnostics.report(
                .notServed, "@function on \(field.text) is not served: events come from mutations.", at: place,
                hint: "Write @aws_subscribe on the field, and @function on the mutation that it follows.")
        }
        if let relation = declaration.relation {
            diagnostics.report(
                .invalidDirective, "\(field.text) has both @function and @\(relation.kind.rawValue).", at: place,
                hint: "A field has one resolver: remove one of the two.")
        }
        if declaration.functions.count > Self.functionCountMax {
            diagnostics.report(
                .invalidDirective,
                "\(field.text): a pipeline has at most \(Self.functionCountMax) functions; this one has "
                    + "\(declaration.functions.count).", at: place)
        }
    }

    private mutating func step(of function: FunctionDeclaration, _ field: FieldName) -> PipelineStep? {
        let place = function.place.place
        guard !function.name.isEmpty else {
            diagnostics.report(.invalidDirective, "Must supply a 'name' to @function.", at: place)
            return nil
        }
        let catalog = options.functions
        var name = FunctionCatalog.name(function.name, in: catalog?.environmentName)
        if let catalog {
            if let declared = catalog.declaredName(of: function.name) {
                name = declared
            } else {
                reportMissing(name, catalog, "@function(name: \"\(function.name)\") on \(field.text)", at: place)
            }
        }
        return .function(
            FunctionInvocation(name: name, region: function.region, accountId: function.accountId))
    }

    private mutating func reportMissing(_ name: String, _ catalog: FunctionCatalog, _ use: String, at place: Place?) {
        let message = "\(use): there is no function \"\(name)\"."
        let hint =
            SuggestionList.hint(for: name, among: catalog.names.sorted())
            ?? "Give its URL in the configuration: \"functions\": {\"\(name)\": \"http://…\"}."
        if catalog.allowsMissing {
            diagnostics.warn("\(message) The field fails when it is selected.", at: place, hint: hint)
        } else {
            diagnostics.report(.invalidDirective, message, at: place, hint: hint)
        }
    }
}
