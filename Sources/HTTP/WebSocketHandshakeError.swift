import Crypto

/// Why a request for a WebSocket is refused: what its answer says.
public struct WebSocketHandshakeError: Error, Sendable {
    /// 400, or 426 for another version of the protocol.
    public let status: Int
    /// One sentence for the client's developer.
    public let message: String
    /// Header lines the answer must have.
    public let fields: [(name: String, value: String)]

    static func malformed(_ message: String) -> WebSocketHandshakeError {
        WebSocketHandshakeError(status: 400, message: message, fields: [])
    }

    /// RFC 6455 §4.4 wants the version in the answer, RFC 9110 §15.5.22 the protocol.
    static let wrongVersion = WebSocketHandshakeError(
        status: 426, message: "The server speaks version 13 of the WebSocket protocol.",
        fields: [("Sec-WebSocket-Version", "13"), ("Upgrade", "websocket")])
}
