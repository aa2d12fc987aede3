package import JSON

extension UserPoolClient {
    init(id: String, poolID: String, _ reader: SettingsReader, isConfiguration: Bool) {
        self.init(id: id, poolID: poolID, name: reader.string("ClientName") ?? reader.string("Name") ?? id)
        update(reader, isConfiguration: isConfiguration)
    }

    /// Takes over the settings that are given. `UpdateUserPoolClient` begins from the defaults.
    mutating func update(_ reader: SettingsReader, isConfiguration: Bool) {
        if let names = reader.strings("ExplicitAuthFlows") { readFlows(names, reader) }
        callbackURLs = reader.strings("CallbackURLs") ?? reader.strings("CallbackUrls") ?? callbackURLs
        logoutURLs =
            reader.strings("LogoutURLs") ?? reader.strings("LogoutUrls") ?? reader.strings("SignOutUrls") ?? logoutURLs
        defaultRedirectURI = reader.string("DefaultRedirectURI") ?? defaultRedirectURI
        checkURLs(callbackURLs, ["CallbackURLs", "CallbackUrls"], reader)
        checkURLs(logoutURLs, ["LogoutURLs", "LogoutUrls", "SignOutUrls"], reader)
        if let flows = reader.strings("AllowedOAuthFlows") {
            allowedOAuthFlows = flows
            for flow in flows where !["code", "implicit", "client_credentials"].contains(flow) {
                reader.report("AllowedOAuthFlows", "'allowedOAuthFlows' is of code, implicit, client_credentials.")
            }
        } else if isConfiguration, !callbackURLs.isEmpty {
            allowedOAuthFlows = ["code"]
        }
        allowedOAuthScopes =
            reader.strings("AllowedOAuthScopes") ?? reader.strings("Scopes")
            ?? (isConfiguration && !callbackURLs.isEmpty
                ? ["openid", "email", "profile", "phone", Self.adminScope] : allowedOAuthScopes)
        allowedOAuthFlowsUserPoolClient =
            reader.bool("AllowedOAuthFlowsUserPoolClient") ?? (isConfiguration && !allowedOAuthFlows.isEmpty)
        identityProviders = reader.strings("SupportedIdentityProviders") ?? identityProviders
        readTimes(reader, isConfiguration: isConfiguration)
        if let prevention = reader.string("PreventUserExistenceErrors") {
            preventsUserExistenceErrors = prevention == "ENABLED"
            if !["ENABLED", "LEGACY"].contains(prevention) {
                reader.report("PreventUserExistenceErrors", "'preventUserExistenceErrors' is ENABLED or LEGACY.")
            }
        } else if isConfiguration {
            preventsUserExistenceErrors = true
        }
        isTokenRevocationEnabled = reader.bool("EnableTokenRevocation") ?? isTokenRevocationEnabled
        readAttributes = reader.strings("ReadAttributes") ?? readAttributes
        writeAttributes = reader.strings("WriteAttributes") ?? writeAttributes
        if let rotation = reader.section("RefreshTokenRotation") {
            let grace = rotation.integer("RetryGracePeriodSeconds", in: 0...60) ?? 0
            let feature = rotation.string("Feature")
            rotationGraceSeconds = feature == "ENABLED" ? grace : nil
            if feature != "ENABLED", feature != "DISABLED" {
                rotation.report("Feature", "'refreshTokenRotation.feature' is ENABLED or DISABLED.")
            }
            if isConfiguration { rotation.finish() }
        }
        for word in ["AnalyticsConfiguration", "EnablePropagateAdditionalUserContextData"] {
            if let value = reader.value(word) { others[word] = value }
        }
        if isConfiguration {
            for word in ["Id", "ClientId", "Secret", "ClientSecret"] { _ = reader.string(word) }
            if reader.bool("GenerateSecret") == true {
                reader.report(
                    "GenerateSecret",
                    "'generateSecret' is a member of calls: the secret of a configured client is written down.",
                    hint: "Write \"secret\": {\"env\": NAME} or {\"file\": PATH}.")
            }
            reader.finish()
        }
    }

    private func checkURLs(_ urls: [String], _ words: [String], _ reader: SettingsReader) {
        let word = words.first(where: reader.has) ?? words[0]
        for (index, url) in urls.enumerated() where !RedirectURI.isValid(url) {
            reader.report(
                word, index: index, "\"\(url)\" is no address to return to: it needs a scheme and has no fragment.")
        }
    }

    private mutating func readFlows(_ names: [String], _ reader: SettingsReader) {
        explicitAuthFlows = names
        flows = []
        for name in names {
            if let flow = Flow(rawValue: name) {
                flows.insert(flow)
            } else {
                switch name {
                // The live service leaves SRP and refresh allowed beside the old names.
                case "ADMIN_NO_SRP_AUTH": flows.formUnion([.admin, .srp, .refresh, .custom])
                case "USER_PASSWORD_AUTH": flows.formUnion([.password, .srp, .refresh, .custom])
                case "CUSTOM_AUTH_FLOW_ONLY": flows.formUnion([.custom, .refresh])
                default:
                    let known = Flow.allCases.map(\.rawValue).joined(separator: ", ")
                    reader.report("ExplicitAuthFlows", "'explicitAuthFlows' is of \(known), and not \"\(name)\".")
                }
            }
        }
        if names.isEmpty { flows = [.srp, .custom, .refresh] }
        if names.contains(where: { $0.hasPrefix("ALLOW_") }), names.contains(where: { !$0.hasPrefix("ALLOW_") }) {
            reader.report(
                "ExplicitAuthFlows", "'explicitAuthFlows' has names with and without ALLOW_ in front.",
                hint: "Write them all with ALLOW_.")
        }
    }

    private static let unitSeconds: [String: Int64] = ["seconds": 1, "minutes": 60, "hours": 3_600, "days": 86_400]

    private mutating func readTimes(_ reader: SettingsReader, isConfiguration: Bool) {
        let units = reader.section("TokenValidityUnits")
        for word in ["AccessToken", "IdToken", "RefreshToken"] {
            guard let unit = units?.string(word), Self.unitSeconds[unit] == nil else { continue }
            units?.report(
                word,
                "'tokenValidityUnits.\(SettingsReader.lowerFirst(word))' is seconds, minutes, hours or days, and not "
                    + "\"\(unit)\".")
        }
        if isConfiguration { units?.finish() }
        func seconds(_ word: String, _ unitWord: String, _ unit: String, _ range: ClosedRange<Int64>) -> Int64? {
            guard let count = reader.integer(word, in: 0...315_360_000), count > 0 else { return nil }
            others[word] = .number(String(count))
            // An unknown unit has been reported.
            guard let scale = Self.unitSeconds[units?.string(unitWord) ?? unit] else { return nil }
            guard range.contains(count * scale) else {
                reader.report(
                    word,
                    "Invalid range for token validity: '\(SettingsReader.lowerFirst(word))' is from "
                        + "\(range.lowerBound) to \(range.upperBound) seconds.")
                return nil
            }
            return count * scale
        }
        accessTokenSeconds =
            seconds("AccessTokenValidity", "AccessToken", "hours", 300...86_400) ?? accessTokenSeconds
        idTokenSeconds = seconds("IdTokenValidity", "IdToken", "hours", 300...86_400) ?? idTokenSeconds
        refreshTokenSeconds =
            seconds("RefreshTokenValidity", "RefreshToken", "days", 3_600...315_360_000) ?? refreshTokenSeconds
        refreshTokenSeconds =
            reader.integer("RefreshTokenValidityDays", in: 1...3_650).map { $0 * 86_400 } ?? refreshTokenSeconds
        if let units { others["TokenValidityUnits"] = .object(units.object) }
        authSessionMinutes = reader.integer("AuthSessionValidity", in: 3...15) ?? authSessionMinutes
    }

    /// The client as `UserPoolClientType`.
    package var json: JSONObject {
        var object: JSONObject = [
            "UserPoolId": .string(poolID), "ClientName": .string(name), "ClientId": .string(id),
        ]
        if let secret { object["ClientSecret"] = .string(secret) }
        object["LastModifiedDate"] = Timestamp.json(modified)
        object["CreationDate"] = Timestamp.json(created)
        object["RefreshTokenValidity"] = others["RefreshTokenValidity"] ?? .number(String(refreshTokenSeconds / 86_400))
        for word in ["AccessTokenValidity", "IdTokenValidity", "TokenValidityUnits"] {
            if let value = others[word] { object[word] = value }
        }
        func list(_ word: String, _ values: [String]?) {
            if let values, !values.isEmpty { object[word] = .array(values.map(JSONValue.string)) }
        }
        list("ReadAttributes", readAttributes)
        list("WriteAttributes", writeAttributes)
        list("ExplicitAuthFlows", explicitAuthFlows)
        list("SupportedIdentityProviders", identityProviders)
        list("CallbackURLs", callbackURLs)
        list("LogoutURLs", logoutURLs)
        if let defaultRedirectURI { object["DefaultRedirectURI"] = .string(defaultRedirectURI) }
        list("AllowedOAuthFlows", allowedOAuthFlows)
        list("AllowedOAuthScopes", allowedOAuthScopes)
        object["AllowedOAuthFlowsUserPoolClient"] = .bool(allowedOAuthFlowsUserPoolClient)
        object["PreventUserExistenceErrors"] = .string(preventsUserExistenceErrors ? "ENABLED" : "LEGACY")
        object["EnableTokenRevocation"] = .bool(isTokenRevocationEnabled)
        object["AuthSessionValidity"] = .number(String(authSessionMinutes))
        if let rotationGraceSeconds {
            object["RefreshTokenRotation"] = [
                "Feature": "ENABLED", "RetryGracePeriodSeconds": .number(String(rotationGraceSeconds)),
            ]
        }
        for word in ["AnalyticsConfiguration", "EnablePropagateAdditionalUserContextData"] {
            if let value = others[word] { object[word] = value }
        }
        return object
    }

    /// Whether the client may write an attribute.
    func mayWrite(_ attribute: String) -> Bool {
        if attribute.hasSuffix("_verified") || attribute == "identities" { return false }
        return writeAttributes?.contains(attribute) ?? true
    }

    /// Whether the client may read an attribute.
    func mayRead(_ attribute: String) -> Bool {
        readAttributes?.contains(attribute) ?? true
    }
}
