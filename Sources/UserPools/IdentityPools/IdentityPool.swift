import JSON

/// The settings of an identity pool, in the words of Cognito's interface.
public struct IdentityPool: Sendable, Hashable {
    /// `<region>:<uuid>`.
    public let id: String
    var name: String
    package var allowsUnauthenticatedIdentities = false
    /// The ARNs of the roles of those who signed in and of guests.
    var authenticatedRole: String
    var unauthenticatedRole: String
    /// Whether a group's role comes before the pool's: by the claims `cognito:preferred_role` and `cognito:roles`.
    var usesTokenRoles = true
    /// The user pools and clients it takes tokens of: each as `<pool id>`, with the client's id or nil for all.
    var providers: [Provider] = []
    /// Whether it stands in the configuration.
    public var isConfigured = false

    struct Provider: Sendable, Hashable {
        var poolID: String
        var clientID: String?
    }

    var region: String { String(id.prefix { $0 != ":" }) }

    /// Whether a text can be an identity pool's id: a region, `:` and a UUID.
    static func isID(_ id: String) -> Bool {
        let parts = id.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && parts[1].utf8.count == 36
            && parts[0].utf8.allSatisfy { $0.isLowercaseLetter || $0.isDigit || $0 == UInt8(ascii: "-") }
            && parts[1].utf8.allSatisfy {
                $0.isDigit || $0 == UInt8(ascii: "-") || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0 | 0x20)
            }
    }

    init(id: String, name: String) {
        (self.id, self.name) = (id, name)
        authenticatedRole = "arn:aws:iam::000000000000:role/\(name)-authRole"
        unauthenticatedRole = "arn:aws:iam::000000000000:role/\(name)-unauthRole"
    }

    /// Reads the settings; problems stay with the reader.
    public init(_ id: String, _ reader: SettingsReader, isConfiguration: Bool) {
        self.init(id: id, name: reader.string("IdentityPoolName") ?? reader.string("Name") ?? "syncline")
        isConfigured = isConfiguration
        update(reader, isConfiguration: isConfiguration)
    }

    mutating func update(_ reader: SettingsReader, isConfiguration: Bool) {
        name = reader.string("IdentityPoolName") ?? reader.string("Name") ?? name
        allowsUnauthenticatedIdentities =
            reader.bool("AllowUnauthenticatedIdentities") ?? allowsUnauthenticatedIdentities
        authenticatedRole = reader.string("AuthRole") ?? authenticatedRole
        unauthenticatedRole = reader.string("UnauthRole") ?? unauthenticatedRole
        if let roles = reader.section("Roles") {
            authenticatedRole = roles.string("authenticated") ?? authenticatedRole
            unauthenticatedRole = roles.string("unauthenticated") ?? unauthenticatedRole
        }
        if isConfiguration, let mapping = reader.string("RoleMapping") {
            usesTokenRoles = mapping == "token"
            if mapping != "token", mapping != "none" {
                reader.report("RoleMapping", "'roleMapping' is token or none.")
            }
        }
        if let providers = reader.sections("CognitoIdentityProviders") {
            self.providers = providers.compactMap { provider in
                let client = provider.string("ClientId")
                _ = provider.value("ServerSideTokenCheck")
                guard let name = provider.string("ProviderName") else {
                    provider.report("ProviderName", "A provider needs a 'providerName'.")
                    return nil
                }
                if isConfiguration { provider.finish() }
                return Provider(
                    poolID: String(name.split(separator: "/").last ?? ""), clientID: client)
            }
        }
        if let pools = reader.strings("UserPools") {
            providers += pools.map { Provider(poolID: $0, clientID: nil) }
        }
        if isConfiguration {
            _ = reader.string("Id")
            reader.finish()
        }
    }

    /// Reads what is stored.
    init(stored record: StoredIdentityPool) {
        let reader = SettingsReader(record.settings)
        self.init(record.id, reader, isConfiguration: false)
        usesTokenRoles = reader.bool("usesTokenRoles") ?? true
    }

    /// The pool as `IdentityPool` of the interface.
    var json: JSONObject {
        var object: JSONObject = [
            "IdentityPoolId": .string(id), "IdentityPoolName": .string(name),
            "AllowUnauthenticatedIdentities": .bool(allowsUnauthenticatedIdentities),
        ]
        if !providers.isEmpty {
            object["CognitoIdentityProviders"] = .array(
                providers.map { provider in
                    let region = String(provider.poolID.prefix { $0 != "_" })
                    var object: JSONObject = [
                        "ProviderName": .string("cognito-idp.\(region).amazonaws.com/\(provider.poolID)")
                    ]
                    if let clientID = provider.clientID { object["ClientId"] = .string(clientID) }
                    return .object(object)
                })
        }
        return object
    }

    var rolesJSON: JSONValue {
        ["authenticated": .string(authenticatedRole), "unauthenticated": .string(unauthenticatedRole)]
    }

    var record: StoredIdentityPool {
        var settings = json
        settings["Roles"] = rolesJSON
        settings["usesTokenRoles"] = .bool(usesTokenRoles)
        return StoredIdentityPool(id: id, settings: settings)
    }
}
