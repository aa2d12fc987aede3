import Crypto
import Encodings
import JSON
import Transformer
import UserPools

/// `userPool`, `identityPool`, `accessKeys` and `publicURL`: what is configured of sign-in, in Cognito's own words.
struct UserPoolOptions: Sendable {
    /// The pools' objects as they stand in the configuration, secrets read.
    var pools: [JSONObject] = []
    var identityPool: JSONObject?
    var accessKeys: [AccessKey] = []
    /// The base of the server's addresses as clients have it.
    var publicURL: String?
    /// Whether any of it was configured.
    var isConfigured: Bool { !pools.isEmpty || identityPool != nil || !accessKeys.isEmpty }
    private var region = "us-east-1"

    mutating func read(_ file: ConfigurationSection, region: String) {
        self.region = region
        if let url = file.string("publicURL") {
            publicURL = url.hasSuffix("/") ? String(url.dropLast()) : url
            if !url.hasPrefix("http://"), !url.hasPrefix("https://") {
                file.report("publicURL", "'publicURL' is a URL, http://… or https://…, and not \"\(url)\".")
            }
        }
        if let value = file.value("userPool") {
            let list = value.arrayValue ?? [value]
            for (index, element) in list.enumerated() {
                let path = value.arrayValue == nil ? ["userPool"] : ["userPool", String(index)]
                guard let object = element.objectValue else {
                    file.report("userPool", "'userPool' is an object, { … }, or a list of objects.")
                    continue
                }
                pools.append(resolve(object, file, path))
            }
            check(file, isList: value.arrayValue != nil)
        }
        if let value = file.value("identityPool") {
            guard let object = value.objectValue else {
                return file.report("identityPool", "'identityPool' is an object, { … }.")
            }
            identityPool = object
            let reader = SettingsReader(object)
            _ = IdentityPool(object["id"]?.stringValue ?? "us-east-1:0", reader, isConfiguration: true)
            report(reader.problems, file, ["identityPool"])
        }
        readAccessKeys(file)
    }

    /// Reports what is wrong with the pools, each problem at its place.
    private func check(_ file: ConfigurationSection, isList: Bool) {
        for (index, object) in pools.enumerated() {
            let path = isList ? ["userPool", String(index)] : ["userPool"]
            let reader = SettingsReader(object)
            let pool = UserPool(id(of: object), reader, isConfiguration: true)
            if !UserPools.isUserPoolID(pool.id) {
                file.reportPath(
                    path + ["id"],
                    "A user pool's id is a region, '_' and letters and digits, such as us-east-1_Ab3dE6gHi, and not \"\(pool.id)\"."
                )
            }
            report(reader.problems, file, path)
            for (number, client) in (object["clients"]?.arrayValue ?? []).enumerated() {
                guard let client = client.objectValue else { continue }
                let reader = SettingsReader(client)
                _ = UserPools.client(
                    client, id: clientID(client, pool.id, number), poolID: pool.id, reader)
                report(reader.problems, file, path + ["clients", String(number)])
            }
        }
        let ids = pools.map(id)
        if Set(ids).count != ids.count { file.report("userPool", "Two user pools have the same id.") }
    }

    private func report(
        _ problems: [SettingsReader.Problem], _ file: ConfigurationSection, _ path: [String]
    ) {
        for problem in problems { file.reportPath(path + problem.path, problem.message) }
    }

    private mutating func readAccessKeys(_ file: ConfigurationSection) {
        guard let value = file.value("accessKeys") else { return }
        for (index, element) in (value.arrayValue ?? [value]).enumerated() {
            let path = ["accessKeys", String(index)]
            guard let object = element.objectValue, let id = object["id"]?.stringValue, !id.isEmpty,
                let secret = Self.secret(object["secret"] ?? .null)
            else {
                file.reportPath(
                    path,
                    "An access key has an 'id' and a 'secret': a text, {\"env\": NAME} or {\"file\": PATH} that can be read."
                )
                continue
            }
            for name in object.keys where !["id", "secret", "role", "services"].contains(name) {
                file.reportPath(
                    path + [name], "An access key has no member '\(name)': only id, secret, role, services.")
            }
            let role = (object["role"] ?? "owner").stringValue.flatMap(AccessRole.init)
            if role == nil {
                file.reportPath(
                    path + ["role"], "'role' is one of viewer, editor, owner, and not \(object["role"] ?? .null).")
            }
            let services = object["services"]?.arrayValue
            if object["services"] != nil, services?.allSatisfy({ $0.stringValue != nil }) != true {
                file.reportPath(path + ["services"], "'services' is a list of texts, such as [\"cognito-idp\"].")
            }
            if accessKeys.contains(where: { $0.id == id }) {
                file.reportPath(path + ["id"], "Two access keys have the id \(id).")
            }
            accessKeys.append(
                AccessKey(
                    id: id, secret: secret, role: role ?? .viewer, services: services?.compactMap(\.stringValue)))
        }
    }

    /// An object in which secrets that stand elsewhere have been read.
    private func resolve(_ object: JSONObject, _ section: ConfigurationSection, _ path: [String]) -> JSONObject {
        var resolved = object
        for (name, value) in object {
            if ["secret", "clientSecret", "privateKey"].contains(name) {
                guard let secret = Self.secret(value) else {
                    section.reportPath(
                        path + [name], "The secret cannot be read: give a text, {\"env\": NAME} or {\"file\": PATH}.")
                    continue
                }
                resolved[name] = .string(secret)
            } else if name == "users", let file = value["file"]?.stringValue {
                resolved[name] = users(in: file, of: section, path + [name])
            } else if let inner = value.objectValue {
                resolved[name] = .object(resolve(inner, section, path + [name]))
            } else if let elements = value.arrayValue {
                resolved[name] = .array(
                    elements.enumerated().map { index, element in
                        element.objectValue.map { .object(resolve($0, section, path + [name, String(index)])) }
                            ?? element
                    })
            }
        }
        return resolved
    }

    /// The users of a file, a list as the configuration has it.
    private func users(in path: String, of section: ConfigurationSection, _ place: [String]) -> JSONValue {
        guard let bytes = try? Files.read(path, bytesMax: 16 << 20),
            let users = (try? JSONReader.read(bytes))?.arrayValue
        else {
            section.reportPath(place, "The file \(path) cannot be read, or is no list of users: [{\"username\": …}].")
            return []
        }
        return .array(users)
    }

    /// A secret: as it stands, of an environment variable (`{"env": NAME}` or `${NAME}`), or of a file.
    static func secret(_ value: JSONValue) -> String? {
        if let name = value["env"]?.stringValue { return Environment.value(name) }
        if let path = value["file"]?.stringValue {
            guard let bytes = try? Files.read(path, bytesMax: 1 << 16) else { return nil }
            let text = String(decoding: bytes, as: UTF8.self)
            return String(text.reversed().drop { $0.isNewline }.reversed())
        }
        guard let text = value.stringValue, !text.isEmpty else { return nil }
        if text.hasPrefix("${"), text.hasSuffix("}") { return Environment.value(String(text.dropFirst(2).dropLast())) }
        return text
    }

    // MARK: Ids

    /// The ids of the configured pools; without any, that of the pool that `dev` makes.
    var ids: [String] { (pools.isEmpty ? [Self.defaultPool] : pools).map(id) }

    /// The id of a pool; made of its name where none is given, so that it is the same at each start.
    private func id(of pool: JSONObject) -> String {
        pool["id"]?.stringValue ?? "\(region)_\(Self.letters("pool:\(pool["name"]?.stringValue ?? "")", 9))"
    }

    private func clientID(_ client: JSONObject, _ poolID: String, _ number: Int) -> String {
        client["id"]?.stringValue ?? client["clientId"]?.stringValue
            ?? Self.letters("client:\(poolID):\(client["name"]?.stringValue ?? String(number))", 26)
    }

    /// So many lower-case letters and digits, always the same for one text.
    static func letters(_ text: String, _ count: Int) -> String {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
        return String(
            decoding: SHA256.hash(data: Array(text.utf8)).prefix(count).map { alphabet[Int($0) % alphabet.count] },
            as: UTF8.self)
    }

    private static func uuid(_ text: String) -> String {
        Hexadecimal.uuid(of: SHA256.hash(data: Array(text.utf8)).prefix(16))
    }

    // MARK: What is served

    /// What a developer is given who has configured nothing.
    private static let defaultPool: JSONObject = [
        "name": "syncline", "autoVerifiedAttributes": ["email"],
        "clients": [
            [
                "name": "app",
                "explicitAuthFlows": [
                    "ALLOW_USER_SRP_AUTH", "ALLOW_USER_PASSWORD_AUTH", "ALLOW_ADMIN_USER_PASSWORD_AUTH",
                    "ALLOW_CUSTOM_AUTH", "ALLOW_REFRESH_TOKEN_AUTH", "ALLOW_USER_AUTH",
                ],
                "callbackURLs": ["http://localhost:3000/", "myapp://callback/"],
                "logoutURLs": ["http://localhost:3000/", "myapp://signout/"],
            ]
        ],
    ]

    /// The settings that are served.
    func settings(
        region: String, mode: Service.Mode, servedURL: String, dataFolder: String
    ) -> UserPoolConfiguration {
        var configuration = UserPoolConfiguration(publicURL: publicURL, servedURL: servedURL)
        configuration.accessKeys = accessKeys
        var options = self
        options.region = region
        let isDefault = mode == .dev && pools.isEmpty
        for object in isDefault ? [Self.defaultPool] : pools {
            let pool = UserPool(options.id(of: object), SettingsReader(object), isConfiguration: true)
            configuration.pools.append(pool)
            for (number, client) in (object["clients"]?.arrayValue ?? []).compactMap(\.objectValue).enumerated() {
                configuration.clients.append(
                    UserPools.client(
                        client, id: options.clientID(client, pool.id, number), poolID: pool.id, SettingsReader(client)))
            }
        }
        if let object = identityPool
            ?? (mode == .dev ? ["name": "syncline", "allowUnauthenticatedIdentities": true] : nil)
        {
            let id = object["id"]?.stringValue ?? "\(region):\(Self.uuid("identity-pool"))"
            configuration.identityPools = [IdentityPool(id, SettingsReader(object), isConfiguration: true)]
        }
        if mode == .dev, accessKeys.isEmpty { configuration.accessKeys = [DeveloperKey.read(dataFolder)] }
        return configuration
    }
}
