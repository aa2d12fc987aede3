import Synchronization

@testable import HTTP

/// One frame of the server's, as it was read.
struct ServerFrame: Equatable, CustomStringConvertible {
    var opcode: UInt8
    var payload: [UInt8]

    /// As in the table of the frames' tests: `text Hello`, `ping x`, `close 1000 bye`.
    var description: String {
        let text = { (bytes: ArraySlice<UInt8>) in String(decoding: bytes, as: UTF8.self) }
        switch opcode {
        case 1: return "text \(text(payload[...]))"
        case 8 where payload.isEmpty: return "close"
        case 8: return "close \(Int(payload[0]) << 8 | Int(payload[1])) \(text(payload[2...]))"
        case 9: return "ping \(text(payload[...]))"
        case 10: return "pong \(text(payload[...]))"
        default: return "opcode \(opcode)"
        }
    }
}

extension Client {
    static let handshake = """
        GET /socket HTTP/1.1\r\nHost: h\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
        Sec-WebSocket-Protocol: chat, header-e30=\r\n\
        Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n\r\n
        """

    /// A client whose upgrade was answered 101; nil when it was not.
    static func upgraded(port: Int, receiveBytes: Int32? = nil) async -> Client? {
        let client = Client(port: port, receiveBytes: receiveBytes)
        client.send(handshake)
        return await client.answer()?.status == 101 ? client : nil
    }

    /// The next frame; nil when the connection ends before it is whole, or when it is none that a server may send: whole,
    /// unmasked, its length in the shortest form.
    func frame() async -> ServerFrame? {
        guard let head = await take(2), head[0] & 0xF0 == 0x80, head[1] & 0x80 == 0 else { return nil }
        var count = Int(head[1])
        if count >= 126 {
            let isLong = count == 127
            guard let length = await take(isLong ? 8 : 2) else { return nil }
            count = length.reduce(0) { $0 << 8 | Int($1) }
            guard count > (isLong ? 65_535 : 125) else { return nil }
        }
        guard let payload = await take(count) else { return nil }
        return ServerFrame(opcode: head[0] & 0x0F, payload: payload)
    }
}

/// Accepts every upgrade, and answers other requests with their path. The events of the sockets are recorded.
final class Upgrading: Responder {
    let limits: WebSocketLimits
    private let opened: @Sendable (WebSocket) -> Void
    private let received: @Sendable (String, WebSocket) -> Void
    private let log = Mutex<[String]>([])

    init(
        limits: WebSocketLimits = .patient, opened: @escaping @Sendable (WebSocket) -> Void = { _ in },
        received: @escaping @Sendable (String, WebSocket) -> Void = Upgrading.echo
    ) {
        self.limits = limits
        self.opened = opened
        self.received = received
    }

    /// The text itself comes back; `close` closes.
    static func echo(_ text: String, _ socket: WebSocket) {
        if text == "close" { return socket.close(.normal, reason: "as you wish") }
        var text = text
        text.withUTF8 { unsafe socket.send(UnsafeRawBufferPointer($0)) }
    }

    func respond(to request: Request, on loop: EventLoop, reply: Reply) {
        do throws(WebSocketHandshakeError) {
            guard let handshake = try WebSocketHandshake(request) else {
                return reply.send(Response(status: 200, body: Array(request.path.utf8)))
            }
            reply.upgrade(
                handshake, subprotocol: handshake.subprotocols.contains("chat") ? "chat" : nil,
                head: HeaderBlock(["x-head": "yes"], requestIDNames: ["x-amzn-RequestId"]), limits: limits,
                handler: Handler(self))
        } catch {
            reply.send(Response(status: error.status, fields: error.fields, body: Array(error.message.utf8)))
        }
    }

    /// What happened so far: `opened`, `closed 1000`, `closed nil`.
    var events: [String] { log.withLock { $0 } }

    /// Whether this happens within a minute, before anything else.
    func happensSoon(_ expected: [String]) async -> Bool {
        _ = await eventually { events.count >= expected.count }
        return events.starts(with: expected)
    }

    /// Whether every socket that was opened is closed within a minute.
    func isOverSoon() async -> Bool {
        await eventually { events.count { $0 == "opened" } * 2 == events.count }
    }

    private func record(_ event: String) { log.withLock { $0.append(event) } }

    private final class Handler: WebSocketHandler {
        private let upgrading: Upgrading

        init(_ upgrading: Upgrading) { self.upgrading = upgrading }

        func opened(_ socket: WebSocket) {
            upgrading.record("opened")
            upgrading.opened(socket)
        }

        func received(_ text: UnsafeRawBufferPointer, on socket: WebSocket) {
            unsafe upgrading.received(String(decoding: text, as: UTF8.self), socket)
        }

        func closed(_ code: WebSocketCloseCode?, on socket: WebSocket) {
            upgrading.record("closed \(code.map { "\($0.rawValue)" } ?? "nil")")
        }
    }
}

extension WebSocket {
    /// A message that is all shared.
    func send(_ shared: SharedBytes) {
        let nothing = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        unsafe send(nothing, shared, nothing)
    }
}

extension WebSocketLimits {
    /// No ping comes between the frames of a test, however long it waits for a thread.
    static var patient: WebSocketLimits {
        var limits = WebSocketLimits()
        limits.pingSeconds = 3_600
        return limits
    }
}
