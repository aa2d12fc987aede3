/// The settings that a command line or the environment can give: one table, so that help, errors and documents agree.
///
/// Precedence: flag, environment variable, configuration file, Amplify project, default.
public enum Setting: String, Sendable, CaseIterable {
    case schema
    case data
    case ephemeral
    case datastore
    case host
    case port
    case listen
    case hosts
    case tls
    case tlsPort = "tls-port"
    case tlsOnly = "tls-only"
    case awsNames = "aws-names"
    case console
    case config
    case amplify
    case noAmplify = "no-amplify"
    case environment = "env"
    case api
    case allowExpiredKeys = "allow-expired-keys"
    case ignoreCustomTransformers = "ignore-custom-transformers"
    case apiKey = "api-key"
    case log
    case logLevel = "log-level"
    case readyFile = "ready-file"

    /// The flag, such as `--api-key`.
    public var flag: String { "--\(rawValue)" }

    /// The environment variable, such as `SYNCLINE_API_KEY`.
    public var variable: String {
        "SYNCLINE_" + rawValue.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }

    /// The key in the configuration file, dotted; `nil` for what only a command line can mean.
    public var key: String? {
        switch self {
        case .schema, .data, .host, .port, .hosts, .tls: rawValue
        case .listen: "listeners"
        case .tlsPort: "tlsPort"
        case .tlsOnly: "tlsOnly"
        case .awsNames: "awsNames"
        case .console: "console.enabled"
        case .apiKey: "apiKey"
        case .log: "log.format"
        case .logLevel: "log.level"
        case .environment: "amplify.environment"
        case .api: "amplify.api"
        case .ephemeral, .datastore, .config, .readyFile, .amplify, .noAmplify, .allowExpiredKeys,
            .ignoreCustomTransformers:
            nil
        }
    }

    /// The default if no source sets it.
    public var defaultText: String? {
        switch self {
        case .schema: "schema.graphql"
        case .data: ".syncline"
        case .host: "127.0.0.1"
        case .port: "20002"
        case .tls: "auto for dev, off for serve"
        case .console: "on for dev on this machine, off for serve"
        case .config: "\(Configuration.defaultFile), if there is one"
        case .apiKey: "\(APIKeys.defaultKey), on a loopback address only"
        case .log: "text for dev, json for serve"
        case .logLevel: "info"
        case .ephemeral, .datastore, .listen, .hosts, .readyFile, .tlsPort, .tlsOnly, .awsNames, .amplify, .noAmplify,
            .environment, .api, .allowExpiredKeys, .ignoreCustomTransformers:
            nil
        }
    }

    /// What it does, in one sentence.
    public var summary: String {
        switch self {
        case .schema:
            "A schema file, or a folder: its *.graphql files, or without a schema.graphql those below its folder schema; "
                + "may be given several times."
        case .data: "The folder that keeps the data; ':memory:' for data that is thrown away at exit."
        case .ephemeral: "Keep the data in a fresh folder that is removed at exit."
        case .datastore:
            "Serve every model to Amplify DataStore: with versions, conflicts merged (AUTOMERGE), whatever the configuration "
                + "says of conflict detection."
        case .host: "The address to listen on."
        case .port: "The port to listen on; 0 takes a free one."
        case .listen:
            "A further address to listen on: for TLS and plain HTTP, with ',tls' after it for TLS only, or with ',redirect' for "
                + "plain HTTP that is redirected to https; may be given several times."
        case .hosts:
            "A name of this server, beside localhost, addresses and the machine's name, that requests may have in Host while "
                + "the default API key is accepted; may be given several times."
        case .tls:
            "TLS beside plain HTTP on the same port: off; auto, with a local certificate authority; or the files CERT,KEY, "
                + "which may be given several times, for several host names."
        case .tlsPort: "A second port, for TLS only; 0 takes a free one."
        case .tlsOnly: "Refuse plain HTTP on every port."
        case .awsNames:
            "Serve the AWS hostnames that clients of the project connect to, with a certificate authority only for them."
        case .console:
            "Serve the console and the operators' API, also to browsers of other machines if TLS is the only way to reach it."
        case .config: "The configuration file."
        case .amplify:
            "The Amplify project to serve: the folder that holds amplify/. Without it, the one of the working folder or, for "
                + "all verbs but serve and check, of a folder above it."
        case .noAmplify: "Serve without the Amplify project that the folder holds."
        case .environment: "The environment of the Amplify project; without it, the one that is checked out."
        case .api: "The GraphQL API of the Amplify project, where it has several."
        case .allowExpiredKeys: "Accept the Amplify project's API key though it has expired at AWS."
        case .ignoreCustomTransformers: "Serve the Amplify project without its custom transformers."
        case .apiKey: "The key that callers show in the header x-api-key."
        case .log: "The form of the log on standard error: text or json."
        case .logLevel: "The least level that is logged: trace, debug, info, notice, warning, error or critical."
        case .readyFile:
            "A file to write when the server answers; its first line is the URL, then that of the TLS port, if any, and those of further "
                + "addresses."
        }
    }

    /// The summary and where else the value can come from, for help and documents.
    public var help: String {
        let places = [variable] + (key.map { ["\($0) in the configuration file"] } ?? [])
        let origin = "Also: " + places.joined(separator: ", ") + "."
        return [summary, origin, defaultText.map { "Default: \($0)." }].compactMap { $0 }.joined(separator: " ")
    }
}
