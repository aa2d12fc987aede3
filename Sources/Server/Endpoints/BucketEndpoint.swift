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
        guard let buckets = requestContext.services.buckets else { return requestContext.refuse(.unknownPath) }
        let (service, isBucketHost) = (buckets.service, bucketOfHost != nil)
        let fields = ReadFields(request)
        let target = PresignedURLs.Target(request, fields)
        let known = target.flatMap { service.verified($0, bucketOfHost: bucketOfHost) }
        if let read = plainRead(request, fields, known, bucketOfHost, buckets),
            requestContext.answer(read, isBucketHost: isBucketHost)
        {
            return
        }
        let headers = request.headers
        if let known, let response = response(to: request, headers, known, buckets, requestContext) {
            return requestContext.answer(response, isBucketHost: isBucketHost)
        }
        let awsName = requestContext.awsName(of: request)
        let s3Request = S3Request(
            method: request.method.name, path: request.path, query: request.query ?? "",
            host: awsName ?? request[header: "host"] ?? "", bucketOfHost: bucketOfHost,
            isSecure: requestContext.isSecure(request), publicURL: awsName == nil ? buckets.publicURL : nil,
            headers: headers, undecodedHeaders: request.undecodedFieldNames, id: "\(requestContext.requestID)",
            sourceAddress: requestContext.peer.address, network: requestContext.peer.network)
        let (caller, payload, proof): (BucketCaller, S3Payload, PresignedURLs.Proof?)
        do throws(S3Error) {
            (caller, payload, proof) = try service.authenticate(
                s3Request, contentHash: request[header: "x-amz-content-sha256"])
        } catch {
            return requestContext.answer(service.buckets.refuse(s3Request, error), isBucketHost: isBucketHost)
        }
        let routed = service.buckets.route(s3Request)
        if request.stream == nil, let reader = buckets.reader, let read = ObjectRead(routed) {
            if let target, let proof {
                service.presignedURLs.keep(.init(read: read.withoutSignature, proof: proof), of: target)
            }
            if let response = service.buckets.respondNow(to: read, from: caller, reading: reader) {
                return requestContext.answer(response, isBucketHost: isBucketHost)
            }
        }
        respond(
            to: routed, from: caller, payload, request.stream,
            S3Body(request, service, CapacityShares.Owner(caller.share, network: requestContext.peer.network)), service,
            requestContext,
            isBucketHost: isBucketHost)
    }

    /// The object that a request reads, whose method and target alone decide the answer; nil for every other request, and for one
    /// that has to be refused.
    private func plainRead(
        _ request: Request, _ fields: ReadFields, _ known: PresignedURLs.Verified?, _ bucketOfHost: String?,
        _ buckets: LoopBuckets
    ) -> PlainRead? {
        guard request.method == .get, request.stream == nil, !fields.hasSigned, !fields.changesAnswer,
            let reader = buckets.reader
        else { return nil }
        if let known {
            return buckets.service.buckets.plainRead(
                known.read, from: known.proof.caller, reading: reader, bytesMax: Self.readBytesMax)
        }
        // A query has a signature, or parameters.
        guard !request.hasQuery else { return nil }
        return buckets.service.buckets.plainRead(
            path: request.path, bucketOfHost: bucketOfHost, reading: reader, bytesMax: Self.readBytesMax)
    }

    /// Bytes up to which an object is read and leaves together with the head of its answer. By `sendfile`, which copies less, it
    /// would be two writes and a turn of the loop.
    fileprivate static let readBytesMax = 32 << 10

    /// The answer to a read by a presigned URL that is known; nil if it has to be looked at anew.
    private func response(
        to request: Request, _ headers: [(name: String, value: String)], _ known: PresignedURLs.Verified,
        _ buckets: LoopBuckets, _ requestContext: RequestContext
    ) -> S3Response? {
        guard let reader = buckets.reader else { return nil }
        let read = known.read.with(
            headers: headers, isSecure: requestContext.isSecure(request), id: "\(requestContext.requestID)",
            sourceAddress: requestContext.peer.address, network: requestContext.peer.network)
        return buckets.service.buckets.respondNow(to: read, from: known.proof.caller, reading: reader)
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
            to: service.buckets.route(s3Request), from: .operator(accessKeyID: caller.name), .unsigned, request.stream,
            S3Body(request, service, CapacityShares.Owner(.operator, network: requestContext.peer.network)), service,
            requestContext,
            audited: caller)
    }

    func response(to refusal: Refusal, head: Request, requestID: RequestID, _ services: LoopServices) -> Response? {
        guard let buckets = services.buckets else { return nil }
        let bucketOfHost = services.bucketOfHost(head)
        let request = S3Request(
            method: head.method.name, path: head.path, query: head.query ?? "", host: head[header: "host"] ?? "",
            bucketOfHost: bucketOfHost, headers: head.headers, id: "\(requestID)", sourceAddress: "")
        let error: S3Error =
            switch refusal.status {
            case 408: .requestTimeout
            case 413: buckets.service.buckets.bodyTooLarge(request)
            case 414: .uriTooLong
            case 431: .headerSectionTooLarge
            case 501: .notImplemented(header: refusal.message)
            case 503: .slowDown
            case 500...: .internalError
            default: S3Error("BadRequest", refusal.status, refusal.message)
            }
        return RequestContext.response(
            buckets.service.buckets.refuse(request, error), isBucketHost: bucketOfHost != nil)
    }

    private func respond(
        to routed: RoutedRequest, from caller: BucketCaller, _ payload: S3Payload, _ stream: RequestBody?,
        _ body: S3Body, _ service: BucketService, _ requestContext: RequestContext, isBucketHost: Bool = false,
        audited operatorCaller: OperatorCallHandler.Caller? = nil
    ) {
        let (buckets, s3Request) = (service.buckets, routed.request)
        @Sendable func run(receivesBody: Bool = false, _ respond: @escaping @Sendable () async -> S3Response) {
            let owner = CapacityShares.Owner(caller.share, network: requestContext.peer.network)
            let isAccepted = service.run(for: owner, receivesBody: receivesBody) { _ in
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
        guard let stream, let document = buckets.documentBody(of: routed, from: caller) else {
            return run(receivesBody: stream != nil) {
                await buckets.respond(to: routed, from: caller, payload: payload, body: body)
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
                        to: routed, from: caller, payload: payload, body: document, byteCount: stream.byteCount)
                }
            case .notTaken: refuse(refusal.withLock { $0 } ?? .slowDown)
            case .timedOut: refuse(.requestTimeout)
            case .failed(.refused(let refusal)) where refusal.status == 408: refuse(.requestTimeout)
            case .failed(.refused(let refusal)) where refusal.status == 413: refuse(buckets.bodyTooLarge(s3Request))
            case .failed: refuse(.incompleteBody)
            }
        }
    }
}

extension S3Body {
    /// The body of a request; each part is asked for when it is wanted.
    ///
    /// - Parameter owner: The caller, whose operation does not count while it waits for a part.
    fileprivate init(_ request: Request, _ service: BucketService, _ owner: CapacityShares.Owner) {
        guard let stream = request.stream else {
            // Without a declared length, an operation that stores the body refuses it instead of storing nothing.
            self = request[header: "content-length"] == nil ? .undeclared : .empty
            return
        }
        self.init(byteCount: stream.byteCount) {
            let part = await service.waitForClient(for: owner) {
                await withCheckedContinuation { continuation in
                    stream.read { continuation.resume(returning: $0) }
                }
            }
            switch part {
            case .bytes(let bytes): return .bytes(bytes)
            case .end: return .end
            case .failed(.refused(let refusal)) where refusal.status == 408: return .timedOut
            case .failed(.refused(let refusal)) where refusal.status == 413:
                return .tooLarge(bytesMax: service.bodyBytesMax)
            case .failed: return .failed
            }
        }
    }
}

extension RequestContext {
    private static let head = HeaderBlock(["Server": "Syncline"])
    /// Under the server's own host an object is no page: its script would be of the origin of the hosted sign-in pages.
    private static let sandboxedHead = HeaderBlock(sandbox)
    private static let sandbox: KeyValuePairs = [
        "Server": "Syncline", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox",
    ]
    /// The same for answers to plain reads, which have no such fields of their own.
    private static let plainHead = HeaderBlock(["Server": "Syncline"], requestIDNames: requestIDNames)
    private static let plainSandboxedHead = HeaderBlock(sandbox, requestIDNames: requestIDNames)
    private static let requestIDNames = ["x-amz-request-id", "x-amz-id-2"]

    private static func body(_ blob: OpenBlob, _ range: Range<Int>) -> ResponseBody {
        if range.count <= BucketEndpoint.readBytesMax {
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

    /// Answers a plain read.
    ///
    /// - Returns: False if Last-Modified would be later than Date, as where the clock was set back; nothing is sent then.
    fileprivate func answer(_ read: PlainRead, isBucketHost: Bool) -> Bool {
        guard read.modifiedSeconds <= loop.dateSeconds(notBefore: read.modifiedSeconds) else { return false }
        let head = isBucketHost ? Self.plainHead : Self.plainSandboxedHead
        switch read.body {
        case .bytes(let bytes): unsafe bytes.withUnsafeBytes { unsafe send(head, lines: read.lines, $0) }
        case .blob(let blob, let byteCount):
            var response = Response(
                status: 200, headers: head, content: .file(ReadableFile(blob), range: 0..<byteCount),
                allowsCompression: false)
            (response.lines, response.requestID) = (read.lines, requestID)
            send(response, errorType: nil)
        }
        return true
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
        let taken = blob.takeDescriptor()
        self.init(takingOwnershipOf: taken.descriptor, isRevoked: taken.isRevoked, onClose: taken.onClose)
    }
}
