import Buckets
import GraphQL
import HTTP
import JSON
import Transformer

/// `storage`: the buckets that are served, who may reach their objects, and which functions are called when these change. The
/// members are those of Amplify's `cli-inputs.json` and `amplify_outputs.json`.
struct StorageOptions: Sendable {
    /// Whether it is in the configuration.
    private(set) var isConfigured = false
    /// The buckets; without `storage` none.
    private(set) var buckets: [BucketConfiguration.Bucket] = []
    /// The region in which clients look for the buckets; nil for that of the other services.
    private(set) var region: String?
    /// Hosts below which each bucket has a host of its own, in lower case.
    private(set) var baseHosts: [String] = []

    /// The name of a bucket that has none in the configuration.
    static let defaultName = "syncline"

    /// What is served: in `dev`, without `storage`, a bucket with Amplify's defaults, which are closed to guests.
    func served(in mode: Service.Mode) -> StorageOptions {
        guard !isConfigured, mode == .dev else { return self }
        var options = self
        options.buckets = [.init(name: Self.defaultName, access: AccessRules(AmplifyAccess().rules))]
        return options
    }

    /// The functions that object events are sent to, by their names in `functions`.
    func triggerFunctions(among functions: FunctionList) -> Set<String> {
        Set(
            buckets.flatMap(\.triggers).compactMap {
                FunctionList.function($0.function, among: functions.byName)?.name
            })
    }

    /// Whether any function is called.
    var hasTriggers: Bool { buckets.contains { !$0.triggers.isEmpty } }

    mutating func read(_ file: ConfigurationSection, functions: FunctionList) {
        guard file.value("storage") != nil else { return }
        isConfigured = true
        let section = file.section("storage")
        region = section.string("region")
        baseHosts = (section.hostNames("baseHosts") ?? []).map { $0.lowercased() }
        if let list = section.value("buckets") {
            guard let elements = list.arrayValue, !elements.isEmpty else {
                section.report(
                    "buckets", "'storage.buckets' is a list of buckets, [{\"name\": …}].",
                    hint: "Without it, the members of 'storage' are those of one bucket.")
                return section.finish()
            }
            for (index, element) in elements.enumerated() {
                let path = ["buckets", String(index)]
                guard let object = element.objectValue else {
                    section.reportPath(path, "A bucket is an object, { … }, and not \(element).")
                    continue
                }
                let bucket = ConfigurationSection(
                    object, at: section.path + path, of: section.file, findings: section.findings)
                readBucket(bucket, functions, isOnly: elements.count == 1)
                bucket.finish()
            }
        } else {
            readBucket(section, functions, isOnly: true)
        }
        section.finish()
    }

    private mutating func readBucket(_ section: ConfigurationSection, _ functions: FunctionList, isOnly: Bool) {
        let name = section.string("name")
        if name == nil, !isOnly, section.value("name") == nil {
            section.reportPath([], "Each of several buckets has a 'name'.")
        }
        let bucketName = name ?? Self.defaultName
        if !BucketName.isValid(bucketName) {
            section.report(
                "name",
                "\"\(bucketName)\" cannot be the name of a bucket: it has 3 to 63 lower-case letters, digits, dots and hyphens."
            )
        } else if Self.reservedNames.contains(bucketName) {
            section.report(
                "name", "\"\(bucketName)\" cannot be the name of a bucket: /\(bucketName) is a path of this server.")
        } else if buckets.contains(where: { $0.name == bucketName }) {
            section.report("name", "Two buckets have the name \(bucketName).")
        }
        let rules = readAccess(section)
        let anonymous = readAnonymousPrefixes(section)
        buckets.append(
            .init(
                name: bucketName, access: AccessRules(rules, anonymousPrefixes: anonymous),
                corsRules: readCORS(section),
                triggers: readTriggers(section, functions)))
    }

    /// First segments of the paths of other routes, which go before buckets.
    static let reservedNames = Set(
        Routes.table.compactMap { $0.pattern.path.split(separator: "/").first.map(String.init) })

    // MARK: Access

    private func readAccess(_ section: ConfigurationSection) -> [AccessRule] {
        let guest = permissions("guestAccess", section)
        let authenticated = permissions("authAccess", section)
        var access = AmplifyAccess(guest: guest ?? [])
        if let authenticated { access.authenticated = authenticated }
        let groups = section.section("groupAccess")
        for name in groups.object.keys {
            if let permissions = permissions(name, groups) { access.groups[ExactText(name)] = permissions }
        }
        guard section.value("paths") != nil else { return access.rules }
        let hasLevels = ["guestAccess", "authAccess", "groupAccess"].contains { section.value($0) != nil }
        if hasLevels {
            section.report(
                "paths", "A bucket has either 'paths' or access levels ('guestAccess', 'authAccess', 'groupAccess').",
                hint: "Write the levels as paths, such as \"public/*\".")
        }
        return pathRules(section.section("paths"))
    }

    private func permissions(
        _ key: String, _ section: ConfigurationSection
    ) -> Set<AmplifyAccess.Permission>? {
        guard let value = section.value(key) else { return nil }
        let names = (value.arrayValue ?? [value]).map { $0.stringValue ?? "" }
        let permissions = names.compactMap(AmplifyAccess.Permission.init)
        guard permissions.count == names.count else {
            let all = AmplifyAccess.Permission.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            section.report(key, "'\(section.name(key))' is a list of \(all), and not \(value).")
            return []
        }
        return Set(permissions)
    }

    /// `paths` of `amplify_outputs.json`.
    private func pathRules(_ section: ConfigurationSection) -> [AccessRule] {
        section.object.keys.flatMap { path -> [AccessRule] in
            let ofPath = section.section(path)
            let grants = ofPath.object.keys.map { who in (who: who, actions: ofPath.strings(who) ?? []) }
            do throws(PathAccess.Problem) {
                return try PathAccess.rules(path: path, grants: grants)
            } catch {
                section.report(path, error.message, hint: error.hint)
                return []
            }
        }
    }

    private func readAnonymousPrefixes(_ section: ConfigurationSection) -> [String] {
        guard let prefixes = section.strings("anonymousRead") else { return [] }
        return prefixes.map { prefix in
            if prefix.hasPrefix("/") || prefix.dropLast().contains("*") {
                section.report(
                    "anonymousRead",
                    "'\(section.name("anonymousRead"))' lists what keys begin with, such as \"public/site/\", and not \"\(prefix)\"."
                )
            }
            return prefix.hasSuffix("*") ? String(prefix.dropLast()) : prefix
        }
    }

    // MARK: CORS and triggers

    private func readCORS(_ section: ConfigurationSection) -> [CORSRule]? {
        guard let value = section.value("cors") else { return nil }
        let list = value.arrayValue ?? [value]
        return list.enumerated().compactMap { index, element in
            let path = value.arrayValue == nil ? ["cors"] : ["cors", String(index)]
            guard let object = element.objectValue else {
                section.reportPath(
                    path,
                    "A rule of 'cors' is an object with 'allowedOrigins' and 'allowedMethods', and not \(element).",
                    hint: "An empty list, [], keeps pages of other origins out.")
                return nil
            }
            let rule = ConfigurationSection(
                object, at: section.path + path, of: section.file, findings: section.findings)
            defer { rule.finish() }
            let (all, methods) = (CORSRule.defaults()[0], rule.strings("allowedMethods"))
            for method in methods ?? [] where !all.allowedMethods.contains(method) {
                rule.report("allowedMethods", "\(method) is none of \(all.allowedMethods.joined(separator: ", ")).")
            }
            return CORSRule(
                allowedOrigins: rule.strings("allowedOrigins") ?? ["*"], allowedMethods: methods ?? all.allowedMethods,
                allowedHeaders: rule.strings("allowedHeaders") ?? all.allowedHeaders,
                exposeHeaders: rule.strings("exposeHeaders") ?? all.exposeHeaders,
                maxAgeSeconds: rule.integer("maxAgeSeconds", in: 0...86_400) ?? all.maxAgeSeconds)
        }
    }

    /// The events that are sent.
    private static let events = [
        "s3:ObjectCreated:*", "s3:ObjectCreated:Put", "s3:ObjectCreated:Copy",
        "s3:ObjectCreated:CompleteMultipartUpload", "s3:ObjectRemoved:*", "s3:ObjectRemoved:Delete",
    ]

    private func readTriggers(_ section: ConfigurationSection, _ functions: FunctionList) -> [ObjectTrigger] {
        guard let value = section.value("triggers") else { return [] }
        return (value.arrayValue ?? [value]).enumerated().compactMap { index, element -> ObjectTrigger? in
            let path = value.arrayValue == nil ? ["triggers"] : ["triggers", String(index)]
            let trigger = ConfigurationSection(
                element.objectValue ?? [:], at: section.path + path, of: section.file, findings: section.findings)
            defer { trigger.finish() }
            guard let function = trigger.string("function") else {
                section.reportPath(path, "A trigger names its 'function'.", hint: "Write {\"function\": \"NAME\"}.")
                return nil
            }
            if FunctionList.function(function, among: functions.byName) == nil {
                trigger.report(
                    "function", "There is no function \(function) in 'functions'.",
                    hint: SuggestionList.hint(for: function, among: functions.byName.keys.sorted()))
            }
            let events = trigger.strings("events") ?? ["s3:ObjectCreated:*", "s3:ObjectRemoved:*"]
            for event in events where !Self.events.contains(event) {
                trigger.report(
                    "events", "There is no event \(event).", hint: "Known here: \(Self.events.joined(separator: ", "))."
                )
            }
            return ObjectTrigger(
                function: function, events: events, prefix: trigger.string("prefix") ?? "",
                suffix: trigger.string("suffix") ?? "", id: "trigger-\(index)")
        }
    }
}
