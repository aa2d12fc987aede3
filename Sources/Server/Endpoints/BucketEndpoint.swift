import Buckets
import HTTP
import Synchronization

/// `/{bucket}/{key...}`, and every path of a bucket's host: the operations of S3. `Routes` decides which requests are for it.
struct BucketEndpoint: Endpoint {
    let methods: [Method] = [.get, .head, .put, .post, .delete, .options]
    /// Each bucket has rules of its own.
    let allowsCORS = false

    func respond(to request: Request, in requestContext: RequestContext) {
        respond(to: request, bucketOfHost: nil, in: requestContext)
    }

    /// - Parameter bucketOfHost: The bucket that the host of the request names.
    func respond(to request: Request, bucketOfHost: String?, in requestContext: RequestContext) {
        guard let service = requestContext.services.buckets?.service else { return requestContext.refuse(.unknownPath) }
        let isBucketHost = bucketOfHost != nil
        let headers = request.headers
        let target = PresignedURLs.Target(request, headers)
        if let target, let response = response(to: request, headers, target, bucketOfHost, service, requestContext) {
            return requestContext.answer(response, isBucketHost: isBucketHost)
        }
        let s3Request = S3Request(
            method: request.method.name, path: request.path, query: request.query ?? "",
            host: request[header: "host"] ?? "", bucketOfHost: bucketOfHost,
            isSecure: requestContext.isSecure(request), publicURL: requestContext.services.buckets?.publicURL,
            headers: headers, undecodedHeaders: request.undecodedFieldNames, id: "\(requestContext.requestID)",
            sourceAddress: requestContext.peer.address, network: requestContext.peer.network)
        let (caller, payload, proof): (BucketCaller, S3Payload, PresignedURLs.Proof?)
        do throws(S3Error) {
            (caller, payload, proof) = try service.authenticate(
                s3Request, contentHash: request[header: "x-amz-content-sha256"])
        } catch {
            return requestContext.answer(service.buckets.refuse(s3Request, error), isBucketHost: isBucketHost)
        }
        if request.stream == nil, let reader = requestContext.services.buckets?.reader,
            let read = service.buckets.objectRead(s3Request)
        {
            if let target, let proof {
                service.presignedURLs.keep(.init(read: read.withoutSignature, proof: proof), of: target)
            }
            if let response = service.buckets.respondNow(to: read, from: caller, reading: reader) {
                return requestContext.answer(response, isBucketHost: isBucketHost)
            }
        }
        respond(
            to: s3Request, from: caller, payload, request.stream,
            S3Body(request, service, caller.share, requestContext.peer.network), service, requestContext,
            isBucketHost: isBucketHost)
    }

    /// The answer to a read by a presigned URL that is known; nil if it has to be looked at anew.
    private func response(
        to request: Request, _ headers: [(name: String, value: String)], _ target: PresignedURLs.Target,
        _ bucketOfHost: String?, _ service: BucketService, _ requestContext: RequestContext
    ) -> S3Response? {
        guard let reader = requestContext.services.buckets?.reader,
            let known = service.verified(target, bucketOfHost: bucketOfHost)
        else { return nil }
        let read = known.read.with(
            headers: headers, isSecure: requestContext.isSecure(request), id: "\(requestContext.requestID)",
            sourceAddress: requestContext.peer.address, network: requestContext.peer.network)
        return service.buckets.respondNow(to: read, from: known.proof.caller, reading: reader)
    }

    /// Answers the owner of the data folder, who comes by the operators' socket and needs no signature.
    func respond(to request: Request, from user: UInt32, in requestContext: RequestContext) {
        guard let service = requestContext.services.buckets?.service else { return requestContext.refuse(.unknownPath) }
        let s3Request = S3Request(
            method: request.method.name, path: String(request.path.dropFirst(FilesClient.socketPath.count)),
            query: request.query ?? "", host: "localhost", headers: request.headers,
            undecodedHeaders: request.undecodedFieldNames, id: "\(requestContext.requestID)",
            sourceAddress: OperatorSocket.name)
        let caller = OperatorCallHandler.Caller(
            name: "user \(user)", role: .owner, requestID: s3Request.id, address: OperatorSocket.name)
        respond(
            to: s3Request, from: .operator(accessKeyID: caller.name), .unsigned, request.stream,
            S3Body(request, service, .operator, requestContext.peer.network), service, requestContext,
            audited: caller)
    }

    func response(to refusal: Refusal, head: Request, requestID: RequestID, _ services: LoopServices) -> Response? {
        guard let buckets = services.buckets else { return nil }
        let bucketOfHost = buckets.bucketOfHost(head)
        let request = S3Request(
            method: head.method.name, path: head.path, query: head.query ?? "", host: head[header: "host"] ?? "",
            bucketOfHost: bucketOfHost, headers: head.headers, id: "\(requestID)", sourceAddress: "")
        let error: S3Error =
            switch refusal.status {
            case 408: .requestTimeout
            case 413: buckets.service.buckets.bodyTooLarge(request)
            case 503: .slowDown
            case 500...: .internalError
            default: S3Error("BadRequest", refusal.status, refusal.message)
            }
        return RequestContext.response(
            buckets.service.buckets.refuse(request, error), isBucketHost: bucketOfHost != nil)
    }

    private func respond(
        to s3Request: S3Request, from caller: BucketCaller, _ payload: S3Payload, _ stream: RequestBody?,
        _ body: S3Body, _ service: BucketService, _ requestContext: RequestContext, isBucketHost: Bool = false,
        audited operatorCaller: OperatorCallHandler.Caller? = nil
    ) {
        let buckets = service.buckets
        @Sendable func run(receivesBody: Bool = false, _ respond: @escaping @Sendable () async -> S3Response) {
            let isAccepted = service.run(
                for: caller.share, from: requestContext.peer.network, receivesBody: receivesBody
            ) { _ in
                let response =
                    if let operatorCaller { await service.audited(s3Request, operatorCaller, respond) } else {
                        await respond()
                    }
                requestContext.loop.execute { requestContext.answer(response, isBucketHost: isBucketHost) }
            }
            if !isAccepted { refuse(.slowDown) }
        }
        @Sendable func refuse(_ error: S3Error) {
            requestContext.answer(buckets.refuse(s3Request, error), isBucketHost: isBucketHost)
        }
        guard let stream, let document = buckets.documentBody(of: s3Request, from: caller) else {
            return run(receivesBody: stream != nil) {
                await buckets.respond(to: s3Request, from: caller, payload: payload, body: body)
            }
        }
        let refusal = Mutex<S3Error?>(nil)
        BodyCollector.collect(stream, secondsMax: service.documentSecondsMax) { part in
            do throws(S3Error) { try document.append(part) } catch {
                refusal.withLock { $0 = error }
                return false
            }
            return true
        } completion: { outcome in
            switch outcome {
            case .complete:
                run {
                    await buckets.respond(
                        to: s3Request, from: caller, payload: payload, body: document, byteCount: stream.byteCount)
                }
            case .notTaken: refuse(refusal.withLock { $0 } ?? .slowDown)
            case .timedOut: refuse(.requestTimeout)
            case .failed(.refused(let refusal)) where refusal.status == 408: refuse(.requestTimeout)
            case .failed: refuse(.incompleteBody)
            }
        }
    }
}

extension S3Body {
    /// The body of a request; each part is asked for when it is wanted.
    ///
    /// - Parameters:
    ///   - share: That of the caller, whose operation does not count while it waits for a part.
    ///   - network: The `Peer.network` of the caller.
    fileprivate init(_ request: Request, _ service: BucketService, _ share: CapacityShare, _ network: String) {
        guard let stream = request.stream else {
            // Without a declared length, an operation that stores the body refuses it instead of storing nothing.
            self = request[header: "content-length"] == nil ? .undeclared : .empty
            return
        }
        self.init(byteCount: stream.byteCount) {
            let part = await service.waitForClient(for: share, from: network) {
                await withCheckedContinuation { continuation in
                    stream.read { continuation.resume(returning: $0) }
                }
            }
            switch part {
            case .bytes(let bytes): return .bytes(bytes)
            case .end: return .end
            case .failed(.refused(let refusal)) where refusal.status == 408: return .timedOut
            case .failed: return .failed
            }
        }
    }
}

extension RequestContext {
    private static let head = HeaderBlock(["Server": "Syncline"])
    /// Under the server's own host an object is no page: its script would be of the origin of the hosted sign-in pages.
    private static let sandboxedHead = HeaderBlock([
        "Server": "Syncline", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox",
    ])

    /// Bytes up to which an object is read and leaves together with the head of its answer. By `sendfile`, which copies less, it
    /// would be two writes and a turn of the loop.
    private static let readBytesMax = 32 << 10

    private static func body(_ blob: OpenBlob, _ range: Range<Int>) -> ResponseBody {
        if range.count <= readBytesMax {
            let bytes = (try? blob.read(at: range.lowerBound, count: range.count)) ?? []
            // A file that was cut off ends the connection, as if it were sent from the disk.
            if bytes.count == range.count { return .bytes(bytes) }
        }
        return .file(ReadableFile(blob), range: range)
    }

    /// Answers with the answer of an operation of S3.
    ///
    /// - Parameter isBucketHost: Whether the request came to a bucket's own host, whose objects may be pages.
    fileprivate func answer(_ response: S3Response, isBucketHost: Bool) {
        var response = response
        if let modified = response.modifiedSeconds {
            let date = loop.dateSeconds(notBefore: modified)
            if modified > date { response.setLastModified(seconds: date) }
        }
        send(Self.response(response, isBucketHost: isBucketHost), errorType: response.errorCode)
    }

    fileprivate static func response(_ response: S3Response, isBucketHost: Bool) -> Response {
        let body: ResponseBody =
            switch response.body {
            case .bytes(let bytes): .bytes(bytes)
            case .blob(let blob, let range): body(blob, range)
            // An answer to HEAD has the length of the body that a GET has.
            case .head(let byteCount):
                .stream(ResponseStream(byteCount: byteCount) { deliver in deliver(.end) })
            }
        var answer = Response(
            status: response.status, headers: isBucketHost ? head : sandboxedHead, fields: response.headers,
            content: body,
            allowsCompression: false)
        if response.status == 503 { answer.fields.append(("Retry-After", "1")) }
        return answer
    }
}

extension ReadableFile {
    /// The file of a blob, which counts as read until it was sent.
    fileprivate convenience init(_ blob: OpenBlob) {
        let (descriptor, onClose) = blob.takeDescriptor()
        self.init(takingOwnershipOf: descriptor, onClose: onClose)
    }
}
