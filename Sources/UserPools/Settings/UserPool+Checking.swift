import JSON

extension UserPool {
    /// Reports settings that contradict each other, in the configuration and in calls.
    func checkConsistency(_ reader: SettingsReader) {
        if !usernameAttributes.isEmpty, !aliasAttributes.isEmpty {
            reader.report(
                "AliasAttributes",
                "Only one of 'aliasAttributes' and 'usernameAttributes' can be set: people sign in with an attribute "
                    + "instead of a user name, or beside it.",
                hint: "Remove one of them.")
        }
        for name in attributesRequireVerificationBeforeUpdate where !autoVerifiedAttributes.contains(name) {
            reader.report(
                "UserAttributeUpdateSettings",
                "'attributesRequireVerificationBeforeUpdate' names \"\(name)\", which 'autoVerifiedAttributes' does not: no "
                    + "code would be sent to a new one.",
                hint: "Add it to 'autoVerifiedAttributes'.")
        }
    }

    /// Reports what contradicts itself in a configuration. Calls may set such things one after the other.
    func checkConfiguration(_ reader: SettingsReader) {
        checkFactors(reader)
        checkGroups(reader)
        checkProviders(reader)
        checkUsers(reader)
    }

    // MARK: Second factors

    private func checkFactors(_ reader: SettingsReader) {
        let isGiven = reader.has("EnabledMfas")
        if mfaConfiguration == .off, isGiven, !enabledMFAs.isEmpty {
            reader.report(
                "EnabledMfas", "'mfaConfiguration' is OFF, and 'enabledMfas' has factors, for which nobody is asked.",
                hint: "Set 'mfaConfiguration' to ON or OPTIONAL, or remove 'enabledMfas'.")
        }
        if mfaConfiguration != .off, isGiven, reader.value("EnabledMfas")?.arrayValue?.isEmpty == true {
            reader.report(
                "EnabledMfas", "'mfaConfiguration' is \(mfaConfiguration.rawValue), and 'enabledMfas' has no factor.",
                hint: "Add SOFTWARE_TOKEN_MFA, SMS_MFA or EMAIL_OTP.")
        }
        guard mfaConfiguration == .on, !enabledMFAs.isEmpty, !enabledMFAs.contains(.softwareToken) else { return }
        // A code goes to an address: somebody has to have one of them, or never gets past the second factor.
        let needed = enabledMFAs.map { $0 == .sms ? "phone_number" : "email" }
        guard !needed.contains(where: { attribute($0)?.isRequired == true || usernameAttributes == [$0] }) else {
            return
        }
        let names = needed.joined(separator: " or ")
        reader.report(
            isGiven ? "EnabledMfas" : "MfaConfiguration",
            "'mfaConfiguration' is ON, and codes go to \(names) alone, which is not required: users without it could "
                + "never sign in.",
            hint:
                "Add \(needed.joined(separator: " or ")) to 'requiredAttributes', or SOFTWARE_TOKEN_MFA to 'enabledMfas'."
        )
    }

    // MARK: Groups and providers

    private func checkGroups(_ reader: SettingsReader) {
        for (index, group) in groups.enumerated() where groups[..<index].contains(where: { $0.name == group.name }) {
            reader.report(
                "Groups", index: index, "Two groups have the name \"\(group.name)\".", hint: "Remove one of them.")
        }
    }

    private func checkProviders(_ reader: SettingsReader) {
        let required = schema.filter { $0.isRequired }.map(\.name)
        for (index, provider) in identityProviders.enumerated() {
            func report(_ message: String, _ hint: String) {
                reader.report(
                    "IdentityProviders", index: index, "The identity provider \(provider.name) \(message).", hint: hint)
            }
            for name in provider.attributeMapping.keys.sorted() {
                guard let attribute = attribute(name) else {
                    report(
                        "maps to \"\(name)\", which is no attribute of the pool",
                        "Add it to 'customAttributes', or remove it from 'attributeMapping'.")
                    continue
                }
                if !attribute.isMutable {
                    report(
                        "maps to \"\(name)\", which is immutable: it is written at each sign-in",
                        "Make the attribute mutable, or remove it from 'attributeMapping'.")
                }
            }
            for name in required where provider.attributeMapping[name] == nil {
                report(
                    "does not map to \"\(name)\", which is required: nobody could sign in with it",
                    "Add \"\(name)\" to 'attributeMapping', or remove it from 'requiredAttributes'.")
            }
            if identityProviders[..<index].contains(where: { $0.name == provider.name }) {
                report("has the name of another one", "Give each provider its own 'name'.")
            }
        }
    }

    // MARK: Users

    /// The users that an empty pool begins with: a wrong one would end the start with a part of them made.
    private func checkUsers(_ reader: SettingsReader) {
        var names: Set<String> = []
        for section in reader.sections("Users") ?? [] {
            let username = section.string("Username") ?? ""
            if username.isEmpty {
                section.report("Username", "A user needs a 'username'.")
            } else if !names.insert(usernameKey(username)).inserted {
                section.report("Username", "Two users have the name \"\(username)\".", hint: "Remove one of them.")
            }
            if let password = section.string("Password") {
                do throws(CognitoError) {
                    try passwordPolicy.check(password)
                } catch {
                    section.report(
                        "Password", "\(error.message ?? "The password is not allowed").",
                        hint: "Change the password, or 'passwordPolicy'.")
                }
            }
            checkAttributes(of: username, section)
            for (index, group) in (section.strings("Groups") ?? []).enumerated()
            where !groups.contains(where: { $0.name == group }) {
                section.report(
                    "Groups", index: index, "\"\(group)\" is no group of the pool.",
                    hint: "Add it to 'groups' of the pool.")
            }
            section.finish()
        }
    }

    private func checkAttributes(of username: String, _ section: SettingsReader) {
        let given = section.section("Attributes")?.object ?? [:]
        var attributes: [Attribute] = []
        for (name, value) in given {
            if let text = value.stringValue {
                attributes.append(Attribute(name: name, value: text))
            } else {
                section.report("Attributes", "\"\(name)\" is a text, and not \(value).", hint: "Write it in quotes.")
            }
            if attribute(name) == nil, name != "sub" {
                section.report(
                    "Attributes", "\"\(name)\" is no attribute of the pool.", hint: "Add it to 'customAttributes'.")
            }
        }
        if !username.isEmpty {
            do throws(CognitoError) {
                attributes = try UserPools.signInAttributes(username, attributes, self)
            } catch {
                section.report("Username", error.message ?? "The user name is not allowed.")
            }
        }
        for attribute in attributes {
            guard let problem = self.attribute(attribute.name)?.problem(of: attribute.value) else { continue }
            section.report("Attributes", String(problem.split(separator: "\n").first ?? ""))
        }
        for schema in schema where schema.isRequired && !attributes.contains(where: { $0.name == schema.name }) {
            section.report(
                given.isEmpty ? "Username" : "Attributes",
                "The user \(username) has no \(schema.name), which 'requiredAttributes' names.",
                hint: "Add \"\(schema.name)\" to the user's 'attributes'.")
        }
        for name in ["email", "phone_number"]
        where attributes.contains(where: { $0.name == "\(name)_verified" && $0.value == "true" })
            && !attributes.contains(where: { $0.name == name })
        {
            section.report(
                "Attributes", "\(name)_verified is true, and the user has no \(name).", hint: "Add \"\(name)\".")
        }
    }
}

extension UserPool.GroupSettings {
    /// Reports what a call that creates a group would refuse: names are in tokens, in logs and on pages.
    func check(_ reader: SettingsReader) {
        let word = reader.has("Name") ? "Name" : "GroupName"
        if !NamePattern.matches(name) {
            reader.report(
                word,
                "The name of a group has letters, digits, symbols and punctuation, and no spaces or hidden characters.",
                hint: "Remove the spaces and other characters without a glyph.")
        } else if name.utf16.count > Self.nameUnitsMax {
            reader.report(word, "The name of a group has at most \(Self.nameUnitsMax) characters.")
        }
        if let description, description.utf16.count > Self.descriptionUnitsMax {
            reader.report(
                "Description", "The description of a group has at most \(Self.descriptionUnitsMax) characters.")
        }
        if let roleARN, !roleARN.hasPrefix("arn:") || !Self.roleUnits.contains(roleARN.utf16.count) {
            reader.report(
                "RoleArn", "'roleArn' is the ARN of a role, and not \"\(roleARN.prefix(100))\".",
                hint: "It is written as arn:aws:iam::000000000000:role/NAME.")
        }
    }

    // The bounds of `CreateGroup`, in UTF-16 code units.
    private static let nameUnitsMax = 128
    private static let descriptionUnitsMax = 2_048
    private static let roleUnits = 20...2_048
}
