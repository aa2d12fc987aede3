import Amplify
import Analytics
import Buckets
import Codegen
import JSON
import Transformer
import UserPools

/// What the configuration files of clients are made of: the configuration that is served, and what the server has made by
/// itself. It reads the schema, so it is not used on an event loop.
struct ClientFileSource: Sendable {
    let configuration: Configuration
    /// The modes of the API, the default mode first.
    let modes: [TransformOptions.AuthMode]
    let mode: Service.Mode
    /// The server's own address.
    let served: ClientAddress
    /// Whether user pools and identity pools are served.
    var hasUserPools = true
    /// The ids of the apps whose events are taken.
    var analyticsApps: [String]
    /// To whom a file was last given.
    var pulls = PullRecord()
    /// The file of the certificate that clients have to trust; nil where they need none.
    var authority: String?

    /// The members of a file.
    ///
    /// - Throws: What is wrong where the server is of another environment.
    func members(of request: ClientFileRequest) throws(OperatorProblem) -> JSONObject {
        request.file.value(try backend(request))
    }

    /// What clients are configured with. The models are read only for the file that has them.
    ///
    /// - Throws: What is wrong where the server is of another environment.
    func backend(
        _ request: ClientFileRequest, _ now: Int64 = Moment.now.milliseconds
    ) throws(OperatorProblem) -> ClientBackend {
        let own = configuration.environment
        if let asked = request.environment, asked != own {
            throw OperatorProblem(
                code: .invalid,
                message: "This server's environment is \(own.map { "'\($0)'" } ?? "not named"), and not '\(asked)'.",
                hint: own.map { "Leave --env out, or give --env \(ShellWord.quoted($0))." }
                    ?? "Leave --env out: only 'environmentName' in the server's configuration gives it a name.",
                field: "environment")
        }
        var backend = ClientBackend(address: try address(request.address, host: request.host))
        backend.region = configuration.region
        backend.api = api(for: request.file, now)
        backend.bucketRegion = configuration.storage.region
        backend.buckets = configuration.storage.served(in: mode).buckets.map(\.name)
        backend.analyticsApp = analyticsApps.first
        if hasUserPools { addPools(to: &backend) }
        return backend
    }

    /// The GraphQL API; nil where none is served.
    private func api(for file: ClientFile, _ now: Int64) -> ClientBackend.API? {
        guard !configuration.schema.isOff, let defaultMode = modes.first else { return nil }
        var api = ClientBackend.API(defaultMode: defaultMode, otherModes: Array(modes.dropFirst()))
        api.name = configuration.amplify?.api ?? api.name
        let keys = configuration.apiKeys
        api.key =
            modes.contains(.apiKey)
            ? keys.accepted.first { keys.details[$0]?.expiresMilliseconds.map { $0 > now } ?? true } : nil
        if file == .amplifyOutputs { api.modelIntrospection = modelIntrospection }
        return api
    }

    /// The address by which an app reaches the server.
    ///
    /// - Parameters:
    ///   - asked: The address that was asked for; nil for `publicURL`, or else the server's own.
    ///   - host: Where the app runs, or by which host it reaches the address.
    func address(_ asked: ClientAddress? = nil, host: ClientHost? = nil) throws(OperatorProblem) -> ClientAddress {
        if case .named(let host, let port)? = host {
            // A host that is named overrides publicURL.
            return (asked ?? served).at(host, port: port)
        }
        let publicAddress = configuration.userPools.publicURL.flatMap { ClientAddress(url: $0) }
        let address = asked ?? publicAddress ?? served
        // Any other address than a loopback one is the same for all.
        guard address.isLoopback else { return address }
        switch host {
        case .emulator: return address.at(ClientHost.emulatorAddress)
        case .device:
            guard let own = LocalNetwork.address else {
                throw .invalid("This machine has no address in a network: name one as HOST.", field: "host")
            }
            return address.at(own)
        case .simulator, .named, nil: return address
        }
    }

    private func addPools(to backend: inout ClientBackend) {
        let settings = configuration.userPools.settings(
            region: configuration.region, mode: mode, servedURL: served.url, dataFolder: nil)
        // The pool that the API names, or else the first.
        let named = configuration.userPoolProviders.first?.poolID
        if let pool = settings.pools.first(where: { $0.id == named }) ?? settings.pools.first {
            backend.userPool = ClientBackend.UserPool(pool, settings.clients.filter { $0.poolID == pool.id })
        }
        backend.identityPool = settings.identityPools.first.map {
            ClientBackend.IdentityPool(
                id: $0.id, allowsUnauthenticatedIdentities: $0.allowsUnauthenticatedIdentities)
        }
    }

    /// The models, by the flags of the project; nil where the schema cannot be read now.
    private var modelIntrospection: JSONValue? {
        guard let sources = try? SchemaFiles(configuration).read() else { return nil }
        let options = configuration.codegen.options(configuration.transform)
        guard
            case .success(let files, _) = Codegen.models(
                sources, target: .introspection, options: options, transform: configuration.transform)
        else { return nil }
        return files.first.flatMap { try? JSONReader.read($0.text) }
    }
}

extension ClientFileSource {
    /// What a folder is served with, where no server runs on it: as `dev` serves it.
    init(withoutServer configuration: Configuration) throws(ServerError) {
        let definition = try configuration.loadServedDefinition()
        let scheme = configuration.tls.isRequired ? "https" : "http"
        let url = configuration.address.baseURL(scheme, port: configuration.address.port)
        guard let served = ClientAddress(url: url) else { throw .noAddress(url) }
        let options = configuration.analytics
        let own = options.isOff ? nil : DeveloperApp.read(in: configuration.data.folder)?.id
        self.init(
            configuration: configuration.withCreatedKeys(), modes: definition.authModes, mode: .dev, served: served,
            analyticsApps: options.apps.isEmpty ? [own].compactMap(\.self) : options.apps.map(\.id))
    }
}

extension ServerError {
    static func noAddress(_ text: String) -> ServerError {
        ServerError(
            .usage, "\"\(text)\" is no address of a server.",
            hint: "Write it as http://HOST:PORT or https://HOST:PORT; a host as HOST or HOST:PORT.")
    }
}
