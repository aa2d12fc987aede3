import Testing

@Suite("Acceptance: fan-out")
struct FanOutTests {
    /// The case that is tested here.
    static let number = 148

    private static let socketCount = 1_000
    private static let versions = 1...5

    @Test("case 148: each of 1,000 sockets on two loops is sent each event once, all in one order")
    func fanOut() async throws {
        let schema = "type Counter @model { id: ID! n: Int }"
        try await TestServer.with(schema: schema) { server in
            let breath =
                WebSocketClient.handshake() + WebSocketClient.frame(WebSocketClient.initialisation)
                + WebSocketClient.frame(WebSocketClient.start("1", "subscription { onUpdateCounter { id n } }"))
            let clients = try (0..<Self.socketCount).map { _ in
                let client = try server.connect()
                try client.send(breath)
                return client
            }
            let sockets = try clients.map { try WebSocketClient(answering: $0).receiveAcknowledgement() }
            let acknowledgements = try sockets.map { try $0.receive() }
            #expect(Set(acknowledgements) == [WebSocketClient.acknowledgement("1")])

            // Two writers, one on each loop, write at the same time, each its own item.
            let writers = try ["a", "b"].map { id in
                let writer = try server.connect()
                _ = try writer.graphql(#"mutation { createCounter(input: {id: "\#(id)", n: 0}) { id } }"#)
                return (id: id, writer: writer)
            }
            for version in Self.versions {
                for (id, writer) in writers {
                    let field = #"updateCounter(input: {id: "\#(id)", n: \#(version)}) { id n }"#
                    try writer.send(
                        Client.request(
                            "POST", "/graphql", headers: Client.usualHeaders,
                            body: Client.envelope("mutation { \(field) }")))
                }
                for (id, writer) in writers {
                    #expect(
                        try writer.receive().body == #"{"data":{"updateCounter":{"id":"\#(id)","n":\#(version)}}}"#)
                }
            }
            let expected = Self.versions.flatMap { version in
                ["a", "b"].map {
                    WebSocketClient.data("1", #"{"data":{"onUpdateCounter":{"id":"\#($0)","n":\#(version)}}}"#)
                }
            }
            let first = try expected.map { _ in try sockets[0].receive() }
            #expect(first.sorted() == expected.sorted())
            for id in ["a", "b"] {
                let isOfItem = { (text: String) in text.contains(#""id":"\#(id)","n""#) }
                #expect(first.filter(isOfItem) == expected.filter(isOfItem))
            }
            for socket in sockets.dropFirst() { #expect(try first.map { _ in try socket.receive() } == first) }
            // And nothing more: the next that each receives is the answer to its stop.
            for socket in sockets { try socket.send(WebSocketClient.stop("1")) }
            let ends = try sockets.map { try $0.receive() }
            #expect(Set(ends) == [WebSocketClient.completion("1")])
        }
    }
}
