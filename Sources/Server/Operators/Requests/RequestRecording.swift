import API
import HTTP
import Tables
import Transformer

/// A request of the API by HTTP that is being answered while requests are recorded.
///
/// `@unchecked Sendable`: used on the loop of its connection only.
final class RequestRecording: @unchecked Sendable {
    let request: Request
    let keepsContent: Bool
    let milliseconds: Int64
    /// The caller; nil as long as nobody is authenticated.
    private(set) var identity: Identity?
    /// The name of the caller's API key; nil for a caller without one.
    private(set) var keyName: String?
    /// How long it took until the caller was known.
    private var authenticationNanoseconds: Int64?

    init(_ request: Request, keepsContent: Bool, at milliseconds: Int64) {
        (self.request, self.keepsContent, self.milliseconds) = (request, keepsContent, milliseconds)
    }

    /// Notes who has sent the request.
    ///
    /// - Parameter nanoseconds: How long it took to find out.
    func note(_ identity: Identity, _ authenticator: Authenticator, after nanoseconds: Int64) {
        self.identity = identity
        authenticationNanoseconds = nanoseconds
        guard identity.mode == .apiKey, !identity.isAdministrator else { return }
        keyName = unsafe request.withHeader(.apiKey) { key in
            unsafe key.flatMap { unsafe authenticator.apiKeys?.name($0) }
        }
    }
}

extension RequestRecording {
    /// What is kept of the request, now that it is answered.
    func answered(
        _ id: RequestID, to peer: Peer, nanoseconds: Int64, status: Int, errorTypes: [String], _ report: AnswerReport?,
        _ body: UnsafeRawBufferPointer
    ) -> RecordedRequest {
        let keepsContent = keepsContent && request.bodyCount <= ConsoleLimits.recordedContentBytesMax
        return RecordedRequest(
            id: id, transport: .http, milliseconds: milliseconds, nanoseconds: nanoseconds, peer: peer,
            caller: RecordedRequest.caller(identity, named: keyName),
            content: .request(request.copy(keepsContent: keepsContent)),
            status: status, errorTypes: RecordedRequest.distinct(errorTypes), operation: report?.operation,
            operationName: report.flatMap { $0.operation == nil ? $0.operationName : nil },
            work: report?.work, answerBytes: body.count,
            answer: keepsContent ? unsafe RecordedRequest.beginning(of: body) : nil,
            explanation: keepsContent ? RecordedRequest.explanation(of: report) : nil,
            identity: keepsContent ? identity : nil, authenticationNanoseconds: authenticationNanoseconds,
            isPlanCached: report?.isPlanCached, notes: report?.notes)
    }
}
