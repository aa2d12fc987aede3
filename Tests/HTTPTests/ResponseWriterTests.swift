import Testing

@testable import HTTP

@Suite("The response writer")
struct ResponseWriterTests {
    private let shared = HeaderBlock(["Content-Type": "text/plain"], requestIDNames: ["x-amzn-RequestId"])

    private func written(
        _ status: Int, _ body: [UInt8] = [], lines: String = "", fields: [(name: String, value: String)] = [],
        requestID: RequestID? = nil,
        traits: ReplyTraits = [], closes: Bool = false, headers: HeaderBlock? = nil, allowsCompression: Bool = true
    ) -> [UInt8] {
        let writer = ResponseWriter(
            status: status, headers: headers ?? shared, lines: Array(lines.utf8), requestID: requestID, fields: fields,
            traits: traits,
            allowsCompression: allowsCompression)
        var bytes: [UInt8] = []
        unsafe body.withUnsafeBytes {
            unsafe writer.write(
                $0, closes: closes, date: Array("Date: D\r\n".utf8), compressionBytesMin: 1024, deflater: Deflater(),
                into: &bytes)
        }
        return bytes
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test("writes status, headers, framing and body")
    func whole() {
        let id = RequestID(randomBits: 0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210)
        #expect(
            text(written(200, Array("hello".utf8), fields: [("a", "b")], requestID: id)) == """
                HTTP/1.1 200 OK\r
                Content-Type: text/plain\r
                x-amzn-RequestId: 01234567-89ab-4def-bedc-ba9876543210\r
                a: b\r
                Content-Length: 5\r
                Date: D\r
                \r
                hello
                """)
    }

    @Test("lines that were written before follow those of the block, and each name of the identifier has a line")
    func linesWrittenBefore() {
        let id = RequestID(randomBits: 0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210)
        let headers = HeaderBlock(["a": "b"], requestIDNames: ["x-id", "x-id-2"])
        #expect(
            text(written(204, lines: "c: d\r\ne: f\r\n", fields: [("g", "h")], requestID: id, headers: headers)) == """
                HTTP/1.1 204 No Content\r
                a: b\r
                c: d\r
                e: f\r
                x-id: 01234567-89ab-4def-bedc-ba9876543210\r
                x-id-2: 01234567-89ab-4def-bedc-ba9876543210\r
                g: h\r
                Date: D\r
                \r

                """)
    }

    @Test("says when the connection ends, and to HTTP/1.0 when it does not")
    func connection() {
        #expect(text(written(200, closes: true)).contains("\r\nConnection: close\r\n"))
        #expect(text(written(200, traits: .isHTTP10, closes: true)).contains("\r\nConnection: close\r\n"))
        #expect(text(written(200, traits: .isHTTP10)).contains("\r\nConnection: keep-alive\r\n"))
        #expect(!text(written(200)).contains("Connection"))
    }

    @Test("sends no body where there must not be one")
    func bodyless() {
        let body = Array("hello".utf8)
        let head = text(written(200, body, traits: .isHead))
        #expect(head.contains("Content-Length: 5\r\n") && head.hasSuffix("\r\n\r\n"))
        for status in [204, 304] {
            let text = text(written(status, body))
            #expect(!text.contains("Content-Length") && text.hasSuffix("\r\n\r\n"), "\(status)")
        }
    }

    @Test("a field cannot speak for the server")
    func injection() {
        let fields = [
            ("a", "b\r\nSet-Cookie: c\u{0}\nd"), ("e\r\nf", "g"), ("", "h"), ("Content-Length", "0"),
            ("transfer-encoding", "chunked"), ("CONNECTION", "close"), ("date", "x"), ("tab", "a\tb"),
        ]
        let lines = text(written(200, fields: fields)).components(separatedBy: "\r\n")
        #expect(
            lines == [
                "HTTP/1.1 200 OK", "Content-Type: text/plain", "a: b  Set-Cookie: c  d", "tab: a\tb",
                "Content-Length: 0", "Date: D", "", "",
            ])
        let block = HeaderBlock(["a": "b\r\nc"]).appending(["d": "e"])
        #expect(String(decoding: block.bytes, as: UTF8.self) == "a: b  c\r\nd: e\r\n")
    }

    @Test("statuses without a phrase of their own keep their number; what is no status is 500")
    func statuses() {
        #expect(text(written(299)).hasPrefix("HTTP/1.1 299 \r\n"))
        for status in [-1, 0, 100, 199, 600, 1000] {
            #expect(text(written(status)).hasPrefix("HTTP/1.1 500 "), "\(status)")
        }
    }

    @Test("answers worth it are compressed for clients that ask, with Vary for caches")
    func compression() throws {
        let body = [UInt8](repeating: 0x61, count: 2000)
        let packed = written(200, body, traits: .acceptsGzip)
        #expect(text(packed).contains("Content-Encoding: gzip\r\nVary: Accept-Encoding\r\n"))
        #expect(packed.count < 400)
        let end = try #require(packed.indices.first { packed[$0...].starts(with: Array("\r\n\r\n".utf8)) })
        #expect(try inflated(packed[(end + 4)...], .gzip, bytesMax: 3000) == body)

        let plain = text(written(200, body))
        #expect(plain.contains("Vary: Accept-Encoding\r\n") && plain.contains("Content-Length: 2000\r\n"))
        let table: [(bytes: [UInt8], why: String)] = [
            (written(200, Array(body.prefix(1023)), traits: .acceptsGzip), "small"),
            (written(206, body, traits: .acceptsGzip), "a range"),
            (written(200, body, fields: [("Content-ENCODING", "br")], traits: .acceptsGzip), "packed already"),
            (
                written(200, body, traits: .acceptsGzip, headers: HeaderBlock(["Content-Encoding": "br"])),
                "packed already"
            ),
            (written(200, body, traits: .acceptsGzip, allowsCompression: false), "not allowed"),
        ]
        for (bytes, why) in table {
            #expect(!text(bytes).contains("gzip") && !text(bytes).contains("Vary"), "\(why)")
        }
        #expect(text(written(200, body, traits: [.acceptsGzip, .isHead])).hasSuffix("\r\n\r\n"))
    }

    @Test("dates are IMF-fixdate")
    func dates() {
        let table: [(seconds: Int, text: String)] = [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
        ]
        for (seconds, text) in table { #expect(HTTPDate.text(secondsSince1970: seconds) == text) }
    }
}

extension [UInt8]: ByteSink {
    mutating func append(countMax: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) {
        unsafe self += [UInt8](unsafeUninitializedCapacity: countMax) {
            $1 = unsafe fill(UnsafeMutableRawBufferPointer($0))
        }
    }
}

extension String {
    fileprivate func components(separatedBy separator: String) -> [String] {
        var parts: [String] = [""]
        var rest = Substring(self).utf8[...]
        while let byte = rest.first {
            if rest.starts(with: separator.utf8) {
                parts.append("")
                rest = rest.dropFirst(separator.utf8.count)
            } else {
                parts[parts.count - 1].unicodeScalars.append(Unicode.Scalar(byte))
                rest = rest.dropFirst()
            }
        }
        return parts
    }
}
