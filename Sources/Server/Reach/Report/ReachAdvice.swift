/// What one part of a client is set to, so that it reaches the server.
struct ReachAdvice: Sendable, Hashable {
    /// How a part is set.
    enum Method: String, Sendable {
        /// A key of a configuration file, or an option in code.
        case setting
        /// A variable of the client's process.
        case environment
        /// No setting: the AWS hostnames are routed to the server, using hosts lines, DNS or the proxy.
        case awsNames
        /// Nothing reaches the server as it listens now.
        case unreachable
    }

    /// Such as `user pool`.
    let part: String
    let method: Method
    /// The key or variable; empty for the AWS hostnames.
    let name: String
    let value: String
    /// The URL that the client makes of it.
    let url: String?
    /// What else it needs.
    var note: String?
}

extension ReachAdvice {
    /// The advice for a client. Where a client would drop the port of a setting, the setting is not proposed unless the
    /// server answers without it.
    static func list(for client: ReachClient, _ server: ReachableServer) -> [ReachAdvice] {
        let list =
            switch client {
            case .amplifySwift: swift(server)
            case .amplifyJS: javaScript(server)
            case .amplifyAndroid, .amplifyFlutter: mobile(client, server)
            case .appSyncLink, .gql: graphQL(client, server)
            case .boto3, .awscli: sdk(server)
            }
        guard let authority = server.authority else { return list }
        return list.map { $0.withTrustNote(authority, client) }
    }

    /// Adds that the client must trust the authority, if it uses TLS.
    private func withTrustNote(_ authority: String, _ client: ReachClient) -> ReachAdvice {
        guard let url = url.flatMap({ ReachURL($0) }), url.isTLS else { return self }
        let text =
            [.boto3, .awscli].contains(client)
            ? "Uses TLS: set AWS_CA_BUNDLE=\(ShellWord.quoted(authority))."
            : "Uses TLS: the client must trust the local certificate authority ('syncline trust')."
        var advice = self
        advice.note = [note, text].compactMap(\.self).joined(separator: " ")
        return advice
    }

    private init(
        _ part: String, _ method: Method, _ name: String = "", _ value: String = "", url: String? = nil,
        note: String? = nil
    ) {
        self.init(part: part, method: method, name: name, value: value, url: url, note: note)
    }

    // MARK: Clients

    private static func swift(_ server: ReachableServer) -> [ReachAdvice] {
        var list = api(.amplifySwift, server, key: "endpoint", url: server.url(path: "/graphql"))
        if let host = server.defaultPortTLSURL()?.host {
            list.append(
                ReachAdvice(
                    "user pool", .setting, "CognitoUserPool.Default.Endpoint", host,
                    url: ClientURLs.swiftUserPool(endpoint: host),
                    note:
                        "In amplifyconfiguration.json; ignored for amplify_outputs.json. Set either this or the variable."
                ))
        }
        list += variables(server, ["COGNITO_IDENTITY_PROVIDER", "COGNITO_IDENTITY", "PINPOINT"])
        list.append(swiftStorage(server))
        if let host = server.defaultPortTLSURL()?.host {
            list.append(
                ReachAdvice(
                    "hosted pages", .setting, "OAuth.WebDomain", host, url: ClientURLs.swiftHostedPages(domain: host)))
        } else {
            list.append(
                ReachAdvice(
                    "hosted pages", .unreachable,
                    note: "The client connects to port 443, where the server does not listen."))
        }
        return list + [allNames(server)]
    }

    private static func swiftStorage(_ server: ReachableServer) -> ReachAdvice {
        let name = variable("S3")
        guard let url = server.portlessURL(), let bucket = server.buckets.first else {
            return ReachAdvice(
                "storage", .unreachable, name,
                note: server.buckets.isEmpty
                    ? "No bucket is configured."
                    : "Transfers drop the port: listen at 443 for TLS, or use the AWS hostnames.")
        }
        let note =
            server.isAddress
            ? nil
            : "The client connects to BUCKET.\(url.host): it must resolve, and 'storage.baseHosts' must list \(url.host)."
        return ReachAdvice(
            "storage", .environment, name, url.text, url: ClientURLs.swiftTransfer(endpoint: url.text, bucket: bucket),
            note: note)
    }

    private static func javaScript(_ server: ReachableServer) -> [ReachAdvice] {
        // One URL for both, and the WebSocket is always TLS, at the URL's port.
        let plain = server.url(path: "/graphql").flatMap { url in
            server.answers(ReachURL(scheme: "wss", host: url.host, port: url.effectivePort)) ? url : nil
        }
        var list = api(
            .amplifyJS, server, key: "aws_appsync_graphqlEndpoint", url: plain ?? server.url("https", path: "/graphql"))
        if let url = server.url(path: "/")?.text {
            for (part, key) in [("user pool", "userPoolEndpoint"), ("identity pool", "identityPoolEndpoint")] {
                list.append(
                    ReachAdvice(
                        part, .setting, "Auth.Cognito.\(key)", url, url: url,
                        note:
                            "In the object that is passed to Amplify.configure; cannot be set in a configuration file.")
                )
            }
        }
        if let url = server.url("https") {
            let domain = url.port.map { "\(url.host):\($0)" } ?? url.host
            list.append(
                ReachAdvice(
                    "hosted pages", .setting, "oauth.domain", domain, url: ClientURLs.jsHostedPages(domain: domain)))
        } else {
            list.append(ReachAdvice("hosted pages", .unreachable, note: "The client uses only https: serve TLS."))
        }
        return list + ["storage", "analytics"].map { names($0, server) }
    }

    private static func mobile(_ client: ReachClient, _ server: ReachableServer) -> [ReachAdvice] {
        api(client, server, key: client == .amplifyAndroid ? "endpoint" : "url", url: server.url(path: "/graphql"))
            + ["user pool", "identity pool", "storage", "analytics"].map { names($0, server) }
    }

    private static func graphQL(_ client: ReachClient, _ server: ReachableServer) -> [ReachAdvice] {
        // gql opens no WebSocket for a URL of http.
        let url = client == .gql ? server.url("https", path: "/graphql") : server.url(path: "/graphql")
        return api(client, server, key: "url", url: url)
    }

    private static func sdk(_ server: ReachableServer) -> [ReachAdvice] {
        guard let url = server.url()?.text else { return [] }
        return [
            ReachAdvice("all services", .environment, "AWS_ENDPOINT_URL", url, url: url)
        ] + [allNames(server)]
    }

    // MARK: Parts

    /// The API and its subscriptions.
    private static func api(_ client: ReachClient, _ server: ReachableServer, key: String, url: ReachURL?)
        -> [ReachAdvice]
    {
        guard let url else {
            return [ReachAdvice("API", .unreachable, key, note: "The client needs TLS, which is not served.")]
        }
        let api = ReachAdvice("API", .setting, key, url.text, url: url.text)
        guard let text = ClientURLs.realtime(client, endpoint: url.text) else {
            return [
                api,
                ReachAdvice(
                    "subscriptions", .unreachable, key, note: "The client needs an https URL, and TLS is not served."),
            ]
        }
        guard let realtime = ReachURL(text), server.answers(realtime) else {
            let port = ReachURL(text)?.effectivePort ?? 443
            return [
                api,
                ReachAdvice(
                    "subscriptions", .unreachable, key,
                    note: "The client connects to \(text): listen at \(port) for TLS."),
            ]
        }
        return [api, ReachAdvice("subscriptions", .setting, key, url.text, url: text)]
    }

    private static let parts = [
        "COGNITO_IDENTITY_PROVIDER": "user pool", "COGNITO_IDENTITY": "identity pool", "PINPOINT": "analytics",
    ]

    private static func variable(_ service: String) -> String { "AWS_ENDPOINT_URL_\(service)" }

    private static func variables(_ server: ReachableServer, _ services: [String]) -> [ReachAdvice] {
        guard let url = server.url()?.text else { return [] }
        return services.map { service in
            ReachAdvice(parts[service] ?? service, .environment, variable(service), url, url: url)
        }
    }

    private static func names(_ part: String, _ server: ReachableServer) -> ReachAdvice {
        ReachAdvice(part, .awsNames, note: awsNamesNote(server))
    }

    private static func allNames(_ server: ReachableServer) -> ReachAdvice {
        ReachAdvice("alternatively, all", .awsNames, note: awsNamesNote(server))
    }

    private static func awsNamesNote(_ server: ReachableServer) -> String? {
        server.servesAWSNames ? nil : "The server does not serve the AWS hostnames: start it with --aws-names."
    }
}
