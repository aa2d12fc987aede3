extension UserPoolClient {
    /// Reports settings that contradict each other or the pool, once the client has its secret.
    func check(in pool: UserPool, _ reader: SettingsReader, isConfiguration: Bool) {
        checkOAuth(reader)
        checkProviders(pool, reader)
        checkAttributes(pool, reader)
        checkTimes(reader)
        if isConfiguration { checkConfiguration(pool, reader) }
    }

    private func checkOAuth(_ reader: SettingsReader) {
        func report(_ word: String, _ message: String, hint: String) {
            reader.report(word, message, hint: hint, error: "InvalidOAuthFlowException")
        }
        if allowedOAuthFlows.contains("client_credentials") {
            if secret == nil {
                report(
                    "AllowedOAuthFlows",
                    "client_credentials flow can not be selected if client does not have a client secret.",
                    hint: "Give the client a 'secret'.")
            }
            if allowedOAuthFlows.count > 1 {
                report(
                    "AllowedOAuthFlows",
                    "client_credentials flow can not be selected along with code flow or implicit flow.",
                    hint: "Use two clients.")
            }
        } else if !allowedOAuthFlows.isEmpty, callbackURLs.isEmpty {
            reader.report(
                "AllowedOAuthFlows",
                "'allowedOAuthFlows' has \(allowedOAuthFlows.joined(separator: " and ")), and there is no callback URL to return to.",
                hint: "Add 'callbackURLs'.")
        }
        if allowedOAuthFlowsUserPoolClient, allowedOAuthFlows.isEmpty || allowedOAuthScopes.isEmpty {
            report(
                allowedOAuthFlows.isEmpty ? "AllowedOAuthFlowsUserPoolClient" : "AllowedOAuthScopes",
                "AllowedOAuthFlows and AllowedOAuthScopes are required if user pool client is allowed to use OAuth flows.",
                hint: "Add 'allowedOAuthFlows' and 'allowedOAuthScopes'.")
        }
        let standard = ["openid", "email", "phone", "profile", Self.adminScope]
        // A scope of a resource server is written with a slash.
        for (index, scope) in allowedOAuthScopes.enumerated() where !standard.contains(scope) && !scope.contains("/") {
            reader.report(
                reader.has("Scopes") && !reader.has("AllowedOAuthScopes") ? "Scopes" : "AllowedOAuthScopes",
                index: index,
                "Invalid scope requested: \(scope).", hint: "The scopes are \(standard.joined(separator: ", ")).",
                error: "ScopeDoesNotExistException")
        }
        if let defaultRedirectURI, !callbackURLs.contains(defaultRedirectURI) {
            reader.report(
                "DefaultRedirectURI", "'defaultRedirectURI' is not one of 'callbackURLs'.",
                hint: "Add it to 'callbackURLs'.")
        }
    }

    private func checkProviders(_ pool: UserPool, _ reader: SettingsReader) {
        let known = ["COGNITO"] + pool.identityProviders.map(\.name)
        for (index, name) in identityProviders.enumerated() where !known.contains(name) {
            reader.report(
                "SupportedIdentityProviders", index: index,
                "The provider \(name) does not exist for User Pool \(pool.id).",
                hint: "Known providers: \(known.joined(separator: ", ")).")
        }
    }

    private func checkAttributes(_ pool: UserPool, _ reader: SettingsReader) {
        for (word, names) in [("ReadAttributes", readAttributes), ("WriteAttributes", writeAttributes)] {
            let isRead = word == "ReadAttributes"
            for (index, name) in (names ?? []).enumerated() {
                let attribute = pool.attribute(name)
                if attribute.map({ isRead || !$0.isWrittenByPool }) ?? (name == "sub") { continue }
                let verb = isRead ? "read" : "write"
                reader.report(
                    word, index: index, "Invalid \(verb) attributes specified while creating a client: \(name).",
                    hint: attribute == nil ? "It is no attribute of the pool." : "It is written by the pool.")
            }
        }
    }

    private func checkTimes(_ reader: SettingsReader) {
        for (word, seconds) in [("AccessTokenValidity", accessTokenSeconds), ("IdTokenValidity", idTokenSeconds)]
        where seconds > refreshTokenSeconds {
            reader.report(
                word,
                "Invalid range for token validity: '\(SettingsReader.lowerFirst(word))' is \(seconds) seconds, and the refresh "
                    + "token is valid for \(refreshTokenSeconds) seconds only.",
                hint: "Make 'refreshTokenValidity' longer.")
        }
    }

    private func checkConfiguration(_ pool: UserPool, _ reader: SettingsReader) {
        if !allowedOAuthFlowsUserPoolClient, !allowedOAuthFlows.isEmpty {
            reader.report(
                "AllowedOAuthFlowsUserPoolClient",
                "'allowedOAuthFlowsUserPoolClient' is false, and the client has OAuth flows.",
                hint: "Remove it, or the flows and 'callbackURLs'.")
        }
        if let writeAttributes, !pool.allowsAdminCreateUserOnly {
            for attribute in pool.schema where attribute.isRequired && !writeAttributes.contains(attribute.name) {
                reader.report(
                    "WriteAttributes",
                    "'writeAttributes' lacks \(attribute.name), which the pool requires: nobody could sign up by this client.",
                    hint: "Add \"\(attribute.name)\".")
            }
        }
        guard explicitAuthFlows != nil else { return }
        // Such a client is refused REFRESH_TOKEN_AUTH (AWS Cognito Developer Guide, "Refresh token rotation").
        if rotationGraceSeconds != nil, explicitAuthFlows?.contains(Flow.refresh.rawValue) == true {
            reader.report(
                "ExplicitAuthFlows",
                "'explicitAuthFlows' has ALLOW_REFRESH_TOKEN_AUTH, and 'refreshTokenRotation' is ENABLED: a client that rotates "
                    + "its tokens refreshes by GetTokensFromRefreshToken alone.",
                hint: "Remove ALLOW_REFRESH_TOKEN_AUTH, or 'refreshTokenRotation'.")
        }
        let signIns = flows.subtracting([.refresh])
        if signIns == [.custom], pool.lambdaConfig[.defineAuthChallenge] == nil {
            reader.report(
                "ExplicitAuthFlows", "The client allows CUSTOM_AUTH alone, and the pool has no functions for it.",
                hint:
                    "Add 'defineAuthChallenge', 'createAuthChallenge' and 'verifyAuthChallengeResponse' to 'lambdaConfig'."
            )
        }
        if signIns.isEmpty, allowedOAuthFlows.isEmpty {
            reader.report(
                "ExplicitAuthFlows",
                "The client allows no way to sign in, and has no 'callbackURLs' for the hosted pages.",
                hint: "Add ALLOW_USER_SRP_AUTH.")
        }
    }
}
