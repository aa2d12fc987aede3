import HTTP

/// `GET /health`: 200 once the server answers. It tells nothing else, since anybody may ask.
struct HealthEndpoint: Endpoint {
    let methods: [Method] = [.get, .head]
    let allowedMethods = "GET,HEAD,OPTIONS"

    func respond(to exchange: Exchange) {
        guard exchange.desk.served != nil else { return exchange.refuse(.notReady) }
        let fields = [("Cache-Control", "no-store")]
        let body = Array(#"{"status":"ok"}"#.utf8)
        exchange.reply.send(Response(status: 200, headers: exchange.heads.plain, fields: fields, body: body))
    }
}
