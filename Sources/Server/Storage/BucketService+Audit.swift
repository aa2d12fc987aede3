import Buckets
import Encodings

extension BucketService {
    /// Answers a request of the command line. One that changes something is entered in the audit log first, and once more if it
    /// failed: what cannot be entered is not done. Used on the threads of buckets, since it waits for the store's writer.
    func audited(
        _ request: S3Request, _ caller: OperatorCallHandler.Caller, _ respond: () async -> S3Response
    ) async -> S3Response {
        guard let name = request.auditedAction else { return await respond() }
        let target = Percent.decode(request.path.utf8.drop { $0 == UInt8(ascii: "/") }, plusIsSpace: false)
        let (log, action) = (AuditLog(add: addToAudit), AuditLog.Action(name: name, target: target, caller: caller))
        do throws(ServerError) { try log.enter(action) } catch {
            return buckets.refuse(request, S3Error("InternalError", 500, OperatorProblem(error).message))
        }
        let response = await respond()
        if response.status >= 400 { log.enterFailure(of: action) }
        return response
    }
}

extension S3Request {
    /// The action of the audit log; nil for what changes nothing.
    fileprivate var auditedAction: String? {
        switch method {
        case "PUT":
            headers.contains { $0.name.lowercased() == "x-amz-copy-source" } ? "files.copy" : "files.put"
        case "DELETE": "files.remove"
        case "POST": "files.post"
        default: nil
        }
    }
}
