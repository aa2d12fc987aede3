import Testing

@testable import Server

@Suite("Reload under subscribers")
struct RealtimeReloadTests {
    /// One of two schemas: each has a subscription that the other has not.
    private static func schema(_ field: String) -> String {
        """
        type Todo @model { id: ID! name: String }
        type Subscription { \(field): Todo @aws_subscribe(mutations: ["createTodo"]) }
        """
    }

    /// A client that subscribes to what stays, as `stays`, and to what comes and goes, as `goes`.
    private final class Listener {
        let socket: WebSocketClient
        var stays: [String] = []
        var goes: [String] = []

        init(port: Int, _ field: String) throws {
            socket = try WebSocketClient(port: port).acknowledged()
            let query = "subscription { onCreateTodo { id } }"
            #expect(try socket.start("stays", query) == WebSocketClient.acknowledgement("stays"))
            try start(field)
        }

        func start(_ field: String) throws {
            try socket.send(WebSocketClient.start("goes", "subscription { \(field) { id } }"))
            #expect(try receive() == WebSocketClient.acknowledgement("goes"))
        }

        /// The next text that is no event.
        func receive() throws -> String {
            let pattern = /\{"id":"(stays|goes)","type":"data","payload":\{"data":\{"\w+":\{"id":"(\w+)"\}\}\}\}/
            while true {
                let text = try socket.receive()
                guard let match = try pattern.wholeMatch(in: text) else { return text }
                if match.1 == "stays" { stays.append(String(match.2)) } else { goes.append(String(match.2)) }
            }
        }
    }

    private static func createRequest(_ id: String) -> String {
        Client.request(
            "POST", "/graphql", headers: Client.usualHeaders,
            body: Client.envelope(#"mutation { createTodo(input: {id: "\#(id)"}) { id } }"#))
    }

    @Test(
        "on two loops, during mutations, valid subscriptions miss nothing, and ended ones begin again on their sockets")
    func amidMutations() async throws {
        try await TestServer.with(schema: Self.schema("onA")) { server in
            let listeners = try (0..<6).map { _ in try Listener(port: server.port, "onA") }
            let writers = try (0..<2).map { _ in try server.connect() }
            var field = "onA"
            var ids: [String] = []
            for round in 0..<6 {
                // Under way while the API is replaced.
                for (number, writer) in writers.enumerated() {
                    for step in 0..<10 {
                        ids.append("r\(round)w\(number)s\(step)")
                        try writer.send(Self.createRequest(ids[ids.count - 1]))
                    }
                }
                let next = field == "onA" ? "onB" : "onA"
                try server.folder.write(Self.schema(next), to: "schema.graphql")
                _ = try server.service.reload(server.configuration)
                for writer in writers {
                    for _ in 0..<10 { #expect(try writer.receive().body.contains(#"{"data":{"createTodo":{"id""#)) }
                }
                for listener in listeners {
                    #expect(
                        try listener.receive()
                            == #"{"id":"goes","type":"error","payload":{"errors":[{"message":"Validation error of "#
                            + "type FieldUndefined: Field '\(field)' in type 'Subscription' is undefined @ '\(field)'"
                            + #""}]}}"#)
                    listener.goes = []
                    try listener.start(next)
                }
                // Of what is committed from here on, what begins anew has to hear.
                ids.append("r\(round)last")
                try writers[0].send(Self.createRequest(ids[ids.count - 1]))
                #expect(try writers[0].receive().status == 200)
                field = next
            }
            for listener in listeners {
                // A loop delivers events in steps, between which it reads its sockets: an answer may come before the last one.
                for trip in 0..<1_000 where trip == 0 || listener.stays.count < ids.count {
                    try listener.socket.send(WebSocketClient.stop("none"))
                    #expect(try listener.receive() == WebSocketClient.completion("none"))
                }
                #expect(listener.stays.sorted() == ids.sorted())
                #expect(listener.goes == ["r5last"])
            }
            #expect(Set(listeners.map(\.stays)).count == 1, "all loops see one order")
            #expect(try writers[0].metric("subscriptions_open") == 12)
        }
    }
}
