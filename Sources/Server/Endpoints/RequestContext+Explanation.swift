import API
import HTTP
import JSON

extension RequestContext {
    /// Whether the answer is to explain what rules have decided: the request asks for it by `x-syncline-explain: 1`, and comes
    /// with an operator's token, in `x-syncline-operator` or as bearer beside an API key. In `dev` a program on this machine
    /// needs none, as for the paths of operators. A caller without one is answered as if nothing were asked.
    func mayExplain(_ request: Request) -> Bool {
        guard request[header: "x-syncline-explain"] == "1" else { return false }
        let operators = services.state.operators
        if let token = request[header: "x-syncline-operator"] {
            return operators.operator(bearing: Array(token.utf8)) != nil
        }
        if let token = request.bearerToken, operators.operator(bearing: token) != nil { return true }
        return services.state.mode == .dev && request.isLocal
    }
}

extension AuthorizationExplanation {
    /// An answer with `extensions.syncline.authorization` at its end.
    func added(to answer: UnsafeRawBufferPointer) -> [UInt8] {
        var bytes = unsafe [UInt8](answer)
        // Every answer is an object with at least one member.
        guard bytes.last == UInt8(ascii: "}") else { return bytes }
        bytes.removeLast()
        bytes += Array(#","extensions":{"syncline":{"authorization":\#(json)}}}"#.utf8)
        return bytes
    }
}
