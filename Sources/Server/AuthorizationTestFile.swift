import API
import GraphQL
import JSON

/// A file of `syncline auth test`, read (docs/authorization.md, "Test your rules").
struct AuthorizationTestFile {
    /// What a case expects.
    enum Expectation {
        /// An answer without errors.
        case allowed
        /// An answer with an error that rules or modes have made.
        case denied
        /// This `data`, these `errors`, or both; of each error the members that are given.
        case answer(data: JSONValue?, errors: [JSONValue]?)
    }

    /// One request and what it must come to.
    struct Case {
        var name: String
        var identityName: String
        var request: JSONValue
        var expectation: Expectation
        /// Who subscribes before the request is carried out.
        var subscribers: [Subscriber] = []
    }

    /// One subscription, and what of it the request of its case must make.
    struct Subscriber {
        var identityName: String
        var request: JSONValue
        var expectation: Reception
    }

    /// What a subscription comes to.
    enum Reception {
        /// It is refused.
        case denied
        /// It receives one event, or more.
        case event
        /// It receives none.
        case nothing
        /// It receives one event, with this `data`.
        case data(JSONValue)
    }

    /// Where it was read, for errors.
    let path: String
    /// By name: the mode, and what a token or signature says.
    var identities: [String: JSONValue] = [:]
    /// By model: the stored items that every case begins with.
    var given: [(model: String, items: [JSONObject])] = []
    var cases: [Case] = []

    init(_ bytes: [UInt8], path: String) throws(ServerError) {
        func invalid(_ message: String) -> ServerError { ServerError(.invalid, "\(path): \(message)") }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(bytes)
        } catch {
            let source = Source(bytes, name: path)
            let place = source.location(of: min(error.offset, bytes.count))
            throw ServerError(
                .invalid, "\(path):\(place.line):\(place.column): It is not valid JSON. \(error.message)")
        }
        guard let file = value.objectValue else { throw invalid("It must be an object.") }
        self.path = path
        try Self.checkKeys(of: file, path: path)
        for (name, identity) in file["identities"]?.objectValue ?? JSONObject() { identities[name] = identity }
        for (model, items) in file["given"]?.objectValue ?? JSONObject() {
            guard let items = items.arrayValue, case let objects = items.compactMap(\.objectValue),
                objects.count == items.count
            else { throw invalid("given.\(model) must be a list of items.") }
            given.append((model, objects))
        }
        guard let list = file["cases"]?.arrayValue, !list.isEmpty else { throw invalid("It has no cases.") }
        for (index, entry) in list.enumerated() {
            let place = "cases[\(index)]"
            let (identity, query, request) = try asked(entry, place, path)
            let expectation: Expectation
            switch entry["expect"] {
            case .string("allowed"): expectation = .allowed
            case .string("denied"): expectation = .denied
            case .object(let answer) where answer["data"] != nil || answer["errors"] != nil:
                expectation = .answer(data: answer["data"], errors: answer["errors"]?.arrayValue)
            default: throw invalid("\(place).expect must be \"allowed\", \"denied\" or an object with data or errors.")
            }
            var subscribers: [Subscriber] = []
            for (index, subscriber) in (entry["subscribers"]?.arrayValue ?? []).enumerated() {
                subscribers.append(try self.subscriber(subscriber, "\(place).subscribers[\(index)]", path))
            }
            cases.append(
                Case(
                    name: entry["name"]?.stringValue ?? "\(identity): \(query)", identityName: identity,
                    request: request, expectation: expectation, subscribers: subscribers))
        }
    }

    /// Who asks, and what.
    private func asked(
        _ entry: JSONValue, _ place: String, _ path: String
    ) throws(ServerError) -> (identity: String, query: String, request: JSONValue) {
        guard let identity = entry["as"]?.stringValue, identities[identity] != nil else {
            throw ServerError(.invalid, "\(path): \(place).as must name one of the identities.")
        }
        guard let query = entry["query"]?.stringValue else {
            throw ServerError(.invalid, "\(path): \(place).query must be a text.")
        }
        var request: JSONObject = ["query": .string(query)]
        if let variables = entry["variables"] { request["variables"] = variables }
        return (identity, query, .object(request))
    }

    private func subscriber(_ entry: JSONValue, _ place: String, _ path: String) throws(ServerError) -> Subscriber {
        let (identity, _, request) = try asked(entry, place, path)
        let reception: Reception
        switch entry["expect"] {
        case .string("denied"): reception = .denied
        case .string("event"): reception = .event
        case .string("nothing"): reception = .nothing
        case .object(let object) where object["data"] != nil: reception = .data(object["data"] ?? .null)
        default:
            throw ServerError(
                .invalid,
                "\(path): \(place).expect must be \"denied\", \"event\", \"nothing\" or an object with data.")
        }
        return Subscriber(identityName: identity, request: request, expectation: reception)
    }

    /// An identity as a server makes it of credentials.
    /// - Parameters:
    ///   - claims: The names of the claims that rules look at.
    ///   - adminRoles: Those of the configuration.
    func identity(named name: String, claims: Set<ExactText>, adminRoles: [String]) throws(ServerError) -> Identity {
        let value = identities[name] ?? .null
        func invalid(_ message: String) -> ServerError {
            ServerError(.invalid, "\(path): identities.\(name): \(message)")
        }
        switch value["mode"]?.stringValue {
        case "apiKey": return .apiKey
        case "userPools", "oidc":
            var token = value["claims"]?.objectValue ?? JSONObject()
            let isPool = value["mode"] == "userPools"
            if let username = value["username"] { token[isPool ? "cognito:username" : "username"] = username }
            if let subject = value["sub"] ?? value["username"] { token["sub"] = token["sub"] ?? subject }
            if let groups = value["groups"] { token["cognito:groups"] = groups }
            let read = IdentityToken(claims: token)
            return isPool ? .userPools(read, claims: claims) : .oidc(read, claims: claims)
        case "iam":
            let arn = value["userArn"]?.stringValue ?? "arn:aws:sts::123456789012:assumed-role/role/\(name)"
            switch value["role"]?.stringValue {
            case "authenticated": return .iam(user: arn, poolRole: .authenticated)
            case "unauthenticated": return .iam(user: arn, poolRole: .unauthenticated)
            case nil: return .iam(user: arn, poolRole: nil, isAdmin: SignatureMode.isAdmin(arn, adminRoles))
            case let role?: throw invalid("role '\(role)' is neither authenticated nor unauthenticated.")
            }
        case "lambda":
            guard let denied = LambdaMode.deniedFields(value["deniedFields"]) else {
                throw invalid("deniedFields must be a list of Type.field or ARNs of fields.")
            }
            return .lambda(deniedFields: denied, context: value["resolverContext"]?.objectValue ?? JSONObject())
        default: throw invalid("mode must be apiKey, userPools, oidc, iam or lambda.")
        }
    }
}
