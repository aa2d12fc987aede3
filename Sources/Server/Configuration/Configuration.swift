import HTTP
import JSON
public import Transformer

/// What the operator decided: flags, environment, file and defaults as one value. Never changed, only read again.
public struct Configuration: Sendable {
    /// How `compatibility.pages` counts.
    public enum Pages: String, Sendable, CaseIterable {
        /// `limit` counts items before the filter, as AppSync does.
        case appsync
        /// `limit` counts the items that the filter kept.
        case full
    }

    /// What `compatibility.subscriptions` sends.
    public enum Subscriptions: String, Sendable, CaseIterable {
        /// The fields that the mutation selected, as AppSync does.
        case appsync
        /// The fields that the subscription selects, from the committed item.
        case fill
    }

    /// Schema files and folders, relative to the working folder.
    public var schema = ["schema.graphql"]
    /// Whether someone named the schema, rather than the default.
    public var namesSchema = false
    /// The data folder.
    public var data = ".syncline"
    /// Whether the data is thrown away at exit.
    public var isEphemeral = false
    /// The address to listen on.
    public var host = "127.0.0.1"
    /// The port to listen on; 0 takes a free one.
    public var port = 20002
    /// Whether TLS is served, and with what; `nil` leaves it to the verb.
    public var tls: TLSSetting?
    /// A second port, for TLS alone; 0 takes a free one.
    public var tlsPort: Int?
    /// Whether clear text is refused on every port.
    public var isTLSOnly = false
    /// More names and addresses that `tls` `auto` makes its certificate for.
    public var tlsHosts: [String] = []
    /// More names of this server, which requests may have in `Host`.
    public var hosts: [String] = []
    /// Where the user's programs keep what outlasts a project; `nil` for the system's usual place.
    var userFolder: String?
    /// The keys that callers may show; empty when none was configured.
    public var configuredKeys: [String] = []
    /// The region of AWS that a conflict's function is given, in the context of its call; nothing else depends on it.
    public var region = "us-east-1"
    /// How the schema is read.
    public var transform = TransformOptions()
    /// The functions of the project, by their names.
    var functions: [String: Function] = [:]
    /// Those that decide conflicts.
    var conflictFunctions = ConflictFunctions()
    /// The models that `ResolverConfig` speaks of, and where it does.
    var modelsOfResolverConfig: [String: Diagnostic.Place] = [:]
    /// How pages count.
    public var pages = Pages.appsync
    /// What subscribers are sent of a change.
    public var subscriptions = Subscriptions.appsync
    /// Whether a subscription's argument whose variable has no value asks for null.
    public var strictNullArguments = false
    /// Whether lists of models with versions leave out what was deleted.
    public var hidesDeletedInLists = false
    /// Whether a create makes a live item of a deleted one with its key.
    public var recreatesOverTombstone = false
    /// Whether a mutation may come by GET, as at AppSync.
    public var allowsGetMutations = false
    /// Whether every answer has AppSync's media type and status, whatever `Accept` says.
    public var forcesAppSyncStatus = false
    /// AppSync's `introspectionConfig`: whether the API answers introspection queries.
    public var allowsIntrospection = true
    /// All bounds.
    public var limits = Limits()
    /// What browsers of other origins may do.
    public var cors = CORS()
    /// The form of the log; `nil` leaves it to the verb.
    public var logFormat: LogFormat?
    /// The least level that is logged.
    public var logLevel = LogLevel.info
    /// From when on a request is logged as slow, in seconds; 0 is never.
    public var slowRequestSeconds = 1.0
    /// The file to write when the server answers.
    public var readyFile: String?
    /// The configuration file that was read, if any.
    public var file: String?
    /// What is served otherwise than its author may think.
    public var warnings: [Diagnostic] = []
    /// What was accepted and has no effect in this version.
    public var notes: [String] = []
    /// Where it is said that no API key is made, if it is.
    var suppressesAPIKey: Diagnostic.Place?

    /// Where the configuration file is when nobody says otherwise.
    public static let defaultFile = "config/syncline.json"
    /// The default API key, that of Amplify's mock: works when no key is configured, and on a loopback address only.
    public static let defaultKey = "da2-fakeApiId123456"

    /// AppSync's words for `introspectionConfig`.
    private enum IntrospectionConfig: String, CaseIterable {
        case enabled = "ENABLED"
        case disabled = "DISABLED"
    }

    /// The defaults.
    public init() {}

    /// The keys that are accepted.
    public var apiKeys: [String] { configuredKeys.isEmpty ? [Self.defaultKey] : configuredKeys }

    /// Whether the default API key is accepted, which everybody knows.
    public var acceptsDefaultKey: Bool { apiKeys.contains(Self.defaultKey) }

    /// Whether only this machine can reach the address.
    public var isLoopback: Bool { HostPort.isLoopback(host) }
}

extension Configuration {
    /// Reads the configuration from all of its sources, or says all that is wrong with it.
    public static func load(_ texts: SettingTexts) throws(ServerError) -> Configuration {
        let (configuration, error) = examine(texts)
        if let error { throw error }
        return configuration
    }

    /// Reads the configuration as far as it can be read, and says all that is wrong with it.
    static func examine(_ texts: SettingTexts) -> (configuration: Configuration, error: ServerError?) {
        let findings = Findings()
        var configuration = Configuration()
        var section: ConfigurationSection?
        do throws(ServerError) {
            if let (name, file) = try readFile(texts) {
                configuration.file = name
                section = ConfigurationSection(file.value, at: [], of: file, findings: findings)
            }
        } catch {
            findings.diagnostics += error.diagnostics
        }
        configuration.readSchema(section, texts)
        let functions = section?.section("functions")
        if let functions { configuration.readFunctions(functions) }
        if texts.concernsSchema {
            let version = section?.object["transformConfig"]?.objectValue?["Version"]
            configuration.readTransformConfigs(ignoresVersion: version.map { !$0.isNull } ?? false, findings)
        }
        if let section { configuration.read(section) }
        if let functions { configuration.noteUnusedFunctions(functions) }
        let isValid = findings.diagnostics.isEmpty
        configuration.read(texts, findings)
        let code = isValid && !findings.diagnostics.isEmpty ? ServerError.Code.usage : .invalid
        if texts.concernsSchema { configuration.checkSuppressedAPIKey(findings) }
        configuration.notes = findings.notes
        configuration.warnings = findings.warnings
        return (configuration, findings.diagnostics.isEmpty ? nil : ServerError(code, findings.diagnostics))
    }

    /// Refuses to listen beyond loopback with a key that everybody knows or that can be guessed. No key is repeated but
    /// the default one and the new one that is proposed.
    public func checkAddress() throws(ServerError) {
        guard !isLoopback else { return }
        let problem: String
        if configuredKeys.isEmpty {
            problem = "No API key is configured"
        } else if acceptsDefaultKey {
            problem = "The API key is \(Self.defaultKey), which everybody knows"
        } else if configuredKeys.contains(where: { $0.count < APIKey.charactersMin }) {
            problem = "An API key has fewer than \(APIKey.charactersMin) characters"
        } else {
            return
        }
        throw ServerError(
            .usage,
            "\(problem), and \(host) can be reached from other machines. Here is a new key: "
                + "\(Setting.apiKey.flag) \(APIKey.generate()). Give it or another of at least "
                + "\(APIKey.charactersMin) characters with \(Setting.apiKey.flag), \(Setting.apiKey.variable) or apiKey "
                + "in the configuration, or listen on 127.0.0.1."
        )
    }

    /// What TLS is when the verb has its say.
    func tlsSetting(for mode: Service.Mode) -> TLSSetting { tls ?? (mode == .dev ? .auto : .off) }

    /// Refuses what needs TLS without TLS.
    func checkTLS(_ setting: TLSSetting) throws(ServerError) {
        guard setting == .off, let needed = isTLSOnly ? Setting.tlsOnly : tlsPort.map({ _ in .tlsPort }) else { return }
        throw ServerError(
            .usage,
            "\(needed.flag) needs certificates: give \(Setting.tls.flag) auto or \(Setting.tls.flag) CERT,KEY.")
    }

    /// The configuration file: the one that was named, which must be there, or the default, which may be.
    private static func readFile(_ texts: SettingTexts) throws(ServerError) -> (name: String, file: ConfigurationFile)?
    {
        let named = texts.given(.config)
        guard let name = named?.texts.last ?? (Files.exists(defaultFile) ? defaultFile : nil) else { return nil }
        let bytes: [UInt8]
        do {
            bytes = try Files.read(name, bytesMax: 1 << 20)
        } catch {
            let origin = named.map { " (named by \($0.origin))" } ?? ""
            throw ServerError(.invalid, "Cannot read the configuration file \(name)\(origin): \(error.reason).")
        }
        do {
            return (name, try ConfigurationFile(name: name, bytes: bytes))
        } catch {
            throw ServerError(.invalid, [error])
        }
    }
}

// MARK: - The file

extension Configuration {
    /// Keys that later capabilities will read: accepted, and said to be unused.
    private static let unused = [
        "userPool", "identityPool", "storage", "analytics",
    ]

    /// Where the schema is, which is known before the rest: what lies beside it is a part of the configuration.
    private mutating func readSchema(_ file: ConfigurationSection?, _ texts: SettingTexts) {
        if let paths = file?.strings("schema") { (schema, namesSchema) = (paths, true) }
        if let paths = texts.given(.schema)?.texts { (schema, namesSchema) = (paths, true) }
    }

    private mutating func read(_ file: ConfigurationSection) {
        if let folder = file.string("data") { keepData(in: folder) }
        host = file.string("host") ?? host
        port = file.integer("port", in: 0...65535) ?? port
        readTLS(file)
        hosts = file.strings("hosts") ?? []
        for host in hosts where !CertificateNames.isName(host) {
            file.report("hosts", "'hosts' lists host names and addresses, and \"\(host)\" is neither.")
        }
        readKeys(file)
        region = file.string("region") ?? region

        let versionIsGiven = file.object["transformerVersion"].map { !$0.isNull } ?? false
        transform.transformerVersion =
            TransformerVersions.read("transformerVersion", of: file) ?? transform.transformerVersion
        FeatureFlags.read(file.section("featureFlags"), into: &transform, versionIsGiven: versionIsGiven)
        TransformParameters.read(file.section("transformParameters"), into: &self)
        TransformConfig.read(file.section("transformConfig"), into: &self)
        ResolverConfig.read(file.section("resolverConfig"), into: &self)
        readAuthConfig(file.section("authConfig"))

        let compatibility = file.section("compatibility")
        pages = compatibility.choice("pages", Pages.self) ?? pages
        subscriptions = compatibility.choice("subscriptions", Subscriptions.self) ?? subscriptions
        strictNullArguments = compatibility.bool("strictNullArguments") ?? strictNullArguments
        hidesDeletedInLists = compatibility.bool("hideDeletedInLists") ?? hidesDeletedInLists
        recreatesOverTombstone = compatibility.bool("recreateOverTombstone") ?? recreatesOverTombstone
        allowsGetMutations = compatibility.bool("getMutations") ?? allowsGetMutations
        forcesAppSyncStatus = compatibility.bool("forceAppSyncStatus") ?? forcesAppSyncStatus
        compatibility.finish()
        if let introspection = file.choice("introspectionConfig", IntrospectionConfig.self) {
            allowsIntrospection = introspection == .enabled
        }
        readLimits(file.section("limits"))
        cors.read(file.section("cors"))
        let log = file.section("log")
        logFormat = log.choice("format", LogFormat.self)
        logLevel = log.choice("level", LogLevel.self) ?? logLevel
        slowRequestSeconds = log.number("slowRequestSeconds", in: 0...86_400) ?? slowRequestSeconds
        log.finish()

        for key in Self.unused where file.value(key) != nil {
            file.findings.notes.append("\(key) is accepted and has no effect in this version.")
        }
        file.finish()
    }

    private mutating func readKeys(_ file: ConfigurationSection) {
        guard let value = file.value("apiKey") else { return }
        let texts = (value.arrayValue ?? [value]).compactMap(\.stringValue)
        let isSound = !texts.isEmpty && texts.count == value.arrayValue?.count ?? 1 && texts.allSatisfy(APIKey.isSound)
        guard isSound else { return file.report("apiKey", "'apiKey' is \(APIKey.rule), or a list of such keys.") }
        configuredKeys = texts
    }

    private mutating func readTLS(_ file: ConfigurationSection) {
        if let texts = file.strings("tls") {
            tls = TLSSetting(texts)
            if tls == nil { file.report("tls", "'tls' is \(TLSSetting.rule).") }
        }
        tlsPort = file.integer("tlsPort", in: 0...65535)
        isTLSOnly = file.bool("tlsOnly") ?? isTLSOnly
        tlsHosts = file.strings("tlsHosts") ?? []
        for host in tlsHosts where !CertificateNames.isName(host) {
            file.report("tlsHosts", "'tlsHosts' lists host names and addresses, and \"\(host)\" is neither.")
        }
    }

    private mutating func readLimits(_ section: ConfigurationSection) {
        for limit in Limit.all {
            if let value = section.integer(limit.key, in: limit.range) { limits[keyPath: limit.path] = value }
        }
        section.finish()
    }

    /// The functions by their names in Amplify, each with the URL at which it answers.
    private mutating func readFunctions(_ section: ConfigurationSection) {
        for name in section.object.keys {
            guard let url = section.string(name) else { continue }
            let function = Function(name: name, url: url)
            functions[name] = function
            if !function.isCallable {
                section.report(
                    name, "'\(section.name(name))' is the URL of a function, http://… or https://…, and not \"\(url)\"."
                )
            }
        }
    }

    private func noteUnusedFunctions(_ section: ConfigurationSection) {
        let used = Set(conflictFunctions.models.values).union([conflictFunctions.project].compactMap(\.self))
        for function in functions.values.sorted(by: { $0.name < $1.name }) where !used.contains(function) {
            section.findings.notes.append("\(section.name(function.name)) decides no conflicts, and has no effect.")
        }
    }

    /// transform.conf.json beside the schema; what the configuration says itself is read later and goes before it.
    private mutating func readTransformConfigs(ignoresVersion: Bool, _ findings: Findings) {
        for path in FilesBesideSchema(SchemaFiles(self)).transformConfigs {
            do {
                let file = try ConfigurationFile(
                    name: path, bytes: try Files.read(path, bytesMax: 1 << 20), isProjectFile: true)
                let section = ConfigurationSection(file.value, at: [], of: file, findings: findings)
                TransformConfig.readFile(section, ignoresVersion: ignoresVersion, into: &self)
            } catch let error as Diagnostic {
                findings.diagnostics.append(error)
            } catch {
                let reason = (error as? Files.Failure)?.reason ?? "\(error)"
                findings.diagnostics.append(
                    Diagnostic(kind: "ConfigurationError", message: "Cannot read \(path): \(reason)."))
            }
        }
    }

    private func readAuthConfig(_ section: ConfigurationSection) {
        readAuthMode(section.section("defaultAuthentication"))
        if let providers = section.value("additionalAuthenticationProviders") {
            guard let list = providers.arrayValue else {
                return section.report(
                    "additionalAuthenticationProviders",
                    "'authConfig.additionalAuthenticationProviders' is a list, [ … ], and not \(providers).")
            }
            for (index, provider) in list.enumerated() {
                let path = section.path + ["additionalAuthenticationProviders", String(index)]
                readAuthMode(
                    ConfigurationSection(
                        provider.objectValue ?? [:], at: path, of: section.file, findings: section.findings))
            }
        }
        section.finish()
    }

    private func readAuthMode(_ section: ConfigurationSection) {
        if let mode = section.value("authenticationType"), mode != "API_KEY" {
            section.reportNotServed(
                "authenticationType", "The authorization mode \(mode)",
                hint: "This version serves \"API_KEY\" only; it will not let people in by a weaker rule.")
        }
        // Amplify's own configuration of each mode stands beside its type; only the API key's can be meant here.
        for key in section.object.keys where key != "authenticationType" { _ = section.value(key) }
    }

    private mutating func keepData(in folder: String) {
        if folder == ":memory:" { isEphemeral = true } else { (data, isEphemeral) = (folder, false) }
    }
}

// MARK: - Flags and environment

extension Configuration {
    private mutating func read(_ texts: SettingTexts, _ findings: Findings) {
        if let folder = texts.given(.data)?.texts.last { keepData(in: folder) }
        host = texts.given(.host)?.texts.last ?? host
        if let given = texts.given(.apiKey), let key = given.texts.last {
            configuredKeys = [key]
            if !APIKey.isSound(key) {
                findings.diagnostics.append(
                    Diagnostic(kind: "UsageError", message: "\(given.origin) is \(APIKey.rule)."))
            }
        }
        readyFile = texts.given(.readyFile)?.texts.last

        func parse<Value>(_ setting: Setting, _ rule: String, _ parse: (String) -> Value?) -> Value? {
            guard let given = texts.given(setting), let text = given.texts.last else { return nil }
            if let value = parse(text) { return value }
            findings.diagnostics.append(
                Diagnostic(kind: "UsageError", message: "\(given.origin) is \(rule), and not '\(text)'."))
            return nil
        }
        func choice<Choice: RawRepresentable & CaseIterable>(_ setting: Setting, _: Choice.Type) -> Choice?
        where Choice.RawValue == String {
            parse(setting, "one of " + Choice.allCases.map(\.rawValue).joined(separator: ", "), Choice.init)
        }
        port = parse(.port, "a number from 0 to 65535") { Int($0).flatMap { (0...65535) ~= $0 ? $0 : nil } } ?? port
        tlsPort =
            parse(.tlsPort, "a number from 0 to 65535") { Int($0).flatMap { (0...65535) ~= $0 ? $0 : nil } } ?? tlsPort
        if let texts = texts.given(.tls)?.texts {
            tls = parse(.tls, TLSSetting.rule) { _ in TLSSetting(texts) } ?? tls
        }
        if let texts = texts.given(.hosts)?.texts {
            let isSound = texts.allSatisfy(CertificateNames.isName)
            hosts = parse(.hosts, "one or several host names or addresses") { _ in isSound ? texts : nil } ?? hosts
        }
        logFormat = choice(.log, LogFormat.self) ?? logFormat
        logLevel = choice(.logLevel, LogLevel.self) ?? logLevel
        let switches = ["true": true, "1": true, "yes": true, "false": false, "0": false, "no": false]
        isTLSOnly = parse(.tlsOnly, "true or false") { switches[$0] } ?? isTLSOnly
        let ephemeral = parse(.ephemeral, "true or false") { switches[$0] }
        if parse(.datastore, "true or false", { switches[$0] }) == true { ResolverConfig.automerge(&self) }
        // A flag that names the folder goes before a variable that would throw the data away.
        let isOverruled = texts.hasFlag(.data) && !texts.hasFlag(.ephemeral)
        if let ephemeral, !isOverruled { isEphemeral = ephemeral }
    }
}
