import GraphQL

/// `input AMPLIFY { globalAuthRule: AuthRule = { allow: public } }`: how a schema of version 2 declares that models
/// without `@auth` are open to everyone who holds the API key (reference: authorization, "Models without rules"). It is
/// no part of the schema.
enum SandboxMode {
    private static let typeName = "AMPLIFY"
    private static let fieldNames = ["globalAuthRule", "global_auth_rule"]

    static func isIn(_ document: TypeSystemDocument) -> Bool {
        document.definitions.contains { input(in: $0) != nil }
    }

    /// Without the input, models that have no rules are open here to everyone who holds the API key. Where the options
    /// say that they are closed, they are refused.
    static func refuseClosedModels(
        of document: TypeSystemDocument, options: TransformOptions, diagnostics: inout DiagnosticList
    ) {
        guard options.sandboxModeEnabled == false, !isIn(document) else { return }
        for type in DeclaredSchema(document).models where type.directives(named: "auth").isEmpty {
            guard !type.fields.contains(where: { $0.directive(named: "auth") != nil }) else { continue }
            diagnostics.report(
                .notServed,
                "\(type.name) has no @auth, so that sandboxModeEnabled: false closes it to everyone; a model that is "
                    + "closed is not served.", at: type.place,
                hint: "Write @auth(rules: [{allow: public}]) on \(type.name), or set sandboxModeEnabled to true.")
        }
    }

    /// Removes the input; one with anything but `{ allow: public }` is reported.
    static func strip(_ document: TypeSystemDocument, diagnostics: inout DiagnosticList) -> TypeSystemDocument {
        var remaining = document
        for input in document.definitions.compactMap(input) {
            let isSandbox = input.fields.allSatisfy { field in
                fieldNames.contains(field.name)
                    && field.defaultValue?.objectFields?.map(\.name) == ["allow"]
                    && field.defaultValue?["allow"]?.nameValue == "public"
            }
            if !isSandbox {
                diagnostics.report(
                    .notServed, "The input \(typeName) says more than is served by this version.", at: input.place,
                    hint: "The only rule that is served is globalAuthRule: AuthRule = { allow: public }.")
            }
        }
        remaining.definitions.removeAll { input(in: $0) != nil }
        return remaining
    }

    private static func input(in definition: TypeSystemDefinition) -> InputObjectTypeDefinition? {
        guard case .type(.inputObject(let input)) = definition, input.name == typeName else { return nil }
        return input
    }
}
