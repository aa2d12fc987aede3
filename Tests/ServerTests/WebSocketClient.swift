import Foundation
import JSON
import Testing

/// A WebSocket of a test: it shows what the server said, text by text.
final class WebSocketClient {
    /// The server's close frame, returned instead of a text.
    struct Closed: Error, Equatable {
        var code: Int
        var reason: String
    }

    static let appSync = ["Sec-WebSocket-Protocol": "graphql-ws", "x-api-key": TestServer.key]

    /// The server's answer to the upgrade.
    let answer: Client.Answer
    private let client: Client

    /// Asks for a WebSocket; nothing but the headers of the handshake is added.
    convenience init(port: Int, _ path: String = "/graphql/realtime", headers: [String: String] = appSync) throws {
        let client = try Client(port: port)
        try client.send(Self.handshake(path, headers: headers))
        try self.init(answering: client)
    }

    /// The socket of a client that has sent a handshake, and perhaps more behind it.
    init(answering client: Client) throws {
        self.client = client
        answer = try client.receive()
    }

    static func handshake(_ path: String = "/graphql/realtime", headers: [String: String] = appSync) -> [UInt8] {
        let handshake = [
            "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        ]
        return Array(Client.request("GET", path, headers: handshake.merging(headers) { $1 }, body: "").utf8)
    }

    /// Sends one text message.
    func send(_ text: String) throws { try client.send(Self.frame(text)) }

    /// The connection ends by a reset, when this socket is let go.
    func resetOnClose() { client.resetOnClose() }

    func sendClose(_ code: UInt16) throws {
        try client.send(Self.frame([UInt8(code >> 8), UInt8(code & 0xFF)], opcode: 0x8))
    }

    static func frame(_ text: String) -> [UInt8] { frame(Array(text.utf8)) }

    /// One frame, of a text if nothing else is said, masked with a key of zeros (RFC 6455 §5.3 asks for a random one).
    static func frame(_ payload: [UInt8], opcode: UInt8 = 0x1) -> [UInt8] {
        var frame: [UInt8] = [0x80 | opcode]
        switch payload.count {
        case ..<126: frame.append(0x80 | UInt8(payload.count))
        case ..<65_536: frame += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default:
            frame.append(0x80 | 127)
            frame += (0..<8).reversed().map { UInt8(payload.count >> ($0 * 8) & 0xFF) }
        }
        return frame + [0, 0, 0, 0] + payload
    }

    static let keepAlive = #"{"type":"ka"}"#

    /// The next text of the server that is no keep-alive message: those come with time, and on a busy machine a test may
    /// take longer than their interval.
    func receive() throws -> String {
        while true {
            let text = try receiveText()
            if text != Self.keepAlive { return text }
        }
    }

    /// The next text of the server, a keep-alive message too; its pings are passed over.
    func receiveText() throws -> String {
        while true {
            let head = try client.receive(byteCount: 2)
            var count = Int(head[1])
            if count == 126 || count == 127 {
                let length = try client.receive(byteCount: count == 126 ? 2 : 8)
                count = length.reduce(0) { $0 << 8 | Int($1) }
            }
            let payload = try client.receive(byteCount: count)
            switch head[0] {
            case 0x81: return String(decoding: payload, as: UTF8.self)
            case 0x88:
                let code = payload.prefix(2).reduce(0) { $0 << 8 | Int($1) }
                throw Closed(code: code, reason: String(decoding: payload.dropFirst(2), as: UTF8.self))
            case 0x89: continue
            default: throw Closed(code: 0, reason: "a frame that begins with \(head[0])")
            }
        }
    }

    /// The close frame that has to come next.
    func receiveClose() throws -> Closed {
        do {
            let text = try receive()
            return Closed(code: 0, reason: "a text: \(text)")
        } catch let closed as Closed { return closed }
    }

    /// Sends a message and shows its answer.
    func ask(_ text: String) throws -> String {
        try send(text)
        return try receive()
    }

    static let initialisation = #"{"type":"connection_init"}"#

    /// Opens AppSync's conversation.
    func acknowledged() throws -> WebSocketClient {
        try send(Self.initialisation)
        return try receiveAcknowledgement()
    }

    /// The answers to `connection_init`.
    func receiveAcknowledgement() throws -> WebSocketClient {
        #expect(
            try receive()
                == #"{"type":"connection_ack","payload":{"connectionTimeoutMs":300000}}"#)
        #expect(try receiveText() == Self.keepAlive)
        return self
    }

    /// Starts a subscription in AppSync's way and shows the answer.
    func start(
        _ id: String, _ query: String, _ variables: String = "{}", key: String = TestServer.key
    ) throws -> String {
        try ask(Self.start(id, query, variables, key: key))
    }

    static func start(_ id: String, _ query: String, _ variables: String = "{}", key: String = TestServer.key) -> String
    {
        let data = JSONValue.string(#"{"query":\#(JSONValue.string(query)),"variables":\#(variables)}"#)
        return #"{"id":"\#(id)","type":"start","payload":{"data":\#(data),"extensions":{"authorization":"#
            + #"{"x-api-key":"\#(key)","host":"localhost"}}}}"#
    }

    static func stop(_ id: String) -> String { #"{"type":"stop","id":"\#(id)"}"# }

    static func completion(_ id: String) -> String { #"{"id":"\#(id)","type":"complete"}"# }

    static func acknowledgement(_ id: String) -> String { #"{"id":"\#(id)","type":"start_ack"}"# }

    static func data(_ id: String, _ payload: String) -> String {
        #"{"id":"\#(id)","type":"data","payload":\#(payload)}"#
    }
}
