package import JSON

extension UserPool {
    /// The pool as `UserPoolType`.
    var json: JSONObject {
        var object: JSONObject = ["Id": .string(id), "Name": .string(name)]
        var policies = JSONObject()
        policies["PasswordPolicy"] = .object(passwordPolicy.json)
        if let policy = others["SignInPolicy"] { policies["SignInPolicy"] = policy }
        object["Policies"] = .object(policies)
        object["LambdaConfig"] = .object(lambdaConfig.json)
        object["LastModifiedDate"] = Timestamp.json(modified)
        object["CreationDate"] = Timestamp.json(created)
        object["SchemaAttributes"] = .array(([AttributeSchema.sub] + schema).map { .object($0.json) })
        object["AutoVerifiedAttributes"] = .array(autoVerifiedAttributes.map(JSONValue.string))
        if !aliasAttributes.isEmpty { object["AliasAttributes"] = .array(aliasAttributes.map(JSONValue.string)) }
        if !usernameAttributes.isEmpty {
            object["UsernameAttributes"] = .array(usernameAttributes.map(JSONValue.string))
        }
        if !attributesRequireVerificationBeforeUpdate.isEmpty {
            object["UserAttributeUpdateSettings"] = [
                "AttributesRequireVerificationBeforeUpdate": .array(
                    attributesRequireVerificationBeforeUpdate.map(JSONValue.string))
            ]
        }
        for (name, value) in messages.json { object[name] = value }
        object["MfaConfiguration"] = .string(mfaConfiguration.rawValue)
        if let deviceConfiguration {
            object["DeviceConfiguration"] = [
                "ChallengeRequiredOnNewDevice": .bool(deviceConfiguration.challengeRequiredOnNewDevice),
                "DeviceOnlyRememberedOnUserPrompt": .bool(deviceConfiguration.deviceOnlyRememberedOnUserPrompt),
            ]
        }
        var admin: JSONObject = ["AllowAdminCreateUserOnly": .bool(allowsAdminCreateUserOnly)]
        admin["UnusedAccountValidityDays"] = .number(String(passwordPolicy.temporaryValidityDays))
        if let template = messages.invitationJSON { admin["InviteMessageTemplate"] = .object(template) }
        object["AdminCreateUserConfig"] = .object(admin)
        object["UsernameConfiguration"] = ["CaseSensitive": .bool(isUsernameCaseSensitive)]
        if let domain { object["Domain"] = .string(domain) }
        object["EstimatedNumberOfUsers"] = 0
        object["Arn"] = .string("arn:aws:cognito-idp:\(region):000000000000:userpool/\(id)")
        for (name, value) in others where name != "SignInPolicy" { object[name] = value }
        return object
    }

    /// What is stored of a pool that calls made: `json` and what that lacks.
    package var storedJSON: JSONObject {
        var object = json
        object["EnabledMfas"] = .array(enabledMFAs.map { .string($0.rawValue) })
        return object
    }

    /// Reads what is stored.
    init(stored record: StoredPool, _ settings: JSONObject) {
        let reader = SettingsReader(settings)
        self.init(record.id, reader, isConfiguration: false)
        domain = reader.string("Domain")
        (created, modified) = (record.created, record.modified)
    }
}
