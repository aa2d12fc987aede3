import Testing

@testable import HTTP

@Suite("The request parser")
struct RequestParserTests {
    @Test("reads a valid request, however it is cut into two reads", arguments: Example.valid)
    func valid(example: Example) {
        let bytes = Array(example.text.utf8)
        #expect(events(of: [bytes]) == example.events)
        for cut in 0...bytes.count {
            let parts = [Array(bytes[..<cut]), Array(bytes[cut...])]
            #expect(events(of: parts) == example.events, "cut at \(cut)")
        }
        #expect(events(of: bytes.map { [$0] }) == example.events, "byte by byte")
    }

    @Test("reads a valid request, however it is cut into three reads", arguments: Example.valid)
    func validInThree(example: Example) {
        let bytes = Array(example.text.utf8)
        // Every pair of cuts where the message is short, every pair a prime apart where it is long.
        let step = bytes.count < 120 ? 1 : 7
        for first in stride(from: 0, through: bytes.count, by: step) {
            for second in stride(from: first, through: bytes.count, by: step) {
                let parts = [Array(bytes[..<first]), Array(bytes[first..<second]), Array(bytes[second...])]
                #expect(events(of: parts) == example.events, "cut at \(first) and \(second)")
            }
        }
    }

    @Test("refuses what is malformed, ambiguous or unknown, however it is cut", arguments: Example.invalid)
    func invalid(example: Example) {
        let bytes = Array(example.text.utf8)
        #expect(events(of: [bytes]) == example.events)
        #expect(events(of: bytes.map { [$0] }) == example.events, "byte by byte")
        for cut in 0...bytes.count {
            #expect(events(of: [Array(bytes[..<cut]), Array(bytes[cut...])]) == example.events, "cut at \(cut)")
        }
    }

    @Test("refuses control characters anywhere in a head")
    func controls() {
        for control in UInt8(0)..<0x20 where control != ASCII.tab {
            for template in ["GE\u{1}T / HTTP/1.1", "GET /a\u{1}b HTTP/1.1", "GET / HTTP/1.1\u{1}"] {
                #expect(statuses(template + "\r\nHost: h\r\n\r\n\n", replacing: control).last == 400, "\(control)")
            }
            for template in ["a\u{1}b: c", "a: b\u{1}c", "a: \u{1}", "\u{1}a: b", "a\u{1}: b"] {
                let text = "GET / HTTP/1.1\r\nHost: h\r\n\(template)\r\n\r\n\n"
                #expect(statuses(text, replacing: control).last == 400, "\(control) in \(template.debugDescription)")
            }
        }
    }

    @Test("takes exactly the characters of a field value, wherever they stand in it")
    func fieldContent() {
        for byte in UInt8.min...UInt8.max {
            // Up to three words of eight bytes, the last cut short; among neighbours that are as low as may be.
            for count in 1...20 {
                for place in 0..<count {
                    var value = [UInt8](repeating: ASCII.space, count: count)
                    value[place] = byte
                    let isContent = value.span.isFieldContent(0..<count)
                    #expect(isContent == byte.isFieldContent, "\(byte) at \(place) of \(count)")
                }
            }
        }
    }

    @Test("notes the fields that every answer asks for: the first of a name, in any case")
    func notedFields() throws {
        let table: [(field: NotedField, name: String)] = [
            (.accept, "Accept"), (.apiKey, "x-API-key"), (.authorization, "AUTHORIZATION"),
            (.contentType, "content-type"), (.origin, "Origin"),
        ]
        func value(_ request: Request, _ field: NotedField) -> String? {
            unsafe request.withHeader(field) { unsafe $0.map { unsafe String(decoding: $0, as: UTF8.self) } }
        }
        var parser = RequestParser(limits: HTTPLimits())
        func next(_ lines: String) throws -> Request {
            unsafe Array("GET / HTTP/1.1\r\nHost: h\r\n\(lines)\r\n".utf8).withUnsafeBytes { unsafe parser.append($0) }
            guard case .request(let request) = parser.nextCollecting() else { throw Missing() }
            return request
        }
        for (field, name) in table {
            // A second Origin is refused.
            let second = field == .origin ? "" : "\(name): c\r\n"
            let request = try next("other: z\r\n\(name):  a b \r\n\(second)")
            for (other, _) in table { #expect(value(request, other) == (other == field ? "a b" : nil), "\(name)") }
            #expect(try value(next("\(name):\r\n\(second)"), field) == "", "\(name)")
            #expect(try value(next("\(name.dropLast()): a\r\n\(name)x: b\r\n"), field) == nil, "\(name)")
        }
    }

    private struct Missing: Error {}

    @Test("takes exactly the token characters in a field name")
    func tokens() {
        let allowed = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        for byte in UInt8.min...UInt8.max {
            #expect(byte.isToken == allowed.contains(byte), "\(byte)")
            guard byte != ASCII.colon else { continue }
            let bytes = Array("GET / HTTP/1.1\r\nHost: h\r\nx".utf8) + [byte] + Array("y: z\r\n\r\n".utf8)
            let isRead = events(of: [bytes]).first?.hasPrefix("get") == true
            #expect(isRead == allowed.contains(byte), "\(byte)")
        }
    }

    @Test("keeps to its bounds, and serves what just fits")
    func bounds() {
        var limits = HTTPLimits()
        limits.requestHeadBytesMax = 300
        limits.targetBytesMax = 20
        limits.headerCountMax = 3
        limits.bodyBytesMax = 10
        limits.chunkCountMax = 3
        limits.chunkLineBytesMax = 20
        limits.trailerBytesMax = 30
        let start = "GET / HTTP/1.1\r\nHost: h\r\n"
        func filled(to count: Int) -> String {
            let rest = count - start.utf8.count - "a: \r\n\r\n".utf8.count
            return start + "a: " + String(repeating: "b", count: rest) + "\r\n\r\n"
        }
        func chunked(_ body: String) -> String {
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" + body
        }
        let table: [(text: String, status: Int?)] = [
            (filled(to: 300), nil),
            (filled(to: 301), 431),
            (filled(to: 3000), 431),
            ("GET /" + String(repeating: "a", count: 19) + " HTTP/1.1\r\nHost: h\r\n\r\n", nil),
            ("GET /" + String(repeating: "a", count: 20) + " HTTP/1.1\r\nHost: h\r\n\r\n", 414),
            ("GET /" + String(repeating: "a", count: 300) + " HTTP/1.1\r\nHost: h\r\n\r\n", 414),
            (start + "a: b\r\nc: d\r\n\r\n", nil),
            (start + "a: b\r\nc: d\r\ne: f\r\n\r\n", 431),
            (start + "Content-Length: 10\r\n\r\n0123456789", nil),
            (start + "Content-Length: 11\r\n\r\n", 413),
            (start + "Content-Length: 99999999999999999999999999999999\r\n\r\n", 413),
            (chunked("5\r\n01234\r\n5\r\n56789\r\n0\r\n\r\n"), nil),
            (chunked("5\r\n01234\r\n6\r\n56789a\r\n0\r\n\r\n"), 413),
            (chunked("FFFFFFFFFFFFFFFF\r\n"), 413),
            (chunked("1\r\na\r\n1\r\nb\r\n1\r\nc\r\n0\r\n\r\n"), nil),
            (chunked("1\r\na\r\n1\r\nb\r\n1\r\nc\r\n1\r\nd\r\n0\r\n\r\n"), 413),
            (chunked("1;a=01234567890123\r\na\r\n0\r\n\r\n"), nil),
            (chunked("1;a=012345678901234\r\na\r\n0\r\n\r\n"), 400),
            (chunked("0\r\na: 01234567890123456789012\r\n\r\n"), nil),
            (chunked("0\r\na: 0123456789012345678901234\r\n\r\n"), 431),
            (chunked("0\r\na:b\r\nc:d\r\ne:f\r\n\r\n"), nil),
            (chunked("0\r\na:b\r\nc:d\r\ne:f\r\ng:h\r\n\r\n"), 431),
        ]
        for (text, status) in table {
            let whole = statuses(text, limits: limits)
            #expect(whole.last == status, "\(text)")
            #expect(
                events(of: text.utf8.map { [$0] }, limits: limits) == events(of: [Array(text.utf8)], limits: limits))
        }
    }

    @Test("a refused head is known as far as it was read, once its request line was")
    func refusedHeads() throws {
        var limits = HTTPLimits()
        (limits.requestHeadBytesMax, limits.targetBytesMax) = (300, 200)
        let long = String(repeating: "x", count: 300)
        let table: [(text: String, path: String?, host: String?)] = [
            ("GET /a?b HTTP/1.1\r\nHost: h\r\nX: \(long)\r\n\r\n", "/a", "h"),
            ("GET /a HTTP/1.1\r\nX: \(long)\r\nHost: h\r\n\r\n", "/a", nil),
            ("GET /a HTTP/1.1\r\nHost: h\r\nnone\r\n\r\n", "/a", "h"),
            ("GET /\(long.prefix(200)) HTTP/1.1\r\nHost: h\r\n\r\n", "/\(long.prefix(200))", nil),
            ("GET /\(long) HTTP/1.1\r\nHost: h\r\n\r\n", nil, nil), ("GET /a HTTP/2.0\r\n\r\n", nil, nil),
            ("GET /\u{7f} HTTP/1.1\r\n\r\n", nil, nil),
        ]
        for (text, path, host) in table {
            // The second message of a connection knows nothing of the first.
            var parser = RequestParser(limits: limits)
            for bytes in ["GET /first HTTP/1.1\r\nHost: first\r\n\r\n", text] {
                unsafe Array(bytes.utf8).withUnsafeBytes { unsafe parser.append($0) }
                while true {
                    let event = parser.next()
                    if case .request = event {
                        _ = parser.takeRequest()
                        continue
                    }
                    break
                }
            }
            #expect(parser.refusal != nil)
            #expect(parser.refusedHead?.path == path && parser.refusedHead?[header: "host"] == host, "\(text)")
        }
    }

    @Test("gives path, query, headers and body as they were sent")
    func values() throws {
        let text = "POST http://H:80/a%20b?x=1&y={z} HTTP/1.1\r\nHOST: h:80\r\nX-Two:  a b \t\r\nx-two: c\r\n"
        let request = try #require(firstRequest(in: text + "Empty:\r\nContent-Length: 3\r\n\r\nabc"))
        #expect(request.method == .post)
        #expect(request.path == "/a%20b")
        #expect(request.query == "x=1&y={z}")
        #expect(query(of: request) == Array("x=1&y={z}".utf8))
        #expect(request[header: "x-two"] == "a b")
        #expect(request[header: "X-TWO"] == "a b")
        #expect(request[header: "empty"] == "")
        #expect(request[header: "missing"] == nil)
        #expect(header("x-two", of: request) == Array("a b".utf8))
        #expect(header("missing", of: request) == nil)
        #expect(request.headers.map(\.name) == ["host", "x-two", "x-two", "empty", "content-length"])
        #expect(request.headers.map(\.value) == ["h:80", "a b", "c", "", "3"])
        #expect(request.bodyCount == 3)
        #expect(body(of: request) == Array("abc".utf8))
        #expect(path(of: request) == Array("/a%20b".utf8))
        let empty = try #require(firstRequest(in: "GET http://h HTTP/1.1\r\nHost: h\r\n\r\n"))
        #expect(query(of: empty) == nil)
        #expect(empty.path == "/" && empty.query == nil && path(of: empty) == [ASCII.slash])
    }

    @Test("a request that is kept stays as it was while the connection goes on")
    func keptRequest() throws {
        var parser = RequestParser(limits: HTTPLimits())
        var kept: [Request] = []
        for number in 0..<50 {
            let text = "POST /\(number) HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\n\(1000 + number)GET /next"
            unsafe Array(text.dropLast(9).utf8).withUnsafeBytes { unsafe parser.append($0) }
            guard case .request(let request) = parser.nextCollecting() else {
                Issue.record("no request")
                return
            }
            kept.append(request)
        }
        for (number, request) in kept.enumerated() {
            #expect(request.path == "/\(number)")
            #expect(body(of: request) == Array("\(1000 + number)".utf8))
            #expect(request[header: "content-length"] == "4")
        }
    }

    @Test("reads a head that comes again as it did first, whatever came between", arguments: Example.valid)
    func sameHead(example: Example) {
        let bytes = Array(example.text.utf8)
        for other in Example.valid {
            let parts = [bytes, bytes, Array(other.text.utf8), bytes]
            #expect(events(of: parts) == example.events + example.events + other.events + example.events)
        }
        for other in Example.invalid {
            #expect(
                events(of: [bytes, bytes, Array(other.text.utf8)]) == example.events + example.events + other.events)
        }
        #expect(events(of: [bytes] + bytes.map { [$0] }) == example.events + example.events, "byte by byte")
    }

    @Test("an event is small enough to be moved without a call")
    func eventSize() {
        #expect(MemoryLayout<RequestParser.Event>.size <= 128)
    }

    @Test("knows what is awaited")
    func phases() {
        var parser = RequestParser(limits: HTTPLimits())
        func feed(_ text: String) { unsafe Array(text.utf8).withUnsafeBytes { unsafe parser.append($0) } }
        #expect(parser.phase == .idle)
        feed("P")
        _ = parser.nextCollecting()
        #expect(parser.phase == .head)
        feed("OST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n1")
        _ = parser.nextCollecting()
        #expect(parser.phase == .body)
        feed("2")
        _ = parser.nextCollecting()
        #expect(parser.phase == .idle)
        feed("\0\n")
        _ = parser.nextCollecting()
        #expect(parser.phase == .failed)
    }
}

/// A message and the events it is read as.
struct Example: Sendable, CustomTestStringConvertible {
    let text: String
    let events: [String]

    init(_ text: String, _ events: String...) {
        self.text = text
        self.events = events
    }

    var testDescription: String { String(text.prefix(60)).debugDescription }

    static let valid: [Example] = [
        Example("GET / HTTP/1.1\r\nHost: h\r\n\r\n", "get / host=h"),
        Example("\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", "get / host=h"),
        Example("HEAD /a?b HTTP/1.1\r\nhOsT:h\r\n\r\n", "head /a?b host=h [head]"),
        Example("DELETE /? HTTP/1.1\r\nHost: h\r\n\r\n", "delete /? host=h"),
        Example("PURGE /%2e/[x]|{y} HTTP/1.1\r\nHost: h\r\n\r\n", "other(\"PURGE\") /%2e/[x]|{y} host=h"),
        Example("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", "options * host=h"),
        Example("GET http://a.b:1/c?d HTTP/1.1\r\nHost: A.B:1\r\n\r\n", "get /c?d host=A.B:1"),
        Example("GET HTTPS://a?d HTTP/1.1\r\nHost: a\r\n\r\n", "get /?d host=a"),
        Example("GET / HTTP/1.0\r\n\r\n", "get / [closes,1.0]"),
        Example("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "get / connection=keep-alive [1.0]"),
        Example(
            "GET / HTTP/1.1\r\nHost: h\r\nConnection: x, Close\r\n\r\n", "get / host=h connection=x, Close [closes]"),
        Example("GET / HTTP/1.1\r\nHost:\r\n\r\n", "get / host="),
        Example("GET / HTTP/1.1\r\nHost: h\r\nA:\t b\tc \t\r\n\r\n", "get / host=h a=b\tc"),
        Example(
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab\r\nc",
            "post / host=h content-length=5 body=ab\r\nc"),
        Example("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 000\r\n\r\n", "put / host=h content-length=000"),
        Example(
            "PATCH / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: CHUNKED\r\n\r\n5\r\nabcde\r\n00a;x ; y = \"q\\\";\" \t; z=1"
                + "\r\n0123456789\r\n000\r\nTrailer: t\r\n\r\n",
            "patch / host=h transfer-encoding=CHUNKED body=abcde0123456789"),
        Example(
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n",
            "post / host=h transfer-encoding=chunked", "get /b host=h"),
        Example(
            "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\nContent-Length: 1\r\n\r\nx",
            "continue", "post / host=h expect=100-Continue content-length=1 body=x"),
        Example(
            "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
            "continue", "post / host=h expect=100-continue transfer-encoding=chunked body=x"),
        Example(
            "GET /1 HTTP/1.1\r\nHost: h\r\n\r\nPOST /2 HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nxy"
                + "\r\nGET /3 HTTP/1.1\r\nHost: h\r\n\r\n",
            "get /1 host=h", "post /2 host=h content-length=2 body=xy", "get /3 host=h"),
        Example(
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Encoding: amz-1.0\r\nContent-Length: 2\r\n\r\n{}",
            "post / host=h content-encoding=amz-1.0 content-length=2 body={}"),
    ]

    static let invalid: [Example] = [
        // Lines.
        Example("GET / HTTP/1.1\nHost: h\r\n\r\n", "400"),
        Example("GET / HTTP/1.1\r\nHost: h\n\r\n", "400"),
        Example("GET / HTTP/1.1\r\nHost: h\r\n\n", "400"),
        Example("GET / HTTP/1.1\rHost: h\r\n\r\n", "400"),
        Example("\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
        Example("\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
        // Request lines.
        Example("GET /\r\nHost: h\r\n\r\n", "400"),
        Example("GET  / HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
        Example("GET /  HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
        Example("GET / HTTP/1.1 \r\nHost: h\r\n\r\n", "400"),
        Example(" GET / HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
        Example("GET\t/ HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
        Example("G(T / HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
        Example("GET / http/1.1\r\nHost: h\r\n\r\n", "400"),
        Example("GET / HTTP/11\r\nHost: h\r\n\r\n", "400"),
        Example("GET / HTTP/1.10\r\nHost: h\r\n\r\n", "400"),
        Example("GET / HTTP/1.2\r\nHost: h\r\n\r\n", "505"),
        Example("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505"),
        Example("GET * HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
        Example("CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
        Example("GET h/a HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
        Example("GET ftp://h/ HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
        Example("GET http:///a HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
        Example("GET http://u@h/a HTTP/1.1\r\nHost: u@h\r\n\r\n", "400"),
        Example("GET http://h/a HTTP/1.1\r\nHost: g\r\n\r\n", "400"),
        Example("GET /a#b HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
        Example("GET /a\\b HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
        Example("GET /ä HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
        Example("\(String(repeating: "M", count: 33)) / HTTP/1.1\r\nHost: h\r\n\r\n", "501"),
        // Header lines.
        Example("GET / HTTP/1.1\r\nHost : h\r\n\r\n", "400"),
        Example("GET / HTTP/1.1\r\nHost: h\r\nA\r\n\r\n", "400"),
        Example("GET / HTTP/1.1\r\nHost: h\r\n: b\r\n\r\n", "400"),
        Example("GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n c\r\n\r\n", "400"),
        Example("GET / HTTP/1.1\r\n Host: h\r\n\r\n", "400"),
        Example("GET / HTTP/1.1\r\nHost: h\r\nA: b\u{7F}\r\n\r\n", "400"),
        // Hosts.
        Example("GET / HTTP/1.1\r\n\r\n", "400"),
        Example("GET / HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n", "400"),
        Example("GET / HTTP/1.0\r\nHost: h\r\nHost: h\r\n\r\n", "400"),
        Example("GET / HTTP/1.1\r\nHost: a\r\nOrigin: http://a\r\nOrigin: http://b\r\n\r\n", "400"),
        Example("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "400"),
        Example("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", "400"),
        // Lengths: the smugglers' tools.
        Example("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", "400"),
        Example("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx", "400"),
        Example("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1, 1\r\n\r\nx", "400"),
        Example("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: +1\r\n\r\nx", "400"),
        Example("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\nx", "400"),
        Example("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0x1\r\n\r\nx", "400"),
        Example("POST / HTTP/1.1\r\nHost: h\r\nContent-Length:\r\n\r\nx", "400"),
        Example(
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"),
        Example(
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", "400"),
        Example(
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "400"),
        Example("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", "501"),
        Example("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: identity\r\n\r\n", "501"),
        Example("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: xchunked\r\n\r\n", "501"),
        Example("POST / HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"),
        // Chunks.
        Example("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n\r\n", "400"),
        Example("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\ng\r\n", "400"),
        Example("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n", "400"),
        Example("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n 1\r\na\r\n", "400"),
        Example("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1 \r\na\r\n", "400"),
        Example("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\na\r\n", "400"),
        Example("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", "400"),
        Example("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\na\r\n0\r\n\r\n", "400"),
        Example("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\n\n0\r\n\r\n", "400"),
        Example("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1;\r\na\r\n", "400"),
        Example("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1;a=\r\na\r\n", "400"),
        Example("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1;a=\"b\r\na\r\n", "400"),
        Example("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1;a\nb\r\na\r\n", "400"),
        Example("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1;a b\r\na\r\n", "400"),
        Example("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nbad line\r\n\r\n", "400"),
        Example("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\na: b\n\r\n", "400"),
        // Expectations and codings.
        Example("POST / HTTP/1.1\r\nHost: h\r\nExpect: tea\r\nContent-Length: 1\r\n\r\nx", "417"),
        Example("POST / HTTP/1.1\r\nHost: h\r\nContent-Encoding: br\r\nContent-Length: 1\r\n\r\nx", "415"),
        Example("POST / HTTP/1.1\r\nHost: h\r\nContent-Encoding: gzip, gzip\r\nContent-Length: 1\r\n\r\nx", "415"),
        Example("POST / HTTP/1.1\r\nHost: h\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx", "400"),
        // What comes before a refusal is served, what comes after is not.
        Example("GET / HTTP/1.1\r\nHost: h\r\n\r\nGET\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", "get / host=h", "400"),
    ]
}

// MARK: - Events as text

/// The events of bytes that arrive in these parts.
func events(of parts: [[UInt8]], limits: HTTPLimits = HTTPLimits()) -> [String] {
    var parser = RequestParser(limits: limits)
    var events: [String] = []
    for part in parts {
        unsafe part.withUnsafeBytes { unsafe parser.append($0) }
        reading: while true {
            switch parser.nextCollecting() {
            case .needsBytes: break reading
            case .expectsContinue: events.append("continue")
            case .request(let request): events.append(describe(request))
            case .refusal(let refusal): events.append("\(refusal.status)")
            case .unexpected: events.append("unexpected")
            }
        }
    }
    return events
}

extension RequestParser {
    /// An event with what it is about.
    enum Outcome {
        case needsBytes, expectsContinue
        case request(Request)
        case refusal(Refusal)
        /// What does not come where every body is collected.
        case unexpected
    }

    /// The next event, where every body is collected.
    mutating func nextCollecting() -> Outcome {
        var event = next()
        if case .head = event { event = receiveBody(.collect()) }
        return switch event {
        case .needsBytes: .needsBytes
        case .expectsContinue: .expectsContinue
        case .request: .request(takeRequest())
        case .refusal: refusal.map { .refusal($0) } ?? .unexpected
        case .head, .streamedRequest, .part, .partsEnd: .unexpected
        }
    }
}

/// The statuses of the refusals in a text where U+0001 stands for `control`.
private func statuses(_ text: String, replacing control: UInt8 = 1, limits: HTTPLimits = HTTPLimits()) -> [Int] {
    events(of: [text.utf8.map { $0 == 1 ? control : $0 }], limits: limits).compactMap { Int($0) }
}

/// The first request in a text.
func firstRequest(in text: String) -> Request? {
    var parser = RequestParser(limits: HTTPLimits())
    unsafe Array(text.utf8).withUnsafeBytes { unsafe parser.append($0) }
    guard case .request(let request) = parser.nextCollecting() else { return nil }
    return request
}

func describe(_ request: Request) -> String {
    var words = ["\(request.method)", request.path + (request.query.map { "?" + $0 } ?? "")]
    words += request.headers.map { "\($0.name)=\($0.value)" }
    let body = unsafe request.withBody { unsafe String(decoding: $0, as: UTF8.self) }
    if !body.isEmpty { words.append("body=\(body)") }
    var traits: [String] = []
    if request.traits.contains(.isHead) { traits.append("head") }
    if request.traits.contains(.closes) { traits.append("closes") }
    if request.isHTTP10 { traits.append("1.0") }
    if request.traits.contains(.acceptsGzip) { traits.append("gzip") }
    if !traits.isEmpty { words.append("[\(traits.joined(separator: ","))]") }
    return words.joined(separator: " ")
}

/// The parts of a request as bytes, which it lends for the length of a call.
private func query(of request: Request) -> [UInt8]? {
    unsafe request.withQuery { bytes in unsafe bytes.map { unsafe Array($0) } }
}

private func header(_ name: StaticString, of request: Request) -> [UInt8]? {
    unsafe request.withHeader(name) { bytes in unsafe bytes.map { unsafe Array($0) } }
}

private func body(of request: Request) -> [UInt8] { unsafe request.withBody { unsafe Array($0) } }

private func path(of request: Request) -> [UInt8] { unsafe request.withPath { unsafe Array($0) } }
