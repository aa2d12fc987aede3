/// One answer to bytes: status line, shared lines, own lines, framing, body. RFC 9112 §4, RFC 9110 §§6.4, 8.6.
struct ResponseWriter {
    let status: Int
    let headers: HeaderBlock
    let requestID: RequestID?
    /// Encoded lines, sent after those of `headers`.
    let lines: [UInt8]
    let fields: [(name: String, value: String)]
    let traits: ReplyTraits
    let allowsCompression: Bool

    init(
        status: Int, headers: HeaderBlock, lines: [UInt8] = [], requestID: RequestID? = nil,
        fields: [(name: String, value: String)] = [], traits: ReplyTraits, allowsCompression: Bool = true
    ) {
        // 1xx are not final answers, and the layer above has no other number to send.
        self.status = (200...599).contains(status) ? status : 500
        self.headers = headers
        self.lines = lines
        self.requestID = headers.hasRequestID ? requestID : nil
        self.fields = fields
        self.traits = traits
        self.allowsCompression = allowsCompression
    }

    /// Whether the answer has a body to be sent. RFC 9110 §6.4.1: 204 and 304 never have one.
    var sendsBody: Bool { status != 204 && status != 304 && !traits.contains(.isHead) }

    /// Appends the head of an answer whose body follows in parts. Without a count it comes in chunks, or to HTTP/1.0 until
    /// the connection ends.
    func writeHead(bodyCount: Int?, closes: Bool, date: [UInt8], into sink: inout some ByteSink) {
        let empty = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        unsafe write(empty, bodyCount: bodyCount, closes: closes, packing: "", date, into: &sink)
    }

    /// Appends the answer to `sink`. `closes` says that the connection ends with it; `date` is the whole line.
    func write(
        _ body: UnsafeRawBufferPointer, closes: Bool, date: [UInt8], compressionBytesMin: Int,
        deflater: @autoclosure () -> Deflater, into sink: inout some ByteSink
    ) {
        guard body.count >= compressionBytesMin, isCompressible else {
            return unsafe write(body, closes: closes, packing: "", date, into: &sink)
        }
        if traits.contains(.acceptsGzip), let packed = unsafe deflater().gzip(body) {
            unsafe packed.withUnsafeBytes { unsafe write($0, isPacked: true, closes: closes, date: date, into: &sink) }
        } else {
            unsafe write(body, isPacked: false, closes: closes, date: date, into: &sink)
        }
    }

    /// Appends an answer about whose compression was decided before.
    func write(
        _ body: UnsafeRawBufferPointer, isPacked: Bool, closes: Bool, date: [UInt8], into sink: inout some ByteSink
    ) {
        let lines: StaticString =
            isPacked ? "Content-Encoding: gzip\r\nVary: Accept-Encoding\r\n" : "Vary: Accept-Encoding\r\n"
        unsafe write(body, closes: closes, packing: lines, date, into: &sink)
    }

    /// Whether the body leaves compressed if it shrinks by that.
    var wantsCompression: Bool { traits.contains(.acceptsGzip) && isCompressible }

    /// RFC 9110 §6.4.1: 204 and 304 never have a body. 206 has one, but its range counts unpacked bytes.
    private var isCompressible: Bool {
        allowsCompression && status != 204 && status != 304 && status != 206 && !headers.hasContentEncoding
            && !fields.contains { $0.name.lowercased() == "content-encoding" }
    }

    private func write(
        _ body: UnsafeRawBufferPointer, closes: Bool, packing: StaticString, _ date: [UInt8],
        into sink: inout some ByteSink
    ) {
        unsafe write(body, bodyCount: body.count, closes: closes, packing: packing, date, into: &sink)
    }

    private func write(
        _ body: UnsafeRawBufferPointer, bodyCount: Int?, closes: Bool, packing: StaticString, _ date: [UInt8],
        into sink: inout some ByteSink
    ) {
        let isBodyless = status == 204 || status == 304
        let sendsBody = sendsBody
        var countMax = 256 + headers.bytes.count + lines.count + date.count + (sendsBody ? body.count : 0)
        if requestID != nil {
            for prefix in headers.requestIDPrefixes { countMax += prefix.count + RequestID.byteCount + 2 }
        }
        for field in fields { countMax += field.name.utf8.count + field.value.utf8.count + 4 }

        unsafe sink.append(countMax: countMax) { room in
            var line = unsafe ByteCursor(room)
            line.writeStatusLine(status)
            line.write(headers.bytes)
            if !lines.isEmpty { line.write(lines) }
            if let requestID {
                for prefix in headers.requestIDPrefixes {
                    line.write(prefix)
                    unsafe requestID.write(to: line.take(RequestID.byteCount))
                    line.write("\r\n")
                }
            }
            for field in fields { line.write(field) }
            line.write(packing)
            // RFC 9110 §8.6: no Content-Length in a 204; a 304 may leave it out.
            if !isBodyless {
                if let bodyCount {
                    line.write("Content-Length: ")
                    line.write(decimal: bodyCount)
                    line.write("\r\n")
                } else if !traits.contains(.isHTTP10) {
                    line.write("Transfer-Encoding: chunked\r\n")
                }
            }
            if closes {
                line.write("Connection: close\r\n")
            } else if traits.contains(.isHTTP10) {
                line.write("Connection: keep-alive\r\n")
            }
            line.write(date)
            line.write("\r\n")
            if sendsBody { unsafe line.write(body) }
            return line.count
        }
    }
}

/// Writes into memory it was lent and checks each step, so no mistake in a sum becomes a write past the end.
///
/// Memory safety: it lives inside the closure that borrows the room, and `take` checks every step in release builds too.
@safe private struct ByteCursor {
    private let room: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(_ room: UnsafeMutableRawBufferPointer) { unsafe self.room = unsafe room }

    /// The next `size` bytes, to be filled by the caller.
    mutating func take(_ size: Int) -> UnsafeMutableRawBufferPointer {
        unsafe precondition(size <= room.count - count, "the room for an answer was summed up from all its parts")
        defer { count += size }
        return unsafe UnsafeMutableRawBufferPointer(rebasing: room[count..<count + size])
    }

    mutating func write(_ bytes: UnsafeRawBufferPointer) { unsafe take(bytes.count).copyMemory(from: bytes) }

    mutating func write(_ bytes: [UInt8]) { unsafe bytes.withUnsafeBytes { unsafe write($0) } }

    mutating func write(_ text: StaticString) {
        let bytes = unsafe UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        unsafe write(bytes)
    }

    mutating func write(decimal number: Int) {
        var rest = number
        var digits = 1
        while rest >= 10 {
            rest /= 10
            digits += 1
        }
        let place = unsafe take(digits)
        rest = number
        for index in stride(from: digits - 1, through: 0, by: -1) {
            unsafe place[index] = ASCII.zero + UInt8(rest % 10)
            rest /= 10
        }
    }

    /// A name that is no token, or that frames the message, would let a value speak for the server: left out.
    mutating func write(_ field: (name: String, value: String)) {
        var (name, value) = field
        let isWritten = name.withUTF8 { name in
            let name = UnsafeRawBufferPointer(name)
            guard unsafe HeaderBlock.isFieldName(name) && !HeaderBlock.framesMessage(name) else { return false }
            unsafe write(name)
            return true
        }
        guard isWritten else { return }
        write(": ")
        value.withUTF8 { value in
            let room = unsafe take(value.count)
            for index in value.indices { unsafe room[index] = value[index].sanitizedFieldContent }
        }
        write("\r\n")
    }

    mutating func writeStatusLine(_ status: Int) {
        let line: StaticString? =
            switch status {
            case 200: "HTTP/1.1 200 OK\r\n"
            case 201: "HTTP/1.1 201 Created\r\n"
            case 204: "HTTP/1.1 204 No Content\r\n"
            case 206: "HTTP/1.1 206 Partial Content\r\n"
            case 301: "HTTP/1.1 301 Moved Permanently\r\n"
            case 302: "HTTP/1.1 302 Found\r\n"
            case 303: "HTTP/1.1 303 See Other\r\n"
            case 304: "HTTP/1.1 304 Not Modified\r\n"
            case 307: "HTTP/1.1 307 Temporary Redirect\r\n"
            case 308: "HTTP/1.1 308 Permanent Redirect\r\n"
            case 400: "HTTP/1.1 400 Bad Request\r\n"
            case 401: "HTTP/1.1 401 Unauthorized\r\n"
            case 403: "HTTP/1.1 403 Forbidden\r\n"
            case 404: "HTTP/1.1 404 Not Found\r\n"
            case 405: "HTTP/1.1 405 Method Not Allowed\r\n"
            case 406: "HTTP/1.1 406 Not Acceptable\r\n"
            case 408: "HTTP/1.1 408 Request Timeout\r\n"
            case 409: "HTTP/1.1 409 Conflict\r\n"
            case 412: "HTTP/1.1 412 Precondition Failed\r\n"
            case 413: "HTTP/1.1 413 Content Too Large\r\n"
            case 414: "HTTP/1.1 414 URI Too Long\r\n"
            case 415: "HTTP/1.1 415 Unsupported Media Type\r\n"
            case 416: "HTTP/1.1 416 Range Not Satisfiable\r\n"
            case 417: "HTTP/1.1 417 Expectation Failed\r\n"
            case 421: "HTTP/1.1 421 Misdirected Request\r\n"
            case 426: "HTTP/1.1 426 Upgrade Required\r\n"
            case 429: "HTTP/1.1 429 Too Many Requests\r\n"
            case 431: "HTTP/1.1 431 Request Header Fields Too Large\r\n"
            case 500: "HTTP/1.1 500 Internal Server Error\r\n"
            case 501: "HTTP/1.1 501 Not Implemented\r\n"
            case 502: "HTTP/1.1 502 Bad Gateway\r\n"
            case 503: "HTTP/1.1 503 Service Unavailable\r\n"
            case 504: "HTTP/1.1 504 Gateway Timeout\r\n"
            case 505: "HTTP/1.1 505 HTTP Version Not Supported\r\n"
            default: nil
            }
        if let line { return write(line) }
        // RFC 9112 §4: the reason phrase may be empty, the space before it may not.
        write("HTTP/1.1 ")
        write(decimal: status)
        write(" \r\n")
    }
}
