import Synchronization

/// The body of a request in XML, which is received whole before its operation runs. Its bytes take memory of the share of
/// the caller as they arrive, until the request ends.
///
/// Safe to use from any thread.
public final class DocumentBody: Sendable {
    let share: DocumentShare
    private let bytesMax: Int
    private let bytes = Mutex<[UInt8]>([])

    /// - Parameter bytesMax: Bytes of the body once it is decoded.
    init(_ share: DocumentShare, bytesMax: Int) {
        self.share = share
        self.bytesMax = S3Body.sentBytesMax(of: bytesMax)
    }

    /// Takes bytes that have arrived; throws if the body is too large, or memory is used up.
    public func append(_ part: [UInt8]) throws(S3Error) {
        try share.reserveArrived(part.count)
        let fits = bytes.withLock { bytes in
            guard part.count <= bytesMax - bytes.count else { return false }
            bytes += part
            return true
        }
        guard fits else { throw .malformedXML }
    }

    /// The body, which has arrived.
    ///
    /// - Parameter byteCount: Its declared size.
    func body(byteCount: Int?) -> S3Body {
        S3Body(byteCount: byteCount) { [self] in
            let bytes = bytes.withLock { bytes in
                defer { bytes = [] }
                return bytes
            }
            return bytes.isEmpty ? .end : .bytes(bytes)
        }
    }
}

extension Buckets {
    /// Where the body of a request in XML is received before `respond` is called; nil if the operation has no such body,
    /// or is refused without it. Checks the caller's rights in memory: may be called on an event loop.
    public func documentBody(of routed: RoutedRequest, from caller: BucketCaller) -> DocumentBody? {
        guard let target = try? routed.target.get(), target.operation.hasDocument else { return nil }
        let share = documentShare(of: routed.request, caller)
        let call = OperationCall(self, routed.request, target, caller, share)
        guard let bytesMax = try? call.authorizeDocument() else { return nil }
        return DocumentBody(share, bytesMax: bytesMax)
    }

    /// Answers a request whose body was received by `documentBody`.
    ///
    /// - Parameter byteCount: The declared size of the body.
    public func respond(
        to routed: RoutedRequest, from caller: BucketCaller, payload: S3Payload, body: DocumentBody, byteCount: Int?
    ) async -> S3Response {
        await respond(
            to: routed, from: caller, payload: payload, body: body.body(byteCount: byteCount),
            documentShare: body.share)
    }

    func documentShare(of request: S3Request, _ caller: BucketCaller) -> DocumentShare {
        DocumentShare(of: documents, for: CapacityShares.Owner(caller.share, network: request.network))
    }
}

extension S3Operation {
    /// Whether its body is in XML.
    fileprivate var hasDocument: Bool {
        switch self {
        case .createBucket, .putBucketCORS, .deleteObjects, .putObjectTagging, .completeMultipartUpload: true
        default: false
        }
    }
}

extension OperationCall {
    /// Refuses callers who may not perform an operation whose body is in XML, before it is received.
    ///
    /// - Returns: The most bytes of the body.
    fileprivate func authorizeDocument() throws(S3Error) -> Int {
        switch operation {
        case .createBucket:
            guard caller.isOperator else { throw .accessDenied }
            return buckets.limits.settingsBytesMax
        case .putBucketCORS, .putObjectTagging:
            try authorizeOperator()
            return buckets.limits.settingsBytesMax
        case .deleteObjects:
            try authorizeDeletion()
            return buckets.limits.documentBytesMax
        default:
            try authorize(.write)
            return buckets.limits.documentBytesMax
        }
    }
}
