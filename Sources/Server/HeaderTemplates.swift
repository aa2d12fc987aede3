import HTTP

/// The head lines that answers share, made once for each origin that may read them. A class, as all that a request goes
/// through: to use one costs one reference.
final class HeaderTemplates: Sendable {
    /// The blocks for callers from one origin.
    final class Templates: Sendable {
        /// Without a type of content.
        let bare: HeaderBlock
        /// The answer to a preflight.
        let preflight: HeaderBlock
        private let json: HeaderBlock
        private let graphQLResponse: HeaderBlock
        private let executedJSON: HeaderBlock
        private let executedGraphQLResponse: HeaderBlock

        /// The headers of AppSync (reference: appsync-protocol, "Response headers")
        /// (reference: appsync-protocol, "CORS"). AppSync counts tokens; each request that is executed costs one here.
        init(_ lines: KeyValuePairs<String, String> = [:], maxAgeSeconds: Int? = nil) {
            let bare = HeaderBlock(lines, requestIDNames: ["x-amzn-RequestId"])
            self.bare = bare
            preflight = maxAgeSeconds.map { bare.appending(["Access-Control-Max-Age": String($0)]) } ?? bare
            json = bare.appending(["Content-Type": "application/json;charset=UTF-8"])
            graphQLResponse = bare.appending(["Content-Type": "application/graphql-response+json; charset=utf-8"])
            executedJSON = json.appending(["x-amzn-appsync-TokensConsumed": "1"])
            executedGraphQLResponse = graphQLResponse.appending(["x-amzn-appsync-TokensConsumed": "1"])
        }

        /// An answer of GraphQL.
        func executed(_ form: AnswerForm) -> HeaderBlock {
            form == .appSync ? executedJSON : executedGraphQLResponse
        }

        /// An answer that never reached GraphQL, or any other answer in JSON.
        func refused(_ form: AnswerForm) -> HeaderBlock { form == .appSync ? json : graphQLResponse }
    }

    private static let exposed =
        "x-amzn-RequestId,x-amzn-ErrorType,x-amz-user-agent,x-amzn-ErrorMessage,Date,x-amz-schema-version"

    private let cors: CORS
    private let sourcePolicy: RequestSourcePolicy
    /// For callers that name no origin, or one without rights.
    private let common: Templates
    private let byOrigin: [(origin: [UInt8], templates: Templates)]
    /// For pages of an origin that the `RequestSourcePolicy` refuses.
    private let refusedOrigin = Templates(["Vary": "Origin"])
    /// For what no page of another origin may read.
    let closed = Templates()

    init(_ cors: CORS, _ sourcePolicy: RequestSourcePolicy) {
        (self.cors, self.sourcePolicy) = (cors, sourcePolicy)
        let named = cors.origins.filter { $0 != "*" }.map { (Array($0.utf8), Self.templates(for: $0, cors)) }
        let allowsAnyOrigin = cors.origins.contains("*")
        if allowsAnyOrigin, !cors.allowsCredentials {
            common = Self.templates(for: "*", cors)
            byOrigin = sourcePolicy.acceptsDefaultKey ? named : []
        } else {
            // An answer that depends on the origin says so to caches.
            common = Templates(["Vary": "Origin"])
            byOrigin = named
        }
    }

    /// The lines of an answer that the HTTP layer gives by itself.
    var refused: HeaderBlock { common.refused(.appSync) }

    /// The blocks for the origin that a request names; with `isOpen` false, those without a word to other origins.
    func templates(for request: Request, isOpen: Bool) -> Templates {
        guard isOpen else { return closed }
        guard sourcePolicy.acceptsDefaultKey || !byOrigin.isEmpty || cors.allowsCredentials else { return common }
        return unsafe request.withHeader(.origin) { origin in
            guard let origin = unsafe origin else { return common }
            guard unsafe sourcePolicy.accepts(origin: origin) else { return refusedOrigin }
            if let named = byOrigin.first(where: { unsafe origin.elementsEqual($0.origin) }) { return named.templates }
            guard cors.allowsCredentials, cors.origins.contains("*") else { return common }
            // The Fetch standard has no "*" for requests with credentials: each origin is named back.
            return unsafe Self.templates(for: String(decoding: origin, as: UTF8.self), cors)
        }
    }

    private static func templates(for origin: String, _ cors: CORS) -> Templates {
        if origin == "*" {
            return Templates(
                ["Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": exposed],
                maxAgeSeconds: cors.maxAgeSeconds)
        }
        guard cors.allowsCredentials else {
            return Templates(
                [
                    "Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": exposed, "Vary": "Origin",
                ], maxAgeSeconds: cors.maxAgeSeconds)
        }
        return Templates(
            [
                "Access-Control-Allow-Origin": origin, "Access-Control-Allow-Credentials": "true",
                "Access-Control-Expose-Headers": exposed, "Vary": "Origin",
            ], maxAgeSeconds: cors.maxAgeSeconds)
    }
}
