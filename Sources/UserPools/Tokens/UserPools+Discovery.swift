public import JSON

extension UserPools {
    /// The JSON Web Key Set of a pool; nil where there is no such pool.
    public func jsonWebKeySet(of poolID: String) async -> JSONValue? {
        guard let name = await preparedKeyName(of: poolID) else { return nil }
        return try? keys.jsonWebKeySet(of: name)
    }

    /// The bytes of the JSON Web Key Set of a pool, which are kept until its keys change; nil where there is no such pool.
    public func jsonWebKeySetBytes(of poolID: String) async -> [UInt8]? {
        guard let name = await preparedKeyName(of: poolID) else { return nil }
        return try? keys.keySetBytes(of: name)
    }

    /// The same, if it was asked for since the keys were made: nothing is read or computed.
    public func readyJSONWebKeySetBytes(of poolID: String) -> [UInt8]? { keyName(of: poolID).flatMap(keys.readyKeySet) }

    /// The name of a pool's keys, which are there if the pool is configured. Pools that calls have made are many; they get their keys
    /// when they are made or sign for the first time, and not when a client reads their set.
    private func preparedKeyName(of poolID: String) async -> String? {
        guard let name = keyName(of: poolID) else { return nil }
        guard directory.pool(poolID)?.isConfigured ?? directory.identityPool(poolID)?.isConfigured ?? false else {
            return name
        }
        do throws(CognitoError) { try await keys.keys(of: name) } catch { return nil }
        return name
    }

    private func keyName(of poolID: String) -> String? {
        directory.pool(poolID)?.id ?? directory.identityPool(poolID).map(Self.keyName)
    }

    /// The discovery document of a pool (OpenID Connect Discovery 1.0 §3); nil where there is no such pool.
    ///
    /// - Parameters:
    ///   - pagesURL: The base URL of the hosted pages for this client; nil for the issuer's.
    ///   - keysURL: The base URL of the key set for this client; nil for the issuer's.
    public func openIDConfiguration(
        of poolID: String, pagesURL: String? = nil, keysURL: String? = nil
    ) -> JSONValue? {
        guard let pool = directory.pool(poolID) else { return nil }
        let base = pagesURL ?? baseURL(of: pool.id)
        let keysBase = keysURL ?? baseURL(of: pool.id)
        return [
            "authorization_endpoint": .string("\(base)/oauth2/authorize"),
            "authorization_response_iss_parameter_supported": true,
            "end_session_endpoint": .string("\(base)/logout"), "id_token_signing_alg_values_supported": ["RS256"],
            "issuer": .string(issuer(of: pool.id)), "jwks_uri": .string("\(keysBase)/\(pool.id)/.well-known/jwks.json"),
            "response_types_supported": ["code", "token"], "revocation_endpoint": .string("\(base)/oauth2/revoke"),
            "scopes_supported": ["openid", "email", "phone", "profile"], "subject_types_supported": ["public"],
            "token_endpoint": .string("\(base)/oauth2/token"),
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
            "code_challenge_methods_supported": ["S256"], "userinfo_endpoint": .string("\(base)/oauth2/userInfo"),
        ]
    }
}
