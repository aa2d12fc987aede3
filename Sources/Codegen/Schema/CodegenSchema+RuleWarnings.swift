import GraphQL
import JSON
import Transformer

extension CodegenSchema {
    /// What the enums of amplify-swift have (amplify-swift, "AuthRule.swift").
    private static let operations: Set = ["create", "update", "delete", "read"]
    private static let providers: Set = ["apiKey", "oidc", "iam", "userPools", "function"]

    /// Warns of rules whose operations or providers amplify-swift does not know. They are written nevertheless, as by Amplify's
    /// generator.
    mutating func warnOfUncompilableRules() {
        for model in models {
            let rules = model.directives.filter { $0.name == "auth" }
                .flatMap { $0.arguments["rules"]?.arrayValue ?? [] }
                // Rules that a function decides are left out.
                .filter { ["owner", "groups", "private", "public"].contains($0["allow"]?.stringValue) }
            func unknown(_ key: String, _ known: Set<String>) -> [String] {
                let names = rules.flatMap { rule -> [JSONValue] in rule[key].map { $0.arrayValue ?? [$0] } ?? [] }
                    .compactMap(\.stringValue)
                return Set(names).subtracting(known).sorted()
            }
            let operations = unknown("operations", Self.operations)
            if !operations.isEmpty {
                warn(
                    "The Swift of \(model.name) does not compile: amplify-swift has no operation "
                        + "\(operations.joined(separator: ", ")) in rules.", at: model.place,
                    hint: "Write read in their place.")
            }
            guard options.emitAuthProvider else { continue }
            let providers = unknown("provider", Self.providers)
            if !providers.isEmpty {
                warn(
                    "The Swift of \(model.name) does not compile: amplify-swift has no provider "
                        + "\(providers.joined(separator: ", ")) in rules.", at: model.place,
                    hint: providers == ["identityPool"] ? "Write iam, the older word for it." : nil)
            }
        }
    }
}
