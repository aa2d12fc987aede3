import Foundation
import Testing

/// The built binary with two loops, and four subscribers who are to notice nothing of what becomes of others.
final class RealtimeStage {
    static let schema = "type Todo @model { id: ID! name: String }"
    private static let bystanderCount = 4

    let server: Running
    private let folder: TemporaryFolder
    private let client: Client
    private let bystanders: [WebSocketClient]
    /// The events that the bystanders have not read yet.
    private var unread: [String] = []
    private var mutationCount = 0

    /// - Parameter limits: Members of the configuration. A busy machine may leave a test alone, and its connections at
    ///   rest, for longer than the usual 75 seconds.
    init(limits: String = #""eventLoopCount": 2, "idleSeconds": 600"#) throws {
        folder = try TemporaryFolder()
        try folder.write(Self.schema, to: "schema.graphql")
        try folder.write(#"{"limits": {\#(limits)}}"#, to: "config/syncline.json")
        // `dev`, whose metrics a program on this machine may read without an operator's token.
        let server = try Running(["dev", "--port", "0", "--data", ":memory:", "--tls", "off"], in: folder)
        self.server = server
        client = try server.connect()
        bystanders = try (0..<Self.bystanderCount).map { _ in
            let socket = try WebSocketClient(port: server.port).acknowledged()
            #expect(
                try socket.start("1", "subscription { onCreateTodo { id } }") == WebSocketClient.acknowledgement("1"))
            return socket
        }
    }

    deinit { folder.remove() }

    /// One event for all who subscribe.
    func mutate(name: String = "") throws {
        mutationCount += 1
        let answer = try client.graphql(
            #"mutation { createTodo(input: {id: "\#(mutationCount)", name: "\#(name)"}) { id name } }"#)
        #expect(answer.hasPrefix(#"{"data":{"createTodo":{"id":"\#(mutationCount)""#), "\(answer.prefix(300))")
        unread.append(WebSocketClient.data("1", #"{"data":{"onCreateTodo":{"id":"\#(mutationCount)"}}}"#))
    }

    /// Sees that the bystanders have all events, each once and in order.
    func checkBystanders() throws {
        for socket in bystanders {
            #expect(try unread.map { _ in try socket.receive() } == unread)
            try socket.send(WebSocketClient.stop("none"))
            #expect(try socket.receive() == WebSocketClient.completion("none"))
        }
        unread = []
    }

    /// Waits until nothing is left but the bystanders.
    func awaitCalm() async throws {
        try await eventually {
            try client.metric("subscriptions_open") == Self.bystanderCount
                && client.metric("websockets_open") == Self.bystanderCount
                && client.metric("connections_open") == Self.bystanderCount + 1
        }
    }
}

/// What a client of AppSync sends in a whole session.
enum RealtimeScript {
    /// The messages, and how many texts each is answered.
    static let messages: [(bytes: [UInt8], answerCount: Int)] = [
        (WebSocketClient.handshake(), 0), (WebSocketClient.frame(WebSocketClient.initialisation), 2),
        (WebSocketClient.frame(WebSocketClient.start("1", "subscription { onCreateTodo { id name } }")), 1),
        (WebSocketClient.frame(WebSocketClient.start("2", "subscription { onDeleteTodo { id } }")), 1),
        (WebSocketClient.frame(WebSocketClient.stop("1")), 1),
    ]
    static let bytes = messages.flatMap(\.bytes)

    /// How many texts a part of the script is answered at least; nil without a whole handshake.
    static func answerCount(toFirst byteCount: Int) -> Int? {
        guard byteCount >= messages[0].bytes.count else { return nil }
        var (end, count) = (0, 0)
        for message in messages {
            end += message.bytes.count
            if end <= byteCount { count += message.answerCount }
        }
        return count
    }
}

/// A client that has sent a part of the script, and how it goes.
struct CutSession {
    enum Ending: CaseIterable {
        /// The client is gone; what it has not read makes that a reset.
        case close
        case reset
        /// The client ends its half of the connection, and waits for the server's.
        case halfClose
        /// A close frame, wherever that falls.
        case closeFrame
    }

    private let client: Client
    private let byteCount: Int

    init(port: Int, byteCount: Int) throws {
        client = try Client(port: port)
        self.byteCount = byteCount
        try client.send(Array(RealtimeScript.bytes[..<byteCount]))
    }

    /// Reads what the server must have said by now.
    func readAnswers() throws {
        guard let count = RealtimeScript.answerCount(toFirst: byteCount) else { return }
        let socket = try WebSocketClient(answering: client)
        for _ in 0..<count { _ = try socket.receiveText() }
    }

    func end(by ending: Ending) throws {
        switch ending {
        case .close: break
        case .reset: client.resetOnClose()
        case .halfClose:
            client.finishSending()
            #expect(client.awaitEnd(), "the server waits for more than \(byteCount) bytes")
        case .closeFrame: try client.send(WebSocketClient.frame([0x03, 0xE8], opcode: 0x8))
        }
    }
}
