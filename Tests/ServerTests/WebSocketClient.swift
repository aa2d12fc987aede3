import Foundation
import JSON
import Testing

/// A WebSocket of a test: it shows what the server said, text by text.
final class WebSocketClient {
    /// The server's close frame, told instead of a text.
    struct Closed: Error, Equatable {
        var code: Int
        var reason: String
    }

    static let appSync = ["Sec-WebSocket-Protocol": "graphql-ws", "x-api-key": TestServer.key]

    /// The server's answer to the upgrade.
    let answer: Client.Answer
    private let client: Client

    /// Asks for a WebSocket; nothing but the headers of the handshake is added.
    init(port: Int, _ path: String = "/graphql/realtime", headers: [String: String] = appSync) throws {
        client = try Client(port: port)
        let handshake = [
            "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        ]
        answer = try client.ask("GET", path, headers: handshake.merging(headers) { $1 })
    }

    /// Sends one text message in one frame, masked with a key of zeros (RFC 6455 §5.3 asks for a random one).
    func send(_ text: String) throws {
        let payload = Array(text.utf8)
        var frame: [UInt8] = [0x81]
        switch payload.count {
        case ..<126: frame.append(0x80 | UInt8(payload.count))
        case ..<65_536: frame += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default:
            frame.append(0x80 | 127)
            frame += (0..<8).reversed().map { UInt8(payload.count >> ($0 * 8) & 0xFF) }
        }
        try client.send(frame + [0, 0, 0, 0] + payload)
    }

    /// The next text of the server; its pings are passed over.
    func receive() throws -> String {
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

    /// Opens AppSync's conversation.
    func acknowledged() throws -> WebSocketClient {
        #expect(
            try ask(#"{"type":"connection_init"}"#)
                == #"{"type":"connection_ack","payload":{"connectionTimeoutMs":300000}}"#)
        #expect(try receive() == #"{"type":"ka"}"#)
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

    static func acknowledgement(_ id: String) -> String { #"{"id":"\#(id)","type":"start_ack"}"# }

    static func data(_ id: String, _ payload: String) -> String {
        #"{"id":"\#(id)","type":"data","payload":\#(payload)}"#
    }
}
