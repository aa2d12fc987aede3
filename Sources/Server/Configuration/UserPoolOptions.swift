import Codegen
import Crypto
import Encodings
import HTTP
import JSON
import Transformer
import UserPools

/// `userPool`, `identityPool`, `accessKeys` and `publicURL`: what is configured of sign-in, in Cognito's own words.
struct UserPoolOptions: Sendable {
    /// The pools' objects as they stand in the configuration, secrets read.
    var pools: [JSONObject] = []
    var identityPools: [JSONObject] = []
    var accessKeys: [AccessKey] = []
    /// Where the pools stand in the file.
    private(set) var poolPaths: [[String]] = []
    private(set) var identityPoolPaths: [[String]] = []
    /// Where secrets stand that could not be read.
    private(set) var unreadableSecrets: Set<[String]> = []
    /// The base of the server's addresses as clients have it.
    var publicURL: String?
    /// Functions of an Amplify project that triggers may name without a URL: what they decide is refused.
    var functionsWithoutURL: Set<String> = []
    /// Whether any of it was configured.
    var isConfigured: Bool { !pools.isEmpty || !identityPools.isEmpty || !accessKeys.isEmpty }
    var region = "us-east-1"

    /// Whether a text is a URL of a server: `http` or `https`, a host, perhaps a port and a path. Programs write it into files and
    /// commands, so nothing else may be in it.
    private static func isPublicURL(_ url: String) -> Bool {
        guard url.hasPrefix("http://") || url.hasPrefix("https://"), let address = ClientAddress(url: url),
            CertificateNames.isName(HostPort.withoutBrackets(address.host))
        else { return false }
        // RFC 3986 §3.3: what a path may have.
        let rest = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).dropFirst(3)
        return !url.contains("?") && !url.contains("#")
            && rest.allSatisfy {
                $0.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"'<>\\^`{|}$;&()".utf8.contains($0) }
            }
    }

    /// Reads the settings.
    ///
    /// - Parameter functions: The functions that triggers may name.
    mutating func read(_ file: ConfigurationSection, region: String, functions: FunctionList = FunctionList()) {
        self.region = region
        if let url = file.string("publicURL") {
            if Self.isPublicURL(url) {
                publicURL = url.hasSuffix("/") ? String(url.dropLast()) : url
            } else {
                file.report(
                    "publicURL", "'publicURL' is a URL, http://… or https://…, and not \"\(PrintableText.line(url))\".",
                    hint: "Write it as https://HOST, https://HOST:PORT or with a path, without a query.")
            }
        }
        if let value = file.value("userPool") {
            let list = value.arrayValue ?? [value]
            for (index, element) in list.enumerated() {
                let path = value.arrayValue == nil ? ["userPool"] : ["userPool", String(index)]
                guard let object = element.objectValue else {
                    file.reportPath(path, "'userPool' is an object, { … }, or a list of objects.")
                    continue
                }
                pools.append(resolve(object, file, path))
                poolPaths.append(path)
            }
            checkPools(file, functions)
        }
        if let value = file.value("identityPool") {
            for (index, element) in (value.arrayValue ?? [value]).enumerated() {
                let path = value.arrayValue == nil ? ["identityPool"] : ["identityPool", String(index)]
                guard let object = element.objectValue else {
                    file.reportPath(path, "'identityPool' is an object, { … }, or a list of objects.")
                    continue
                }
                identityPools.append(object)
                identityPoolPaths.append(path)
            }
            checkIdentityPools(file)
        }
        readAccessKeys(file)
    }

    private mutating func readAccessKeys(_ file: ConfigurationSection) {
        guard let value = file.value("accessKeys") else { return }
        for (index, element) in (value.arrayValue ?? [value]).enumerated() {
            let path = ["accessKeys", String(index)]
            guard let object = element.objectValue, let id = object["id"]?.stringValue, !id.isEmpty,
                let given = object["secret"], !given.isNull
            else {
                file.reportPath(
                    path, "An access key has an 'id' and a 'secret': a text, {\"env\": NAME} or {\"file\": PATH}.")
                continue
            }
            guard let secret = Self.secret(given) else {
                file.reportPath(path + ["secret"], Self.problem(ofSecret: given))
                continue
            }
            let known = ["id", "secret", "role", "services", "arn", "resources"]
            for key in object.keys where !known.contains(key) {
                file.reportPath(
                    path + [key], "Unknown key '\(key)'.", hint: "Known here: \(known.joined(separator: ", ")).")
            }
            if accessKeys.contains(where: { $0.id == id }) {
                file.reportPath(
                    path + ["id"], "Two access keys have the id \(id).", hint: "Give each its own 'id'.")
            }
            let role = (object["role"] ?? "owner").stringValue.flatMap(AccessRole.init)
            if role == nil {
                file.reportPath(
                    path + ["role"], "'role' is one of viewer, editor, owner, and not \(object["role"] ?? .null).")
            }
            // Read as all of them, a mistake would open more than was meant.
            func names(_ key: String, example: String, isName: (String) -> Bool = { !$0.isEmpty }) -> [String]? {
                guard let value = object[key], !value.isNull else { return nil }
                let names = value.arrayValue?.compactMap(\.stringValue).filter(isName)
                if names == nil || names?.count != value.arrayValue?.count {
                    file.reportPath(
                        path + [key], "'\(key)' is a list of texts, and not \(value).",
                        hint: "Write it as [\"\(example)\"].")
                }
                return names ?? []
            }
            var key = AccessKey(
                id: id, secret: secret, role: role ?? .viewer, services: names("services", example: "cognito-idp"))
            for (number, service) in (key.services ?? []).enumerated() where !AccessKey.knownServices.contains(service)
            {
                file.reportPath(
                    path + ["services", String(number)], "'services' has the unknown service '\(service)'.",
                    hint: "Known here: \(AccessKey.knownServices.joined(separator: ", ")).")
            }
            if let services = object["services"], services.arrayValue?.isEmpty == true {
                file.reportPath(
                    path + ["services"], "'services' is empty: the key could sign requests to no service.",
                    hint: "Leave it out for all services: \(AccessKey.knownServices.joined(separator: ", ")).")
            }
            if let arn = object["arn"], !arn.isNull {
                key.ownerARN = arn.stringValue
                if arn.stringValue.map(AccessKey.isOwnerARN) != true {
                    file.reportPath(
                        path + ["arn"], "'arn' is the ARN of a user or of the session of a role, and not \(arn).",
                        hint:
                            "Write it as \"arn:aws:iam::000000000000:user/NAME\" or \"arn:aws:sts::000000000000:assumed-role/ROLE/SESSION\"."
                    )
                }
            }
            key.resources = names("resources", example: "Query.*", isName: Self.isResource) ?? []
            if let resources = object["resources"], resources.arrayValue?.isEmpty == true {
                file.reportPath(
                    path + ["resources"], "'resources' is empty: the key could call no field of the API.",
                    hint: "Leave it out for all fields, or name fields as [\"Query.*\"].")
            }
            accessKeys.append(key)
        }
    }

    /// Whether a text is a pattern of fields: `Type.field`, each of which may be `*`, or `*`.
    private static func isResource(_ text: String) -> Bool {
        text == "*" || text.split(separator: ".").count == 2 && text.filter { $0 == "." }.count == 1
    }

    /// An object in which secrets that stand elsewhere have been read.
    private mutating func resolve(_ object: JSONObject, _ section: ConfigurationSection, _ path: [String]) -> JSONObject
    {
        var resolved = object
        for (name, value) in object {
            if ["secret", "clientSecret", "privateKey"].contains(name) {
                guard let secret = Self.secret(value) else {
                    section.reportPath(path + [name], Self.problem(ofSecret: value))
                    unreadableSecrets.insert(path + [name])
                    resolved[name] = "unreadable"
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
        let secret: String?
        if let name = variable(of: value) {
            secret = Environment.value(name)
        } else if let path = value["file"]?.stringValue {
            guard let bytes = try? Files.read(path, bytesMax: 1 << 16) else { return nil }
            secret = String(String(decoding: bytes, as: UTF8.self).reversed().drop { $0.isNewline }.reversed())
        } else {
            secret = value.stringValue
        }
        return secret.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The environment variable that holds a secret, if one does.
    private static func variable(of value: JSONValue) -> String? {
        if let name = value["env"]?.stringValue { return name }
        guard let text = value.stringValue, text.hasPrefix("${"), text.hasSuffix("}") else { return nil }
        return String(text.dropFirst(2).dropLast())
    }

    /// Why a secret cannot be read.
    static func problem(ofSecret value: JSONValue) -> String {
        if let name = variable(of: value) {
            return "The environment variable \(name), which holds a secret, is not set."
        }
        if let path = value["file"]?.stringValue {
            return "The file \(path), which holds a secret, cannot be read or is empty."
        }
        return "A secret is a text, {\"env\": NAME} or {\"file\": PATH}."
    }

    /// The shortest secret of an access key, in characters, that is accepted on an address beyond loopback.
    static let secretCharactersMin = 16

    /// Refuses to listen beyond loopback with an access key whose secret can be guessed.
    func checkAccessKeys(for address: ListenAddress) throws(ServerError) {
        guard let exposedHost = address.exposedHost,
            let key = accessKeys.first(where: { $0.secret.count < Self.secretCharactersMin })
        else { return }
        throw ServerError(
            .usage,
            "The secret of the access key \(key.id) has fewer than \(Self.secretCharactersMin) characters, and "
                + "\(exposedHost) can be reached from other machines.",
            hint: "Give it a longer secret in 'accessKeys', or listen on 127.0.0.1.")
    }

    /// The functions that triggers of the pools call, by their names in `functions`.
    func triggerFunctions(among functions: FunctionList) -> Set<String> {
        Set(
            pools.flatMap { UserPools.functions(of: UserPool("", SettingsReader($0), isConfiguration: true)) }
                .compactMap { FunctionList.function($0.function, among: functions.byName)?.name })
    }

    // MARK: Ids

    /// The ids of the configured pools; without any, that of the pool that `dev` makes.
    var ids: [String] { (pools.isEmpty ? [Self.defaultPool] : pools).map(id) }

    /// The id of a pool; made of its name where none is given, so that it is the same at each start.
    func id(of pool: JSONObject) -> String {
        pool["id"]?.stringValue ?? "\(region)_\(Self.letters("pool:\(pool["name"]?.stringValue ?? "")", 9))"
    }

    func clientID(_ client: JSONObject, _ poolID: String, _ number: Int) -> String {
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

    /// The id of an identity pool; made of its name in a list, so that it is the same at each start.
    func identityPoolID(_ pool: JSONObject) -> String {
        if let id = pool["id"]?.stringValue { return id }
        let name = identityPools.count > 1 ? pool["name"]?.stringValue : nil
        return "\(region):\(Self.uuid("identity-pool\(name.map { ":\($0)" } ?? "")"))"
    }

    private static func uuid(_ text: String) -> String {
        Hexadecimal.uuid(of: SHA256.hash(data: Array(text.utf8)).prefix(16))
    }

    // MARK: What is served

    /// What a developer is given who has configured nothing.
    static let defaultPool: JSONObject = [
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

    private static let defaultIdentityPool: JSONObject = ["name": "syncline", "allowUnauthenticatedIdentities": true]

    /// The settings that are served.
    ///
    /// - Parameter dataFolder: The folder that has the developer's access key; nil where no access key is wanted.
    func settings(
        region: String, mode: Service.Mode, servedURL: String, dataFolder: String?
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
        let isWithoutIdentityPool = mode == .dev && identityPools.isEmpty
        for object in isWithoutIdentityPool ? [Self.defaultIdentityPool] : identityPools {
            configuration.identityPools.append(
                IdentityPool(options.identityPoolID(object), SettingsReader(object), isConfiguration: true))
        }
        if mode == .dev, accessKeys.isEmpty, let dataFolder {
            configuration.accessKeys = [DeveloperKey.read(dataFolder)]
        }
        return configuration
    }
}
