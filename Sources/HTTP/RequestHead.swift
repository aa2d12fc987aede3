/// The request line and the header section, read line by line. RFC 9112 §§2–6, RFC 9110 §§5–10.
///
/// It keeps offsets into the message, never text, and it decides what the fields together mean: how long the body is,
/// whether the connection stays, what the client accepts. Whatever two recipients could read in two ways is refused.
struct RequestHead {
    /// One field line, by its offsets.
    struct FieldLine: Sendable {
        var name: ByteRange
        var value: ByteRange
    }

    /// RFC 9112 §6: where the body ends.
    enum Framing: Equatable {
        case length(Int)
        case chunked
    }

    private(set) var method = Method.get
    private(set) var path = ByteRange(0..<0)
    private(set) var query: ByteRange?
    /// Whether `path` and `query` have been read.
    private(set) var hasTarget = false
    private(set) var isHTTP10 = false
    private(set) var fields: [FieldLine] = []
    private(set) var noted = NotedFields()
    /// How the body is packed, as Content-Encoding says.
    private(set) var coding = ContentCoding.identity
    /// Whether the client waits for `100 Continue` before it sends the body.
    private(set) var expectsContinue = false

    private var authority: Range<Int>?
    private var host: Range<Int>?
    private var contentLength: Int?
    private var isChunked = false
    private var saysClose = false
    private var saysKeepAlive = false
    private var asksWebSocket = false
    private var asksExplanation = false
    private var hasUnknownExpectation = false
    private var acceptEncoding = AcceptEncoding()

    /// Forgets the last message, but not the room its field lines took.
    mutating func reset() {
        var fields = fields
        self.fields = []
        fields.removeAll(keepingCapacity: true)
        self = RequestHead()
        self.fields = fields
    }

    /// What the answer must know of the request.
    var traits: ReplyTraits {
        var traits: ReplyTraits = []
        if method == .head { traits.insert(.isHead) }
        if saysClose || (isHTTP10 && !saysKeepAlive) { traits.insert(.closes) }
        if isHTTP10 { traits.insert(.isHTTP10) }
        if acceptEncoding.prefersGzip { traits.insert(.acceptsGzip) }
        if asksWebSocket && !isHTTP10 { traits.insert(.asksWebSocket) }
        if asksExplanation { traits.insert(.asksExplanation) }
        return traits
    }
}

// MARK: - The request line

extension RequestHead {
    /// RFC 9112 §3: method SP request-target SP HTTP-version.
    mutating func readRequestLine(
        _ bytes: borrowing Span<UInt8>, _ line: Range<Int>, targetBytesMax: Int
    ) throws(Refusal) {
        guard let methodEnd = bytes.firstIndex(of: ASCII.space, from: line.lowerBound), methodEnd < line.upperBound,
            let targetEnd = bytes.firstIndex(of: ASCII.space, from: methodEnd + 1), targetEnd < line.upperBound
        else { throw .malformed("The request line is not a method, a target and a version, one space apart.") }
        method = try RequestHead.method(bytes, line.lowerBound..<methodEnd)
        let version = targetEnd + 1..<line.upperBound
        try readVersion(bytes, version)
        let target = methodEnd + 1..<targetEnd
        try readTarget(bytes, target)
        hasTarget = true
        // After it was read: where it leads to decides how the refusal is worded.
        guard target.count <= targetBytesMax else {
            throw Refusal(status: 414, message: "The request target is longer than the server reads.")
        }
    }

    private static func method(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) throws(Refusal) -> Method {
        if bytes.equals(range, "POST") { return .post }
        if bytes.equals(range, "GET") { return .get }
        if bytes.equals(range, "OPTIONS") { return .options }
        if bytes.equals(range, "HEAD") { return .head }
        if bytes.equals(range, "PUT") { return .put }
        if bytes.equals(range, "DELETE") { return .delete }
        if bytes.equals(range, "PATCH") { return .patch }
        // RFC 9112 §3: a method longer than any the server implements is answered 501.
        guard range.count <= 32 else { throw Refusal(status: 501, message: "The method is not one the server knows.") }
        guard !range.isEmpty, range.allSatisfy({ bytes[$0].isToken }) else {
            throw .malformed("The method is not a token.")
        }
        return .other(String(decoding: range.map { bytes[$0] }, as: UTF8.self))
    }

    /// RFC 9112 §2.3. Only 1.1 and 1.0 are spoken here; a version of that form but another number is answered 505.
    private mutating func readVersion(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) throws(Refusal) {
        if bytes.equals(range, "HTTP/1.1") { return }
        if bytes.equals(range, "HTTP/1.0") {
            isHTTP10 = true
            return
        }
        let start = range.lowerBound
        guard range.count == 8, bytes.equals(start..<start + 5, "HTTP/"), bytes[start + 5].isDigit,
            bytes[start + 6] == UInt8(ascii: "."), bytes[start + 7].isDigit
        else { throw .malformed("The request line does not end in an HTTP version.") }
        throw Refusal(status: 505, message: "The server speaks HTTP/1.1 and HTTP/1.0.")
    }

    /// RFC 9112 §3.2: origin-form, absolute-form, or `*` for OPTIONS. Authority-form asks for a tunnel: refused.
    private mutating func readTarget(_ bytes: borrowing Span<UInt8>, _ target: Range<Int>) throws(Refusal) {
        guard !target.isEmpty, target.allSatisfy({ bytes[$0].isTarget }) else {
            throw .malformed("The request target holds a character that must be percent-encoded.")
        }
        if bytes[target.lowerBound] == ASCII.slash { return splitTarget(bytes, target) }
        if method == .options, bytes.equals(target, "*") {
            path = ByteRange(target)
            return
        }
        guard let authorityStart = RequestHead.authorityStart(bytes, target) else {
            throw .malformed("The request target is neither a path nor an absolute http or https URI.")
        }
        let pathStart = (authorityStart..<target.upperBound).first {
            bytes[$0] == ASCII.slash || bytes[$0] == ASCII.questionMark
        }
        let authority = authorityStart..<(pathStart ?? target.upperBound)
        guard !authority.isEmpty, authority.allSatisfy({ bytes[$0].isHost }) else {
            throw .malformed("The authority of the request target is not a host with an optional port.")
        }
        self.authority = authority
        splitTarget(bytes, authority.upperBound..<target.upperBound)
    }

    /// The offset after `http://` or `https://`.
    private static func authorityStart(_ bytes: borrowing Span<UInt8>, _ target: Range<Int>) -> Int? {
        for scheme in [7, 8] where target.count >= scheme {
            let end = target.lowerBound + scheme
            let isScheme =
                scheme == 7
                ? bytes.matches(target.lowerBound..<end, "http://")
                : bytes.matches(target.lowerBound..<end, "https://")
            if isScheme { return end }
        }
        return nil
    }

    private mutating func splitTarget(_ bytes: borrowing Span<UInt8>, _ target: Range<Int>) {
        let mark = bytes.firstIndex(of: ASCII.questionMark, from: target.lowerBound)
        guard let mark, mark < target.upperBound else {
            path = ByteRange(target)
            return
        }
        path = ByteRange(target.lowerBound..<mark)
        query = ByteRange(mark + 1..<target.upperBound)
    }
}

extension UInt8 {
    /// What may stand in a request target. RFC 3986 has fewer characters, but browsers send braces, brackets and bars
    /// in a query as they are. Controls, quotes, angle brackets, `#`, `\` and bytes above ASCII are never sent raw.
    fileprivate var isTarget: Bool {
        switch self {
        case UInt8(ascii: "\""), UInt8(ascii: "#"), UInt8(ascii: "<"), UInt8(ascii: ">"), ASCII.backslash: false
        default: self > 0x20 && self < 0x7F
        }
    }

    /// RFC 3986 §3.2.2, §3.2.3: host and port. Userinfo is left out: RFC 9110 §4.2.4 distrusts it.
    fileprivate var isHost: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "%"),
            UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("),
            UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"),
            UInt8(ascii: "="):
            true
        default: false
        }
    }
}

// MARK: - The field lines

extension RequestHead {
    /// RFC 9112 §5: field-name ":" OWS field-value OWS.
    static func fieldLine(_ bytes: borrowing Span<UInt8>, _ line: Range<Int>) throws(Refusal) -> FieldLine {
        let colon = bytes.endOfToken(in: line)
        guard colon < line.upperBound, colon > line.lowerBound, bytes[colon] == ASCII.colon else {
            if bytes[line.lowerBound].isWhitespace {
                throw .malformed("A header line begins with whitespace: folded lines are obsolete.")
            }
            throw .malformed("A header line is not a name, a colon without space before it, and a value.")
        }
        let value = bytes.trimmed(colon + 1..<line.upperBound)
        guard bytes.isFieldContent(value) else {
            throw .malformed("A header value holds a control character.")
        }
        return FieldLine(name: ByteRange(line.lowerBound..<colon), value: ByteRange(value))
    }

    /// Reads one line and keeps it; the few names that the connection itself obeys, or that nearly every
    /// answer asks for, are distinguished by their length.
    mutating func readFieldLine(_ bytes: borrowing Span<UInt8>, _ line: Range<Int>) throws(Refusal) {
        let field = try RequestHead.fieldLine(bytes, line)
        let (name, value) = (field.name.range, field.value.range)
        switch name.count {
        case 4 where bytes.matches(name, "host"):
            try readHost(bytes, value)
            noted.note(.host, at: fields.count)
        case 6 where bytes.matches(name, "accept"): noted.note(.accept, at: fields.count)
        case 6 where bytes.matches(name, "expect"): readExpect(bytes, value)
        case 6 where bytes.matches(name, "origin"):
            // RFC 6454 §7.3: a request has one at the most.
            guard noted[.origin] == nil else { throw .malformed("The request has more than one Origin.") }
            noted.note(.origin, at: fields.count)
        case 9 where bytes.matches(name, "x-api-key"): noted.note(.apiKey, at: fields.count)
        case 7 where bytes.matches(name, "upgrade"): readUpgrade(bytes, value)
        case 10 where bytes.matches(name, "connection"): readConnection(bytes, value)
        case 12 where bytes.matches(name, "content-type"): noted.note(.contentType, at: fields.count)
        case 13 where bytes.matches(name, "authorization"): noted.note(.authorization, at: fields.count)
        case 14 where bytes.matches(name, "content-length"): try readContentLength(bytes, value)
        case 15 where bytes.matches(name, "accept-encoding"): acceptEncoding.read(bytes, value)
        case 16 where bytes.matches(name, "content-encoding"): coding.read(bytes, value)
        case 17 where bytes.matches(name, "transfer-encoding"): try readTransferEncoding(bytes, value)
        case 18 where bytes.matches(name, "x-syncline-explain"): asksExplanation = true
        default: break
        }
        fields.append(field)
    }

    /// RFC 9112 §3.2: more than one Host, or one that is no host, is answered 400.
    private mutating func readHost(_ bytes: borrowing Span<UInt8>, _ value: Range<Int>) throws(Refusal) {
        guard host == nil else { throw .malformed("The request has more than one Host.") }
        guard value.allSatisfy({ bytes[$0].isHost }) else {
            throw .malformed("The Host is not a host with an optional port.")
        }
        host = value
    }

    private mutating func readExpect(_ bytes: borrowing Span<UInt8>, _ value: Range<Int>) {
        if bytes.matches(value, "100-continue") { expectsContinue = true } else { hasUnknownExpectation = true }
    }

    private mutating func readConnection(_ bytes: borrowing Span<UInt8>, _ value: Range<Int>) {
        var (close, keepAlive) = (false, false)
        bytes.forEachListMember(in: value) { option in
            if bytes.matches(option, "close") { close = true }
            if bytes.matches(option, "keep-alive") { keepAlive = true }
        }
        saysClose = saysClose || close
        saysKeepAlive = saysKeepAlive || keepAlive
    }

    /// RFC 9110 §7.8: a list of protocols, in the client's order of preference; the server knows one.
    private mutating func readUpgrade(_ bytes: borrowing Span<UInt8>, _ value: Range<Int>) {
        var isWebSocket = false
        bytes.forEachListMember(in: value) { if bytes.matches($0, "websocket") { isWebSocket = true } }
        asksWebSocket = asksWebSocket || isWebSocket
    }

    /// RFC 9110 §8.6: digits only. A second length, even an equal one, may be read differently by someone else.
    private mutating func readContentLength(_ bytes: borrowing Span<UInt8>, _ value: Range<Int>) throws(Refusal) {
        guard contentLength == nil else { throw .malformed("The request has more than one Content-Length.") }
        guard !value.isEmpty, value.allSatisfy({ bytes[$0].isDigit }) else {
            throw .malformed("The Content-Length is not a number.")
        }
        var length = 0
        for index in value {
            let (product, isTooLarge) = length.multipliedReportingOverflow(by: 10)
            let (sum, isStillTooLarge) = product.addingReportingOverflow(Int(bytes[index] - ASCII.zero))
            guard !isTooLarge, !isStillTooLarge else { throw .bodyTooLarge }
            length = sum
        }
        contentLength = length
    }

    /// RFC 9112 §6.1: chunked, once. Any other transfer coding is one the server does not know: 501.
    private mutating func readTransferEncoding(_ bytes: borrowing Span<UInt8>, _ value: Range<Int>) throws(Refusal) {
        guard !isChunked else { throw .malformed("The request has more than one Transfer-Encoding.") }
        guard bytes.matches(value, "chunked") else {
            throw Refusal(status: 501, message: "The only transfer coding the server reads is chunked.")
        }
        isChunked = true
    }
}

// MARK: - The whole head

extension RequestHead {
    /// Looks at the fields together, once the empty line is there.
    func framing(_ bytes: borrowing Span<UInt8>) throws(Refusal) -> Framing {
        try checkHost(bytes)
        // RFC 9112 §6.1: both lengths "might indicate an attempt to perform request smuggling".
        guard !isChunked || contentLength == nil else {
            throw .malformed("The request has both a Content-Length and a Transfer-Encoding.")
        }
        guard !isChunked || !isHTTP10 else {
            throw .malformed("HTTP/1.0 has no Transfer-Encoding.")
        }
        guard !hasUnknownExpectation else {
            throw Refusal(status: 417, message: "The only expectation the server meets is 100-continue.")
        }
        return isChunked ? Framing.chunked : .length(contentLength ?? 0)
    }

    /// RFC 9112 §3.2: HTTP/1.1 has a Host. Beside an absolute target, §3.2 also wants them equal.
    private func checkHost(_ bytes: borrowing Span<UInt8>) throws(Refusal) {
        guard let host else {
            if isHTTP10 { return }
            throw .malformed("The request has no Host.")
        }
        guard let authority else { return }
        let isSame =
            host.count == authority.count
            && zip(host, authority).allSatisfy { bytes[$0].lowercased == bytes[$1].lowercased }
        guard isSame else { throw .malformed("The Host is not the authority of the request target.") }
    }
}
