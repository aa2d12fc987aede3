import JSON

extension UserPool {
    /// Reads the settings of a pool; problems stay with the reader.
    ///
    /// - Parameters:
    ///   - isConfiguration: Whether it is the configuration, which has words of its own and no unknown ones.
    public init(_ id: String, _ reader: SettingsReader, isConfiguration: Bool) {
        self.init(id: id, name: reader.string("PoolName") ?? reader.string("Name") ?? id)
        isConfigured = isConfiguration
        update(reader, isConfiguration: isConfiguration)
    }

    /// Takes over the settings that are given.
    mutating func update(_ reader: SettingsReader, isConfiguration: Bool) {
        name = reader.string("PoolName") ?? reader.string("Name") ?? name
        readSignInNames(reader)
        readSchema(reader, isConfiguration: isConfiguration)
        if let attributes = reader.strings("AutoVerifiedAttributes") {
            autoVerifiedAttributes = attributes
            check(reader, "AutoVerifiedAttributes", attributes, among: ["email", "phone_number"])
        }
        if let updates = reader.section("UserAttributeUpdateSettings") {
            attributesRequireVerificationBeforeUpdate =
                updates.strings("AttributesRequireVerificationBeforeUpdate") ?? []
            check(
                updates, "AttributesRequireVerificationBeforeUpdate", attributesRequireVerificationBeforeUpdate,
                among: ["email", "phone_number"])
            if isConfiguration { updates.finish() }
        }
        readPolicies(reader, isConfiguration: isConfiguration)
        mfaConfiguration = reader.choice("MfaConfiguration", MFAConfiguration.self) ?? mfaConfiguration
        enabledMFAs = reader.choices("EnabledMfas", MFAPreference.Factor.self) ?? enabledMFAs
        if mfaConfiguration != .off, enabledMFAs.isEmpty {
            enabledMFAs =
                [.softwareToken]
                + (autoVerifiedAttributes.contains("phone_number") ? [.sms] : [])
        }
        if let admin = reader.section("AdminCreateUserConfig") {
            allowsAdminCreateUserOnly = admin.bool("AllowAdminCreateUserOnly") ?? allowsAdminCreateUserOnly
            if let days = admin.integer("UnusedAccountValidityDays", in: 0...365) {
                if isConfiguration, days != passwordPolicy.temporaryValidityDays, hasTemporaryValidity(reader) {
                    admin.report(
                        "UnusedAccountValidityDays",
                        "'unusedAccountValidityDays' is \(days), and 'temporaryPasswordValidityDays' is "
                            + "\(passwordPolicy.temporaryValidityDays): both are the time of a temporary password.",
                        hint: "Write 'passwordPolicy.temporaryPasswordValidityDays' alone.")
                }
                passwordPolicy.temporaryValidityDays = days
            }
            if let invitation = admin.section("InviteMessageTemplate") {
                messages.readInvitation(invitation)
                if isConfiguration { invitation.finish() }
            }
            if isConfiguration { admin.finish() }
        }
        messages.read(reader, isConfiguration: isConfiguration)
        if let devices = reader.section("DeviceConfiguration") {
            deviceConfiguration = DeviceConfiguration(
                challengeRequiredOnNewDevice: devices.bool("ChallengeRequiredOnNewDevice") ?? false,
                deviceOnlyRememberedOnUserPrompt: devices.bool("DeviceOnlyRememberedOnUserPrompt") ?? false)
            if isConfiguration { devices.finish() }
        }
        if let triggers = reader.section("LambdaConfig") { lambdaConfig = LambdaConfig(triggers, isConfiguration) }
        for word in Self.repeatedWords { if let value = reader.value(word) { others[word] = value } }
        if isConfiguration { readConfiguration(reader) }
        checkConsistency(reader)
        if isConfiguration {
            checkConfiguration(reader)
            reader.finish()
        }
    }

    private mutating func readPolicies(_ reader: SettingsReader, isConfiguration: Bool) {
        if let policies = reader.section("Policies") {
            if let policy = policies.section("PasswordPolicy") {
                passwordPolicy = PasswordPolicy(policy, isConfiguration: isConfiguration)
            }
            if let policy = policies.value("SignInPolicy") { others["SignInPolicy"] = policy }
            if isConfiguration { policies.finish() }
        }
        if let policy = reader.section("PasswordPolicy") {
            passwordPolicy = PasswordPolicy(policy, isConfiguration: isConfiguration)
        }
    }

    /// Whether the password policy says for how long a temporary password is valid.
    private func hasTemporaryValidity(_ reader: SettingsReader) -> Bool {
        let policy = reader.value("PasswordPolicy") ?? reader.value("Policies")?["passwordPolicy"]
        return policy?["temporaryPasswordValidityDays"] != nil || policy?["TemporaryPasswordValidityDays"] != nil
    }

    /// Settings that have no effect here and are repeated by `DescribeUserPool`.
    static let repeatedWords = [
        "EmailConfiguration", "SmsConfiguration", "UserPoolTags", "UserPoolAddOns", "DeletionProtection",
        "AccountRecoverySetting", "UserPoolTier", "SmsAuthenticationMessage",
    ]

    private mutating func readSignInNames(_ reader: SettingsReader) {
        if let attributes = reader.strings("UsernameAttributes") {
            usernameAttributes = attributes
            check(reader, "UsernameAttributes", attributes, among: ["email", "phone_number"])
        }
        if let attributes = reader.strings("AliasAttributes") {
            aliasAttributes = attributes
            check(reader, "AliasAttributes", attributes, among: ["email", "phone_number", "preferred_username"])
        }
        let configuration = reader.section("UsernameConfiguration")
        isUsernameCaseSensitive =
            configuration?.bool("CaseSensitive") ?? reader.bool("UsernameCaseSensitive") ?? isUsernameCaseSensitive
    }

    private mutating func readSchema(_ reader: SettingsReader, isConfiguration: Bool) {
        var names: Set<String> = []
        for section in (reader.sections("Schema") ?? []) + (reader.sections("CustomAttributes") ?? [])
            + (reader.sections("SchemaAttributes") ?? [])
        {
            guard let attribute = AttributeSchema(section, isConfiguration: isConfiguration) else { continue }
            if !names.insert(attribute.name).inserted {
                section.report(
                    "Name", "\(attribute.name): Existing attribute already has name \(attribute.name).",
                    hint: "Remove one of the two, or give it another name.")
            }
            if attribute.isRequired, attribute.isCustom || attribute.isWrittenByPool {
                section.report(
                    "Required",
                    attribute.isCustom
                        ? "Required custom attributes are not supported currently."
                        : "\(attribute.name) cannot be required: no client may write it.",
                    hint: "Remove 'required'.")
            }
            if let index = schema.firstIndex(where: { $0.name == attribute.name }) {
                schema[index] = attribute
            } else {
                schema.append(attribute)
            }
        }
        for (number, name) in (reader.strings("RequiredAttributes") ?? []).enumerated() where name != "sub" {
            guard let index = schema.firstIndex(where: { $0.name == name }) else {
                reader.report(
                    "RequiredAttributes", index: number,
                    "'requiredAttributes' names \"\(name)\", which is no attribute.",
                    hint: "The attributes are \(schema.map(\.name).joined(separator: ", ")).")
                continue
            }
            schema[index].isRequired = true
            if schema[index].isCustom || schema[index].isWrittenByPool {
                reader.report(
                    "RequiredAttributes", index: number,
                    schema[index].isCustom
                        ? "Required custom attributes are not supported currently: \(name)."
                        : "'requiredAttributes' names \(name), which no client may write: nobody could sign up.",
                    hint: "Remove it from 'requiredAttributes'.")
            }
        }
        if schema.count > AttributeSchema.countMax {
            reader.report("Schema", "A pool has at most \(AttributeSchema.countMax) attributes.")
        }
    }

    private mutating func readConfiguration(_ reader: SettingsReader) {
        _ = reader.string("Id")
        _ = reader.sections("Clients")
        domain = reader.string("Domain") ?? domain
        hosts = reader.strings("Hosts") ?? hosts
        if let section = reader.section("Style") { style = PoolStyle(section) }
        groups = (reader.sections("Groups") ?? []).compactMap { section in
            defer { section.finish() }
            guard let name = section.string("Name") ?? section.string("GroupName"), !name.isEmpty else {
                section.report("Name", "A group needs a 'name'.")
                return nil
            }
            let group = GroupSettings(
                name: name, description: section.string("Description"),
                precedence: section.integer("Precedence", in: 0...2_147_483_647), roleARN: section.string("RoleArn"))
            group.check(section)
            return group
        }
        identityProviders = (reader.sections("IdentityProviders") ?? []).compactMap(OIDCProvider.init)
        users = (reader.sections("Users") ?? []).map(\.object)
    }

    private func check(_ reader: SettingsReader, _ word: String, _ names: [String], among allowed: [String]) {
        for (index, name) in names.enumerated() where !allowed.contains(name) {
            let list = allowed.joined(separator: ", ")
            reader.report(
                word, index: index, "'\(SettingsReader.lowerFirst(word))' is of \(list), and not \"\(name)\".")
        }
    }
}
