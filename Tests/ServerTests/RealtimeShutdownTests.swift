import Foundation
import Testing

/// The built binary, asked to end while it has subscribers.
@Suite("SIGTERM and subscribers")
struct RealtimeShutdownTests {
    /// Eight megabytes for each socket, of which the system takes four as a rule (`tcp_wmem`) while nobody reads: the
    /// rest waits in the server when the signal comes.
    private static let eventCount = 4
    private static let subscriptionCount = 100
    private static let name = String(repeating: "x", count: 20_000)

    /// A server with subscribers on both of its loops that have not read any of the events.
    private final class Stage {
        let server: Running
        let sockets: [WebSocketClient]
        private let folder: TemporaryFolder

        init(drainSeconds: Int, closeSeconds: Int) throws {
            folder = try TemporaryFolder()
            try folder.write(RealtimeStage.schema, to: "schema.graphql")
            try folder.write(
                """
                {"limits": {
                  "eventLoopCount": 2, "webSocketOutgoingBytesMax": 67108864, "drainSeconds": \(drainSeconds),
                  "webSocketCloseSeconds": \(closeSeconds)
                }}
                """, to: "config/syncline.json")
            let server = try Running(["serve", "--port", "0", "--data", ":memory:", "--tls", "off"], in: folder)
            self.server = server
            sockets = try (0..<2).map { _ in
                let client = try Client(port: server.port, receiveBufferBytes: 64 << 10)
                try client.send(WebSocketClient.handshake())
                let socket = try WebSocketClient(answering: client).acknowledged()
                for id in 0..<subscriptionCount {
                    let query = "subscription { onCreateTodo { id name } }"
                    #expect(try socket.start("\(id)", query) == WebSocketClient.acknowledgement("\(id)"))
                }
                return socket
            }
            let writer = try server.connect()
            for number in 0..<eventCount {
                let input = #"{id: "\#(number)", name: "\#(name)"}"#
                let answer = try writer.graphql("mutation { createTodo(input: \(input)) { id name } }")
                #expect(answer.hasPrefix(#"{"data":{"createTodo":{"id":"\#(number)""#), "\(answer.prefix(300))")
            }
        }

        deinit { folder.remove() }
    }

    @Test("events that are pending at SIGTERM are delivered, followed by 1001")
    func delivery() throws {
        let stage = try Stage(drainSeconds: 3600, closeSeconds: 3600)
        kill(stage.server.processIdentifier, SIGTERM)
        for socket in stage.sockets {
            let events = (0..<Self.eventCount).map {
                #"{"data":{"onCreateTodo":{"id":"\#($0)","name":"\#(Self.name)"}}}"#
            }
            let texts = try (0..<Self.eventCount * Self.subscriptionCount).map { _ in try socket.receive() }
            for id in 0..<Self.subscriptionCount {
                let received = texts.filter { $0.hasPrefix(#"{"id":"\#(id)","#) }
                let isInOrder = received == events.map { WebSocketClient.data("\(id)", $0) }
                #expect(isInOrder, "subscription \(id)")
            }
            #expect(try socket.receiveClose() == .init(code: 1001, reason: "The server is shutting down."))
            try socket.sendClose(1001)
        }
        #expect(stage.server.wait().code == 0)
    }

    @Test(
        "a subscriber that does not read holds the end up no longer than either bound",
        arguments: [(drainSeconds: 1, closeSeconds: 3600), (drainSeconds: 3600, closeSeconds: 1)])
    func silence(drainSeconds: Int, closeSeconds: Int) throws {
        let stage = try Stage(drainSeconds: drainSeconds, closeSeconds: closeSeconds)
        // A process that does not end in time is killed, which is another code.
        #expect(stage.server.stop().code == 0)
        #expect(stage.sockets.count == 2)
    }
}
