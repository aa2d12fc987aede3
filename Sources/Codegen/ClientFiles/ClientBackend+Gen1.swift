import JSON
import Transformer

/// `amplifyconfiguration.json` and `awsconfiguration.json`, as the Amplify CLI writes them for mobile apps.
extension ClientBackend {
    /// The members of `amplifyconfiguration.json`. A category is left out where the server has nothing of it.
    var amplifyConfiguration: JSONObject {
        var file: JSONObject = ["UserAgent": "aws-amplify-cli/2.0", "Version": "1.0"]
        if let analyticsApp {
            file["analytics"] = Self.plugin(
                "awsPinpointAnalyticsPlugin",
                [
                    "pinpointAnalytics": ["appId": .string(analyticsApp), "region": .string(region)],
                    "pinpointTargeting": ["region": .string(region)],
                ])
        }
        if let api {
            var members: JSONObject = [
                "endpointType": "GraphQL", "endpoint": .string(address.graphQLURL), "region": .string(region),
                "authorizationType": .string(api.defaultMode.configurationName),
            ]
            // Rules may name API keys beside the default mode, and there is one place for the key.
            members["apiKey"] = api.keyMember
            file["api"] = Self.plugin("awsAPIPlugin", [api.name: .object(members)])
        }
        if userPool != nil || identityPool != nil {
            file["auth"] = Self.plugin("awsCognitoAuthPlugin", awsConfiguration)
        }
        if let bucket = buckets.first {
            file["storage"] = Self.plugin(
                "awsS3StoragePlugin",
                ["bucket": .string(bucket), "region": .string(bucketRegion ?? region), "defaultAccessLevel": "guest"])
        }
        return file
    }

    private static func plugin(_ name: String, _ members: JSONObject) -> JSONValue {
        ["plugins": .object([name: .object(members)])]
    }

    /// The members of `awsconfiguration.json`.
    var awsConfiguration: JSONObject {
        var file: JSONObject = [
            "UserAgent": "aws-amplify/cli", "Version": "0.1.0", "IdentityManager": ["Default": .object([:])],
        ]
        if let identityPool {
            file["CredentialsProvider"] = [
                "CognitoIdentity": Self.default([
                    "PoolId": .string(identityPool.id), "Region": .string(identityPool.region),
                ])
            ]
        }
        if let userPool {
            let client = userPool.nativeClient
            var pool: JSONObject = ["PoolId": .string(userPool.id), "AppClientId": .string(client.id)]
            pool["AppClientSecret"] = client.secret.map(JSONValue.string)
            pool["Region"] = .string(userPool.region)
            // A host alone: amplify-swift refuses a scheme, and drops a port.
            if address.isSecureDefault { pool["Endpoint"] = .string(address.host) }
            file["CognitoUserPool"] = Self.default(pool)
            file["Auth"] = Self.default(auth(userPool, client))
        }
        if let api { file["AppSync"] = .object(appSync(api)) }
        if let bucket = buckets.first {
            file["S3TransferUtility"] = Self.default([
                "Bucket": .string(bucket), "Region": .string(bucketRegion ?? region),
            ])
        }
        if let analyticsApp {
            file["PinpointAnalytics"] = Self.default(["AppId": .string(analyticsApp), "Region": .string(region)])
            file["PinpointTargeting"] = Self.default(["Region": .string(region)])
        }
        return file
    }

    private static func `default`(_ members: JSONObject) -> JSONValue { ["Default": .object(members)] }

    /// `Default` with the default mode, and an entry for each other mode.
    private func appSync(_ api: API) -> JSONObject {
        var entries = JSONObject()
        for (index, mode) in api.modes.enumerated() {
            let name = "\(api.name)_\(mode.configurationName)"
            var entry: JSONObject = [
                "ApiUrl": .string(address.graphQLURL), "Region": .string(region),
                "AuthMode": .string(mode.configurationName),
            ]
            entry["ApiKey"] = mode == .apiKey ? api.keyMember : nil
            entry["ClientDatabasePrefix"] = .string(name)
            entries[index == 0 ? "Default" : name] = .object(entry)
        }
        return entries
    }

    private func auth(_ pool: UserPool, _ client: Client) -> JSONObject {
        var auth: JSONObject = ["authenticationFlowType": .string(client.authenticationFlow)]
        // amplify-swift reads each of them as one URL, and the URL of an app has a scheme of its own.
        func one(_ urls: [String]) -> String? { urls.first { !$0.hasPrefix("http") } ?? urls.first }
        if let signIn = one(client.callbackURLs) {
            auth["OAuth"] = [
                "WebDomain": .string(pool.domain ?? address.host), "AppClientId": .string(client.id),
                "SignInRedirectURI": .string(signIn),
                "SignOutRedirectURI": .string(one(client.logoutURLs) ?? signIn), "Scopes": .texts(client.scopes),
            ]
        }
        auth["usernameAttributes"] = .texts(pool.usernameAttributes.map { $0.uppercased() })
        auth["signupAttributes"] = .texts(pool.requiredAttributes.map { $0.uppercased() })
        auth["verificationMechanisms"] = .texts(pool.autoVerifiedAttributes.map { $0.uppercased() })
        auth["socialProviders"] = .texts(client.socialProviders.map(\.word))
        auth["mfaConfiguration"] = .string(pool.mfaConfiguration)
        auth["mfaTypes"] = .texts(pool.mfaTypes)
        auth["passwordProtectionSettings"] = .object(pool.passwordPolicy.protectionSettings)
        return auth
    }
}

extension ClientBackend.PasswordPolicy {
    /// In the words of the Amplify CLI.
    var protectionSettings: JSONObject {
        let characters = [
            (requiresLowercase, "REQUIRES_LOWERCASE"), (requiresNumbers, "REQUIRES_NUMBERS"),
            (requiresSymbols, "REQUIRES_SYMBOLS"), (requiresUppercase, "REQUIRES_UPPERCASE"),
        ]
        return [
            "passwordPolicyMinLength": .number(String(minimumLength)),
            "passwordPolicyCharacters": .texts(characters.filter(\.0).map(\.1)),
        ]
    }
}

extension JSONValue {
    /// A list of texts.
    static func texts(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }
}
