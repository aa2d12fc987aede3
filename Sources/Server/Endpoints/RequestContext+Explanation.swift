import API
import HTTP
import JSON

extension RequestContext {
    /// Whether the answer is to explain what rules have decided: the request asks for it by `x-syncline-explain: 1`, and comes
    /// with an operator's token, in `x-syncline-operator` or as bearer beside an API key. A caller without one is answered as if
    /// nothing were asked, also in `dev`, whose log explains refusals to developers.
    func mayExplain(_ request: Request) -> Bool {
        guard request[header: "x-syncline-explain"] == "1" else { return false }
        return services.state.mayExplain(
            operatorToken: request[header: "x-syncline-operator"].map { Array($0.utf8) }, bearer: request.bearerToken)
    }
}

extension ServiceState {
    /// The same of an operation over a WebSocket, whose authorization has the headers.
    func mayExplain(_ authorization: RealtimeAuthorization) -> Bool {
        guard authorization["x-syncline-explain"] == "1" else { return false }
        let bearer = authorization["authorization"].flatMap { text in
            unsafe Array(text.utf8).withUnsafeBytes { unsafe $0.bearerToken.map { unsafe [UInt8]($0) } }
        }
        return mayExplain(
            operatorToken: authorization["x-syncline-operator"].map { Array($0.utf8) }, bearer: bearer)
    }

    fileprivate func mayExplain(operatorToken: [UInt8]?, bearer: [UInt8]?) -> Bool {
        (operatorToken ?? bearer).flatMap(operators.operator(bearing:)) != nil
    }
}

extension AuthorizationExplanation {
    /// An answer with `extensions.syncline` at its end: what rules have decided, and what was read and written.
    ///
    /// - Parameter requestID: The request in the list of recorded ones; nil if it has no id there.
    func added(
        to answer: UnsafeRawBufferPointer, _ report: AnswerReport, requestID: String? = nil
    ) -> [UInt8] {
        var bytes = unsafe [UInt8](answer)
        // Every answer is an object with at least one member.
        guard bytes.last == UInt8(ascii: "}") else { return bytes }
        bytes.removeLast()
        var members: JSONObject = ["authorization": json]
        members["requestId"] = requestID.map(JSONValue.string)
        if let isPlanCached = report.isPlanCached {
            members["plan"] = report.operation?.planJSON(isCached: isPlanCached)
        }
        members["reads"] = report.work.readsJSON
        members["writes"] = report.notes?.writesJSON
        members["events"] = report.notes?.eventsJSON
        let extensions: JSONValue = ["syncline": .object(members)]
        bytes += Array(",\"extensions\":\(extensions)}".utf8)
        return bytes
    }
}
