import JSON
import Transformer

/// `amplify_outputs.json` and `aws-exports.js`, as the Amplify CLI and Gen 2 write them for web apps.
extension ClientBackend {
    /// The host of the hosted pages, with the port, as web pages write it.
    private func pagesHost(_ pool: UserPool) -> JSONValue { .string(pool.domain ?? address.authority) }

    /// The members of `amplify_outputs.json`. It has no member for the address of any service but the API.
    var amplifyOutputs: JSONObject {
        var file: JSONObject = ["version": "1"]
        if let userPool { file["auth"] = .object(auth(userPool)) }
        if let api {
            var data: JSONObject = ["aws_region": .string(region), "url": .string(address.graphQLURL)]
            data["api_key"] = api.keyMember
            data["default_authorization_type"] = .string(api.defaultMode.configurationName)
            data["authorization_types"] = .texts(api.otherModes.map(\.configurationName))
            data["model_introspection"] = api.modelIntrospection
            file["data"] = .object(data)
        }
        if let bucket = buckets.first {
            file["storage"] = [
                "aws_region": .string(bucketRegion ?? region), "bucket_name": .string(bucket),
                "buckets": .array(
                    buckets.map {
                        [
                            "name": .string($0), "bucket_name": .string($0),
                            "aws_region": .string(bucketRegion ?? region),
                        ]
                    }),
            ]
        }
        if let analyticsApp {
            file["analytics"] = ["amazon_pinpoint": ["aws_region": .string(region), "app_id": .string(analyticsApp)]]
        }
        return file
    }

    private func auth(_ pool: UserPool) -> JSONObject {
        let client = pool.webClient
        var auth: JSONObject = [
            "aws_region": .string(pool.region), "user_pool_id": .string(pool.id),
            "user_pool_client_id": .string(client.id),
        ]
        auth["identity_pool_id"] = identityPool.map { .string($0.id) }
        let policy = pool.passwordPolicy
        auth["password_policy"] = [
            "min_length": .number(String(policy.minimumLength)), "require_numbers": .bool(policy.requiresNumbers),
            "require_lowercase": .bool(policy.requiresLowercase), "require_uppercase": .bool(policy.requiresUppercase),
            "require_symbols": .bool(policy.requiresSymbols),
        ]
        if !client.callbackURLs.isEmpty {
            auth["oauth"] = [
                "identity_providers": .texts(client.socialProviders.map(\.outputsWord)), "domain": pagesHost(pool),
                "scopes": .texts(client.scopes),
                "redirect_sign_in_uri": .texts(client.callbackURLs),
                "redirect_sign_out_uri": .texts(client.logoutURLs), "response_type": "code",
            ]
        }
        auth["standard_required_attributes"] = .texts(pool.requiredAttributes)
        auth["username_attributes"] = .texts(pool.usernameAttributes)
        auth["user_verification_types"] = .texts(pool.autoVerifiedAttributes)
        auth["unauthenticated_identities_enabled"] = .bool(identityPool?.allowsUnauthenticatedIdentities ?? false)
        // Gen 2 has its own words for these.
        let mfa = ["OFF": "NONE", "OPTIONAL": "OPTIONAL", "ON": "REQUIRED"][pool.mfaConfiguration]
        auth["mfa_configuration"] = .string(mfa ?? "NONE")
        auth["mfa_methods"] = .texts(pool.mfaTypes)
        if !pool.groups.isEmpty {
            auth["groups"] = .array(
                pool.groups.map { group in
                    var members = JSONObject()
                    members["precedence"] = group.precedence.map { .number(String($0)) }
                    return .object([group.name: .object(members)])
                })
        }
        return auth
    }

    /// The members of `aws-exports.js`.
    var awsExports: JSONObject {
        var file: JSONObject = ["aws_project_region": .string(region)]
        if let identityPool {
            file["aws_cognito_identity_pool_id"] = .string(identityPool.id)
            file["aws_cognito_region"] = .string(identityPool.region)
            // Guests have credentials unless it is said otherwise.
            if !identityPool.allowsUnauthenticatedIdentities { file["aws_mandatory_sign_in"] = "enable" }
        }
        if let userPool { addExports(of: userPool, to: &file) }
        if let api {
            file["aws_appsync_graphqlEndpoint"] = .string(address.graphQLURL)
            file["aws_appsync_region"] = .string(region)
            file["aws_appsync_authenticationType"] = .string(api.defaultMode.configurationName)
            file["aws_appsync_apiKey"] = api.keyMember
        }
        if let bucket = buckets.first {
            file["aws_user_files_s3_bucket"] = .string(bucket)
            file["aws_user_files_s3_bucket_region"] = .string(bucketRegion ?? region)
        }
        if let analyticsApp {
            file["aws_mobile_analytics_app_id"] = .string(analyticsApp)
            file["aws_mobile_analytics_app_region"] = .string(region)
        }
        return file
    }

    private func addExports(of pool: UserPool, to file: inout JSONObject) {
        let client = pool.webClient
        file["aws_cognito_region"] = .string(pool.region)
        file["aws_user_pools_id"] = .string(pool.id)
        file["aws_user_pools_web_client_id"] = .string(client.id)
        if !client.callbackURLs.isEmpty {
            file["oauth"] = [
                "domain": pagesHost(pool), "scope": .texts(client.scopes),
                "redirectSignIn": .string(client.callbackURLs.joined(separator: ",")),
                "redirectSignOut": .string(client.logoutURLs.joined(separator: ",")), "responseType": "code",
            ]
        }
        file["aws_cognito_username_attributes"] = .texts(pool.usernameAttributes.map { $0.uppercased() })
        file["aws_cognito_social_providers"] = .texts(client.socialProviders.map(\.word))
        file["aws_cognito_signup_attributes"] = .texts(pool.requiredAttributes.map { $0.uppercased() })
        file["aws_cognito_mfa_configuration"] = .string(pool.mfaConfiguration)
        file["aws_cognito_mfa_types"] = .texts(pool.mfaTypes)
        file["aws_cognito_password_protection_settings"] = .object(pool.passwordPolicy.protectionSettings)
        file["aws_cognito_verification_mechanisms"] = .texts(pool.autoVerifiedAttributes.map { $0.uppercased() })
    }
}
