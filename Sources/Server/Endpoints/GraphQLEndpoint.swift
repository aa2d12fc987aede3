import API
import HTTP
import Synchronization

/// `POST /graphql` and `GET /graphql`. The checks come in AppSync's order
/// (reference: appsync-protocol, "Status codes and error bodies"): method, content type and envelope (400),
/// authentication (401), GraphQL. A GET that asks for a WebSocket is the realtime endpoint's.
struct GraphQLEndpoint: Endpoint {
    let methods: [Method] = [.post, .get, .head]
    let checksSource = true

    func respond(to request: Request, in requestContext: RequestContext) {
        respond(to: request, in: requestContext, after: nil)
    }

    /// - Parameter previous: The configuration at the last verification of the request's credentials; nil if there was none.
    private func respond(to request: Request, in requestContext: RequestContext, after previous: ConfiguredCredentials?)
    {
        if request.method == .get, RealtimeEndpoint.upgradeIfAsked(request, in: requestContext) { return }
        guard let context = requestContext.services.context, let servedAPI = requestContext.services.servedAPI else {
            return requestContext.refuse(.notReady)
        }
        guard servedAPI.hasGraphQL else { return requestContext.refuse(.noGraphQL) }
        guard let form = servedAPI.form(for: request) else { return requestContext.refuse(.notAcceptable) }
        let isPost = request.method == .post
        guard unsafe !isPost || request.withHeader(.contentType, Self.isAccepted) else {
            return requestContext.refuse(.contentType(form), as: form)
        }
        let explains = request.asksExplanation && requestContext.mayExplain(request)
        let known = servedAPI.authenticator.knownDecision(of: request)
        if case .identity(let identity)? = known {
            return Self.answer(request, as: identity, form, explains, requestContext)
        }
        // The request is not built before its caller is known, but an invalid envelope is reported before invalid credentials.
        do throws(EnvelopeError) { try Self.check(request, on: context, for: servedAPI.api) } catch {
            return requestContext.refuse(Problem(error), as: form)
        }
        if let known { return Self.answer(request, after: known, form, explains, requestContext) }
        let configured = ConfiguredCredentials(servedAPI, requestContext.services.state, after: previous)
        switch servedAPI.authenticator.startVerification(of: request) {
        case .decided(let decision): Self.answer(request, after: decision, form, explains, requestContext)
        case .pending(let pending):
            let (state, network, size) = (requestContext.services.state, request.network, request.byteCount)
            guard state.waitingMessages.withLock({ $0.begin(for: network, bytes: size) }) else {
                pending.abandon()
                return Self.answer(request, after: .refused(.throttled), form, explains, requestContext)
            }
            pending.whenDecided(on: requestContext.loop, timeoutSeconds: configured.secondsLeft) { decision in
                state.waitingMessages.withLock { $0.end(for: network, bytes: size) }
                guard case .identity = decision, !configured.isCurrent(requestContext.services) else {
                    return Self.answer(request, after: decision, form, explains, requestContext)
                }
                guard configured.mayVerifyAgain else {
                    return Self.answer(request, after: .refused(.unavailable), form, explains, requestContext)
                }
                respond(to: request, in: requestContext, after: configured)
            }
        }
    }

    private static func answer(
        _ request: Request, after decision: AuthenticationDecision, _ form: AnswerForm, _ explains: Bool,
        _ requestContext: RequestContext
    ) {
        switch decision {
        case .refused(let refusal): requestContext.refuse(refusal.problem, as: form)
        case .identity(let identity): answer(request, as: identity, form, explains, requestContext)
        }
    }

    /// Answers by the API that is served when the caller is known.
    private static func answer(
        _ request: Request, as identity: Identity, _ form: AnswerForm, _ explains: Bool,
        _ requestContext: RequestContext
    ) {
        guard let context = requestContext.services.context, let servedAPI = requestContext.services.servedAPI else {
            return requestContext.refuse(.notReady)
        }
        requestContext.note(identity, servedAPI.authenticator)
        let isPost = request.method == .post
        var graphQLRequest: GraphQLRequest
        do throws(EnvelopeError) { graphQLRequest = try read(request, on: context, for: servedAPI.api) } catch {
            return requestContext.refuse(Problem(error), as: form)
        }
        if servedAPI.api.callsFunctions {
            graphQLRequest.details = { [peer = requestContext.peer] in request.functionDetails(from: peer) }
        }
        var options = AnswerOptions(
            refusesRequestErrors: form == .graphQLResponse,
            allowsMutations: isPost || (servedAPI.allowsGetMutations && form == .appSync))
        if explains { options.explainsRules = true }
        if explains || requestContext.isRecorded { options.notesWork = true }
        unsafe servedAPI.api.respond(
            to: graphQLRequest, as: identity, on: context, options: options, client: requestContext.readClient
        ) { kind, body in
            guard explains, let explanation = kind.report.explanation else {
                return unsafe requestContext.answer(kind, body, as: form, isPost: isPost)
            }
            let explained = unsafe explanation.added(
                to: body, kind.report, requestID: requestContext.requestID.description)
            unsafe explained.withUnsafeBytes {
                unsafe requestContext.answer(kind, $0, as: form, isPost: isPost)
            }
        }
    }

    /// Checks the envelope in the URL or the body.
    private static func check(
        _ request: Request, on context: LoopContext, for api: GraphQLAPI
    ) throws(EnvelopeError) {
        guard request.method == .post else {
            _ = try read(request, on: context, for: api)
            return
        }
        let result = unsafe request.withBody { body in
            Result { () throws(EnvelopeError) in try unsafe context.checkRequest(body, for: api) }
        }
        try result.get()
    }

    /// Reads the request out of the URL or the body.
    private static func read(
        _ request: Request, on context: LoopContext, for api: GraphQLAPI
    ) throws(EnvelopeError) -> GraphQLRequest {
        let result =
            unsafe request.method == .post
            ? request.withBody { body in
                Result { () throws(EnvelopeError) in try unsafe context.readRequest(body, for: api) }
            }
            : unsafe request.withQuery { query in
                Result { () throws(EnvelopeError) in try unsafe context.readRequest(urlQuery: query, for: api) }
            }
        return try result.get()
    }

    /// Whether a body of this type is read as the JSON envelope. `application/graphql` is what old AppSync clients call
    /// it (reference: appsync-protocol, "Request envelope"). Parameters do not matter.
    static func isAccepted(_ contentType: UnsafeRawBufferPointer?) -> Bool {
        guard let contentType = unsafe contentType else { return false }
        // What nearly every client sends.
        if unsafe contentType.isEqual(to: "application/json") { return true }
        let end = unsafe contentType.firstIndex(of: UInt8(ascii: ";")) ?? contentType.endIndex
        var type = unsafe contentType[..<end]
        while let last = unsafe type.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") {
            unsafe type.removeLast()
        }
        return acceptedTypes.contains { accepted in
            unsafe accepted.count == type.count && zip(type, accepted).allSatisfy { $0 | Self.lowercaseBit($0) == $1 }
        }
    }

    private static let acceptedTypes = [
        "application/json", "application/graphql", "application/graphql+json", "application/graphql-response+json",
    ].map { Array($0.utf8) }

    private static func lowercaseBit(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? 0x20 : 0
    }
}

extension ServedAPI {
    /// The form of the answer that a request accepts; nil if it accepts none that is served.
    fileprivate func form(for request: Request) -> AnswerForm? {
        unsafe forcesAppSyncStatus ? .appSync : request.withHeader(.accept, AnswerForm.init)
    }
}

extension RequestContext {
    /// Answers with the result of a GraphQL request. A cache must not store an answer to GET, because it depends on the caller.
    fileprivate func answer(
        _ kind: AnswerKind, _ body: UnsafeRawBufferPointer, as form: AnswerForm, isPost: Bool
    ) {
        var fields = isPost ? [] : [(name: "Cache-Control", value: "no-store")]
        if kind.status == 405 { fields.append(("Allow", "POST")) }
        if !kind.errorTypes.isEmpty { services.state.metrics.countErrors(kind.errorTypes) }
        let head = kind.errorType == nil ? templates.executed(form) : templates.refused(form)
        unsafe answer(kind, head, fields: fields, body)
    }
}

extension Problem {
    /// A body that is no GraphQL request.
    fileprivate init(_ error: EnvelopeError) {
        self.init(status: 400, errorType: error.errorType, message: error.message)
        switch error.kind {
        case .malformed: break
        case .batch:
            cause = "The body is a JSON array. As with AppSync, several requests cannot be sent at once."
            hint = "Have the client send each operation on its own (in Apollo: HttpLink instead of BatchHttpLink)."
        case .persistedQuery:
            // Apollo's servers answer 200; its clients then send the query as well, and keep to that.
            (status, extensionCode) = (200, "PERSISTED_QUERY_NOT_SUPPORTED")
            cause = "The request has the hash of a query and not the query. Apollo's clients send it next."
            hint = "Persisted queries are not served: leave them off in the client to save a round trip."
        }
    }
}
