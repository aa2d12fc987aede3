import GraphQL

extension TransformContext {
    /// Warns of the author's directives without effect: those of modes that the API does not have, and `@aws_auth` beside other
    /// modes.
    mutating func warnOfModeDirectives() {
        let modes = options.authModes
        for type in declared.types.compactMap(\.object) {
            let uses =
                [(name: type.name, directives: type.directives)]
                + type.fields.map { ("\(type.name).\($0.name)", $0.directives) }
            for (name, directives) in uses {
                for directive in directives { warn(of: directive, on: name, modes) }
            }
            if !type.isModel, !declared.isRootName(type.name) { warnOfOpening(type) }
        }
    }

    /// Warns where the rules of a model open a nested type to modes that its author did not name.
    private mutating func warnOfOpening(_ declared: ObjectTypeDefinition) {
        func modes(_ type: ObjectTypeDefinition) -> [TransformOptions.AuthMode] {
            type.directives.compactMap { ModeGate.mode($0.name, readsOldDirective: false) }
        }
        let named = modes(declared)
        guard !named.isEmpty, let generated = type(named: declared.name)?.object else { return }
        let added = modes(generated).filter { !named.contains($0) }
        guard !added.isEmpty else { return }
        diagnostics.warn(
            "The rules of a model that has \(declared.name) among its fields open this type to "
                + "\(added.map(\.configurationName).joined(separator: ", ")), too.", at: declared.place,
            hint: "Write the modes on its fields: those of a field replace those of the type.")
    }

    private mutating func warn(of directive: DirectiveNode, on name: String, _ modes: [TransformOptions.AuthMode]) {
        if directive.name == "aws_auth", modes != [.userPools] {
            diagnostics.warn(
                "@aws_auth on \(name) has no effect: it counts where AMAZON_COGNITO_USER_POOLS is the only mode.",
                at: directive.place, hint: "Write @aws_cognito_user_pools(cognito_groups: [...]).")
        }
        guard let mode = ModeGate.mode(directive.name, readsOldDirective: false), !modes.contains(mode) else { return }
        diagnostics.warn(
            "@\(directive.name) on \(name) names a mode that the API does not have: \(mode.configurationName).",
            at: directive.place, hint: "Add \(mode.configurationName) to 'authConfig' in the configuration.")
    }
}
