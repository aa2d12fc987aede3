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
        readSchema(reader)
        if let attributes = reader.strings("AutoVerifiedAttributes") {
            autoVerifiedAttributes = attributes
            check(reader, "AutoVerifiedAttributes", attributes, among: ["email", "phone_number"])
        }
        if let policies = reader.section("Policies") {
            if let policy = policies.section("PasswordPolicy") { passwordPolicy = PasswordPolicy(policy) }
            if policies.value("SignInPolicy") != nil { others["SignInPolicy"] = policies.value("SignInPolicy") }
        }
        if let policy = reader.section("PasswordPolicy") { passwordPolicy = PasswordPolicy(policy) }
        mfaConfiguration = reader.choice("MfaConfiguration", MFAConfiguration.self) ?? mfaConfiguration
        enabledMFAs = reader.choices("EnabledMfas", MFAPreference.Factor.self) ?? enabledMFAs
        if mfaConfiguration != .off, enabledMFAs.isEmpty {
            enabledMFAs =
                [.softwareToken]
                + (schemaHas("phone_number") && autoVerifiedAttributes.contains("phone_number") ? [.sms] : [])
        }
        if let admin = reader.section("AdminCreateUserConfig") {
            allowsAdminCreateUserOnly = admin.bool("AllowAdminCreateUserOnly") ?? allowsAdminCreateUserOnly
            passwordPolicy.temporaryValidityDays =
                admin.integer("UnusedAccountValidityDays", in: 0...365) ?? passwordPolicy.temporaryValidityDays
            if let invitation = admin.section("InviteMessageTemplate") { messages.readInvitation(invitation) }
            if isConfiguration { admin.finish() }
        }
        messages.read(reader)
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
        if isConfiguration { reader.finish() }
    }

    /// Settings that have no effect here and are repeated by `DescribeUserPool`.
    static let repeatedWords = [
        "EmailConfiguration", "SmsConfiguration", "UserPoolTags", "UserPoolAddOns", "DeletionProtection",
        "AccountRecoverySetting", "UserAttributeUpdateSettings", "UserPoolTier", "SmsAuthenticationMessage",
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
        isUsernameCaseSensitive =
            reader.section("UsernameConfiguration")?.bool("CaseSensitive") ?? reader.bool("UsernameCaseSensitive")
            ?? isUsernameCaseSensitive
    }

    private mutating func readSchema(_ reader: SettingsReader) {
        for section in (reader.sections("Schema") ?? []) + (reader.sections("CustomAttributes") ?? [])
            + (reader.sections("SchemaAttributes") ?? [])
        {
            guard let attribute = AttributeSchema(section) else { continue }
            if let index = schema.firstIndex(where: { $0.name == attribute.name }) {
                schema[index] = attribute
            } else {
                schema.append(attribute)
            }
        }
        for name in reader.strings("RequiredAttributes") ?? [] {
            guard let index = schema.firstIndex(where: { $0.name == name }) else {
                reader.report("RequiredAttributes", "'requiredAttributes' names \"\(name)\", which is no attribute.")
                continue
            }
            schema[index].isRequired = true
        }
        if schema.count > AttributeSchema.countMax {
            reader.report("Schema", "A pool has at most \(AttributeSchema.countMax) attributes.")
        }
    }

    private mutating func readConfiguration(_ reader: SettingsReader) {
        _ = reader.value("Id")
        _ = reader.value("Clients")
        domain = reader.string("Domain") ?? domain
        hosts = reader.strings("Hosts") ?? hosts
        if let section = reader.section("Style") { style = PoolStyle(section) }
        groups = (reader.sections("Groups") ?? []).compactMap { section in
            defer { section.finish() }
            guard let name = section.string("Name") ?? section.string("GroupName"), !name.isEmpty else {
                section.report("Name", "A group needs a 'name'.")
                return nil
            }
            return GroupSettings(
                name: name, description: section.string("Description"),
                precedence: section.integer("Precedence", in: 0...2_147_483_647), roleARN: section.string("RoleArn"))
        }
        identityProviders = (reader.sections("IdentityProviders") ?? []).compactMap(OIDCProvider.init)
        for provider in identityProviders {
            for attribute in provider.attributeMapping.keys.sorted() where self.attribute(attribute) == nil {
                reader.report(
                    "IdentityProviders",
                    "The identity provider \(provider.name) maps to \"\(attribute)\", which is no attribute of the pool."
                )
            }
        }
        if Set(identityProviders.map(\.name)).count != identityProviders.count {
            reader.report("IdentityProviders", "Two identity providers have the same name.")
        }
        readUsers(reader)
    }

    /// The users that an empty pool begins with.
    private mutating func readUsers(_ reader: SettingsReader) {
        for section in reader.sections("Users") ?? [] {
            if section.string("Username")?.isEmpty ?? true { section.report("Username", "A user needs a 'username'.") }
            if let password = section.string("Password") {
                do throws(CognitoError) {
                    try passwordPolicy.check(password)
                } catch {
                    section.report("Password", "\(error.message ?? "The password is not allowed").")
                }
            }
            for name in (section.section("Attributes")?.object ?? [:]).keys where attribute(name) == nil {
                section.report("Attributes", "\"\(name)\" is no attribute of the pool.")
            }
            _ = section.strings("Groups")
            section.finish()
            users.append(section.object)
        }
    }

    private func check(_ reader: SettingsReader, _ word: String, _ names: [String], among allowed: [String]) {
        for name in names where !allowed.contains(name) {
            let list = allowed.joined(separator: ", ")
            reader.report(word, "'\(SettingsReader.lowerFirst(word))' is of \(list), and not \"\(name)\".")
        }
    }

    private func schemaHas(_ name: String) -> Bool { attribute(name) != nil }

    /// Reports settings that contradict each other.
    private func checkConsistency(_ reader: SettingsReader) {
        if !usernameAttributes.isEmpty, !aliasAttributes.isEmpty {
            reader.report(
                "AliasAttributes",
                "Only one of 'aliasAttributes' and 'usernameAttributes' can be set: people sign in with an attribute "
                    + "instead of a user name, or beside it.")
        }
        if mfaConfiguration == .on, enabledMFAs.isEmpty {
            reader.report("MfaConfiguration", "'mfaConfiguration' is ON, and 'enabledMfas' has no factor.")
        }
        if passwordPolicy.minimumLength > 99 || passwordPolicy.minimumLength < 6 {
            reader.report("PasswordPolicy", "'passwordPolicy.minimumLength' is from 6 to 99.")
        }
        if Set(groups.map(\.name)).count != groups.count {
            reader.report("Groups", "Two groups have the same name.")
        }
    }
}
