import JSON

extension ClientFile {
    /// The members of a file with those of a backend in place of what they replace. Other generated members are removed;
    /// unknown members keep their value and position.
    func merge(_ old: JSONObject, with new: JSONObject, at path: [String]) -> JSONObject {
        var merged = JSONObject()
        for (key, value) in old {
            let inner = path + [key]
            if let replacement = new[key] {
                if let members = value.objectValue, let replacing = replacement.objectValue, !isWhole(inner) {
                    merged[key] = .object(merge(members, with: replacing, at: inner))
                } else if let elements = value.arrayValue, let replacing = replacement.arrayValue {
                    merged[key] = .array(merge(elements, with: replacing, at: inner))
                } else {
                    merged[key] = replacement
                }
            } else if !isGenerated(inner, value) {
                guard let members = value.objectValue, !members.isEmpty else {
                    merged[key] = value
                    continue
                }
                let kept = merge(members, with: [:], at: inner)
                // Drop objects that held only generated members.
                if !kept.isEmpty { merged[key] = .object(kept) }
            }
        }
        for (key, value) in new where merged[key] == nil { merged[key] = value }
        return merged
    }

    /// The elements of a list of a backend, each with the unknown members that the element of the same name had.
    private func merge(_ old: [JSONValue], with new: [JSONValue], at path: [String]) -> [JSONValue] {
        var named: [String: JSONObject] = [:]
        for element in old {
            if let members = element.objectValue, let name = Self.name(of: members) { named[name] = members }
        }
        return new.map { element in
            guard let members = element.objectValue, let before = Self.name(of: members).flatMap({ named[$0] }) else {
                return element
            }
            return .object(merge(before, with: members, at: path))
        }
    }

    /// What an element of a list is called: a bucket by its `bucket_name`, and a group by its one member.
    private static func name(of element: JSONObject) -> String? {
        element["bucket_name"]?.stringValue ?? (element.count == 1 ? element.keys.first : nil)
    }

    /// Whether a member is replaced as a whole: its names are those of the schema.
    private func isWhole(_ path: [String]) -> Bool { path == ["data", "model_introspection"] }

    /// Whether the generator writes such a member for some backend.
    private func isGenerated(_ path: [String], _ value: JSONValue) -> Bool {
        switch self {
        case .awsExports: return path.count == 1 && Self.exportsMembers.contains(path[0])
        case .amplifyOutputs:
            let name = path.joined(separator: ".")
            return Self.outputsMembers.contains(name)
                || path.count == 4 && path[0] == "auth" && path[1] == "groups" && path[3] == "precedence"
        case .awsConfiguration: return Self.isInConfiguration(path)
        case .amplifyConfiguration:
            guard path.count > 2, path[1] == "plugins" else { return false }
            let inner = Array(path.dropFirst(3))
            switch (path[0], path[2]) {
            case ("auth", "awsCognitoAuthPlugin"):
                // The head of the plugin remains only with what is below it.
                return Self.isInConfiguration(inner) || [["UserAgent"], ["Version"]].contains(inner)
                    || inner == ["IdentityManager", "Default"] && value.objectValue?.isEmpty == true
            case ("api", "awsAPIPlugin"):
                // The plugin has REST APIs beside, which are not of this server.
                return inner.count == 1 && value["endpointType"] == "GraphQL"
                    || inner.count == 2 && inner[1] == "apiKey"
            case ("storage", "awsS3StoragePlugin"):
                return ["bucket", "region", "defaultAccessLevel"].contains(inner.first)
            case ("analytics", "awsPinpointAnalyticsPlugin"):
                return ["pinpointAnalytics", "pinpointTargeting"].contains(inner.first)
            default: return false
            }
        }
    }

    private static func isInConfiguration(_ path: [String]) -> Bool {
        switch path.first {
        case "AppSync":
            // `Default` and `<apiName>_<mode>`
            return path.count == 2 && (path[1] == "Default" || path[1].contains("_"))
                || path.count == 3 && path[2] == "ApiKey"
        case "CredentialsProvider", "S3TransferUtility", "PinpointAnalytics", "PinpointTargeting":
            return path.count == 1
        case "CognitoUserPool":
            return path.count == 3 && path[1] == "Default"
                && ["PoolId", "AppClientId", "AppClientSecret", "Region", "Endpoint"].contains(path[2])
        case "Auth": return path.count == 3 && path[1] == "Default" && authMembers.contains(path[2])
        default: return false
        }
    }

    private static let authMembers: Set<String> = [
        "authenticationFlowType", "OAuth", "usernameAttributes", "signupAttributes", "verificationMechanisms",
        "socialProviders", "mfaConfiguration", "mfaTypes", "passwordProtectionSettings",
    ]

    private static let exportsMembers: Set<String> = [
        "aws_cognito_identity_pool_id", "aws_cognito_region", "aws_user_pools_id", "aws_user_pools_web_client_id",
        "oauth",
        "aws_cognito_username_attributes", "aws_cognito_social_providers", "aws_cognito_signup_attributes",
        "aws_cognito_mfa_configuration", "aws_cognito_mfa_types", "aws_cognito_password_protection_settings",
        "aws_cognito_verification_mechanisms", "aws_appsync_graphqlEndpoint", "aws_appsync_region",
        "aws_appsync_authenticationType", "aws_appsync_apiKey", "aws_user_files_s3_bucket",
        "aws_user_files_s3_bucket_region", "aws_mobile_analytics_app_id", "aws_mobile_analytics_app_region",
        "aws_mandatory_sign_in",
    ]

    private static let outputsMembers: Set<String> = [
        "auth.aws_region", "auth.user_pool_id", "auth.user_pool_client_id", "auth.identity_pool_id",
        "auth.password_policy", "auth.oauth", "auth.standard_required_attributes", "auth.username_attributes",
        "auth.user_verification_types", "auth.unauthenticated_identities_enabled", "auth.mfa_configuration",
        "auth.mfa_methods", "auth.groups", "data.aws_region", "data.url", "data.api_key",
        "data.default_authorization_type", "data.authorization_types", "data.model_introspection", "storage.aws_region",
        "storage.bucket_name", "storage.buckets", "analytics.amazon_pinpoint",
    ]
}
