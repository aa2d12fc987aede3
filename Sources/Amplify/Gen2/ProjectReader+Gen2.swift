import JSON
import Transformer

extension ProjectReader {
    /// The client file of a Gen 2 project, which has its ids and, if nothing else has it, its models.
    static let outputs = "amplify_outputs.json"
    /// The feature flags that every Gen 2 project has; all others are false.
    private static let flags: Set = [
        "shouldDeepMergeDirectiveConfigDefaults", "useSubUsernameForDefaultIdentityClaim",
        "populateOwnerFieldForStaticGroupAuth", "enableAutoIndexQueryNames",
        "respectPrimaryKeyAttributesOnConnectionField", "secondaryKeyAsGSI", "validateTypeNameReservedWords",
    ]

    /// Reads a project of Gen 2: its schema from the best source that there is, everything else from
    /// `amplify_outputs.json`.
    func readGen2() {
        project.generation = 2
        project.name = file("package.json")?["name"]?.text ?? "amplify"
        project.environment = options.environment ?? "sandbox"
        guard checkEnvironmentName() else {
            isUsageError = true
            return
        }
        let outputs = outputsOfProject()
        if let version = outputs?["version"], let text = version.text, !text.hasPrefix("1") {
            warn("\(Self.outputs) is of the unknown version \(text): it is read as 1.", at: version.place)
        }
        let region = ["data", "auth"].lazy.compactMap { outputs?[path: [$0, "aws_region"]] }.first { $0.text != nil }
        if let text = region?.text { takeRegion(text, at: region?.place) }
        project.hasCloudIDs = outputs?["auth"] != nil || outputs?["data"] != nil
        if outputs == nil, folder.kind(Self.outputs) == nil {
            warn(
                "There is no \(folder.prefix)\(Self.outputs): ids, modes and access to files are those of a new backend.",
                hint: "Run 'npx ampx generate outputs', or check the file out.")
        }
        set(["environmentName"], .string(project.environment), at: nil)
        set(["region"], .string(project.region), at: region?.place)
        set(["transformerVersion"], 2, at: nil)
        for flag in FlagTable.settings(of: FlagTable.transformer) {
            set(["featureFlags", flag], .bool(Self.flags.contains(flag)), at: nil)
        }
        for flag in FlagTable.codegenSettings { set(["codegen", flag], true, at: nil) }
        readGen2Schema(outputs?["data"])
        if let auth = outputs?["auth"] { readGen2Auth(auth) }
        if let data = outputs?["data"] {
            readGen2Modes(data)
            setEndpoint(data["url"].flatMap { node in node.text.map { ($0, node.place) } })
        }
        if let storage = outputs?["storage"] { readGen2Storage(storage) }
        if let app = outputs?[path: ["analytics", "amazon_pinpoint", "app_id"]], let id = app.text {
            set(["analytics", "appId"], .string(id), at: app.place)
            let region = outputs?[path: ["analytics", "amazon_pinpoint", "aws_region"]]
            setAppRegion(region.flatMap { node in node.text.map { ($0, node.place) } })
            row("analytics", id, .same, "Analytics events are accepted.", at: app.place)
        }
        if let custom = outputs?["custom"] {
            row("custom", "custom", .notServed, "What a stack of its own makes is not served.", at: custom.place)
        }
    }

    /// The client file, unless 'syncline pull' has written it: then it describes a server, and not the project.
    private func outputsOfProject() -> ProjectNode? {
        guard let root = file(Self.outputs) else { return nil }
        guard !AmplifyProject.isOfServer(outputs: root.value) else {
            warn(
                "\(folder.prefix)\(Self.outputs) is not read: its address is none of AppSync, as in a file that 'syncline pull' "
                    + "has written.", at: root[path: ["data", "url"]]?.place,
                hint:
                    "Bring the file of the project back, or run 'npx ampx generate outputs'. Write files for apps elsewhere, "
                    + "with 'syncline pull --out DIR'.")
            return nil
        }
        return root
    }

    // MARK: The schema

    private func readGen2Schema(_ data: ProjectNode?) {
        guard !isOverridden("schema") else { return }
        // Of several synthesized schemas the newest is the one of the backend.
        let built = tree(".amplify/artifacts/cdk.out", skipping: ["node_modules"], isWhole: false).filter {
            $0.lastName == "model-schema.graphql"
        }
        .filter(folder.isFile).max { folder.modifiedSeconds($0) < folder.modifiedSeconds($1) }
        let resource = "amplify/data/resource.ts"
        note(resource)
        if let path = built {
            note(path)
            set(["schema"], .string(folder.prefix + path), at: place(ofFile: path))
            project.api = "data"
            let hours = max(0, options.nowMilliseconds / 1_000 - folder.modifiedSeconds(path)) / 3_600
            // The report of an import does not depend on the time.
            let age = options.purpose == .importing ? "" : ", \(hours == 1 ? "1 hour" : "\(hours) hours") old"
            return row(
                "api", "schema", .same, "It is the one of the last sandbox or synthesis\(age).", file: path)
        }
        if folder.isFile(resource), let bytes = try? folder.read(resource, ProjectLimits.sourceBytesMax),
            let text = SchemaLiteral.schema(in: String(decoding: bytes, as: UTF8.self))
        {
            project.api = "data"
            project.schemaText = (folder.prefix + resource, text)
            set(["schema"], .string(folder.prefix + resource), at: place(ofFile: resource))
            return row("api", "schema", .same, "It is the GraphQL text in the source.", file: resource)
        }
        guard let introspection = data?["model_introspection"] else {
            row("api", "GraphQL", .notServed, "No schema was found: users, files and events are served.")
            warn(
                "The project has no schema that can be read: neither .amplify/artifacts/cdk.out, nor a GraphQL text in "
                    + "\(resource), nor data.model_introspection in \(Self.outputs).",
                hint: "Run 'npx ampx sandbox' or 'npx ampx generate outputs', which write one of them.")
            return set(["schema"], false, at: nil)
        }
        let schema = IntrospectedSchema(introspection.value)
        project.api = "data"
        project.schemaText = (folder.prefix + Self.outputs, schema.text)
        set(["schema"], .string(folder.prefix + Self.outputs), at: introspection.place)
        row(
            "api", "schema", .different,
            "It is made of model_introspection, which lacks rules of fields and embedded types, explicit user-name claims, "
                + "default values, validation, projections of indexes, directives on fields, unions and interfaces, and "
                + "the sandbox rule.", at: introspection.place)
        for field in schema.customFields {
            row("api", field, .notServed, "What answers it is in no file.", at: introspection.place)
        }
        for key in ["generations", "conversations"] {
            guard let node = introspection[key], !node.members.isEmpty else { continue }
            row("api", key, .notServed, "The category is not served.", at: node.place)
        }
    }

    private func readGen2Modes(_ data: ProjectNode) {
        let first = data["default_authorization_type"]
        var modes: [JSONValue] = []
        for (node, type) in ([first].compactMap(\.self) + (data["authorization_types"]?.elements ?? [])).map({
            ($0, $0.text ?? "")
        }) {
            guard !["OPENID_CONNECT", "AWS_LAMBDA"].contains(type) else {
                row("api", type, .notServed, "Its issuer or function is in no file: write authConfig.", at: node.place)
                continue
            }
            var mode: JSONObject = ["authenticationType": .string(type)]
            if type == "AMAZON_COGNITO_USER_POOLS" {
                guard let pool = project.settings.value["userPool"]?["id"] else {
                    row("api", type, .notServed, "The file has no user pool.", at: node.place)
                    continue
                }
                mode["userPoolConfig"] = ["userPoolId": pool]
            }
            modes.append(.object(mode))
        }
        if let first = modes.first {
            set(["authConfig", "defaultAuthentication"], first, at: data.place)
            set(["authConfig", "additionalAuthenticationProviders"], .array(Array(modes.dropFirst())), at: data.place)
        }
        if let key = data["api_key"], let text = key.text, text != AmplifyProject.keyOfMock {
            set(["apiKey"], [["key": .string(text)]], at: key.place)
            row("api", "API key", .same, "\(text.prefix(8))… is accepted.", at: key.place)
        }
    }

    // MARK: Users

    private func readGen2Auth(_ auth: ProjectNode) {
        func set(_ keys: [String], _ value: JSONValue?, _ node: ProjectNode?) {
            self.set(["userPool"] + keys, value, at: node?.place)
        }
        if let pool = auth["user_pool_id"], let id = pool.text {
            project.auth = id
            set(["id"], .string(id), pool)
            set(["name"], .string(project.name), nil)
            set(["usernameCaseSensitive"], false, nil)
            for (setting, key) in [
                ("usernameAttributes", "username_attributes"), ("requiredAttributes", "standard_required_attributes"),
                ("autoVerifiedAttributes", "user_verification_types"),
            ] {
                if let names = auth[key]?.texts, !names.isEmpty {
                    set([setting], .array(names.map(JSONValue.string)), auth[key])
                }
            }
            for (setting, key) in [
                ("minimumLength", "min_length"), ("requireLowercase", "require_lowercase"),
                ("requireUppercase", "require_uppercase"), ("requireNumbers", "require_numbers"),
                ("requireSymbols", "require_symbols"),
            ] {
                if let node = auth["password_policy"]?[key] { set(["passwordPolicy", setting], node.value, node) }
            }
            readGen2Factors(auth)
            set(["clients"], [.object(gen2Client(auth))], auth["user_pool_client_id"])
            let groups = (auth["groups"]?.elements ?? []).flatMap(\.members).map { name, node -> JSONValue in
                var group: JSONObject = ["name": .string(name)]
                group["precedence"] = node["precedence"]?.value
                return .object(group)
            }
            if !groups.isEmpty { set(["groups"], .array(groups), auth["groups"]) }
            if let domain = auth["oauth"]?["domain"], let host = domain.text {
                let cognito = host.hasSuffix(".amazoncognito.com")
                // A domain of the backend's own is a name; this server writes its address.
                let isName = !host.contains(":") && host.contains { $0.isLetter }
                if cognito || isName {
                    set(["domain"], .string(cognito ? String(host.prefix { $0 != "." }) : host), domain)
                }
            }
            row(
                "auth", id, .different, "Only its web client is known; triggers and messages are in no file.",
                at: auth.place)
            for provider in auth["oauth"]?["identity_providers"]?.elements ?? [] {
                row(
                    "auth", provider.text ?? "", .notServed,
                    "No file has its credentials: write userPool.identityProviders.", at: provider.place)
            }
        }
        guard let identities = auth["identity_pool_id"], let id = identities.text else { return }
        self.set(["identityPool", "id"], .string(id), at: identities.place)
        self.set(
            ["identityPool", "allowUnauthenticatedIdentities"],
            auth["unauthenticated_identities_enabled"]?.value ?? false,
            at: auth["unauthenticated_identities_enabled"]?.place)
        if let pool = project.settings.value["userPool"] {
            self.set(["identityPool", "userPools"], .array([pool["id"] ?? .null]), at: identities.place)
            if pool["groups"] != nil { self.set(["identityPool", "roleMapping"], "token", at: nil) }
        }
    }

    private func readGen2Factors(_ auth: ProjectNode) {
        guard let node = auth["mfa_configuration"], let text = node.text else { return }
        let words = ["NONE": "OFF", "OPTIONAL": "OPTIONAL", "REQUIRED": "ON"]
        set(["userPool", "mfaConfiguration"], .string(words[text] ?? text), at: node.place)
        let factors = ["SMS": "SMS_MFA", "TOTP": "SOFTWARE_TOKEN_MFA", "EMAIL": "EMAIL_OTP"]
        let methods = (auth["mfa_methods"]?.texts ?? []).map { JSONValue.string(factors[$0] ?? $0) }
        if text != "NONE", !methods.isEmpty {
            set(["userPool", "enabledMfas"], .array(methods), at: auth["mfa_methods"]?.place)
        }
    }

    private func gen2Client(_ auth: ProjectNode) -> JSONObject {
        var client: JSONObject = [
            "name": "web",
            "explicitAuthFlows": ["ALLOW_CUSTOM_AUTH", "ALLOW_USER_SRP_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"],
        ]
        client["id"] = auth["user_pool_client_id"]?.value
        guard let pages = auth["oauth"] else { return client }
        for (setting, key) in [
            ("callbackURLs", "redirect_sign_in_uri"), ("logoutURLs", "redirect_sign_out_uri"),
            ("allowedOAuthScopes", "scopes"),
        ] {
            if let texts = pages[key]?.texts, !texts.isEmpty { client[setting] = .array(texts.map(JSONValue.string)) }
        }
        client["allowedOAuthFlows"] = pages["response_type"]?.text == "token" ? ["implicit"] : ["code"]
        return client
    }

    // MARK: Files

    private func readGen2Storage(_ storage: ProjectNode) {
        let buckets = storage["buckets"]?.elements ?? []
        let list = (buckets.isEmpty ? [storage] : buckets).map { node -> JSONValue in
            var bucket: JSONObject = ["name": node["bucket_name"]?.value ?? .null]
            if let paths = node["paths"] {
                bucket["paths"] = paths.value
            } else {
                for key in ["guestAccess", "authAccess"] { bucket[key] = .array([]) }
                row(
                    "storage", node["bucket_name"]?.text ?? "", .different,
                    "No file says who may access it, and nobody may: write storage.", at: node.place)
            }
            return .object(bucket)
        }
        project.bucketNames = list.map { $0["name"]?.stringValue ?? "" }
        if list.count == 1, let bucket = list[0].objectValue {
            for (key, value) in bucket { set(["storage", key], value, at: (buckets.first ?? storage).place) }
        } else {
            set(["storage", "buckets"], .array(list), at: storage.place)
        }
        setBucketRegion((buckets.first ?? storage)["aws_region"] ?? storage["aws_region"])
    }
}
