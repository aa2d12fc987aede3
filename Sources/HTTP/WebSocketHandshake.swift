import Crypto
import Encodings

/// What a request to upgrade to WebSocket asks. RFC 6455 §4.2.1.
///
/// Extensions are not agreed on: permessage-deflate, which browsers offer, is left out of the answer and so not used
/// (RFC 6455 §9.1).
public struct WebSocketHandshake: Sendable {
    /// What the client can speak, in its order of preference. Not only tokens, as RFC 6455 §4.1 has it: clients put
    /// credentials here, in whatever base64.
    public let subprotocols: [String]

    /// `Sec-WebSocket-Key` as it was sent: 16 bytes in base64.
    private let key: [UInt8]

    /// Reads the handshake of `request`; nil when it does not ask for WebSocket, or by HTTP/1.0, whose Upgrade is to
    /// be ignored (RFC 9110 §7.8).
    public init?(_ request: Request) throws(WebSocketHandshakeError) {
        guard request.traits.contains(.asksWebSocket) else { return nil }
        guard request.method == .get else { throw .malformed("A WebSocket is asked for by GET.") }
        guard request.bodyCount == 0, request.stream == nil else {
            throw .malformed("A request for a WebSocket has no body.")
        }
        let options = request.listMembers(of: "connection").map { $0.lowercased() }
        guard options.contains("upgrade"), !options.contains("close") else {
            throw .malformed("A request for a WebSocket has the Connection Upgrade.")
        }
        guard request.values(of: "sec-websocket-version") == ["13"] else { throw .wrongVersion }
        let keys = request.values(of: "sec-websocket-key").map { Array($0.utf8) }
        guard keys.count == 1, WebSocketHandshake.isKey(keys[0]) else {
            throw .malformed("A request for a WebSocket has one Sec-WebSocket-Key, of 16 bytes in base64.")
        }
        key = keys[0]
        subprotocols = request.listMembers(of: "sec-websocket-protocol")
    }

    /// 16 bytes are 22 digits of base64, of which the last carries two bits, and two signs of padding.
    private static func isKey(_ key: [UInt8]) -> Bool {
        key.count == 24 && key[..<22].allSatisfy(\.isBase64Digit) && key[22...].allSatisfy { $0 == ASCII.equals }
    }
}

// MARK: - The answer

extension WebSocketHandshake {
    /// RFC 6455 §4.2.2: the answer 101, whole. `date` is the whole line.
    func answer(subprotocol: String?, head: HeaderBlock, requestID: RequestID?, date: [UInt8]) -> [UInt8] {
        var bytes = Array("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n".utf8)
        bytes += "Sec-WebSocket-Accept: \(accept)\r\n".utf8
        if let subprotocol { bytes += "Sec-WebSocket-Protocol: \(subprotocol)\r\n".utf8 }
        bytes += head.bytes
        if let requestID, let prefix = head.requestIDPrefixes.first {
            bytes += prefix
            bytes += "\(requestID)\r\n".utf8
        }
        bytes += date
        bytes += "\r\n".utf8
        return bytes
    }

    /// RFC 6455 §4.2.2, 5.4: the key and a fixed GUID, hashed. It proves that a WebSocket server has answered, nothing
    /// else: SHA-1 protects nothing here.
    var accept: String {
        var hash = Insecure.SHA1()
        unsafe key.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
        unsafe Array("258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8).withUnsafeBytes {
            unsafe hash.update(bufferPointer: $0)
        }
        return Base64.encode(Array(hash.finalize()))
    }
}

extension UInt8 {
    fileprivate var isBase64Digit: Bool {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), ASCII.slash:
            true
        default: false
        }
    }
}

// MARK: - Fields that may come more than once

extension Request {
    /// The values of all fields of that name, which is in lower case.
    fileprivate func values(of name: String) -> [String] { headers.filter { $0.name == name }.map(\.value) }

    /// RFC 9110 §5.6.1: the members of all fields of that name together.
    fileprivate func listMembers(of name: String) -> [String] {
        values(of: name).flatMap { value in
            value.split(separator: ",").map { $0.trimmed }.filter { !$0.isEmpty }
        }
    }
}

extension Substring {
    fileprivate var trimmed: String {
        let isText = { (character: Character) in character != " " && character != "\t" }
        guard let first = firstIndex(where: isText), let last = lastIndex(where: isText) else { return "" }
        return String(self[first...last])
    }
}
