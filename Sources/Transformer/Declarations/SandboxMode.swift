import GraphQL

/// `input AMPLIFY { globalAuthRule: AuthRule = { allow: public } }`: how a schema of version 2 declares that models
/// without `@auth` are open to everyone who holds the API key (reference: authorization, "Models without rules"). It is
/// no part of the schema.
enum SandboxMode {
    private static let typeName = "AMPLIFY"
    private static let fieldNames = ["globalAuthRule", "global_auth_rule"]

    /// The first such input of a schema; nil without one.
    static func input(in document: TypeSystemDocument) -> InputObjectTypeDefinition? {
        document.definitions.lazy.compactMap(input).first
    }

    /// What to add to a schema.
    static let line = "input AMPLIFY { globalAuthRule: AuthRule = { allow: public } }"

    /// What opens the models without rules, beside rules: a sandbox, and the mode whose callers it gives access.
    /// - Parameter isOff: Whether an option switches the sandbox off, so that the input has no effect.
    static func steps(isSandbox: Bool, isOff: Bool = false, modes: [TransformOptions.AuthMode]) -> String {
        let mode = "add API_KEY to 'authConfig': the sandbox opens models to callers with an API key alone"
        if isSandbox { return "\(mode)." }
        let input =
            isOff
            ? "set 'sandboxModeEnabled' to true, which opens all models without @auth to callers with an API key."
            : "add this line to the schema, which opens all models without @auth to callers with an API key:\n\(line)"
        return modes.contains(.apiKey) ? input : "\(mode); and \(input)"
    }

    /// Removes the input; one with anything but `{ allow: public }` is reported.
    static func strip(_ document: TypeSystemDocument, diagnostics: inout DiagnosticList) -> TypeSystemDocument {
        var remaining = document
        for input in document.definitions.compactMap(input) {
            let isSandbox = input.fields.allSatisfy { field in
                fieldNames.contains(field.name) && field.type == .named("AuthRule")
                    && field.defaultValue?.objectFields?.map(\.name) == ["allow"]
                    && field.defaultValue?["allow"]?.enumValue == "public"
            }
            if !isSandbox {
                diagnostics.report(
                    .invalidDirective,
                    "There was a problem with your auth configuration. Learn more about auth here: "
                        + "https://docs.amplify.aws/cli/graphql/authorization-rules/", at: input.place,
                    hint: "The only global rule there is: \(line)")
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
