/// The URLs that clients derive from their configuration, by rules that are transcribed from their sources and named with
/// each function. `syncline reach` proposes a setting only where the server answers the derived URL.
enum ClientURLs {
    /// Where a client opens the WebSocket of its subscriptions; nil where it opens none.
    ///
    /// - Parameter endpoint: The URL of the GraphQL API, as it is configured.
    static func realtime(_ client: ReachClient, endpoint: String) -> String? {
        switch client {
        case .amplifySwift: swiftRealtime(endpoint)
        case .amplifyJS: textRealtime(endpoint, hasChina: true, clear: "wss://")
        case .appSyncLink: textRealtime(endpoint, hasChina: false, clear: "ws://")
        case .amplifyAndroid: androidRealtime(endpoint)
        case .amplifyFlutter: flutterRealtime(endpoint)
        case .gql: gqlRealtime(endpoint)
        case .boto3, .awscli: nil
        }
    }

    /// amplify-swift 2, `AppSyncRealTimeClientFactory.appSyncRealTimeEndpoint`: an AWS host is renamed and gets `wss`; any
    /// other URL gets a path component, and keeps scheme and port.
    private static func swiftRealtime(_ endpoint: String) -> String? {
        guard var url = ReachURL(endpoint) else { return nil }
        if url.host.hasSuffix("amazonaws.com") || url.host.hasSuffix("amazonaws.com.cn") {
            url.host.replace("appsync-api", with: "appsync-realtime-api")
            url.scheme = "wss"
        } else {
            url.path += url.path.hasSuffix("/") ? "realtime" : "/realtime"
        }
        return url.text
    }

    /// amplify-js 6, `appsyncUrl.ts`, and aws-appsync-subscription-link 3, `realtime-subscription-handshake-link.ts`: both
    /// replace texts, and take for AWS's only a host whose region has the form of one.
    private static func textRealtime(_ endpoint: String, hasChina: Bool, clear: String) -> String {
        var text = endpoint
        if isAppSync(endpoint, hasChina: hasChina) {
            text.replace("appsync-api", with: "appsync-realtime-api", maxReplacements: 1)
        } else {
            text += "/realtime"
        }
        text.replace("https://", with: "wss://", maxReplacements: 1)
        text.replace("http://", with: clear, maxReplacements: 1)
        return text
    }

    private static func isAppSync(_ endpoint: String, hasChina: Bool) -> Bool {
        let pattern = /https:\/\/\w{26}\.appsync-api\.\w{2}(?:-\w{2,})+-\d\.amazonaws.com(\.cn)?\/graphql/
            .ignoresCase().asciiOnlyWordCharacters().asciiOnlyDigits()
        guard let match = endpoint.wholeMatch(of: pattern) else { return false }
        return match.1 == nil || hasChina
    }

    /// amplify-android 2, `SubscriptionEndpoint.java` and `DomainType.java`: `wss` to the host, without the port.
    private static func androidRealtime(_ endpoint: String) -> String? {
        guard var url = ReachURL(endpoint) else { return nil }
        if isAppSync(endpoint, hasChina: true) {
            url.host.replace("appsync-api", with: "appsync-realtime-api")
        } else {
            url.path += "/realtime"
        }
        return ReachURL(scheme: "wss", host: url.host, path: url.path).text
    }

    /// amplify-flutter 2, `web_socket_auth_utils.dart`: `wss`, without the port, and with a path of its own.
    private static func flutterRealtime(_ endpoint: String) -> String? {
        guard let url = ReachURL(endpoint) else { return nil }
        let isAWS = url.host.contains("appsync-api") && url.host.hasSuffix("amazonaws.com")
        let host = isAWS ? url.host.replacing("appsync-api", with: "appsync-realtime-api") : url.host
        return ReachURL(scheme: "wss", host: host, path: isAWS ? "/graphql" : "/graphql/realtime").text
            + "?payload=e30%3D"
    }

    /// gql for Python, `appsync_auth.py`: texts are replaced, and a URL of `http` is refused by the library below.
    private static func gqlRealtime(_ endpoint: String) -> String? {
        let text = endpoint.replacing("https://", with: "wss://")
            .replacing("appsync-api", with: "appsync-realtime-api")
        return text.hasPrefix("wss://") || text.hasPrefix("ws://") ? text : nil
    }

    // MARK: Sign-in

    /// amplify-swift, `CognitoUserPool.Default.Endpoint`: a host; a port is accepted and dropped, a scheme or a path is an
    /// error.
    static func swiftUserPool(endpoint: String) -> String? {
        guard !endpoint.contains("://"), let (host, _) = ReachURL.parts(of: endpoint[...]) else { return nil }
        return ReachURL(scheme: "https", host: host, path: "/").text
    }

    /// amplify-swift, `OAuth.WebDomain`: `https` to a host. A port would become part of the host's name.
    static func swiftHostedPages(domain: String) -> String? {
        guard let (host, port) = ReachURL.parts(of: domain[...]), port == nil else { return nil }
        return ReachURL(scheme: "https", host: host, path: "/oauth2/authorize").text
    }

    /// amplify-js, `oauth.domain`: `https://` is written before it.
    static func jsHostedPages(domain: String) -> String { "https://\(domain)/oauth2/authorize" }

    // MARK: Buckets

    /// Where amplify-swift transfers an object: the endpoint has the bucket before its host, or in the path where the host is
    /// an address (the endpoint rules of S3), and the port is removed from the presigned URL.
    static func swiftTransfer(endpoint: String, bucket: String) -> String? {
        guard let url = ReachURL(endpoint) else { return nil }
        return IPAddress(url.host) == nil
            ? ReachURL(scheme: url.scheme, host: "\(bucket).\(url.host)", path: "/KEY").text
            : ReachURL(scheme: url.scheme, host: url.host, path: "/\(bucket)/KEY").text
    }
}
