import Analytics
import AWSSignature
import Encodings
import HTTP
import JSON
import Synchronization
import UserPools

/// The operations of Amazon Pinpoint that apps call: `/v1/apps/{app}/…`, signed for `mobiletargeting`
/// (reference: analytics, "Requests and answers").
struct AnalyticsEndpoint: Endpoint {
    /// What a path names.
    enum Resource: Sendable {
        case events, endpoints, endpoint, inAppMessages, user
    }

    let resource: Resource
    let checksSource = true
    /// The body is received after the parts of the signature that do not depend on it were checked.
    let bodyReception = BodyReception.stream(bytesMax: AnalyticsLimits().requestBytesMax)

    static let routes: [(pattern: RoutePattern, endpoint: any Endpoint)] = [
        ("/v1/apps/{app}/events", AnalyticsEndpoint(resource: .events)),
        ("/v1/apps/{app}/endpoints", AnalyticsEndpoint(resource: .endpoints)),
        ("/v1/apps/{app}/endpoints/{id}", AnalyticsEndpoint(resource: .endpoint)),
        ("/v1/apps/{app}/endpoints/{id}/inappmessages", AnalyticsEndpoint(resource: .inAppMessages)),
        ("/v1/apps/{app}/users/{id}", AnalyticsEndpoint(resource: .user)),
    ]

    var methods: [Method] {
        switch resource {
        case .events: [.post]
        case .endpoints: [.put]
        case .endpoint: [.get, .put, .delete]
        case .inAppMessages: [.get]
        case .user: [.get, .delete]
        }
    }

    func respond(to request: Request, in requestContext: RequestContext) { requestContext.refuse(.unknownPath) }

    /// Refuses a request to Pinpoint's host for a path that no operation has.
    static func refusePath(in requestContext: RequestContext) { requestContext.answer(.unknownPath) }

    func respond(to request: Request, _ parameters: RouteParameters, in requestContext: RequestContext) {
        let state = requestContext.services.state
        guard let service = state.analytics.withLock({ $0 }), let userPools = state.userPools.withLock({ $0 }) else {
            return requestContext.refuse(state.isStarted ? .unknownPath : .notReady)
        }
        guard let app = Self.parameter("app", request, parameters),
            let operation = operation(request.method, Self.parameter("id", request, parameters))
        else { return requestContext.answer(.badPath) }
        if let coding = request[header: "content-encoding"], !["", "identity", "amz-1.0"].contains(coding.lowercased())
        {
            return requestContext.answer(.encodedBody)
        }
        let signed = SignedRequest(
            method: request.method.name, path: request.path, query: request.query ?? "", headers: request.headers)
        do throws(AnalyticsError) { try Self.checkHead(signed, userPools.pools) } catch {
            return requestContext.answer(error)
        }
        let requestID = "\(requestContext.requestID)"
        // The task verifies the signature: hashing a large body would block the loop.
        service.run(with: request.stream, for: requestContext.peer.network) {
            analytics, body in
            let result: Result<AnalyticsAnswer, AnalyticsError>
            do throws(AnalyticsError) {
                try Self.authorize(signed, body, operation, app, userPools.pools)
                result = await analytics.perform(operation, app: app, body, requestID: requestID)
            } catch { result = .failure(error) }
            requestContext.loop.execute {
                switch result {
                case .success(let answer): requestContext.answer(answer.status, "application/json", answer.body)
                case .failure(let error): requestContext.answer(error)
                }
            }
        } refuse: {
            requestContext.answer($0)
        }
    }

    /// A parameter of the path, decoded; nil if it is not UTF-8.
    private static func parameter(_ name: String, _ request: Request, _ parameters: RouteParameters) -> String? {
        request.parameter(name, in: parameters)
            .flatMap { Percent.decodeStrictly($0.utf8) }
            .flatMap { String(validating: $0, as: UTF8.self) }
    }

    private func operation(_ method: Method, _ id: String?) -> AnalyticsOperation? {
        switch (resource, method) {
        case (.events, _): .putEvents
        case (.endpoints, _): .updateEndpointsBatch
        case (.endpoint, .put): id.map(AnalyticsOperation.updateEndpoint)
        case (.endpoint, .delete): id.map(AnalyticsOperation.deleteEndpoint)
        case (.endpoint, _): id.map(AnalyticsOperation.getEndpoint)
        case (.inAppMessages, _): id.map(AnalyticsOperation.getInAppMessages)
        case (.user, .delete): id.map(AnalyticsOperation.deleteUserEndpoints)
        case (.user, _): id.map(AnalyticsOperation.getUserEndpoints)
        }
    }

    /// Refuses a request without a signature, or with one that no body could make valid.
    private static func checkHead(_ signed: SignedRequest, _ pools: UserPools) throws(AnalyticsError) {
        guard signed.headers.contains(where: { $0.name.lowercased() == "authorization" }) else {
            throw AnalyticsError("MissingAuthenticationTokenException", 403, "Missing Authentication Token")
        }
        do throws(AuthenticationRefusal) {
            try Signer.checkHead(of: signed.forms(), for: "mobiletargeting", pools)
        } catch {
            throw AnalyticsError(error.errorType, error.status, error.message)
        }
    }

    /// Refuses a request without a valid signature, or whose signer is not allowed the operation: credentials of an identity pool
    /// allow what the roles of an Amplify project do, and access keys what their role does.
    private static func authorize(
        _ signed: SignedRequest, _ body: [UInt8], _ operation: AnalyticsOperation, _ app: String, _ pools: UserPools
    ) throws(AnalyticsError) {
        var signed = signed
        signed.bodyHash = SignedRequest.bodyHash(of: body)
        let signer: Signer
        do throws(AuthenticationRefusal) {
            signer = try Signer(of: signed.forms(), for: "mobiletargeting", pools)
        } catch {
            throw AnalyticsError(error.errorType, error.status, error.message)
        }
        let (isAllowed, arn) =
            switch signer {
            case .temporary(let credentials): (operation.isForApps, credentials.identity.userARN)
            case .accessKey(let key): (operation.isRead || key.role != .viewer, key.userARN)
            }
        guard isAllowed else {
            throw AnalyticsError(
                "ForbiddenException", 403,
                "User: \(arn) is not authorized to perform: mobiletargeting:\(operation.name) on resource: apps/\(app)")
        }
    }

    func response(to refusal: Refusal, head: Request, requestID: RequestID, _ services: LoopServices) -> Response? {
        let name =
            switch refusal.status {
            case 413: "PayloadTooLargeException"
            case 405: "MethodNotAllowedException"
            case 500...: "InternalServerErrorException"
            default: "BadRequestException"
            }
        let error = AnalyticsError(name, refusal.status, refusal.message)
        var response = Response(
            status: refusal.status, headers: services.templates.refused, fields: [("x-amzn-ErrorType", name)],
            body: error.body(requestID: "\(requestID)"))
        response.requestID = requestID
        return response
    }
}

extension AnalyticsError {
    fileprivate static let badPath = AnalyticsError(
        "BadRequestException", 400, "The path is not percent-encoded UTF-8.")
    fileprivate static let unknownPath = AnalyticsError(
        "NotFoundException", 404, "Nothing is served at this path.")
    fileprivate static let encodedBody = AnalyticsError(
        "BadRequestException", 415, "A body with a Content-Encoding is not accepted.")

    /// Pinpoint's body of an error.
    fileprivate func body(requestID: String) -> [UInt8] {
        let body: JSONObject = [
            "__type": .string(name), "Message": .string(message), "RequestID": .string(requestID),
        ]
        return Array(JSONValue.object(body).description.utf8)
    }
}

extension RequestContext {
    /// Answers in the form of Pinpoint's errors.
    fileprivate func answer(_ error: AnalyticsError) {
        answer(
            error.status, "application/json", fields: [("x-amzn-ErrorType", error.name)], errorType: error.name,
            error.body(requestID: "\(requestID)"))
    }
}
