import Crypto
import Encodings
import JSON

extension UserPools {
    /// Claims that the function of PreTokenGeneration does not change (AWS Cognito Developer Guide, "Pre token generation
    /// Lambda trigger").
    private static let fixedClaims: Set<String> = [
        "acr", "amr", "at_hash", "auth_time", "azp", "cognito:username", "exp", "iat", "iss", "jti", "nbf", "nonce",
        "origin_jti", "sub", "token_use", "client_id", "event_id", "device_key", "username", "version", "aud",
        "identities", "scope",
    ]

    /// Changes claims as the function of PreTokenGeneration says.
    func override(
        _ id: inout JSONObject, _ access: inout JSONObject, _ groups: [Group], _ user: User, _ signIn: SignIn
    ) async throws(CognitoError) {
        let version = signIn.pool.lambdaConfig.preTokenGenerationVersion
        let roles = groups.compactMap(\.roleARN)
        var configuration: JSONObject = [
            "groupsToOverride": .array(groups.map { .string($0.name) }),
            "iamRolesToOverride": .array(roles.map(JSONValue.string)),
        ]
        configuration["preferredRole"] = id["cognito:preferred_role"] ?? .null
        var request: JSONObject = [
            "userAttributes": Self.triggerAttributes(user), "groupConfiguration": .object(configuration),
            "clientMetadata": Self.json(signIn.metadata),
        ]
        if version != "V1_0" { request["scopes"] = .array(signIn.scopes.map(JSONValue.string)) }
        let member = version == "V1_0" ? "claimsOverrideDetails" : "claimsAndScopeOverrideDetails"
        let response = try await call(
            .preTokenGeneration, signIn.source, for: user, in: signIn.pool, client: signIn.client, request: request,
            response: [member: .null], version: version == "V1_0" ? "1" : version == "V2_0" ? "2" : "3")
        guard let details = try response.response(member) else { return }
        if version == "V1_0" {
            try Self.change(&id, by: details)
        } else {
            if let changes = try details.response("idTokenGeneration") { try Self.change(&id, by: changes) }
            if let changes = try details.response("accessTokenGeneration") {
                try Self.change(&access, by: changes)
                try Self.changeScopes(&access, by: changes)
            }
        }
        try Self.changeGroups(&id, &access, by: details)
    }

    private static func change(_ claims: inout JSONObject, by details: TriggerResponse) throws(CognitoError) {
        for (name, value) in try details.response("claimsToAddOrOverride")?.object ?? [:] where !isFixed(name) {
            claims[name] = value
        }
        for name in try details.list("claimsToSuppress") ?? [] where !isFixed(name) { claims[name] = nil }
    }

    private static func isFixed(_ claim: String) -> Bool {
        // "For group related claims, use groupOverrideDetails instead."
        fixedClaims.contains(claim) || claim.hasPrefix("cognito:")
    }

    private static func changeScopes(_ access: inout JSONObject, by details: TriggerResponse) throws(CognitoError) {
        let (added, removed) = (try details.list("scopesToAdd") ?? [], try details.list("scopesToSuppress") ?? [])
        // The characters of a scope (RFC 6749 §3.3).
        guard
            added.allSatisfy({ scope in
                !scope.isEmpty && scope.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
            })
        else { throw TriggerResponse.invalid("A scope has characters that scopes cannot have.") }
        var scopes = (access["scope"]?.stringValue ?? "").split(separator: " ").map(String.init)
        scopes.removeAll(where: removed.contains)
        for scope in added where !scopes.contains(scope) { scopes.append(scope) }
        access["scope"] = .string(scopes.joined(separator: " "))
    }

    /// "The groupOverrideDetails object is replaced with the one you provide. If you provide an empty or null object in the
    /// response, then the groups are suppressed."
    private static func changeGroups(
        _ id: inout JSONObject, _ access: inout JSONObject, by details: TriggerResponse
    ) throws(CognitoError) {
        guard details.has("groupOverrideDetails") else { return }
        let override = try details.response("groupOverrideDetails")
        let (groups, roles) = (try override?.list("groupsToOverride"), try override?.list("iamRolesToOverride"))
        guard groups?.allSatisfy({ $0.utf16.count <= 128 && NamePattern.matches($0) }) ?? true else {
            throw TriggerResponse.invalid("A group has a name that groups cannot have.")
        }
        func claim(_ texts: [String]?) -> JSONValue? {
            guard let texts, !texts.isEmpty else { return Optional.none }
            return .array(texts.map(JSONValue.string))
        }
        id["cognito:groups"] = claim(groups)
        access["cognito:groups"] = claim(groups)
        id["cognito:roles"] = claim(roles)
        id["cognito:preferred_role"] = try override?.text("preferredRole").map(JSONValue.string)
    }

    /// `at_hash` (OpenID Connect Core 1.0 §3.1.3.6).
    static func leftHalfOfHash(_ token: String) -> String {
        Base64.encodeURL(Array(SHA256.hash(data: Array(token.utf8)).prefix(16)))
    }
}
