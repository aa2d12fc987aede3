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
        }
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
