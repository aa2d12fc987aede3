import JSON
import Transformer

extension ProjectReader {
    /// What a user pool's functions are called in `lambdaConfig`, and whether one only informs.
    private static let triggers: [(name: String, setting: String, informs: Bool)] = [
        ("CreateAuthChallenge", "createAuthChallenge", false), ("CustomMessage", "customMessage", false),
        ("DefineAuthChallenge", "defineAuthChallenge", false), ("PostAuthentication", "postAuthentication", true),
        ("PostConfirmation", "postConfirmation", true), ("PreAuthentication", "preAuthentication", false),
        ("PreSignup", "preSignUp", false), ("PreTokenGeneration", "preTokenGeneration", false),
        ("VerifyAuthChallengeResponse", "verifyAuthChallengeResponse", false),
    ]

    /// Inputs that have no meaning here.
    private static let ignored: Set<String> = [
        "sharedId", "resourceName", "resourceNameTruncated", "authRoleArn", "unauthRoleArn", "authRoleName",
        "unauthRoleName", "useDefault", "serviceName", "useEnabledMfas", "updateFlow", "permissions", "dependsOn",
        "parentStack", "userpoolClientLambdaRole", "defaultPasswordPolicy", "verificationBucketName", "userPoolGroups",
        "userPoolGroupList", "thirdPartyAuth", "hostedUI", "hostedUIProviderCreds", "authTriggerConnections",
        "breakCircularDependency", "region", "facebookAppId", "googleClientId", "amazonAppId", "appleAppId",
        "googleIos", "googleAndroid", "additionalQuestions", "adminQueryGroup", "audiences", "selectedParties",
        "lambdaExecutionRole", "openIdLambdaRoleName", "roleName",
    ]

    /// Inputs that are read.
    private static let known: Set<String> = [
        "authSelections", "serviceType", "userPoolName", "usernameAttributes", "aliasAttributes", "requiredAttributes",
        "autoVerifiedAttributes", "usernameCaseSensitive", "passwordPolicyMinLength", "passwordPolicyCharacters",
        "mfaConfiguration", "mfaTypes", "userpoolClientGenerateSecret", "userpoolClientRefreshTokenValidity",
        "userpoolClientReadAttributes", "userpoolClientWriteAttributes", "userpoolClientSetAttributes",
        "hostedUIDomainName", "oAuthMetadata", "authProvidersUserPool", "hostedUIProviderMeta", "triggers",
        "identityPoolName", "allowUnauthenticatedIdentities", "authProviders", "adminQueries",
        "emailVerificationSubject", "emailVerificationMessage", "smsVerificationMessage", "smsAuthenticationMessage",
    ]

    /// Reads the user pool, its clients and groups, and the identity pool.
    func readAuth() {
        let pools = resources("auth", "Cognito")
        listUnserved("auth", except: ["Cognito", "Cognito-UserPool-Groups"])
        guard let resource = pools.first, folder.isFolder(resource.folder) else { return }
        project.auth = resource.name
        let newForm = file("\(resource.folder)/cli-inputs.json")
        checkVersion(newForm?["version"])
        let given =
            newForm?["cognitoConfig"]
            ?? parametersFile("\(resource.folder)/parameters.json") { !Self.ignored.contains($0) }
        guard
            let inputs = (given ?? inputsOfBrokenFile(of: resource))?.overridden(
                by: parameters(of: resource), Self.known)
        else {
            return report(
                "auth.\(resource.name) has neither cli-inputs.json nor parameters.json in \(folder.prefix)\(resource.folder).",
                at: resource.node.place, hint: "Check out the whole project.")
        }
        let selections = inputs["authSelections"]?.text ?? "identityPoolAndUserPool"
        let isImported = resource.node["serviceType"]?.text == "imported" || inputs["serviceType"]?.text == "imported"
        if isImported {
            reportImportedPool(resource)
        }
        if selections != "identityPoolOnly" { readUserPool(resource, inputs, isImported: isImported) }
        if selections != "userPoolOnly" { readIdentityPool(resource, inputs) }
        warnOfOthers(inputs)
        reportOverride(in: resource.folder, "auth")
        guard !isImported, given != nil else { return }
        let parts = ["userPoolOnly": "The user pool is", "identityPoolOnly": "The identity pool is"]
        row(
            "auth", resource.name, .same, "\(parts[selections] ?? "User pool and identity pool are") served.",
            at: inputs.place)
    }

    /// Empty inputs where the file of them is broken: the pool is there, so that settings may name it.
    private func inputsOfBrokenFile(of resource: Resource) -> ProjectNode? {
        let path = ["cli-inputs.json", "parameters.json"].map { "\(resource.folder)/\($0)" }.first(where: isBroken)
        return path.flatMap {
            (try? LocatedJSON(name: folder.prefix + $0, bytes: Array("{}".utf8), kind: "")).map(ProjectNode.init)
        }
    }

    /// What no file says of an imported pool, and how it is to be given.
    private func reportImportedPool(_ resource: Resource) {
        row(
            "auth", resource.name, .different,
            "The pool was imported: no file says its password policy, attributes and MFA types; a new pool's are used.",
            at: resource.node.place)
        project.tasks.append(
            "Write the password policy, the attributes and the MFA types of the imported user pool into userPool, as "
                + "'aws cognito-idp describe-user-pool' prints them.")
        let known = parameters(of: resource)
        for key in ["userPoolId", "webClientId", "nativeClientId"] where known?[key]?.text == nil {
            row(
                "auth", key, .missing,
                "team-provider-info.json does not have it for '\(project.environment)': it is invented.",
                at: known?.place ?? resource.node.place)
        }
        if known?["userPoolId"]?.text != nil { project.hasCloudIDs = true }
    }

    private func warnOfOthers(_ inputs: ProjectNode) {
        for (key, node) in inputs.members where !Self.known.contains(key) && !Self.ignored.contains(key) {
            warn("The input '\(key)' of the user pool is unknown: it has no effect.", at: node.place)
        }
        if inputs["adminQueries"]?.bool == true {
            row(
                "auth", "adminQueries", .notServed,
                "The REST API for administrators is not served; 'syncline users' does the same.",
                at: inputs["adminQueries"]?.place)
        }
    }

    // MARK: The user pool

    private func readUserPool(_ resource: Resource, _ inputs: ProjectNode, isImported: Bool) {
        let pool = id(.userPool, of: resource, output: "UserPoolId", parameter: "userPoolId")
        func set(_ keys: [String], _ value: JSONValue?, _ node: ProjectNode?) {
            self.set(["userPool"] + keys, value, at: node?.place)
        }
        self.set(["userPool", "id"], .string(pool.text), at: pool.place)
        let name =
            ids.output("auth", resource.name, "UserPoolName") ?? parameters(of: resource)?["userPoolName"]
            ?? inputs["userPoolName"]
        set(["name"], .string(name?.text ?? resource.name), name)
        for key in ["usernameAttributes", "aliasAttributes", "requiredAttributes", "autoVerifiedAttributes"] {
            guard let node = inputs[key] else { continue }
            let names = node.texts.flatMap { $0.split(separator: ",").map { $0.filter { !$0.isWhitespace } } }.filter {
                !$0.isEmpty
            }
            guard !names.isEmpty else { continue }
            set([key], .array(names.map(JSONValue.string)), node)
        }
        let isCaseSensitive = inputs["usernameCaseSensitive"]
        set(["usernameCaseSensitive"], .bool(isCaseSensitive?.bool ?? (isImported ? false : true)), isCaseSensitive)
        if !isImported { readPolicy(inputs) }
        readFactors(inputs)
        for key in [
            "emailVerificationSubject", "emailVerificationMessage", "smsVerificationMessage",
            "smsAuthenticationMessage",
        ] {
            if let node = inputs[key], let text = node.text { set([key], .string(text), node) }
        }
        readClients(resource, inputs, poolIsKnown: pool.isKnown)
        readTriggers(resource, inputs)
        readGroups(inputs)
        readIdentityProviders(inputs)
    }

    private func readPolicy(_ inputs: ProjectNode) {
        let classes = inputs["passwordPolicyCharacters"]
        let names = (classes?.texts ?? []).map { $0.lowercased() }
        let length = inputs["passwordPolicyMinLength"]
        let path = ["userPool", "passwordPolicy"]
        set(path + ["minimumLength"], .number(String(length?.integer ?? 8)), at: length?.place)
        for (setting, name) in [
            ("requireLowercase", "requires lowercase"), ("requireUppercase", "requires uppercase"),
            ("requireNumbers", "requires numbers"), ("requireSymbols", "requires symbols"),
        ] {
            set(path + [setting], .bool(names.contains(name)), at: classes?.place)
        }
        for name in names
        where !["lowercase", "uppercase", "numbers", "symbols"].contains(where: { name == "requires \($0)" }) {
            report("The character type '\(name)' of the password policy is unknown.", at: classes?.place)
        }
    }

    private func readFactors(_ inputs: ProjectNode) {
        guard let node = inputs["mfaConfiguration"], let configuration = node.text else { return }
        set(["userPool", "mfaConfiguration"], .string(configuration), at: node.place)
        guard configuration != "OFF", let types = inputs["mfaTypes"] else { return }
        let factors = types.texts.compactMap { name -> JSONValue? in
            switch name.lowercased() {
            case "sms text message", "sms": return "SMS_MFA"
            case "totp": return "SOFTWARE_TOKEN_MFA"
            default:
                report("The MFA type '\(name)' is unknown.", at: types.place)
                return nil
            }
        }
        if !factors.isEmpty { set(["userPool", "enabledMfas"], .array(factors), at: types.place) }
    }

    // MARK: Clients

    private func readClients(_ resource: Resource, _ inputs: ProjectNode, poolIsKnown: Bool) {
        // Never an id of AWS in an invented pool.
        func client(_ kind: CloudIDs.Kind, _ output: String, _ parameter: String) -> (
            text: String, place: Diagnostic.Place?, isKnown: Bool
        ) {
            poolIsKnown
                ? id(kind, of: resource, output: output, parameter: parameter)
                : (invented(kind, of: resource), nil, false)
        }
        var clients: [JSONValue] = []
        for (index, (name, id)) in [
            ("web", client(.webClient, "AppClientIDWeb", "webClientId")),
            ("native", client(.nativeClient, "AppClientID", "nativeClientId")),
        ].enumerated() {
            var object: JSONObject = [
                "id": .string(id.text), "name": .string(name),
                "explicitAuthFlows": ["ALLOW_CUSTOM_AUTH", "ALLOW_USER_SRP_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"],
            ]
            let path = ["userPool", "clients", String(index)]
            for key in ["name", "explicitAuthFlows"] { project.settings.setDefault(path + [key]) }
            if let node = inputs["userpoolClientRefreshTokenValidity"], let days = node.integer {
                object["refreshTokenValidityDays"] = .number(String(days))
                project.settings.setPlace(path + ["refreshTokenValidityDays"], node.place)
            }
            if inputs["userpoolClientSetAttributes"]?.bool == true {
                for (setting, key) in [
                    ("readAttributes", "userpoolClientReadAttributes"),
                    ("writeAttributes", "userpoolClientWriteAttributes"),
                ] {
                    if let node = inputs[key], !node.texts.isEmpty {
                        object[setting] = .array(node.texts.map(JSONValue.string))
                        project.settings.setPlace(path + [setting], node.place)
                    }
                }
            }
            if name == "native", inputs["userpoolClientGenerateSecret"]?.bool == true {
                let (secret, place) = self.secret(resource, inputs, isKnown: id.isKnown)
                object["secret"] = secret
                if let place { project.settings.setPlace(path + ["secret"], place) }
            }
            addPages(resource, inputs, to: &object, path)
            clients.append(.object(object))
            project.settings.setPlace(path, id.place ?? inputs.place)
        }
        set(["userPool", "clients"], .array(clients), at: inputs.place)
    }

    /// The secret of the native client, which AWS has made.
    private func secret(
        _ resource: Resource, _ inputs: ProjectNode, isKnown: Bool
    ) -> (secret: JSONValue?, place: Diagnostic.Place?) {
        let place = inputs["userpoolClientGenerateSecret"]?.place
        if isKnown, let node = ids.output("auth", resource.name, "AppClientSecret"), let secret = node.text {
            return (.string(secret), node.place)
        }
        if isKnown, let known = ids.client[.nativeSecret] { return (.string(known.text), known.place) }
        let message = "The secret of the native client is not known."
        if isKnown {
            row("auth", "native client", .missing, "\(message) Apps that sign with it cannot sign in.", at: place)
            reportNotServed(
                message, at: place,
                hint:
                    "Run 'amplify pull', which writes it to amplify-meta.json, or give 'userPool.clients' in the configuration."
            )
        } else {
            row("auth", "native client", .different, "Its id is invented: it has no secret.", at: place)
        }
        return (nil, nil)
    }

    private func addPages(
        _ resource: Resource, _ inputs: ProjectNode, to client: inout JSONObject, _ path: [String]
    ) {
        let meta = ids.output("auth", resource.name, "OAuthMetadata")
        guard let node = meta ?? inputs["oAuthMetadata"], let value = json(in: node, isObject: true) else { return }
        guard let callbacks = value["CallbackURLs"]?.arrayValue, !callbacks.isEmpty else { return }
        for (setting, key) in [
            ("callbackURLs", "CallbackURLs"), ("logoutURLs", "LogoutURLs"), ("allowedOAuthFlows", "AllowedOAuthFlows"),
            ("allowedOAuthScopes", "AllowedOAuthScopes"),
        ] {
            guard let list = value[key]?.arrayValue, !list.isEmpty else { continue }
            client[setting] = .array(list)
            project.settings.setPlace(path + [setting], node.place)
        }
        project.settings.setPlace(["userPool", "domain"], node.place)
        if let domain = ids.output("auth", resource.name, "HostedUIDomain") {
            set(["userPool", "domain"], domain.value, at: domain.place)
        } else if let name = inputs["hostedUIDomainName"], let text = name.text {
            set(["userPool", "domain"], .string("\(text)-\(project.environment)"), at: name.place)
        }
    }

    /// A value that is written as JSON or as a text of JSON; nil for an empty text, and for one that cannot be read, which
    /// is reported.
    ///
    /// - Parameter isObject: Whether the text has to be of an object.
    func json(in node: ProjectNode, isObject: Bool = false) -> JSONValue? {
        guard let text = node.value.stringValue else { return node.value }
        guard !text.isEmpty else { return nil }
        guard let value = try? JSONReader.readRelaxed(text), !isObject || value.objectValue != nil else {
            report("'\(node.path.last ?? "")' is a JSON text, and cannot be read.", at: node.place)
            return nil
        }
        return value
    }

    // MARK: Triggers, groups, providers

    private func readTriggers(_ resource: Resource, _ inputs: ProjectNode) {
        guard let node = inputs["triggers"], let value = json(in: node) else { return }
        for name in value.objectValue?.keys ?? [] {
            let place = node[name]?.place ?? node.place
            guard let trigger = Self.triggers.first(where: { $0.name == name }) else {
                report(
                    "The trigger '\(name)' is unknown.", at: place,
                    hint: "Known here: \(Self.triggers.map(\.name).joined(separator: ", ")).")
                continue
            }
            guard value[name]?.arrayValue?.isEmpty != true else { continue }
            let function = "\(resource.name)\(name)"
            if let configured = configuredName(of: function) {
                set(["userPool", "lambdaConfig", trigger.setting], .string(configured), at: place)
                continue
            }
            let effect = trigger.informs ? "the trigger is skipped" : "what it decides is refused"
            let suffix = options.purpose == .serve ? "." : ": \(effect)."
            row("auth", name, .notServed, "Its function has no URL\(suffix)", at: place)
            reportNotServed(
                "The function \(function) of the trigger \(name) has no URL\(suffix)", at: place,
                hint: "Give its URL: \"functions\": {\"\(function)\": \"http://…\"}.")
            if !trigger.informs { set(["userPool", "lambdaConfig", trigger.setting], .string(function), at: place) }
        }
    }

    private func readGroups(_ inputs: ProjectNode) {
        guard resources.contains(where: { $0.service == "Cognito-UserPool-Groups" }) else { return }
        let path = "amplify/backend/auth/userPoolGroups/user-pool-group-precedence.json"
        var groups: [JSONValue] = []
        guard let list = file(path) else { return readGroupsOfInputs(inputs, insteadOf: path) }
        guard let count = list.value.arrayValue?.count else {
            return report(
                "The file is a list of groups, each with 'groupName' and 'precedence'.", at: list.place,
                hint: "Write [] where there are none.")
        }
        guard count <= ProjectLimits.groupsMax else {
            return report("A user pool has at most \(ProjectLimits.groupsMax) groups.", at: list.place)
        }
        for (index, element) in list.elements.enumerated() {
            guard let name = element["groupName"]?.text else {
                report("A group has no 'groupName'.", at: element.place)
                continue
            }
            var group: JSONObject = ["name": .string(name)]
            if let precedence = element["precedence"]?.integer { group["precedence"] = .number(String(precedence)) }
            if let role = ids.output("auth", "userPoolGroups", "\(name)GroupRole")?.text {
                group["roleArn"] = .string(role)
            }
            if element["customPolicies"]?.value.arrayValue?.isEmpty == false {
                row(
                    "auth", name, .different, "The policies of the group's role are not read.",
                    at: element["customPolicies"]?.place)
            }
            groups.append(.object(group))
            project.settings.setPlace(["userPool", "groups", String(index)], element.place)
        }
        if !groups.isEmpty { set(["userPool", "groups"], .array(groups), at: list.place) }
        row(
            "auth", "userPoolGroups", .same,
            groups.isEmpty ? "The user pool has no groups." : "The groups of the user pool are served.", at: list.place)
    }

    /// The groups that the pool's inputs list, where there is no file of them: without precedence.
    private func readGroupsOfInputs(_ inputs: ProjectNode, insteadOf path: String) {
        guard !isBroken(path) else { return }
        let list = inputs["userPoolGroupList"]
        let names = (list?.texts ?? []).prefix(ProjectLimits.groupsMax)
        let hint = "The file is kept in git: check it out."
        guard !names.isEmpty else {
            row("auth", "userPoolGroups", .missing, "No file names the groups: there are none.", file: path)
            return warn("There is no \(folder.prefix)\(path), so that the user pool has no groups.", hint: hint)
        }
        set(["userPool", "groups"], .array(names.map { ["name": .string($0)] }), at: list?.place)
        row(
            "auth", "userPoolGroups", .different, "They are those of the pool's inputs, without precedence.",
            at: list?.place)
        warn("There is no \(folder.prefix)\(path): the groups have no precedence.", at: list?.place, hint: hint)
    }

    // MARK: The identity pool

    private func readIdentityPool(_ resource: Resource, _ inputs: ProjectNode) {
        let pool = id(.identityPool, of: resource, output: "IdentityPoolId", parameter: "identityPoolId")
        set(["identityPool", "id"], .string(pool.text), at: pool.place)
        if let name = parameters(of: resource)?["identityPoolName"] ?? inputs["identityPoolName"], let text = name.text
        {
            set(["identityPool", "name"], .string(text), at: name.place)
        }
        let guests =
            parameters(of: resource)?["allowUnauthenticatedIdentities"] ?? inputs["allowUnauthenticatedIdentities"]
        set(["identityPool", "allowUnauthenticatedIdentities"], .bool(guests?.bool ?? false), at: guests?.place)
        let provider = teamProvider?["awscloudformation"] ?? ids.meta?[path: ["providers", "awscloudformation"]]
        for (setting, key) in [("authRole", "AuthRoleArn"), ("unauthRole", "UnauthRoleArn")] {
            let imported = key.prefix(1).lowercased() + key.dropFirst()
            if let role = parameters(of: resource)?[imported] ?? provider?[key] {
                set(["identityPool", setting], role.value, at: role.place)
            }
        }
        if project.settings.value["userPool"]?["groups"] != nil {
            set(["identityPool", "roleMapping"], "token", at: nil)
        }
        if let id = project.settings.value["userPool"]?["id"] {
            set(["identityPool", "userPools"], .array([id]), at: pool.place)
        }
        for node in inputs["authProviders"]?.elements ?? [] {
            guard let name = node.text else { continue }
            row("auth", name, .notServed, "Identities of this provider are not served.", at: node.place)
        }
    }
}
