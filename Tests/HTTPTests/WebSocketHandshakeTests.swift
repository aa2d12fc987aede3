import Testing

@testable import HTTP

@Suite("The WebSocket handshake")
struct WebSocketHandshakeTests {
    static let whole = """
        GET /chat HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\
        Sec-WebSocket-Protocol: graphql-ws, header-eyJhIjoxfQ==\r\n\r\n
        """

    /// The handshake with one part replaced, and what becomes of it: a status, `ok`, or `none` where none is asked.
    static let cases: [(part: String, by: String, outcome: String)] = [
        ("", "", "ok"),
        ("Upgrade: websocket", "UPGRADE:  WebSocket ", "ok"),
        ("Upgrade: websocket", "Upgrade: h2c, websocket", "ok"),
        ("Upgrade: websocket", "Upgrade: h2c\r\nUpgrade: websocket", "ok"),
        ("Upgrade: websocket", "Upgrade: h2c", "none"),
        ("Upgrade: websocket", "Upgrade: websockets", "none"),
        ("Upgrade: websocket\r\n", "", "none"),
        ("HTTP/1.1", "HTTP/1.0", "none"),
        ("GET", "POST", "400"),
        ("GET", "HEAD", "400"),
        ("Host: h\r\n", "Host: h\r\nContent-Length: 0\r\n", "ok"),
        ("Connection: Upgrade", "Connection: keep-alive, UPGRADE", "ok"),
        ("Connection: Upgrade", "Connection: keep-alive\r\nConnection: upgrade", "ok"),
        ("Connection: Upgrade", "Connection: keep-alive", "400"),
        ("Connection: Upgrade", "Connection: close, upgrade", "400"),
        ("Connection: Upgrade\r\n", "", "400"),
        ("Version: 13", "Version: 12", "426"),
        ("Version: 13", "Version: 013", "426"),
        ("Version: 13", "Version: 13, 8", "426"),
        ("Version: 13", "Version: 13\r\nSec-WebSocket-Version: 13", "426"),
        ("Sec-WebSocket-Version: 13\r\n", "", "426"),
        ("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", "", "400"),
        ("dGhlIHNhbXBsZSBub25jZQ==", "", "400"),
        ("dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQ", "400"),
        ("dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQA=", "400"),
        ("dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQAA", "400"),
        ("dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25j-Q==", "400"),
        ("dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "400"),
    ]

    @Test("is read strictly", arguments: cases)
    func reading(part: String, by other: String, outcome: String) throws {
        let text = part.isEmpty ? Self.whole : Self.whole.replacing(part, with: other)
        let request = try #require(self.request(text))
        do throws(WebSocketHandshakeError) {
            #expect((try WebSocketHandshake(request) == nil ? "none" : "ok") == outcome)
        } catch {
            #expect("\(error.status)" == outcome)
            let version = error.fields.first { $0.name == "Sec-WebSocket-Version" }?.value
            #expect(version == (outcome == "426" ? "13" : nil))
        }
    }

    @Test("a body beside the handshake is refused")
    func body() throws {
        let text = Self.whole.replacing("Host: h", with: "Host: h\r\nContent-Length: 2") + "ab"
        let request = try #require(self.request(text))
        #expect(throws: WebSocketHandshakeError.self) { try WebSocketHandshake(request) }
    }

    @Test("the answer proves the key, and names the one subprotocol and no extension")
    func answer() throws {
        let request = try #require(self.request(Self.whole))
        let handshake = try #require(try WebSocketHandshake(request))
        #expect(handshake.subprotocols == ["graphql-ws", "header-eyJhIjoxfQ=="])
        // RFC 6455 §1.3 has this key and its answer.
        #expect(handshake.accept == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        let date = Array("Date: Sat, 21 Nov 2026 09:30:00 GMT\r\n".utf8)
        let head = HeaderBlock(["x-head": "yes"], requestIDNames: ["x-id"])
        let answer = handshake.answer(
            subprotocol: "graphql-ws", head: head, requestID: RequestID(randomBits: 0, 0), date: date)
        #expect(
            String(decoding: answer, as: UTF8.self) == """
                HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-WebSocket-Protocol: graphql-ws\r\n\
                x-head: yes\r\nx-id: 00000000-0000-4000-8000-000000000000\r\n\
                Date: Sat, 21 Nov 2026 09:30:00 GMT\r\n\r\n
                """)
        let bare = handshake.answer(subprotocol: nil, head: .empty, requestID: nil, date: date)
        #expect(!String(decoding: bare, as: UTF8.self).contains("Protocol:"))
    }

    @Test("subprotocols come in several fields, in order, with empty members left out")
    func subprotocols() throws {
        let several = "Sec-WebSocket-Protocol: a,, b ,\r\nSec-WebSocket-Protocol:\tc\r\nSec-WebSocket-Protocol:\r\n"
        let text = Self.whole.replacing("Sec-WebSocket-Protocol: graphql-ws, header-eyJhIjoxfQ==\r\n", with: several)
        let request = try #require(self.request(text))
        #expect(try WebSocketHandshake(request)?.subprotocols == ["a", "b", "c"])
    }

    private func request(_ text: String) -> Request? {
        var parser = RequestParser(limits: HTTPLimits())
        unsafe Array(text.utf8).withUnsafeBytes { unsafe parser.append($0) }
        guard case .request(let request) = parser.nextCollecting() else { return nil }
        return request
    }
}
