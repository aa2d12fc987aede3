import Encodings
import JSON
import Transformer

extension ProjectReader {
    /// Reads the modes of authorization: of `cli-inputs.json`, else of `backend-config.json` or the deployment.
    func readModes(_ resource: Resource, _ inputs: ProjectNode?) {
        let output = resource.node[path: ["output", "authConfig"]]
        if let first = inputs?["defaultAuthType"] {
            let modes = [first] + (inputs?["additionalAuthTypes"]?.elements ?? [])
            let keys = modes.compactMap { $0["mode"]?.text }
            set(["authConfig", "defaultAuthentication"], mode(first), at: first.place)
            set(
                ["authConfig", "additionalAuthenticationProviders"],
                .array(modes.dropFirst().compactMap { mode($0) }),
                at: inputs?["additionalAuthTypes"]?.place ?? first.place)
            setModePlaces(modes)
            let others = authConfigModes(output)
            if output != nil,
                keys.sorted() != others.compactMap({ $0["authenticationType"]?.text }).sorted()
                    || keys.first != others.first?["authenticationType"]?.text
            {
                row(
                    "api", "authConfig", .different,
                    "cli-inputs.json and backend-config.json differ in the modes: the former is used.",
                    at: output?.place)
            }
            readKey(resource, modes)
        } else if let config = output ?? ids.meta?[path: ["api", resource.name, "output", "authConfig"]] {
            let modes = authConfigModes(config)
            set(["authConfig", "defaultAuthentication"], modes.first.flatMap { provider($0) }, at: modes.first?.place)
            set(
                ["authConfig", "additionalAuthenticationProviders"],
                .array(modes.dropFirst().compactMap { provider($0) }), at: config.place)
            setModePlaces(modes)
            readKey(resource, modes)
        } else {
            let type = resource.node[path: ["output", "securityType"]]
            set(
                ["authConfig", "defaultAuthentication", "authenticationType"], type?.value ?? "API_KEY", at: type?.place
            )
            readKey(resource, type.map { [$0] } ?? [])
        }
    }

    private func authConfigModes(_ config: ProjectNode?) -> [ProjectNode] {
        [config?["defaultAuthentication"]].compactMap(\.self)
            + (config?["additionalAuthenticationProviders"]?.elements ?? [])
    }

    private func setModePlaces(_ modes: [ProjectNode]) {
        for (index, mode) in modes.enumerated() {
            let path =
                index == 0 ? ["defaultAuthentication"] : ["additionalAuthenticationProviders", String(index - 1)]
            project.settings.setPlace(["authConfig"] + path, mode.place)
        }
    }

    /// A mode of `cli-inputs.json` in the words of `authConfig`.
    private func mode(_ node: ProjectNode) -> JSONValue? {
        guard let mode = node["mode"]?.text else {
            report("A mode of authorization has no 'mode'.", at: node.place)
            return nil
        }
        var object: JSONObject = ["authenticationType": .string(mode)]
        switch mode {
        case "API_KEY":
            object["apiKeyConfig"] = apiKeyConfig(days: node["expirationTime"]?.integer)
        case "AMAZON_COGNITO_USER_POOLS":
            object["userPoolConfig"] = userPoolConfig(node["cognitoUserPoolId"])
        case "OPENID_CONNECT":
            object["openIDConnectConfig"] = openID(
                node, name: "openIDProviderName", issuer: "openIDIssuerURL", client: "openIDClientID",
                authTTL: "openIDAuthTTL", iatTTL: "openIDIatTTL")
        case "AWS_LAMBDA": object["lambdaAuthorizerConfig"] = authorizer(node)
        default: break
        }
        return .object(object)
    }

    /// A mode of `output.authConfig`, its references to resources resolved.
    private func provider(_ node: ProjectNode) -> JSONValue? {
        var object: JSONObject = ["authenticationType": node["authenticationType"]?.value ?? .null]
        switch node["authenticationType"]?.text {
        case "API_KEY":
            object["apiKeyConfig"] = apiKeyConfig(days: node["apiKeyConfig"]?["apiKeyExpirationDays"]?.integer)
        case "AMAZON_COGNITO_USER_POOLS":
            object["userPoolConfig"] = userPoolConfig(node["userPoolConfig"]?["userPoolId"])
        case "OPENID_CONNECT":
            object["openIDConnectConfig"] = openID(
                node["openIDConnectConfig"] ?? node, name: "name", issuer: "issuerUrl", client: "clientId",
                authTTL: "authTTL",
                iatTTL: "iatTTL")
        case "AWS_LAMBDA": object["lambdaAuthorizerConfig"] = authorizer(node["lambdaAuthorizerConfig"] ?? node)
        default: break
        }
        return .object(object)
    }

    private func apiKeyConfig(days: Int?) -> JSONValue? {
        guard let days, (1...365).contains(days) else { return nil }
        return ["apiKeyExpirationDays": .number(String(days))]
    }

    /// `auth<resource>`, a logical name, becomes the id of the pool.
    private func userPoolConfig(_ node: ProjectNode?) -> JSONValue? {
        guard let pool = project.settings.value["userPool"]?["id"] else {
            warn("The API uses AMAZON_COGNITO_USER_POOLS, but the project has no user pool.", at: node?.place)
            return nil
        }
        if let name = node?.text, !name.contains("_"), name != "auth\(project.auth ?? "")" {
            report("There is no user pool '\(name)' in the project.", at: node?.place)
        }
        return ["userPoolId": pool]
    }

    private func openID(
        _ node: ProjectNode, name: String, issuer: String, client: String, authTTL: String, iatTTL: String
    ) -> JSONValue {
        var object = JSONObject()
        if node[issuer]?.text == nil {
            report(
                "OPENID_CONNECT needs the issuer of the tokens.", at: (node[issuer] ?? node).place,
                hint: "Write \"\(issuer)\": \"https://…\".")
        }
        for (word, key) in [
            ("name", name), ("issuerUrl", issuer), ("clientId", client), ("authTTL", authTTL), ("iatTTL", iatTTL),
        ] {
            if let value = node[key], value.value != "" { object[word] = value.value }
        }
        return .object(object)
    }

    private func authorizer(_ node: ProjectNode) -> JSONValue? {
        guard let function = node["lambdaFunction"], let name = function.text else {
            report("AWS_LAMBDA needs the function that accepts tokens.", at: node.place)
            return nil
        }
        if configuredName(of: name) == nil {
            row(
                "api", name, .notServed, "The authorizer has no URL: requests with its tokens are refused.",
                at: function.place)
        }
        var object: JSONObject = ["lambdaFunction": .string(configuredName(of: name) ?? resourceName(of: name))]
        if let seconds = node["ttlSeconds"] { object["ttlSeconds"] = seconds.value }
        return .object(object)
    }

    // MARK: Keys

    /// Reads the API key, where one of the modes is API_KEY or no file says the modes.
    private func readKey(_ resource: Resource, _ modes: [ProjectNode]) {
        let mode = modes.first { ($0["mode"] ?? $0["authenticationType"] ?? $0).text == "API_KEY" }
        guard mode != nil || modes.isEmpty else { return }
        let end = mode?["apiKeyExpirationDate"] ?? mode?["apiKeyConfig"]?["apiKeyExpirationDate"]
        let known = ids.output("api", resource.name, "GraphQLAPIKeyOutput").flatMap { node in
            node.text.map { (text: $0, place: node.place) }
        }
        let key = known ?? ids.client[.apiKey].map { (text: $0.text, place: $0.place) }
        guard let key else {
            if project.createsAPIKey {
                project.lacksAPIKey = true
                row(
                    "api", "API key", .different,
                    "No key of the environment is known: 'syncline keys create' makes one.", at: end?.place)
                project.tasks.append("Create an API key for the apps with 'syncline keys create': none is known.")
            }
            return
        }
        guard project.createsAPIKey else { return }
        let seconds = end.flatMap { ExpirationDate.seconds($0.value) }
        if let end, end.value != "", seconds == nil {
            report(
                "'apiKeyExpirationDate' is not a date, so that it is not known whether the API key has expired.",
                at: end.place, hint: "Write it as 2027-01-31T12:00:00.000Z.")
        }
        let expires = seconds.map { String(DateTime.text(milliseconds: $0 * 1_000).prefix(19)) + "Z" }
        let hasExpired = seconds.map { $0 < options.nowMilliseconds / 1_000 } ?? false
        let isAccepted = !hasExpired || options.purpose == .develop || options.allowsExpiredKeys
        var object: JSONObject = ["key": .string(key.text)]
        if let expires, !isAccepted || !hasExpired { object["expires"] = .string(expires) }
        set(["apiKey"], .array([.object(object)]), at: key.place)
        if hasExpired {
            row(
                "api", "API key", .different,
                "\(key.text.prefix(8))… has expired at \(expires ?? ""): "
                    + (isAccepted
                        ? "it is accepted anyway."
                        : options.purpose == .importing
                            ? "its end is kept, and it is refused." : "it is refused without --allow-expired-keys."),
                at: end?.place)
            if options.purpose == .importing {
                project.tasks.append(
                    "The API key has expired and is refused: create one with 'syncline keys create', or remove 'expires' "
                        + "from apiKey in config/syncline.json.")
            }
        } else {
            row("api", "API key", .same, "\(key.text.prefix(8))… is accepted.", at: key.place)
        }
    }
}
