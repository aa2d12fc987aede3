import Crypto
import Encodings
import JSON

extension UserPools {
    /// Claims that the function of PreTokenGeneration does not change (AWS Cognito Developer Guide, "Pre token generation
    /// Lambda trigger").
    private static let fixedClaims: Set<String> = [
        "acr", "amr", "at_hash", "auth_time", "azp", "cognito:username", "exp", "iat", "iss", "jti", "nbf", "nonce",
        "origin_jti", "sub", "token_use", "client_id", "event_id", "device_key", "username", "version", "aud",
        "identities",
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
        guard let details = response[member]?.objectValue else { return }
        if version == "V1_0" {
            Self.change(&id, by: details)
        } else {
            Self.change(&id, by: details["idTokenGeneration"]?.objectValue ?? [:])
            let changes = details["accessTokenGeneration"]?.objectValue ?? [:]
            Self.change(&access, by: changes)
            var scopes = (access["scope"]?.stringValue ?? "").split(separator: " ").map(String.init)
            scopes.removeAll { scope in Self.texts(changes["scopesToSuppress"]).contains(scope) }
            scopes += Self.texts(changes["scopesToAdd"]).filter { !scopes.contains($0) && !$0.contains(" ") }
            access["scope"] = .string(scopes.joined(separator: " "))
        }
        if let override = details["groupOverrideDetails"]?.objectValue {
            let names = override["groupsToOverride"]
            if names?.arrayValue != nil {
                id["cognito:groups"] = names
                access["cognito:groups"] = names
            }
            if override["iamRolesToOverride"]?.arrayValue != nil {
                id["cognito:roles"] = override["iamRolesToOverride"]
            }
            if let role = override["preferredRole"], !role.isNull { id["cognito:preferred_role"] = role }
        }
    }

    private static func texts(_ value: JSONValue?) -> [String] { value?.arrayValue?.compactMap(\.stringValue) ?? [] }

    private static func change(_ claims: inout JSONObject, by details: JSONObject) {
        for (name, value) in details["claimsToAddOrOverride"]?.objectValue ?? [:] where !fixedClaims.contains(name) {
            claims[name] = value
        }
        for name in texts(details["claimsToSuppress"]) where !fixedClaims.contains(name) { claims[name] = nil }
    }

    /// `at_hash` (OpenID Connect Core 1.0 §3.1.3.6).
    static func leftHalfOfHash(_ token: String) -> String {
        Base64.encodeURL(Array(SHA256.hash(data: Array(token.utf8)).prefix(16)))
    }
}
