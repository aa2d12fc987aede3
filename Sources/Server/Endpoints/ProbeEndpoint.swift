import HTTP

/// `GET /ping`, `/health`, `/ready`: what others ask before they send work. They tell nothing else, since anybody may
/// ask.
enum ProbeEndpoint: Endpoint {
    /// Whether the way here is open; clients of AppSync's realtime probe for it (AppSync protocol §1.1).
    case ping
    /// Whether the process is alive: it answers.
    case health
    /// Whether requests are well sent here: not before the API is whole, and not once the server is to end.
    case ready

    func respond(to request: Request, in exchange: Exchange) {
        let json = "application/json;charset=UTF-8"
        switch self {
        case .ping: exchange.answer("text/plain;charset=UTF-8", Array("healthy".utf8))
        case .health: exchange.answer(json, Array(#"{"status":"ok"}"#.utf8))
        case .ready where exchange.desk.state.isEnding: exchange.refuse(.ending)
        case .ready where exchange.desk.served == nil: exchange.refuse(.notReady)
        case .ready: exchange.answer(json, Array(#"{"status":"ready"}"#.utf8))
        }
    }
}
