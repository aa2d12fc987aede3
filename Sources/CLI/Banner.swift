import Server
import Transformer

/// What `syncline dev` says when it answers: where, with which key, what, and one line to try.
struct Banner {
    let text: String

    init(_ service: Service, _ configuration: Configuration, milliseconds: Int64) {
        let definition = service.summary.definition
        let (key, header) = Self.credentials(definition, service.apiKeys)
        let signIn = service.signIn.map(Self.lines) ?? ""
        let token = definition.authModes.contains(.apiKey) ? "" : "\n  TOKEN=$(syncline users token USERNAME)"
        let sample = SampleQuery(definition).text
        // What curl does not trust by itself.
        let authority = configuration.tls.isRequired ? service.tls?.authorityFile : nil
        let trust = authority.map { "--cacert '\($0)' " } ?? ""
        text = """

              Syncline \(version) is ready in \(milliseconds) ms: \(definition.counts).

              GraphQL   \(service.url)\(service.tls.map { Self.lines(of: $0, configuration) } ?? "")
              Ready     \(service.url.replacingSuffix("/graphql", with: "/ready")), 200 while requests are answered\(key)\(signIn)
              Data      \(configuration.data.isEphemeral ? "thrown away at exit" : configuration.data.folder)

              Try:\(token)
              curl \(trust)\(service.url) -H \(header) -H 'content-type: application/json' -d '{"query":"\(sample)"}'

            """
    }

    /// The line of the API key, where one is accepted, and the header of a request.
    private static func credentials(
        _ definition: APIDefinition, _ apiKeys: APIKeys
    ) -> (line: String, header: String) {
        guard definition.authModes.contains(.apiKey) else { return ("", "\"authorization: $TOKEN\"") }
        // A key that was configured is a secret: it is never printed.
        guard apiKeys.acceptsDefault else {
            let source = apiKeys.configured.isEmpty ? "one of 'syncline keys'" : "the configured one"
            return ("\n  API key   \(source)", "\"x-api-key: $\(Setting.apiKey.variable)\"")
        }
        return ("\n  API key   \(APIKeys.defaultKey)", "'x-api-key: \(APIKeys.defaultKey)'")
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

    /// Where TLS is served, and what clients must trust for it.
    private static func lines(of tls: Service.TLS, _ configuration: Configuration) -> String {
        var lines = "\n  TLS       "
        lines += configuration.tls.isRequired ? "alone; clear text is refused" : "\(tls.url), and wss"
        if let url = tls.portURL { lines += "\n            \(url), TLS alone" }
        if let file = tls.authorityFile {
            lines +=
                "\n  Trust     \(file); 'syncline trust\(configuration.data.isEphemeral ? " --ephemeral" : "")' says how"
        }
        return lines
    }
}

extension String {
    fileprivate func replacingSuffix(_ suffix: String, with other: String) -> String {
        hasSuffix(suffix) ? dropLast(suffix.count) + other : self
    }
}
