import GraphQL
import JSON
import Transformer

/// `transformParameters` (reference: amplify-project, "Transformer parameters"): the parameters of Amplify's
/// transformer, as newer projects have them in place of feature flags (`TransformParameters` of
/// @aws-amplify/graphql-transformer-interfaces). Every flag of the transformer is one.
enum TransformParameters {
    /// What concerns deployments only.
    private static let unused = [
        "disableResolverDeduping", "enableSearchNodeToNodeEncryption", "enableTransformerCfnOutputs",
        "allowDestructiveGraphqlSchemaUpdates", "replaceTableUponGsiUpdate", "allowRequiredRelationalFields",
        "allowGen1Patterns",
    ]
    /// The names of the roles of the identity pool, which are not asked: its credentials say whether an identity signed in.
    private static let roleNames = ["authRoleName", "unauthRoleName"]
    private static let adminRoles = "adminRoles"
    private static let identityPool = "identityPoolId"
    private static let sandbox = "sandboxModeEnabled"
    private static let suppressedKey = "suppressApiKeyGeneration"
    private static let iamAccess = "enableIamAccess"

    static func read(_ section: ConfigurationSection, into configuration: inout Configuration) {
        for key in section.object.keys {
            let name = key.lowercased()
            func isOne(of names: String...) -> Bool { names.contains { $0.lowercased() == name } }
            if FeatureFlags.readOption(
                key, of: section, into: &configuration.transform, as: "The parameter \(section.name(key))")
            {
                continue
            } else if isOne(of: sandbox) {
                configuration.transform.sandboxModeEnabled = section.bool(key)
                configuration.sandboxModePlace = section.file.place(of: section.path + [key])
            } else if isOne(of: suppressedKey) {
                if section.bool(key) == true {
                    configuration.apiKeys.suppressionPlace = section.file.place(of: section.path + [key])
                }
            } else if isOne(of: iamAccess) {
                configuration.transform.enablesIAMAccess = section.bool(key) ?? false
            } else if isOne(of: adminRoles) {
                configuration.transform.adminRoles = section.strings(key) ?? []
            } else if isOne(of: identityPool) {
                configuration.auth.identityPoolID = section.string(key)
            } else if unused.contains(where: { $0.lowercased() == name }) {
                _ = section.bool(key)
                section.noteUnused(key)
            } else if roleNames.contains(where: { $0.lowercased() == name }) {
                _ = section.value(key)
                section.noteUnused(key)
            } else {
                let known =
                    FeatureFlags.supported.map(\.name) + unused
                    + roleNames
                    + [sandbox, suppressedKey, iamAccess, adminRoles, identityPool]
                section.report(
                    key, "Unknown key '\(section.name(key))'.", hint: SuggestionList.hint(for: key, among: known))
            }
        }
    }
}
