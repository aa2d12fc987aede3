/// A client's proof that it knows a password: the responses to PASSWORD_VERIFIER and DEVICE_PASSWORD_VERIFIER.
struct PasswordClaim {
    /// The sealed exchange, as the challenge had it.
    let secretBlock: String
    let timestamp: String
    /// Base64.
    let signature: String

    /// Throws for a missing response: to be read before an attempt begins.
    init(_ responses: [String: String]) throws(CognitoError) {
        func value(_ name: String) throws(CognitoError) -> String {
            guard let value = responses[name] else { throw .missingParameter(name) }
            return value
        }
        secretBlock = try value("PASSWORD_CLAIM_SECRET_BLOCK")
        timestamp = try value("TIMESTAMP")
        signature = try value("PASSWORD_CLAIM_SIGNATURE")
    }
}
