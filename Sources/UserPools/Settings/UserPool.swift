import JSON

/// The settings of a user pool, in the words of Cognito's `UserPoolType`.
public struct UserPool: Sendable, Hashable {
    /// `<region>_<name>`.
    public let id: String
    /// What people call it.
    public var name: String
    /// Attributes that people sign in with instead of a user name: `email`, `phone_number`.
    package var usernameAttributes: [String] = []
    /// Attributes that find a user beside the user name: `email`, `phone_number`, `preferred_username`.
    var aliasAttributes: [String] = []
    var isUsernameCaseSensitive = false
    /// The attributes that users may have, but for `sub`.
    package var schema: [AttributeSchema] = AttributeSchema.standard
    package var autoVerifiedAttributes: [String] = []
    /// Addresses that keep their value until a code that was sent to the new one is confirmed.
    var attributesRequireVerificationBeforeUpdate: [String] = []
    /// The addresses that keep their verified value until a code confirms the new one. An address that the pool does not verify
    /// would wait for a code that is not sent.
    var attributesKeptUntilVerified: [String] {
        attributesRequireVerificationBeforeUpdate.filter(autoVerifiedAttributes.contains)
    }
    package var passwordPolicy = PasswordPolicy()
    package var mfaConfiguration = MFAConfiguration.off
    /// The second factors that the pool knows.
    package var enabledMFAs: [MFAPreference.Factor] = []
    var allowsAdminCreateUserOnly = false
    /// The messages, by what they are for.
    var messages = MessageTemplates()
    var deviceConfiguration: DeviceConfiguration?
    /// The functions that the pool calls, by trigger: each a function's name in the configuration, or its URL.
    var lambdaConfig = LambdaConfig()
    /// The prefix of the hosted pages' host, or a host name of its own.
    public var domain: String?
    /// Host names at which the pool's endpoints are served.
    public var hosts: [String] = []
    /// How the hosted pages look.
    var style = PoolStyle()
    /// Groups that are made with the pool.
    package var groups: [GroupSettings] = []
    /// Providers that people sign in by at the hosted pages.
    var identityProviders: [OIDCProvider] = []
    /// Users that are made in an empty pool, for development and tests.
    var users: [JSONObject] = []
    /// Whether the settings stand in the configuration, so that no call changes them.
    public var isConfigured = false
    /// Milliseconds since 1970.
    var created: Int64 = 0
    var modified: Int64 = 0
    /// What was given and is only repeated.
    var others: JSONObject = [:]

    package enum MFAConfiguration: String, Sendable, CaseIterable {
        case off = "OFF"
        case on = "ON"
        case optional = "OPTIONAL"
    }

    struct DeviceConfiguration: Sendable, Hashable {
        var challengeRequiredOnNewDevice = false
        var deviceOnlyRememberedOnUserPrompt = false
    }

    package struct GroupSettings: Sendable, Hashable {
        package var name: String
        var description: String?
        package var precedence: Int64?
        var roleARN: String?
    }

    init(id: String, name: String) { (self.id, self.name) = (id, name) }

    /// The id's part before the first `_`.
    package var region: String { String(id.prefix { $0 != "_" }) }

    /// The id's part after the first `_`, which SRP hashes.
    var srpName: String { String(id.drop { $0 != "_" }.dropFirst()) }

    /// Whether a text can be a pool's id. The name has no `_`, because clients disagree on which of two ends the region.
    static func isID(_ id: String) -> Bool {
        let parts = id.split(separator: "_", omittingEmptySubsequences: false)
        return parts.count == 2 && id.utf8.count <= 55 && !parts[0].isEmpty && !parts[1].isEmpty
            && parts[0].utf8.allSatisfy { $0.isLowercaseLetter || $0.isDigit || $0 == UInt8(ascii: "-") }
            && parts[1].utf8.allSatisfy { $0.isLowercaseLetter || $0.isUppercaseLetter || $0.isDigit }
    }

    /// A user name as names are compared: in Normalization Form C, and in lower case unless the pool distinguishes case.
    func usernameKey(_ username: String) -> String {
        CanonicalForm.key(of: username, ignoresCase: !isUsernameCaseSensitive)
    }

    /// The keys under which the user of a user name may be stored, that of a user made as the name is given first.
    func usernameKeys(_ username: String) -> [String] {
        CanonicalForm.keys(of: username, ignoresCase: !isUsernameCaseSensitive)
    }

    /// The attributes by which a user is found beside the user name.
    var signInAttributes: [String] { usernameAttributes.isEmpty ? aliasAttributes : usernameAttributes }

    func attribute(_ name: String) -> AttributeSchema? { schema.first { $0.name == name } }
}
