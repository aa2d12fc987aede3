import API
import HTTP
import JSON
import Tables
import UserPools

/// The mode `AWS_LAMBDA`: a caller with a token that a function accepts (reference: authorization, "Lambda authorizers").
struct LambdaMode: AuthenticationMode {
    private let services: TokenServices
    private let authorizer: LambdaAuthorizer
    private let known: KnownTokens

    /// The longest token, in characters.
    private static let tokenCharactersMax = 2_048
    private static let secondsMax: Int64 = 3_600
    private static let fieldCountMax = 1_000
    private static let refusal = AuthenticationRefusal("You are not authorized to make this call.")

    init(services: TokenServices, authorizer: LambdaAuthorizer) {
        (self.services, self.authorizer) = (services, authorizer)
        known = KnownTokens(countMax: services.knownTokensMax) { [clock = services.clock] in clock.milliseconds() }
    }

    func authenticate(_ credentials: any Credentials) -> AuthenticationOutcome? {
        // The function is given the header as it came; `Bearer` in front of it counts.
        guard let bytes = credentials.authorization, !bytes.starts(with: Authenticator.signature) else { return nil }
        if let identity = known.find(bytes) { return .identity(identity) }
        let token = String(decoding: bytes, as: UTF8.self)
        guard token.count <= Self.tokenCharactersMax, matches(token) else {
            return .decided(.refused(Self.refusal))
        }
        let (mode, event) = (self, event(token, credentials))
        let pending = services.verify { await mode.ask(event, bytes) }
        return pending.map(AuthenticationOutcome.pending) ?? .throttled
    }

    private func matches(_ token: String) -> Bool {
        guard let pattern = authorizer.pattern else { return true }
        guard let regex = try? Regex(pattern) else { return false }
        return (try? regex.wholeMatch(in: token)) != nil
    }

    private func event(_ token: String, _ credentials: any Credentials) -> JSONValue {
        var random = SystemRandomNumberGenerator()
        var context: JSONObject = [
            "apiId": "syncline", "accountId": .string(TemporaryIdentity.accountID),
            "requestId": .string(RequestID(randomBits: random.next(), random.next()).description),
        ]
        if let operation = credentials.operation {
            context["queryString"] = operation["query"]
            context["operationName"] = operation["operationName"]
            context["variables"] = operation["variables"] ?? [:]
        }
        return [
            "authorizationToken": .string(token), "requestContext": .object(context),
            "requestHeaders": .object(credentials.headerObject),
        ]
    }

    private func ask(_ event: JSONValue, _ bytes: [UInt8]) async -> AuthenticationDecision {
        guard let answer = await services.call(authorizer.function, event), answer["isAuthorized"]?.boolValue == true
        else { return .refused(Self.refusal) }
        var seconds = Int64(authorizer.seconds)
        if let override = answer["ttlOverride"], !override.isNull {
            // What cannot be read is not kept.
            seconds = override.intValue.map { min(max($0, 0), Self.secondsMax) } ?? 0
        }
        guard let fields = Self.fields(answer["deniedFields"]) else { return .refused(Self.refusal) }
        let context = (answer["resolverContext"]?.objectValue ?? [:]).filter { _, value in
            switch value {
            case .string, .number, .bool: true
            case .null, .array, .object: false
            }
        }
        let identity = Identity.lambda(deniedFields: fields, context: JSONObject(context.map { ($0.key, $0.value) }))
        let size = JSONValue.object(answer).description.utf8.count
        known.keep(bytes, identity, until: services.clock.milliseconds() + seconds * 1_000, bytes: size)
        return .identity(identity)
    }

    /// The denied fields as `Type.field`, also of their ARNs; nil of what is no list of texts, so that a mistake opens nothing.
    private static func fields(_ value: JSONValue?) -> [String]? {
        guard let value, !value.isNull else { return [] }
        guard let list = value.arrayValue, list.count <= fieldCountMax else { return nil }
        let names = list.compactMap(\.stringValue)
        guard names.count == list.count else { return nil }
        return names.map { name in
            guard name.hasPrefix("arn:") else { return name }
            // arn:aws:appsync:REGION:ACCOUNT:apis/ID/types/TYPE/fields/FIELD
            let parts = name.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 6, parts[2] == "types", parts[4] == "fields" else { return name }
            return "\(parts[3]).\(parts[5])"
        }
    }
}
