import JSON
import Transformer

extension ProjectReader {
    /// What older projects write for the three permissions.
    private static let words = [
        "s3:PutObject": "CREATE_AND_UPDATE", "s3:GetObject": "READ", "s3:ListBucket": "READ",
        "s3:DeleteObject": "DELETE",
        "create/update": "CREATE_AND_UPDATE", "read": "READ", "delete": "DELETE",
    ]

    /// What an environment may have of its own of a bucket.
    private static let parametersOfEnvironment: Set = [
        "bucketName", "storageAccess", "selectedGuestPermissions", "selectedAuthenticatedPermissions", "guestAccess",
        "authAccess", "groupAccess",
    ]

    /// Reads the buckets; DynamoDB tables beside the API are not served.
    func readStorage() {
        let buckets = resources("storage", "S3").filter { folder.isFolder($0.folder) }
        project.bucketNames = buckets.map(\.name)
        var list: [JSONValue] = []
        for (index, resource) in buckets.enumerated() {
            let path = buckets.count == 1 ? ["storage"] : ["storage", "buckets", String(index)]
            list.append(.object(bucket(resource, path)))
        }
        if buckets.count == 1, let object = list[0].objectValue {
            for (key, value) in object { set(["storage", key], value, at: project.settings.places[["storage", key]]) }
        } else if !list.isEmpty {
            set(["storage", "buckets"], .array(list), at: buckets[0].node.place)
        }
        setBucketRegion(
            buckets.lazy.compactMap { [ids] in
                ids.output($0.category, $0.name, "Region") ?? self.parameters(of: $0)?["region"]
            }.first)
        for resource in resources where resource.category == "storage" && resource.service != "S3" {
            row(
                "storage", resource.name, .notServed, "\(unserved(resource)) is not served.", at: resource.node.place)
        }
    }

    /// Sets the region of the buckets, where it is not that of the other services.
    func setBucketRegion(_ node: ProjectNode?) {
        guard let node, let region = node.text, region != project.region, Self.isRegionName(region) else { return }
        set(["storage", "region"], .string(region), at: node.place)
    }

    /// What is not served: for a table of DynamoDB its name and keys.
    private func unserved(_ resource: Resource) -> String {
        guard resource.service == "DynamoDB", folder.isFolder(resource.folder) else {
            return "\(resource.service) beside the API"
        }
        let inputs = file("\(resource.folder)/cli-inputs.json")
        let old = inputs == nil ? storageParameters(resource) : nil
        let imported = parameters(of: resource)
        let name =
            imported?["tableName"]?.text
            ?? (inputs ?? old)?["tableName"]?.text.map { "\($0)-\(project.environment)" } ?? resource.name
        let keys = [
            inputs?["partitionKey"]?["fieldName"] ?? (old ?? imported)?["partitionKeyName"],
            inputs?["sortKey"]?["fieldName"] ?? (old ?? imported)?["sortKeyName"],
        ].compactMap { $0?.text }
        project.tasks.append("Move what uses the DynamoDB table \(name) to a model of the schema: it is not served.")
        return "The DynamoDB table \(name)\(keys.isEmpty ? "" : " (keys: \(keys.joined(separator: ", ")))")"
    }

    private func storageParameters(_ resource: Resource) -> ProjectNode? {
        let read = [
            "tableName", "partitionKeyName", "sortKeyName", "bucketName", "storageAccess", "selectedGuestPermissions",
            "selectedAuthenticatedPermissions",
        ]
        return parametersFile("\(resource.folder)/parameters.json", isRead: read.contains)
    }

    private func bucket(_ resource: Resource, _ path: [String]) -> JSONObject {
        let environment = parameters(of: resource)
        let inputs = file("\(resource.folder)/cli-inputs.json")?.overridden(
            by: environment, Self.parametersOfEnvironment)
        let old = storageParameters(resource)?.overridden(by: environment, Self.parametersOfEnvironment)
        let isImported = resource.node["serviceType"]?.text == "imported" || old?["serviceType"]?.text == "imported"
        if inputs == nil, old == nil, !isImported {
            let isReported = ["cli-inputs.json", "parameters.json"].contains { isBroken("\(resource.folder)/\($0)") }
            if !isReported {
                report(
                    "storage.\(resource.name) has neither cli-inputs.json nor parameters.json in "
                        + "\(folder.prefix)\(resource.folder).",
                    at: resource.node.place, hint: "Check out the whole project.")
            }
        }
        let groups = inputs == nil ? file("\(resource.folder)/storage-params.json") : nil
        var object = JSONObject()
        func set(_ key: String, _ value: JSONValue, _ node: ProjectNode?) {
            object[key] = value
            if let place = node?.place { project.settings.setPlace(path + [key], place) }
        }
        let name = id(.bucket, of: resource, output: "BucketName", parameter: isImported ? "bucketName" : nil)
        let given = (inputs ?? old)?["bucketName"]
        let stack = teamProvider?[path: ["awscloudformation", "StackName"]]?.text?.split(separator: "-")
        if name.isKnown {
            object["name"] = .string(name.text)
            if let place = name.place { project.settings.setPlace(path + ["name"], place) }
        } else if let text = given?.text {
            // The template joins the name, the fourth part of the stack's name and the environment.
            let suffix = stack.flatMap { $0.count > 3 ? String($0[3]) : nil } ?? ""
            set("name", .string("\(text)\(suffix)-\(project.environment)"), given)
        } else {
            object["name"] = .string(name.text)
        }
        if isImported {
            set("guestAccess", [], resource.node)
            set("authAccess", [], resource.node)
            row(
                "storage", resource.name, .different,
                "The bucket was imported: no file says who may access it, and nobody may.",
                at: resource.node.place)
            let isOnly = project.bucketNames.count == 1
            let keys = isOnly ? ["buckets", "authAccess", "guestAccess", "paths"] : ["buckets"]
            if !keys.contains(where: { isOverridden("storage", $0) }) {
                reportNotServed(
                    "The bucket \(resource.name) was imported: no file says who may access it.",
                    at: resource.node.place,
                    hint: isOnly
                        ? "Give 'storage.authAccess' and 'storage.guestAccess' in the configuration."
                        : "Give 'storage.buckets' in the configuration, which replaces the project's list: each bucket "
                            + "with its 'name', 'authAccess' and 'guestAccess'.")
            }
            return object
        }
        // The older words of an environment go before the newer ones of the files.
        let guests =
            environment?["guestAccess"] ?? environment?["selectedGuestPermissions"] ?? inputs?["guestAccess"]
            ?? old?["selectedGuestPermissions"]
        let isClosed = (inputs ?? old)?["storageAccess"]?.text == "auth"
        set("guestAccess", .array(isClosed ? [] : permissions(guests)), guests ?? inputs ?? old)
        let users =
            environment?["authAccess"] ?? environment?["selectedAuthenticatedPermissions"] ?? inputs?["authAccess"]
            ?? old?["selectedAuthenticatedPermissions"]
        set("authAccess", .array(permissions(users)), users ?? inputs ?? old)
        if let access = inputs?["groupAccess"] ?? groups?["groupPermissionMap"], !access.members.isEmpty {
            set(
                "groupAccess", .object(JSONObject(access.members.map { ($0.key, .array(permissions($0.node))) })),
                access)
        }
        var triggers: [JSONValue] = []
        for key in ["triggerFunction", "adminTriggerFunction", "additionalTriggerFunctions"] {
            guard let node = (inputs ?? old)?[key] else { continue }
            for function in node.texts where function != "NONE" {
                if let configured = configuredName(of: function) {
                    triggers.append(["function": .string(configured)])
                } else {
                    row(
                        "storage", function, .notServed,
                        options.purpose == .serve
                            ? "Its function has no URL." : "The trigger is skipped: its function has no URL.",
                        at: node.place)
                    reportNotServed(
                        "The function \(function) of the bucket's trigger has no URL"
                            + (options.purpose == .serve ? "." : ": the trigger is skipped."),
                        at: node.place,
                        hint: "Give its URL: \"functions\": {\"\(function)\": \"http://…\"}.")
                }
            }
        }
        if !triggers.isEmpty { set("triggers", .array(triggers), inputs ?? old) }
        reportOverride(in: resource.folder, "storage")
        if let inputs = inputs ?? old {
            row("storage", resource.name, .same, "The bucket is served with its access levels.", at: inputs.place)
        }
        return object
    }

    private func permissions(_ node: ProjectNode?) -> [JSONValue] {
        guard let node else { return [] }
        var found: [String] = []
        for text in node.texts {
            let word = Self.words[text] ?? text
            guard ["CREATE_AND_UPDATE", "READ", "DELETE"].contains(word) else {
                report("The permission '\(text)' is unknown.", at: node.place)
                continue
            }
            if !found.contains(word) { found.append(word) }
        }
        return found.map(JSONValue.string)
    }
}
