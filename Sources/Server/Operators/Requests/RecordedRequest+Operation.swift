import API
import HTTP

extension RecordedRequest {
    /// An operation that came over a WebSocket or by the operators' API, now that it is answered.
    ///
    /// - Parameters:
    ///   - callerName: As `caller(_:named:)` takes it.
    ///   - client: The client's name for itself.
    ///   - type: That of an operation without a plan.
    ///   - answer: Of which only what is kept is copied.
    init(
        _ id: RequestID, by transport: Transport, from peer: Peer, client: String?, as identity: Identity?,
        named callerName: String?,
        _ envelope: [UInt8], type: String? = nil, endingAt milliseconds: Int64, nanoseconds: Int64, status: Int,
        errorTypes: [String], _ report: AnswerReport?, _ answer: UnsafeRawBufferPointer, keepsContent: Bool
    ) {
        let keepsContent = keepsContent && envelope.count <= ConsoleLimits.recordedContentBytesMax
        // Claims are about persons.
        let hidesCaller = !keepsContent && callerName?.hasPrefix("claims:") == true
        var name: String?
        if report?.operation == nil {
            name = unsafe envelope.withUnsafeBytes { bytes in
                try? unsafe GraphQLRequest(envelope: bytes, depthMax: ConsoleLimits.recordedDepthMax)
                    .loggedOperationName
            }
        }
        unsafe self.init(
            id: id, transport: transport, milliseconds: milliseconds - nanoseconds / 1_000_000,
            nanoseconds: nanoseconds, peer: peer,
            caller: Self.caller(identity, named: hidesCaller ? nil : callerName),
            content: .operation(envelope: keepsContent ? envelope : nil, client: client), status: status,
            errorTypes: Self.distinct(errorTypes), operation: report?.operation, operationName: name,
            operationType: type, work: report?.work, answerBytes: answer.count,
            answer: keepsContent ? unsafe Self.beginning(of: answer) : nil,
            explanation: keepsContent ? Self.explanation(of: report) : nil, identity: keepsContent ? identity : nil,
            isPlanCached: report?.isPlanCached, notes: report?.notes)
    }
}
