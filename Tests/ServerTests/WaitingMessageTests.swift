import API
import JSON
import Synchronization
import Testing
import Transformer

@testable import Server

@Suite("Messages that wait until their caller is authenticated are bounded on all WebSockets together")
struct WaitingMessageTests {
    private static func start(_ id: String, _ token: String) -> String {
        let query = "subscription { onCreateUser { id } } #" + String(repeating: "x", count: 3_000)
        return ModesStage.start(id, ModesStage.data(query), ["authorization": token])
    }

    @Test("an operation beyond the bound is refused and may be tried again, and room is free once callers are known")
    func operations() async throws {
        try await FunctionServer.with(.init(body: #"{"isAuthorized":true}"#)) { function, url in
            try await TestServer.with { configuration in
                configuration.authModes = [.apiKey, .lambda]
                configuration.auth.authorizer = LambdaAuthorizer(function: Function(name: "gate", url: url))
                // One network has half of it: one message of each size, and no second one.
                configuration.limits.realtime.waitingBytesTotalMax = 10_000
            } _: { server in
                function.hold()
                let (one, other) = (
                    try WebSocketClient(port: server.port).acknowledged(),
                    try WebSocketClient(port: server.port).acknowledged()
                )
                try one.send(Self.start("1", "first"))
                try await eventually { function.heldCount == 1 }
                let refused = try other.ask(Self.start("2", "second"))
                #expect(refused.contains(#""id":"2""#) && refused.contains(#""type":"error""#), "\(refused)")
                #expect(refused.contains("Rate"), "\(refused)")
                #expect(function.heldCount == 1)
                // By a key nothing waits.
                let query = ModesStage.data("subscription { onCreateUser { id } }")
                let known = try other.ask(ModesStage.start("3", query, ["x-api-key": TestServer.key]))
                #expect(!known.contains("Rate"), "\(known)")
                function.release(.init(body: #"{"isAuthorized":true}"#))
                #expect(try one.receive().contains(#""id":"1""#))
                let again = try other.ask(Self.start("2", "second"))
                #expect(!again.contains("Rate"), "\(again)")
            }
        }
    }

    @Test("requests that wait for their caller count, and their bytes are given back with the decision")
    func requests() async throws {
        try await FunctionServer.with(.init(body: #"{"isAuthorized":true}"#)) { function, url in
            try await TestServer.with { configuration in
                configuration.authModes = [.lambda]
                configuration.auth.authorizer = LambdaAuthorizer(function: Function(name: "gate", url: url))
                configuration.limits.realtime.waitingBytesTotalMax = 10_000
            } _: { server in
                function.hold()
                let (one, other) = (try server.connect(), try server.connect())
                let body = Client.envelope("{ __typename } #" + String(repeating: "x", count: 3_000), "null")
                func headers(_ token: String) -> [String: String] {
                    ["content-type": "application/json", "authorization": token]
                }
                try one.send(Client.request("POST", "/graphql", headers: headers("first"), body: body))
                try await eventually { function.heldCount == 1 }
                let refused = try other.ask("POST", "/graphql", headers: headers("second"), body: body)
                #expect(refused.status == 429)
                function.release(.init(body: #"{"isAuthorized":true}"#))
                #expect(try one.receive().status == 200)
                #expect(server.service.state.waitingMessages.withLock { $0.count } == 0)
                #expect(try other.ask("POST", "/graphql", headers: headers("second"), body: body).status == 200)
            }
        }
    }

    @Test("a socket that closes gives back the bytes of what it waited for")
    func closed() async throws {
        try await FunctionServer.with(.init(body: #"{"isAuthorized":true}"#)) { function, url in
            try await TestServer.with { configuration in
                configuration.authModes = [.apiKey, .lambda]
                configuration.auth.authorizer = LambdaAuthorizer(function: Function(name: "gate", url: url))
            } _: { server in
                function.hold()
                let socket = try WebSocketClient(port: server.port).acknowledged()
                try socket.send(Self.start("1", "first"))
                try await eventually { function.heldCount == 1 }
                #expect(server.service.state.waitingMessages.withLock { $0.count } == 1)
                try socket.sendClose(1_000)
                // The function has not answered.
                try await eventually { server.service.state.waitingMessages.withLock { $0.count } == 0 }
                function.release(.init(body: #"{"isAuthorized":true}"#))
            }
        }
    }

    @Test("messages before the connection's acknowledgement count, and are released with the connection")
    func connections() async throws {
        try await FunctionServer.with(.init(body: #"{"isAuthorized":true}"#)) { function, url in
            try await TestServer.with { configuration in
                configuration.authModes = [.apiKey, .lambda]
                configuration.auth.authorizer = LambdaAuthorizer(function: Function(name: "gate", url: url))
                configuration.limits.realtime.waitingBytesTotalMax = 10_000
            } _: { server in
                function.hold()
                let socket = try WebSocketClient(port: server.port, headers: ["Sec-WebSocket-Protocol": "graphql-ws"])
                try socket.send(#"{"type":"connection_init","payload":{"authorization":"token"}}"#)
                try await eventually { function.heldCount == 1 }
                for id in 1...3 { try socket.send(Self.start("\(id)", "token")) }
                #expect(try socket.receiveClose().code == 1_013)
                try await eventually { server.service.state.waitingMessages.withLock { $0.count } == 0 }
                function.release(.init(body: #"{"isAuthorized":true}"#))
                try await eventually { server.service.state.waitingMessages.withLock { $0.count } == 0 }
            }
        }
    }
}
