import JSON
import Testing
import Transformer

@testable import API

extension AuthorizationRule {
    /// `allow: public`, by API key.
    static func `public`(_ type: String, field: String? = nil, _ operations: Set<Operation> = Operation.all) -> Self {
        AuthorizationRule(type: type, field: field, allow: .public, provider: .apiKey, operations: operations)
    }

    /// `allow: private`.
    static func `private`(
        _ type: String, field: String? = nil, _ operations: Set<Operation> = Operation.all,
        by provider: Provider = .userPools
    ) -> Self {
        AuthorizationRule(type: type, field: field, allow: .private, provider: provider, operations: operations)
    }

    /// `allow: owner`.
    static func owner(
        _ type: String, of ownerField: String = "owner", claim: String = "username", field: String? = nil,
        _ operations: Set<Operation> = Operation.all, by provider: Provider = .userPools
    ) -> Self {
        AuthorizationRule(
            type: type, field: field, allow: .owner(field: ownerField, identityClaim: claim), provider: provider,
            operations: operations)
    }

    /// `allow: groups` with `groups`.
    static func group(
        _ group: String, _ type: String, field: String? = nil, _ operations: Set<Operation> = Operation.all
    ) -> Self {
        AuthorizationRule(
            type: type, field: field, allow: .groups([group], groupClaim: "cognito:groups"), provider: .userPools,
            operations: operations)
    }

    /// `allow: groups` with `groupsField`.
    static func groups(
        in groupsField: String, _ type: String, field: String? = nil, _ operations: Set<Operation> = Operation.all
    ) -> Self {
        AuthorizationRule(
            type: type, field: field, allow: .groupsField(groupsField, groupClaim: "cognito:groups"),
            provider: .userPools, operations: operations)
    }
}

extension Set<AuthorizationRule.Operation> {
    static let readOnly = AuthorizationRule.Operation.read
    static let create: Self = [.create]
    static let update: Self = [.update]
    static let delete: Self = [.delete]
}

extension Identity {
    /// A user of the user pool by an id token; `sub` is the name after `s-`.
    static func user(
        _ name: String, in groups: [String] = [], claims: KeyValuePairs<String, JSONValue> = [:], issuedAt: Int = 0
    ) -> Identity {
        let token = IdentityToken(
            claims: JSONObject(
                [
                    ("sub", .string("s-\(name)")), ("cognito:username", .string(name)),
                    ("cognito:groups", .array(groups.map(JSONValue.string))), ("iat", .number("\(issuedAt)")),
                ] + claims.map { ($0.key, $0.value) }))
        return .userPools(token, claims: Set(claims.map { ExactText($0.key) }))
    }

    static let ann = user("ann")
    static let bob = user("bob")
}

extension Service {
    /// What a caller is answered, in short: the data, and for each error its path and `U` (unauthorized, with the text that
    /// belongs to the path), `F[a, b]` (unauthorized on these fields), `C` (the condition failed), or the whole of it.
    func brief(_ query: String, _ variables: String? = nil, as identity: Identity) throws -> String {
        let answer = try JSONReader.read(try send(body: Self.body(query, variables), as: identity).text)
        let errors = (answer["errors"]?.arrayValue ?? []).map { error in
            let described = Self.described(error)
            let path = (error["path"]?.arrayValue ?? []).map { $0.stringValue ?? $0.description }
            let name = "\(path.joined(separator: "/")) "
            guard error["errorType"] == "Unauthorized", let message = error["message"]?.stringValue else {
                return described == conditionFailed(path.joined(separator: "/")) ? "\(name)C" : described
            }
            if message.hasPrefix("Not Authorized to access ") {
                return message.hasPrefix("Not Authorized to access \(path.last ?? "") on type ")
                    ? "\(name)U" : described
            }
            let prefix = "Unauthorized on "
            return message.hasPrefix(prefix) ? "\(name)F\(message.dropFirst(prefix.count))" : described
        }
        return ([answer["data"]?.description ?? "no data"] + errors).joined(separator: " | ")
    }

    /// Compares brief answers.
    func expect(
        _ identity: Identity, _ query: String, _ expected: String,
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) throws {
        #expect(try brief(query, as: identity) == expected, "\(query)", sourceLocation: sourceLocation)
    }
}
