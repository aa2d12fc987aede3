import API
import HTTP
import JSON
import Transformer

extension RecordedRequest {
    private var name: String? { operation?.name ?? operationName }
    private var type: String? { operation?.type ?? operationType }
    private var rootFields: [String] { operation?.rootFields ?? [] }
    private var accessPaths: [String] { work?.accessPaths ?? [] }

    /// Whether a list of items was read without an index.
    private var isScan: Bool { accessPaths.contains { $0.hasSuffix(" by scan") } }

    private var isFailure: Bool { status >= 400 || !errorTypes.isEmpty }

    var path: String {
        if case .request(let request) = content { return request.path }
        return transport == .operators ? "\(OperatorRoute.base)graphql" : "/graphql/realtime"
    }

    private var method: String {
        if case .request(let request) = content { return request.method.name }
        return transport == .operators ? "POST" : "GET"
    }

    /// What the client calls itself.
    private var client: String? {
        switch content {
        case .request(let request): request[header: "user-agent"]
        case .operation(_, let client): client
        }
    }

    /// As an entry of `GET /requests`.
    var summary: JSONObject {
        [
            "id": .string(id.description), "at": .string(Moment(milliseconds: milliseconds).text),
            "transport": .string(transport.rawValue), "method": .string(method), "path": .string(path),
            "operation": operationJSON.map(JSONValue.object) ?? .null, "identity": caller,
            "client": client.map(JSONValue.string) ?? .null, "address": .string(peer.ipAddress),
            "status": .number(String(status)), "errorTypes": .array(errorTypes.map(JSONValue.string)),
            "milliseconds": Self.json(nanoseconds: nanoseconds), "bytes": .number(String(answerBytes)),
            "itemsRead": .number(String(work?.rowCount ?? 0)), "index": index.map(JSONValue.string) ?? .null,
            "access": .array(accessPaths.map(JSONValue.string)), "scan": .bool(isScan),
        ]
    }

    /// As `GET /requests/{id}`.
    var details: JSONObject {
        var object = summary
        if var operation = operationJSON ?? (sent == nil ? nil : ["name": .null, "type": "other", "fields": []]) {
            if let sent {
                operation["document"] = sent["queryString"]
                operation["variables"] = sent["variables"]
            }
            object["operation"] = .object(operation)
        }
        object["headers"] = .object(headers)
        object["explain"] = explain.map(JSONValue.object) ?? .null
        object["answer"] = answer.map { .string(String(decoding: $0, as: UTF8.self)) } ?? .null
        object["answerIsCut"] = .bool(answer.map { $0.count < answerBytes } ?? false)
        return object
    }

    /// What the server did for the request; nil if nothing was executed and nothing refused by rules.
    private var explain: JSONObject? {
        let authorization = explanation.flatMap { try? JSONReader.read($0) }
        guard authorization != nil || operation != nil else { return nil }
        var explain: JSONObject = ["requestId": .string(id.description)]
        explain["authorization"] = authorization
        if let isPlanCached, let operation { explain["plan"] = operation.planJSON(isCached: isPlanCached) }
        if let work, operation != nil { explain["reads"] = work.readsJSON }
        explain["writes"] = notes?.writesJSON
        explain["events"] = notes?.eventsJSON
        let authentication = authenticationNanoseconds ?? 0
        var phases: JSONObject = [:]
        if authentication > 0 { phases["authorize"] = Self.json(nanoseconds: authentication) }
        phases["execute"] = Self.json(nanoseconds: max(0, nanoseconds - authentication))
        explain["milliseconds"] = .object(phases)
        return explain
    }

    /// The envelope of an executed request and its caller, if rules are not explained yet.
    var unexplained: (envelope: [UInt8], identity: Identity)? {
        guard explanation == nil, operation != nil, let identity, let sent else { return nil }
        var envelope: JSONObject = [:]
        for (name, member) in [
            ("query", "queryString"), ("variables", "variables"), ("operationName", "operationName"),
        ] {
            envelope[name] = sent[member]
        }
        return (Array(JSONValue.object(envelope).description.utf8), identity)
    }

    private var operationJSON: JSONObject? {
        guard let type = type ?? name.map({ _ in "other" }) else { return nil }
        return [
            "name": name.map(JSONValue.string) ?? .null, "type": .string(type),
            "fields": .array(rootFields.map(JSONValue.string)),
        ]
    }

    /// The index of the first statement, as `explain.reads` has it; nil for the primary key, and for a scan.
    private var index: String? { work?.statements.first?.indexName }

    static func json(nanoseconds: Int64) -> JSONValue {
        .number("\(Double(nanoseconds / 1_000) / 1_000)")
    }

    // MARK: - Who has sent it

    /// The mode of an identity, and what names the caller in it; null if nobody was authenticated.
    ///
    /// - Parameter given: The name of the API key, or of the operator who is the administrator; of a user without an account the
    ///   value of `x-syncline-as`.
    static func caller(_ identity: Identity?, named given: String?) -> JSONValue {
        guard let identity else { return .null }
        let name = given.map(JSONValue.string) ?? .null
        if identity.isAdministrator { return ["mode": "admin", "name": name] }
        switch identity.mode {
        case .apiKey: return ["mode": "apiKey", "name": name]
        case .userPools: return user(identity, "userPool", as: given)
        case .oidc: return user(identity, "oidc", as: given)
        case .iam:
            let role: JSONValue =
                switch identity.poolRole {
                case .authenticated?: "auth"
                case .unauthenticated?: "guest"
                case nil: .null
                }
            return ["mode": "iam", "role": role, "name": identity.accessKeyID.map(JSONValue.string) ?? .null]
        case .lambda: return ["mode": "lambda"]
        }
    }

    /// A user. One without an account has no name, unless it is among the claims.
    private static func user(_ identity: Identity, _ mode: String, as given: String?) -> JSONValue {
        let username = identity.username.map(JSONValue.string) ?? .null
        guard let given else { return ["mode": .string(mode), "username": username] }
        let hasName = given.hasPrefix("claims:")
        return ["mode": .string(mode), "username": hasName ? username : .null, "as": .string(given)]
    }

    // MARK: - What was sent

    /// The document and the variables, by the names that an authorizer receives; nil if they were not kept.
    private var sent: JSONObject? {
        let request: GraphQLRequest?
        switch content {
        case .request(let kept) where kept.method == .post:
            guard kept.bodyCount > 0 else { return nil }
            request = unsafe kept.withBody { unsafe Self.read($0) }
        case .request(let kept):
            request = unsafe kept.withQuery { query in
                unsafe query.flatMap { query in
                    try? unsafe GraphQLRequest(urlQuery: query, depthMax: ConsoleLimits.recordedDepthMax)
                }
            }
        case .operation(let envelope, _): request = unsafe envelope?.withUnsafeBytes { unsafe Self.read($0) }
        }
        return request?.authorizerMembers
    }

    private static func read(_ envelope: UnsafeRawBufferPointer) -> GraphQLRequest? {
        try? unsafe GraphQLRequest(envelope: envelope, depthMax: ConsoleLimits.recordedDepthMax)
    }

    /// The header lines; of those that may hold secrets the last four characters.
    private var headers: JSONObject {
        guard case .request(let request) = content else { return [:] }
        var headers: JSONObject = [:]
        for (name, value) in request.headers {
            let shown = Self.plainNames.contains(name) ? value : Self.masked(value)
            headers[name] = .string(headers[name]?.stringValue.map { "\($0), \(shown)" } ?? shown)
        }
        return headers
    }

    static func masked(_ value: String) -> String {
        value.count >= 8 ? "…\(value.suffix(4))" : "…"
    }

    /// The header lines whose values are shown. Any other one may hold a secret, because clients add their own.
    private static let plainNames: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "connection",
        "content-encoding",
        "content-length", "content-type", "date", "dnt", "expect", "forwarded", "host", "if-none-match", "origin",
        "pragma",
        "priority", "sec-ch-ua", "sec-ch-ua-mobile", "sec-ch-ua-platform", "sec-fetch-dest", "sec-fetch-mode",
        "sec-fetch-site", "te", "transfer-encoding", "upgrade-insecure-requests", "user-agent", "via", "x-amz-date",
        "x-amz-user-agent", "x-forwarded-for", "x-forwarded-host", "x-forwarded-port", "x-forwarded-proto",
        "x-syncline-as", "x-syncline-explain",
    ]
}

extension RequestLog.Filter {
    /// Whether a request passes.
    func includes(_ request: RecordedRequest) -> Bool { request.passes(self) }
}

extension RecordedRequest {
    fileprivate func passes(_ filter: RequestLog.Filter) -> Bool {
        if let operation = filter.operation, name != operation { return false }
        if let wanted = filter.type, (type ?? "other") != wanted { return false }
        if let errorType = filter.errorType, !errorTypes.contains(errorType) { return false }
        if filter.isFailure, !isFailure { return false }
        if let bound = filter.slowerThanMilliseconds, Double(nanoseconds) <= bound * 1_000_000 { return false }
        if filter.isScan, !isScan { return false }
        if let wanted = filter.identity {
            let members = caller.objectValue?.compactMap(\.value.stringValue) ?? ["none"]
            guard members.contains(wanted) else { return false }
        }
        guard let text = filter.text else { return true }
        return id.description.hasPrefix(text) || path.lowercased().contains(text)
            || ([name].compactMap(\.self) + rootFields).contains { $0.lowercased().contains(text) }
    }
}
