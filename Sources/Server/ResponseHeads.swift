import HTTP

/// The head lines that answers share, made once for each origin that may read them.
struct ResponseHeads: Sendable {
    /// The blocks for callers from one origin. A class, so that an answer carries one reference.
    final class Heads: Sendable {
        /// An answer of GraphQL. AppSync counts tokens; each request here costs one.
        let executed: HeaderBlock
        /// Any other answer in JSON.
        let plain: HeaderBlock
        /// The answer to a preflight.
        let preflight: HeaderBlock

        /// AppSync protocol §1.3 and §1.4. An answer that depends on the origin says so to caches.
        init(allowing origin: String?, _ cors: CORS) {
            let exposed =
                "x-amzn-RequestId,x-amzn-ErrorType,x-amz-user-agent,x-amzn-ErrorMessage,Date,x-amz-schema-version"
            var shared = HeaderBlock([:], requestIDName: "x-amzn-RequestId")
            if let origin {
                shared = shared.appending([
                    "Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": exposed,
                ])
            }
            if origin != "*" { shared = shared.appending(["Vary": "Origin"]) }
            plain = shared.appending(["Content-Type": "application/json;charset=UTF-8"])
            executed = plain.appending(["x-amzn-appsync-TokensConsumed": "1"])
            preflight = shared.appending(["Access-Control-Max-Age": String(cors.maxAgeSeconds)])
        }
    }

    private let common: Heads
    private let byOrigin: [(origin: [UInt8], heads: Heads)]

    init(_ cors: CORS) {
        if cors.origins.contains("*") {
            common = Heads(allowing: "*", cors)
            byOrigin = []
        } else {
            common = Heads(allowing: nil, cors)
            byOrigin = cors.origins.map { (Array($0.utf8), Heads(allowing: $0, cors)) }
        }
    }

    /// The lines of an answer that the HTTP layer gives by itself.
    var refused: HeaderBlock { common.plain }

    /// The blocks for the origin that a request names.
    func heads(for request: Request) -> Heads {
        guard !byOrigin.isEmpty else { return common }
        return request.withHeader("origin") { origin in
            guard let origin else { return common }
            return byOrigin.first { origin.elementsEqual($0.origin) }?.heads ?? common
        }
    }
}
