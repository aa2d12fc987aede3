import Buckets
import HTTP
import JSON
import UserPools

/// `POST /`: the operations of user pools and identity pools by `X-Amz-Target`, and `GetCallerIdentity` of STS
/// (reference: auth, "Services, hosts and dispatch").
struct CognitoEndpoint: Endpoint {
    // A GET is answered as for an unknown path, except that a browser may be redirected to the console.
    let methods: [Method] = [.post, .get, .head]
    /// The most bytes of a body. Requests to operations are far smaller.
    static let bodyBytesMax = 256 << 10
    let bodyReception = BodyReception.collect(bytesMax: bodyBytesMax)

    func respond(to request: Request, in requestContext: RequestContext) {
        guard request.method == .post else {
            return requestContext.isForConsole(request)
                ? requestContext.redirectToConsole() : requestContext.refuse(.unknownPath)
        }
        let target = request[header: "x-amz-target"]
        if let target, let name = Self.streamingService(of: target) {
            return requestContext.answer(
                CognitoError(
                    "UnknownOperationException",
                    "\(name) is not served. Send app events with Amazon Pinpoint's PutEvents."))
        }
        guard let (service, servedAPI) = requestContext.userPools() else { return }
        if let problem = servedAPI.sourcePolicy.problem(of: request) {
            return requestContext.refuse(problem, foreign: request)
        }
        let body = unsafe request.withBody { unsafe [UInt8]($0) }
        guard let target else { return respondToQuery(request, body, service, requestContext) }
        guard let isSigned = UserPools.isSigned(target) else {
            return requestContext.answer(CognitoError("UnknownOperationException", nil))
        }
        let signed = isSigned ? request.signedRequests() : nil
        let caller = Caller(
            address: requestContext.peer.address, network: requestContext.peer.network, accessKeyID: nil,
            requestID: "\(requestContext.requestID)",
            baseURL: "\(request.isSecure ? "https" : "http")://\(request[header: "host"] ?? "localhost")")
        let isAccepted = service.run(for: caller.network) { pools in
            var caller = caller
            if let signed, case .accessKey(let key)? = try? Signer(of: signed, for: Self.service(of: target), pools) {
                caller = caller.signing(with: key)
            }
            return await Self.perform(target, body, caller, pools)
        } then: { result in
            requestContext.loop.execute {
                switch result {
                case .success(let output): requestContext.answer(200, amazonJSON: JSONValue.object(output))
                case .failure(let error): requestContext.answer(error)
                }
            }
        }
        if !isAccepted { requestContext.answer(CognitoError("TooManyRequestsException", "Too many requests")) }
    }

    /// Refuses a request that names no operation of the service whose host it is sent to.
    static func refuseOperation(in requestContext: RequestContext) {
        requestContext.answer(CognitoError("UnknownOperationException", nil))
    }

    /// The streaming service that a target belongs to, which other plugins of Amplify Analytics use; nil for any other target.
    private static func streamingService(of target: String) -> String? {
        if target.hasPrefix("Kinesis_") { return "Amazon Kinesis Data Streams" }
        return target.hasPrefix("Firehose_") ? "Amazon Data Firehose" : nil
    }

    /// The service for which a request with this target is signed, and to which an access key may be restricted.
    private static func service(of target: String) -> String {
        target.hasPrefix("AWSCognitoIdentityService.") ? "cognito-identity" : "cognito-idp"
    }

    private static func perform(
        _ target: String, _ body: [UInt8], _ caller: Caller, _ pools: UserPools
    ) async -> Result<JSONObject, CognitoError> {
        guard !body.isEmpty else { return await pools.perform(target, [:], from: caller) }
        guard let object = (try? JSONReader.read(body, depthMax: 32))?.objectValue else {
            return .failure(CognitoError("SerializationException", "The body is not a JSON object."))
        }
        return await pools.perform(target, object, from: caller)
    }

    /// `Action=GetCallerIdentity`, the one operation of STS that is served. Clients call it to check their credentials.
    private func respondToQuery(
        _ request: Request, _ body: [UInt8], _ service: UserPoolService, _ requestContext: RequestContext
    ) {
        let parameters = FormParameters(body)
        guard parameters["Action"] == "GetCallerIdentity" else {
            return requestContext.answer(CognitoError("UnknownOperationException", nil))
        }
        let signed = request.signedRequests()
        let isAccepted = service.run(for: requestContext.peer.network) { pools in
            let signer = try? Signer(of: signed, for: "sts", pools)
            requestContext.loop.execute { requestContext.answer(signer) }
        }
        if !isAccepted { requestContext.answer(CognitoError("TooManyRequestsException", "Too many requests")) }
    }
}

extension RequestContext {
    /// Answers in the form of Cognito's operations.
    fileprivate func answer(_ status: Int, amazonJSON body: JSONValue) {
        answer(status, "application/x-amz-json-1.1", Array(body.description.utf8))
    }

    /// Answers with an exception: in the header and in the body by the same name (reference: auth, "Errors").
    fileprivate func answer(_ error: CognitoError) {
        var body: JSONObject = ["__type": .string(error.name)]
        var fields = [(name: "x-amzn-ErrorType", value: "\(error.name):")]
        if let message = error.message {
            body["message"] = .string(message)
            fields.append(("x-amzn-ErrorMessage", Self.headerText(message)))
        }
        answer(
            error.status, "application/x-amz-json-1.1", fields: fields, errorType: error.name,
            Array(JSONValue.object(body).description.utf8))
    }

    /// The longest message in a header, in bytes. A function may return one of any length, and clients and proxies limit
    /// header lines. The body has the whole message.
    private static let headerTextBytesMax = 1_024

    /// A message as the value of a header: characters that a header cannot have, such as line breaks, become spaces.
    private static func headerText(_ message: String) -> String {
        String(
            message.unicodeScalars.prefix(headerTextBytesMax).map {
                (0x20...0x7E).contains($0.value) ? Character($0) : " "
            })
    }

    /// Answers `GetCallerIdentity` (AWS STS API Reference, "GetCallerIdentity").
    fileprivate func answer(_ signer: Signer?) {
        let namespace = "https://sts.amazonaws.com/doc/2011-06-15/"
        guard let signer else {
            let text =
                "<ErrorResponse xmlns=\"\(namespace)\"><Error><Type>Sender</Type><Code>InvalidClientTokenId</Code>"
                + "<Message>The security token included in the request is invalid.</Message></Error>"
                + "<RequestId>\(requestID)</RequestId></ErrorResponse>"
            return answer(403, "text/xml", errorType: "InvalidClientTokenId", Array(text.utf8))
        }
        let (user, arn, account) =
            switch signer {
            case .accessKey(let key): (key.id, key.userARN, key.accountID)
            case .temporary(let credentials):
                (
                    "AROASYNCLINE:CognitoIdentityCredentials", credentials.identity.userARN,
                    TemporaryIdentity.accountID
                )
            }
        let text =
            "<GetCallerIdentityResponse xmlns=\"\(namespace)\"><GetCallerIdentityResult>"
            + "<Arn>\(XMLWriter.escaped(arn))</Arn><UserId>\(XMLWriter.escaped(user))</UserId><Account>\(account)</Account>"
            + "</GetCallerIdentityResult><ResponseMetadata><RequestId>\(requestID)</RequestId></ResponseMetadata>"
            + "</GetCallerIdentityResponse>"
        answer(200, "text/xml", Array(text.utf8))
    }
}
