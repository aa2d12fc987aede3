import Encodings

/// The bytes of a connection to a forward proxy, up to the end of the first request head. There is no second one: a tunnel follows,
/// or the connection closes, so bytes after a head are never taken for a request.
///
/// A value without sockets; it keeps `headBytesMax` bytes, and those that arrive with the last of them.
struct ProxyHeadReader: Sendable {
    enum Event: Sendable, Hashable {
        case needsBytes
        case request(ProxyRequest)
        case refusal(ProxyRefusal)
    }

    private let headBytesMax: Int
    private var bytes: [UInt8] = []
    /// The number of bytes in which no end of the head was found.
    private var searchedCount = 0
    /// After the request, the bytes that came with its head: the beginning of what the tunnel carries.
    private(set) var rest: [UInt8] = []

    /// The path of the proxy's own file.
    static let autoConfigurationPath = "/proxy.pac"

    init(_ limits: ProxyLimits) { headBytesMax = limits.headBytesMax }

    /// The next bytes of the connection. Not called again after a request or a refusal.
    mutating func receive(_ more: some Sequence<UInt8>) -> Event {
        bytes += more
        guard let first = bytes.first else { return .needsBytes }
        // A method begins with a letter. A TLS ClientHello does not, and is refused at once.
        guard Self.isLetter(first) else {
            return .refusal(.badRequest("Not an HTTP/1.1 request. Connect to the proxy with http://, not https://."))
        }
        guard let end = endOfHead() else {
            return bytes.count < headBytesMax ? .needsBytes : .refusal(.headTooLarge)
        }
        do throws(ProxyRefusal) {
            let request = try Self.request(bytes[..<end])
            rest = Array(bytes[(end + 4)...])
            bytes = []
            return .request(request)
        } catch { return .refusal(error) }
    }

    /// Where the empty line begins, within the bound.
    private mutating func endOfHead() -> Int? {
        let count = min(bytes.count, headBytesMax)
        var index = searchedCount
        while index + 4 <= count {
            if bytes[index] == 0x0D, bytes[index + 1] == 0x0A, bytes[index + 2] == 0x0D, bytes[index + 3] == 0x0A {
                return index
            }
            index += 1
        }
        searchedCount = index
        return nil
    }
}

// MARK: - The head

extension ProxyHeadReader {
    /// The fields that count here, by their names in lower case.
    private struct Fields {
        var hosts: [Substring] = []
        var authorizations: [Substring] = []
        /// Whether a body follows: after a CONNECT it would not be the tunnel's (RFC 9110 §9.3.6).
        var hasContent = false
    }

    /// RFC 9112 §3 and §5. Stricter than RFC 9112 §2.2 permits: a line ends with CRLF, and has no other CR or LF.
    private static func request(_ head: ArraySlice<UInt8>) throws(ProxyRefusal) -> ProxyRequest {
        var lines = try lines(of: head)
        let words = lines.removeFirst().split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, words[0].utf8.allSatisfy(isToken), !words[1].isEmpty else {
            throw .badRequest("The request line is not METHOD TARGET VERSION.")
        }
        let isOld = words[2] == "HTTP/1.0"
        guard isOld || words[2] == "HTTP/1.1" else {
            throw words[2].hasPrefix("HTTP/")
                ? .versionNotSupported : .badRequest("The request line ends with no version of HTTP.")
        }
        let fields = try fields(lines)
        // RFC 9112 §3.2. Python's http.client connects by HTTP/1.0 and without Host.
        guard fields.hosts.count == 1 || isOld && fields.hosts.isEmpty else {
            throw .badRequest("Expected exactly one Host header.")
        }
        if words[0] == "CONNECT" { return try connect(words[1], fields) }
        guard words[0] == "GET" || words[0] == "HEAD", words[1].hasPrefix("/") else { throw .methodNotAllowed }
        guard words[1].prefix(while: { $0 != "?" }) == autoConfigurationPath else { throw .notFound }
        return .autoConfiguration(isHead: words[0] == "HEAD", host: fields.hosts.first.map(String.init))
    }

    private static func connect(_ text: Substring, _ fields: Fields) throws(ProxyRefusal) -> ProxyRequest {
        guard let target = ProxyTarget(text) else { throw .badRequest("The target of CONNECT is not HOST:PORT.") }
        // Another proxy in front of this one may have decided by Host.
        if let host = fields.hosts.first, ProxyTarget(host) != target,
            host.contains(":") && !host.hasSuffix("]") || ProxyTarget("\(host):\(target.port)") != target
        {
            throw .badRequest("Host is not the target of CONNECT.")
        }
        guard !fields.hasContent else { throw .badRequest("A CONNECT has no body.") }
        guard fields.authorizations.count <= 1 else { throw .badRequest("Duplicate Proxy-Authorization header.") }
        return .connect(target, credentials: fields.authorizations.first.flatMap(credentials))
    }

    private static func fields(_ lines: [Substring]) throws(ProxyRefusal) -> Fields {
        var fields = Fields()
        for line in lines {
            // A name that is followed by a space, and a line that continues the one before, have no token before the colon.
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex,
                line[..<colon].utf8.allSatisfy(isToken)
            else { throw .badRequest("A header line is not NAME: VALUE.") }
            let value = trimmed(line[line.index(after: colon)...])
            switch line[..<colon].lowercased() {
            case "host": fields.hosts.append(value)
            case "proxy-authorization": fields.authorizations.append(value)
            case "content-length": fields.hasContent = fields.hasContent || value != "0"
            case "transfer-encoding": fields.hasContent = true
            default: break
            }
        }
        return fields
    }

    private static func lines(of head: ArraySlice<UInt8>) throws(ProxyRefusal) -> [Substring] {
        var lines: [Substring] = []
        var start = head.startIndex
        var index = start
        func line(_ end: Int) throws(ProxyRefusal) -> Substring {
            let bytes = head[start..<end]
            // Printable ASCII and tabs. Bytes above ASCII are no part of what is read here (RFC 9110 §5.5).
            guard bytes.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x09 || $0 >= 0x80 }) else {
                throw .badRequest("A line of the request head has a control character.")
            }
            return String(decoding: bytes, as: UTF8.self)[...]
        }
        while index < head.endIndex {
            if head[index] == 0x0D, index + 1 < head.endIndex, head[index + 1] == 0x0A {
                lines.append(try line(index))
                index += 2
                start = index
            } else {
                index += 1
            }
        }
        lines.append(try line(head.endIndex))
        return lines
    }

    /// RFC 7617 §2. Nil for another scheme and for what is not Base64.
    private static func credentials(_ value: Substring) -> [UInt8]? {
        let words = value.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "basic" else { return nil }
        return Base64.decode(words[1].utf8)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while let first = text.utf8.first, first == 0x20 || first == 0x09 { text.removeFirst() }
        while let last = text.utf8.last, last == 0x20 || last == 0x09 { text.removeLast() }
        return text
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & 0xDF) && byte < 0x80
    }

    /// RFC 9110 §5.6.2.
    private static func isToken(_ byte: UInt8) -> Bool {
        isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}
