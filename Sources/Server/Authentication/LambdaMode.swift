import API
import HTTP
import JSON
import Tables
import UserPools

/// The mode `AWS_LAMBDA`: a caller with a token that a function accepts (reference: authorization, "Lambda authorizers").
struct LambdaMode: AuthenticationMode {
    private let services: TokenServices
    let authorizer: LambdaAuthorizer
    /// Levels of variables, as the API reads them.
    private let variablesDepthMax: Int
    private let cache: ExternalTokenCache

    /// The longest token, in characters.
    private static let tokenCharactersMax = 2_048
    /// The most fields that an answer may deny.
    private static let deniedFieldsMax = 1_000

    init(services: TokenServices, authorizer: LambdaAuthorizer, variablesDepthMax: Int) {
        (self.services, self.authorizer, self.variablesDepthMax) = (services, authorizer, variablesDepthMax)
        cache = ExternalTokenCache(countMax: services.cachedTokensMax) { [clock = services.clock] in
            clock.milliseconds()
        }
    }

    /// The function is given the header as it came; `Bearer` in front of it counts.
    func cachedIdentity(_ header: UnsafeRawBufferPointer) -> Identity? { unsafe cache.find(header) }

    func authenticate(_ credentials: any Credentials) -> AuthenticationOutcome? {
        guard let bytes = credentials.authorization, !bytes.starts(with: Authenticator.signature) else { return nil }
        let mode = self
        // The event is a second copy of what is kept.
        let pending = services.verify(
            for: authorizer.function.name, from: credentials.network, bytes: 2 * credentials.byteCount
        ) {
            await mode.ask(bytes, credentials)
        }
        return pending.map(AuthenticationOutcome.pending) ?? .throttled
    }

    /// The event, as JSON text. It has the operation as it will be executed.
    private func event(_ token: String, _ credentials: any Credentials) throws(EnvelopeError) -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        var context: JSONObject = [
            "apiId": "syncline", "accountId": .string(TemporaryIdentity.accountID),
            "requestId": .string(RequestID(randomBits: random.next(), random.next()).description),
        ]
        if let operation = try credentials.operation(depthMax: variablesDepthMax) {
            for (name, value) in operation.authorizerMembers { context[name] = value }
        }
        let event: JSONValue = [
            "authorizationToken": .string(token), "requestContext": .object(context),
            "requestHeaders": .object(credentials.headerObject),
        ]
        return Array(event.description.utf8)
    }

    /// Asks the function, off the event loops.
    private func ask(_ bytes: [UInt8], _ credentials: any Credentials) async -> AuthenticationDecision {
        let token = String(decoding: bytes, as: UTF8.self)
        guard token.unicodeScalars.count <= Self.tokenCharactersMax, authorizer.pattern?.matches(token) ?? true else {
            return .refused(.unauthorized)
        }
        let event: [UInt8]
        do throws(EnvelopeError) { event = try self.event(token, credentials) } catch {
            // The authorizer is not called for an operation that cannot be parsed.
            return .refused(AuthenticationRefusal(status: 400, errorType: error.errorType, message: error.message))
        }
        let answer: JSONObject
        switch await services.call(authorizer.function, event, for: credentials.network) {
        case .answer(let object): answer = object
        case .failed: return .refused(.unauthorized)
        case .busy: return .refused(.unavailable)
        }
        guard answer["isAuthorized"]?.boolValue == true else { return .refused(.unauthorized) }
        var seconds = Int64(authorizer.seconds)
        if let override = answer["ttlOverride"], !override.isNull {
            // What cannot be read is not kept.
            seconds = override.intValue.map { min(max($0, 0), Int64(LambdaAuthorizer.secondsMax)) } ?? 0
        }
        guard let fields = Self.deniedFields(answer["deniedFields"]) else {
            services.refusedAnswers(["function": authorizer.function.name])
            return .refused(.unauthorized)
        }
        let context = (answer["resolverContext"]?.objectValue ?? [:]).filter { Self.isContextValue($1) }
        let identity = Identity.lambda(deniedFields: fields, context: JSONObject(context.map { ($0.key, $0.value) }))
        let size = JSONValue.object(answer).description.utf8.count
        cache.keep(bytes, identity, until: services.clock.milliseconds() + seconds * 1_000, bytes: size)
        return .identity(identity)
    }

    /// Whether `resolverContext` may have a value: it has no lists and objects.
    static func isContextValue(_ value: JSONValue) -> Bool {
        switch value {
        case .string, .number, .bool: true
        case .null, .array, .object: false
        }
    }

    /// The denied fields as `Type.field`, also of their ARNs; nil of what is no list of such names, so that a mistake opens
    /// nothing.
    static func deniedFields(_ value: JSONValue?) -> [String]? {
        guard let value, !value.isNull else { return [] }
        guard let list = value.arrayValue, list.count <= deniedFieldsMax else { return nil }
        let names = list.compactMap { $0.stringValue.flatMap(fieldName) }
        return names.count == list.count ? names : nil
    }

    private static func fieldName(_ text: String) -> String? {
        var parts = text.split(separator: ".", omittingEmptySubsequences: false)
        if text.hasPrefix("arn:") {
            // arn:aws:appsync:REGION:ACCOUNT:apis/ID/types/TYPE/fields/FIELD
            let path = text.split(separator: "/", omittingEmptySubsequences: false)
            guard path.count == 6, path[2] == "types", path[4] == "fields" else { return nil }
            parts = [path[3], path[5]]
        }
        return parts.count == 2 && parts.allSatisfy(isName) ? "\(parts[0]).\(parts[1])" : nil
    }

    /// Whether it is a name of GraphQL. `*` is none: it would deny nothing.
    private static func isName(_ text: Substring) -> Bool {
        !text.isEmpty && text.unicodeScalars.allSatisfy(ScalarSet.word.contains)
    }
}
