import Encodings
import JSON
import Transformer

extension ProjectReader {
    /// Reads the GraphQL API: its schema, modes, keys, conflict resolution and transformer configuration.
    func readAPI() {
        listUnserved("api", except: ["AppSync"])
        for resource in resources("api", "AppSync") where resource.name != project.api {
            row("api", resource.name, .notServed, "--api \(project.api ?? "") was chosen.", at: resource.node.place)
        }
        guard let resource = resources("api", "AppSync").first(where: { $0.name == project.api }) else {
            // A schema that the configuration names is served in its place.
            guard !isOverridden("schema") else { return }
            row("api", "GraphQL", .notServed, "The project has none: users, files and events are served.")
            return set(["schema"], false, at: nil)
        }
        guard folder.isFolder(resource.folder) else { return }
        readSchema(resource)
        let inputs = file("\(resource.folder)/cli-inputs.json")
        checkVersion(inputs?["version"])
        readTransformConfig(resource, inputs?["serviceConfiguration"])
        if let parameters = parametersFile("\(resource.folder)/parameters.json", isRead: { $0 == "CreateAPIKey" }) {
            if let key = parameters["CreateAPIKey"], key.integer != 1 {
                project.createsAPIKey = false
                project.settings.setPlace(["apiKey"], key.place)
                row("api", "CreateAPIKey", .same, "No API key is made.", at: key.place)
            }
            row(
                "api", "parameters.json", .notNeeded, "Billing, encryption and sizes have no meaning here.",
                at: parameters.place)
        }
        readModes(resource, inputs?["serviceConfiguration"])
        readRoles(resource)
        readLogic(resource)
        guard !isBroken("\(resource.folder)/cli-inputs.json") else { return }
        let version = project.settings.value["transformerVersion"]?.intValue ?? 1
        row(
            "api", resource.name, .same, "The schema is served by version \(version) of the transformer.",
            at: resource.node.place)
    }

    func checkVersion(_ version: ProjectNode?) {
        guard let version, let number = version.integer, number > 1 else { return }
        warn("cli-inputs.json is of the unknown version \(number): it is read as 1.", at: version.place)
    }

    private func readSchema(_ resource: Resource) {
        let path = "\(resource.folder)/schema.graphql"
        let split = "\(resource.folder)/schema"
        note(path)
        if folder.isFile("schema.graphql"), !isOverridden("schema") {
            warn("\(folder.prefix)schema.graphql is not read: the schema of the Amplify project is served.")
        }
        if folder.kind(path) == .outside || folder.kind(split) == .outside {
            report("The schema of the API \(resource.name) is a link that leaves the project.", at: resource.node.place)
        } else if folder.isFile(path) {
            set(["schema"], .string(folder.prefix + path), at: place(ofFile: path))
        } else if folder.isFolder(split) {
            set(["schema"], .string(folder.prefix + split), at: place(ofFile: split))
            checkSplitSchema(split)
        } else {
            report(
                "The API \(resource.name) has no schema: there is neither \(folder.prefix)\(path) nor a folder "
                    + "\(folder.prefix)\(split).", at: resource.node.place)
        }
    }

    /// Amplify reads every file of the folder; here those of GraphQL are read.
    private func checkSplitSchema(_ path: String) {
        for file in tree(path) {
            if folder.kind(file) == .outside {
                report("\(folder.prefix)\(file) is a link that leaves the project.")
            } else if !file.hasSuffix(".graphql") {
                row(
                    "api", file.lastName, .notServed, "The file is not read: its name does not end in .graphql.",
                    file: file)
                warn("\(folder.prefix)\(file) is not read: its name does not end in .graphql.")
            }
        }
    }

    func place(ofFile path: String) -> Diagnostic.Place {
        Diagnostic.Place(sourceName: folder.prefix + path, line: 1, column: 1, sourceLine: "")
    }

    // MARK: Conflicts

    private func readTransformConfig(_ resource: Resource, _ inputs: ProjectNode?) {
        let path = "\(resource.folder)/transform.conf.json"
        let config = file(path)
        if let config {
            if let version = config["Version"] {
                if version.value.intValue != 5, !isOverridden("transformConfig", "Version") {
                    report(
                        "Version \(version.value) of the transformer's configuration is not served.", at: version.place,
                        hint: "Run 'amplify migrate', which writes \"Version\": 5.")
                }
            } else if !isOverridden("transformConfig", "Version") {
                report(
                    "A file without a Version is of a transformer from before 2020, which is not served.",
                    at: config.place, hint: "Write \"Version\": 5.")
            }
            set(["transformConfig", "Version"], 5, at: config["Version"]?.place)
            for transformer in config["transformers"]?.elements ?? [] {
                let name = transformer.text ?? transformer.value.description
                row("api", name, .notServed, "The custom transformer is not executed.", at: transformer.place)
                guard !options.ignoresCustomTransformers else { continue }
                report(
                    "The custom transformer \(name) is not served.", at: transformer.place,
                    hint: "Write what it generates into the schema, or serve without it: --ignore-custom-transformers.")
            }
        }
        if let conflicts = inputs?["conflictResolution"], !conflicts.members.isEmpty {
            readConflicts(conflicts)
            if let unused = config?["ResolverConfig"] {
                row(
                    "api", "ResolverConfig", .notNeeded, "conflictResolution of cli-inputs.json is used.",
                    at: unused.place)
            }
        } else if let resolver = config?["ResolverConfig"] {
            readResolverConfig(resolver)
        }
    }

    /// `conflictResolution` of `cli-inputs.json`.
    private func readConflicts(_ node: ProjectNode) {
        if let strategy = node["defaultResolutionStrategy"] {
            readStrategy(strategy, into: ["resolverConfig", "project"])
        }
        let models = node["perModelResolutionStrategy"]
        guard models?.value.arrayValue?.count ?? 0 <= ProjectLimits.modelStrategiesMax else {
            return report(
                "At most \(ProjectLimits.modelStrategiesMax) models have a strategy of their own.", at: models?.place)
        }
        for element in models?.elements ?? [] {
            guard let model = element["entityName"]?.text, let strategy = element["resolutionStrategy"] else {
                report(
                    "'perModelResolutionStrategy' has a model without 'entityName' or 'resolutionStrategy'.",
                    at: element.place)
                continue
            }
            readStrategy(strategy, into: ["resolverConfig", "models", model])
        }
    }

    private func readStrategy(_ node: ProjectNode, into path: [String]) {
        let place = (node["type"] ?? node).place
        guard let type = node["type"]?.text, ["AUTOMERGE", "OPTIMISTIC_CONCURRENCY", "NONE", "LAMBDA"].contains(type)
        else {
            return report("'type' is AUTOMERGE, OPTIMISTIC_CONCURRENCY, LAMBDA or NONE.", at: place)
        }
        guard type != "NONE" else { return readNone(path, place) }
        set(path + ["ConflictDetection"], "VERSION", at: place)
        set(path + ["ConflictHandler"], .string(type), at: place)
        guard type == "LAMBDA" else { return }
        guard node["resolver"]?["type"]?.text != "NEW", let name = node["resolver"]?["name"] else {
            return report(
                "The conflict handler function does not exist yet.", at: node["resolver"]?.place ?? place,
                hint: "Run 'amplify push', which makes it, or write \"type\": \"EXISTING\" and its 'name'.")
        }
        setConflictFunction(name, path)
    }

    /// `ResolverConfig` of `transform.conf.json`.
    private func readResolverConfig(_ node: ProjectNode) {
        var parts = [(["resolverConfig", "project"], node["project"])]
        let models = node["models"]
        guard models?.value.objectValue?.count ?? 0 <= ProjectLimits.modelStrategiesMax else {
            return report(
                "At most \(ProjectLimits.modelStrategiesMax) models have a strategy of their own.", at: models?.place)
        }
        parts += (models?.members ?? []).map { (["resolverConfig", "models", $0.key], $0.node) }
        for (path, part) in parts {
            guard let part else { continue }
            let handler = part["ConflictHandler"]?.text
            if part["ConflictDetection"]?.text == "NONE" || handler == "NONE" {
                readNone(path, part.place)
                continue
            }
            for key in ["ConflictDetection", "ConflictHandler"] {
                if let value = part[key] { set(path + [key], value.value, at: value.place) }
            }
            if handler == "LAMBDA", let name = part["LambdaConflictHandler"]?["name"] {
                setConflictFunction(name, path)
            }
        }
    }

    /// An override needs detection and a handler: for one model NONE has no effect at Amplify.
    private func readNone(_ path: [String], _ place: Diagnostic.Place) {
        guard path.count > 2, let model = path.last else { return }
        row("api", model, .same, "NONE for one model has no effect, as at Amplify.", at: place)
    }

    private func setConflictFunction(_ node: ProjectNode, _ path: [String]) {
        guard let name = node.text else { return }
        set(
            path + ["LambdaConflictHandler", "name"], .string(configuredName(of: name) ?? resourceName(of: name)),
            at: node.place)
    }

    // MARK: Modes

    private func readModes(_ resource: Resource, _ inputs: ProjectNode?) {
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

    // MARK: Roles and files of logic

    /// `custom-roles.json`, and the functions that may call the API: their roles have access to all models with rules.
    private func readRoles(_ resource: Resource) {
        var roles: [JSONValue] = []
        var place: Diagnostic.Place?
        if let node = file("\(resource.folder)/custom-roles.json")?["adminRoleNames"] {
            roles += node.texts.map { .string(inEnvironment($0)) }
            place = node.place
        }
        for function in resources("function", "Lambda") {
            guard
                let api = file("\(function.folder)/function-parameters.json")?[path: [
                    "permissions", "api", resource.name,
                ]]
            else { continue }
            roles.append(.string("\(function.name)-\(project.environment)"))
            place = place ?? api.place
        }
        guard !roles.isEmpty else { return }
        set(["transformParameters", "adminRoles"], .array(roles), at: place)
    }

    /// Resolver templates, stacks and overrides of resources, which are not served.
    private func readLogic(_ resource: Resource) {
        project.apiFolder = folder.prefix + resource.folder
        for part in AmplifyProject.resolverFolders {
            for path in tree("\(resource.folder)/\(part)")
            where AmplifyProject.resolverSuffixes.contains(where: path.hasSuffix) {
                reportLogicNotServed(
                    path,
                    "The resolver \(folder.prefix)\(path) is not served"
                        + (options.purpose == .serve ? "." : ": its field uses the generated resolver."))
            }
        }
        for path in tree("\(resource.folder)/stacks") where path.hasSuffix(".json") {
            guard let resources = file(path)?["Resources"] else { continue }
            let logic = resources.members.filter {
                $0.node["Type"]?.text != "Custom::EmptyResource" && $0.key != "EmptyResource"
            }
            guard let first = logic.first else { continue }
            let appSync = logic.first { $0.node["Type"]?.text?.hasPrefix("AWS::AppSync::") == true }
            if let appSync {
                reportLogicNotServed(
                    path, "The stack \(folder.prefix)\(path) has \(appSync.key) of AppSync, which is not served.",
                    at: appSync.node.place)
            } else {
                row(
                    "api", path.lastName, .notServed, "The stack has \(first.key), which is not made here.",
                    at: first.node.place)
            }
        }
        note("\(resource.folder)/override.ts")
        if folder.isFile("\(resource.folder)/override.ts") {
            row(
                "api", "override.ts", .notServed, "It is not executed: overrides of resources have no effect here.",
                file: "\(resource.folder)/override.ts")
        }
    }

    private func reportLogicNotServed(_ path: String, _ message: String, at place: Diagnostic.Place? = nil) {
        let effect =
            options.purpose == .serve
            ? "'syncline serve' does not start with it." : "Its field uses the generated resolver, or none."
        row("api", path.lastName, .notServed, effect, at: place, file: path)
        note(path)
        reportNotServed(message, at: place, hint: "Move it out of the project to serve what is generated without it.")
    }
}

extension String {
    var lastName: String { String(split(separator: "/").last ?? "") }
}
