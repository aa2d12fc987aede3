import Amplify
import HTTP
import JSON
public import Transformer

/// What the operator decided: flags, environment, file and defaults as one value, a struct per section. Never changed,
/// only read again.
public struct Configuration: Sendable {
    /// Where the schema is.
    public var schema = SchemaLocation()
    /// Where the data is kept.
    public var data = DataLocation()
    /// The address to listen on.
    public var address = ListenAddress()
    /// Whether and how TLS is served.
    public var tls = TLSOptions()
    /// Whether the server answers under AWS hostnames.
    public var awsNameOptions = AWSNameOptions()
    /// Whether the operators' API and the console are served by TCP.
    public var console = ConsoleOptions()
    /// The keys that callers may show.
    public var apiKeys = APIKeys()
    /// User pools, identity pools and the keys that administer them.
    var userPools = UserPoolOptions()
    /// Whose events are taken.
    var analytics = AnalyticsOptions()
    /// How messages to users leave.
    var mail = MailOptions()
    /// The buckets.
    var storage = StorageOptions()
    /// The modes of authorization, the default mode first; nil where none are configured.
    var authModes: [TransformOptions.AuthMode]?
    /// Whose tokens are accepted where users of a user pool are a mode; empty for those of all configured pools.
    var userPoolProviders: [UserPoolProvider] = []
    /// Whose tokens and signatures are accepted in the other modes.
    var auth = AuthOptions()
    /// Where the user's programs keep what outlasts a project; `nil` for the system's usual place.
    var userFolder: String?
    /// The region of AWS that clients sign for, and that ids and ARNs have.
    public var region = "us-east-1"
    /// How the schema is read.
    public var transform = TransformOptions()
    /// Where `sandboxModeEnabled` is given; nil where it is not.
    var sandboxModePlace: Diagnostic.Place?
    /// What client code is generated.
    public var codegen = CodegenFlags()
    /// Amplify's environment, which `${env}` stands for in the names of functions; nil where there is none.
    public var environmentName: String?
    /// The functions of the project.
    var functions = FunctionList()
    /// Where the server's own calls may go.
    public var outbound = OutboundRules()
    /// In which models conflicts are detected, beside what `transform` has of it.
    var resolverConfig = ResolverConfig()
    /// Where the API may differ from AppSync's.
    public var compatibility = Compatibility()
    /// AppSync's `introspectionConfig`: whether the API answers introspection queries.
    public var allowsIntrospection = true
    /// All bounds.
    public var limits = Limits()
    /// The reverse proxies that name the clients of requests.
    var trustedProxies = TrustedProxies()
    /// What browsers of other origins may do.
    public var cors = CORS()
    /// What is logged, and in which form.
    public var log = LogOptions()
    /// The file to write when the server answers.
    public var readyFile: String?
    /// What it was read for.
    var purpose = SettingTexts.Purpose.serve
    /// The Amplify project that is served, if any.
    var amplify: AmplifyProject?
    /// What is said of a folder `amplify/` that is no project, if there is one.
    private(set) var unrecognizedProject: String?
    /// Whether nothing could be read of the Amplify project, as its environment or API has to be named.
    private(set) var lacksChoice = false
    /// The settings of the file over those of the Amplify project.
    var source: ConfigurationFile?
    /// The configuration file that was read, if any.
    public var file: String?
    /// What is served otherwise than its author may think.
    public var warnings: [Diagnostic] = []
    /// What was accepted and has no effect in this version.
    public var notes: [String] = []

    /// Where the configuration file is by default.
    public static let defaultFile = "config/syncline.json"

    /// AppSync's words for `introspectionConfig`.
    private enum IntrospectionConfig: String, CaseIterable {
        case enabled = "ENABLED"
        case disabled = "DISABLED"
    }

    /// The defaults.
    public init() {}
}

extension Configuration {
    /// Whether `API_KEY` is a mode of the API.
    public var acceptsAPIKeys: Bool { !schema.isOff && authModes?.contains(.apiKey) ?? true }

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
        configuration.purpose = texts.purpose
        var (file, folder): (ConfigurationFile?, String) = (nil, "")
        do throws(ServerError) {
            (file, folder) = try readFile(texts)
            configuration.file = file?.name
        } catch {
            findings.diagnostics += error.diagnostics
        }
        var prefix = ""
        do throws(ServerError) {
            if let found = try AmplifyDetection(texts, file?.value) {
                let (project, error) = found.read(texts, file?.value)
                prefix = found.prefix
                configuration.amplify = project
                if let project {
                    file = ConfigurationFile(merging: file, over: project.settings, name: "\(prefix)amplify")
                }
                findings.warnings += project?.warnings ?? []
                if let error { throw error }
            } else if texts.concernsSchema, let message = AmplifyDetection.unrecognized(texts, file?.value) {
                configuration.unrecognizedProject = message
                findings.warnings.append(Diagnostic(kind: "Warning", message: message))
            }
        } catch {
            findings.diagnostics += error.diagnostics
            if error.code == .usage {
                configuration.lacksChoice = true
                return (configuration, ServerError(.usage, findings.diagnostics))
            }
        }
        configuration.source = file
        let section = file.map { ConfigurationSection($0.value, at: [], of: $0, findings: findings) }
        let settings = SettingReader(texts: texts, findings: findings)
        // First, because what lies beside the schema is a part of the configuration.
        if let section { configuration.schema.read(section) }
        configuration.schema.read(settings)
        if configuration.amplify == nil { configuration.setDefaults(in: folder) }
        if let functions = section?.section("functions") { configuration.functions.read(functions) }
        if texts.concernsSchema, configuration.amplify == nil {
            let version = section?.object["transformConfig"]?.objectValue?["Version"]
            configuration.readTransformConfigs(ignoresVersion: version.map { !$0.isNull } ?? false, findings)
        }
        if let section { configuration.read(section) }
        let isValid = findings.diagnostics.isEmpty
        configuration.read(settings)
        if let project = configuration.amplify { configuration.apply(project, prefix: prefix, texts) }
        if !configuration.data.isEphemeral, AmplifyFolder.contains(configuration.data.folder) {
            findings.diagnostics.append(
                Diagnostic(
                    kind: "ConfigurationError",
                    message:
                        "The data folder \(configuration.data.folder) is in the folder amplify/ of an Amplify project, "
                        + "where nothing is written.", hint: "Name a folder beside amplify/ with \(Setting.data.flag).")
            )
        }
        if let readyFile = configuration.readyFile, AmplifyFolder.containsFile(readyFile) {
            settings.report(
                "The ready file \(readyFile) is in the folder amplify/ of an Amplify project, where nothing is "
                    + "written.")
        }
        let code = isValid && !findings.diagnostics.isEmpty ? ServerError.Code.usage : .invalid
        // After the flags, which may name further hosts of the server.
        if let section {
            configuration.checkBaseHosts(section)
            configuration.checkAWSNames(section)
        }
        if texts.concernsSchema, configuration.acceptsAPIKeys { configuration.apiKeys.checkSuppression(findings) }
        configuration.notes = findings.notes
        configuration.warnings = findings.warnings
        return (configuration, findings.diagnostics.isEmpty ? nil : ServerError(code, findings.diagnostics))
    }

    /// The configuration file: the one that was named, which must be there, or the default, which may be: in the working
    /// folder, or else in that of the Amplify project that is found from it.
    ///
    /// - Returns: The file, and the folder that its paths are relative to: empty, or ending in `/`.
    private static func readFile(_ texts: SettingTexts) throws(ServerError) -> (
        file: ConfigurationFile?, folder: String
    ) {
        if let named = texts.given(.config), let name = named.texts.last {
            guard let file = try ConfigurationFile.read(name, origin: named.origin) else {
                preconditionFailure("a named file is read or is an error")
            }
            return (file, "")
        }
        if let file = try ConfigurationFile.read(defaultFile) { return (file, "") }
        // A wrong --amplify is reported where the project is read.
        guard let prefix = try? AmplifyDetection(texts, nil)?.prefix, !prefix.isEmpty else { return (nil, "") }
        return (try ConfigurationFile.read(prefix + defaultFile)?.withPaths(in: prefix), prefix)
    }

    /// Takes the default schema and data folder of another folder than the working one.
    private mutating func setDefaults(in folder: String) {
        if !schema.isNamed, !schema.isOff { schema.paths = schema.paths.map { folder + $0 } }
        data.folder = folder + data.folder
    }
}

// MARK: - The sections

extension Configuration {
    /// Where the schema is, `functions` and transform.conf.json have been read before.
    private mutating func read(_ file: ConfigurationSection) {
        if let value = file.value("amplify"), value.boolValue == nil {
            // AmplifyDetection has read them, as they decide which project is merged.
            let section = file.section("amplify")
            _ = (section.string("environment"), section.string("api"))
            section.finish()
        }
        data.read(file)
        address.read(file)
        tls.read(file)
        awsNameOptions.read(file)
        console.read(file.section("console"))
        apiKeys.read(file)
        region = file.string("region") ?? region
        environmentName = file.string("environmentName") ?? environmentName

        userPools.functionsWithoutURL = Set(amplify?.functions ?? [])
        userPools.read(file, region: region, functions: functions)
        mail.read(file)
        analytics.read(file)
        storage.read(file, functions: functions)

        let versionIsGiven = file.object["transformerVersion"].map { !$0.isNull } ?? false
        transform.transformerVersion =
            TransformerVersions.read("transformerVersion", of: file) ?? transform.transformerVersion
        FeatureFlags.read(file.section("featureFlags"), into: &transform, versionIsGiven: versionIsGiven)
        codegen.read(featureFlags: file.object["featureFlags"])
        codegen.read(file.section("codegen"))
        TransformParameters.read(file.section("transformParameters"), into: &self)
        TransformConfig.read(file.section("transformConfig"), into: &self)
        readResolverConfig(file.section("resolverConfig"))
        if let read = AuthConfig.read(
            file.section("authConfig"), poolIDs: userPools.ids, functions: functions, environment: environmentName)
        {
            (authModes, userPoolProviders) = (read.modes, read.userPools)
            (auth.issuers, auth.authorizer) = (read.issuers, read.authorizer)
            (auth.missingAuthorizer, auth.apiKeyDays) = (read.missingAuthorizer, read.apiKeyDays)
            transform.deniesByDefault = read.deniesByDefault
        }

        compatibility.read(file.section("compatibility"))
        if let introspection = file.choice("introspectionConfig", IntrospectionConfig.self) {
            allowsIntrospection = introspection == .enabled
        }
        outbound.read(file.section("outbound"))
        limits.read(file.section("limits"))
        trustedProxies.read(file)
        cors.read(file.section("cors"))
        log.read(file.section("log"))

        file.finish()
    }

    private mutating func read(_ settings: SettingReader) {
        data.read(settings)
        address.read(settings)
        tls.read(settings)
        awsNameOptions.read(settings)
        console.read(settings)
        apiKeys.read(settings)
        log.read(settings)
        readyFile = settings.text(.readyFile)
        // AmplifyDetection has asked for these, as they decide whether and how a project is read.
        for setting in [Setting.noAmplify, .allowExpiredKeys, .ignoreCustomTransformers] { _ = settings.bool(setting) }
        if settings.bool(.datastore) == true { resolverConfig.setAutomerge(in: &transform) }
    }

    /// `ResolverConfig`, which an Amplify project has in two places.
    mutating func readResolverConfig(_ section: ConfigurationSection) {
        resolverConfig.read(section, functions, into: &transform)
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
}
