import Codegen
import Server
import Transformer

/// What `syncline dev` says when it answers: where, with which key, what, and one line to try.
struct Banner {
    let text: String

    init(_ service: Service, _ configuration: Configuration, milliseconds: Int64) {
        let definition = service.summary.definition
        let sample = SampleQuery(definition)
        let (key, credentials) = Self.credentials(definition, service.apiKeys, sample.mode)
        let signIn = service.signIn.map(Self.lines) ?? ""
        let analytics = service.analyticsApps.map { "\n  Analytics app \($0)" }.joined()
        let consoleURL = service.makeConsoleURL()
        let pull = Self.pullCommand(service, configuration)
        let hasAPI = !configuration.schema.isOff
        let token =
            switch sample.mode {
            case .apiKey: ""
            case .userPools where service.signIn?.pools.isEmpty == false: "\n  TOKEN=$(syncline users token USERNAME)"
            case .userPools, .oidc: "\n  TOKEN=…  # a token of the issuer that authConfig names"
            case .lambda: "\n  TOKEN=…  # a token that the Lambda authorizer accepts"
            case .iam: "\n  # with credentials that sign the request:"
            }
        // What curl does not trust by itself.
        let authority = configuration.tls.isRequired ? service.tls?.authorityFile : nil
        let trust = authority.map { "--cacert \(ShellWord.quoted($0)) " } ?? ""
        text = """

              Syncline \(version) is ready in \(milliseconds) ms: \(definition.counts).

              \(hasAPI ? "GraphQL " : "Server  ")  \(hasAPI ? service.url : service.url.replacingSuffix("/graphql", with: "/"))\(service.tls.map { Self.lines(of: $0, configuration) } ?? "")\(Self.lines(ofListeners: service))
              Ready     \(service.url.replacingSuffix("/graphql", with: "/ready")), 200 while requests are answered\(hasAPI ? key : "")\(signIn)\(Self.lines(ofBuckets: service))\(analytics)\(consoleURL.map { "\n  Console   \($0)" } ?? "")
              Data      \(configuration.data.isEphemeral ? "thrown away at exit" : configuration.data.folder)

              Pull      \(pull)

            """
            + (hasAPI
                ? """

                  Try:\(token)
                  curl \(trust)\(ShellWord.quoted(service.url)) \(credentials) -H 'content-type: application/json' -d '{"query":"\(sample.text)"}'

                """ : "")
    }

    /// The command that writes the files of clients, from any folder of this machine.
    private static func pullCommand(_ service: Service, _ configuration: Configuration) -> String {
        guard let address = ClientAddress(url: service.url) else { return "syncline pull" }
        return PullCommand(
            address, environment: configuration.environment,
            authority: configuration.tls.isRequired ? service.tls?.authorityFile : nil
        ).text
    }

    /// The line of the API key, where one is accepted, and what gives curl the credentials of a mode.
    private static func credentials(
        _ definition: APIDefinition, _ apiKeys: APIKeys, _ mode: TransformOptions.AuthMode
    ) -> (line: String, options: String) {
        // A key that was configured is a secret: it is never printed.
        let printsKey = apiKeys.acceptsDefault
        let source = apiKeys.configured.isEmpty ? "one of 'syncline keys'" : "the configured one"
        let line =
            definition.authModes.contains(.apiKey) ? "\n  API key   \(printsKey ? APIKeys.defaultKey : source)" : ""
        let options =
            switch mode {
            case .apiKey where printsKey: "-H 'x-api-key: \(APIKeys.defaultKey)'"
            case .apiKey: "-H \"x-api-key: $\(Setting.apiKey.variable)\""
            case .userPools, .oidc, .lambda: "-H \"authorization: $TOKEN\""
            case .iam:
                "--aws-sigv4 'aws:amz:us-east-1:appsync' --user \"$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY\" "
                    + "-H \"x-amz-security-token: $AWS_SESSION_TOKEN\""
            }
        return (line, options)
    }

    /// The pool and the client by which users sign in, and the key that administers them.
    private static func lines(of signIn: SignInSummary) -> String {
        var lines = ""
        for pool in signIn.pools {
            lines += "\n  Users     pool \(pool.id), client \(pool.clients.joined(separator: ", "))"
        }
        if let id = signIn.identityPools.first { lines += "\n            identity pool \(id)" }
        if let key = signIn.developerKey { lines += "\n  Admin     access key \(key.id), secret \(key.secret)" }
        return lines
    }

    /// Where buckets are served, for clients of S3.
    private static func lines(ofBuckets service: Service) -> String {
        let names = service.bucketNames
        guard !names.isEmpty else { return "" }
        let base = service.url.replacingSuffix("/graphql", with: "")
        return "\n  Files     bucket \(names.joined(separator: ", ")) for clients of S3 at \(base)"
    }

    /// Where TLS is served, and what clients must trust for it.
    private static func lines(of tls: Service.TLS, _ configuration: Configuration) -> String {
        var lines = "\n  TLS       "
        lines += configuration.tls.isRequired ? "only; plain HTTP is refused" : "\(tls.url), and wss"
        if let url = tls.portURL { lines += "\n            \(url), TLS only" }
        let options = configuration.authorityOptions
        if let file = tls.authorityFile { lines += "\n  Trust     \(file); 'syncline trust\(options)' says how" }
        if let file = tls.awsAuthorityFile {
            let names = configuration.awsNames.names
            lines += "\n  AWS hosts \(names.count) hostnames, such as \(names.first ?? "")"
            lines += "\n            \(file); '\(AuthorityKind.awsNames.trustCommand)\(options)' says how"
        }
        return lines
    }

    /// The further addresses.
    private static func lines(ofListeners service: Service) -> String {
        service.listeners.map { listener in
            let what = listener.isTLSOnly ? ", TLS only" : listener.redirects ? ", redirects to https" : ""
            return "\n  Listens   \(listener.url)\(what)"
        }.joined()
    }
}

extension String {
    fileprivate func replacingSuffix(_ suffix: String, with other: String) -> String {
        hasSuffix(suffix) ? dropLast(suffix.count) + other : self
    }
}
