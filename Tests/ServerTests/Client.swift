import Foundation
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A raw HTTP/1.1 client on a socket: it sends exactly the bytes it is given and waits at most thirty seconds.
final class Client {
    struct Answer {
        var status: Int
        var headers: [(name: String, value: String)]
        var bytes: [UInt8]

        /// The body as text.
        var body: String { String(decoding: bytes, as: UTF8.self) }

        /// The values of a header, by its name in any case.
        subscript(header: String) -> [String] {
            headers.filter { $0.name.lowercased() == header.lowercased() }.map(\.value)
        }
    }

    /// Nobody listens on the port.
    struct Refused: Error {
        var port: Int
        var reason: String
    }

    /// The server ended the connection, or was silent for thirty seconds.
    struct Closed: Error {}

    private let descriptor: Int32
    private var received: [UInt8] = []

    /// - Parameter receiveBufferBytes: what the system keeps of bytes that are not read yet; nil is as it likes.
    init(port: Int, receiveBufferBytes: Int32? = nil) throws {
        #if canImport(Glibc)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var timeout = timeval(tv_sec: 30, tv_usec: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        if var size = receiveBufferBytes {
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(descriptor, $0, size) }
        }
        guard result == 0 else { throw unsafe Refused(port: port, reason: String(cString: strerror(errno))) }
    }

    deinit { close(descriptor) }

    /// The connection ends by a reset, when this client is let go: what is on its way is lost.
    func resetOnClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Ends the sending half of the connection.
    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Sends one request and reads its answer.
    func ask(
        _ method: String = "POST", _ path: String = "/graphql", headers: [String: String] = Client.usualHeaders,
        body: String = ""
    ) throws -> Answer {
        try send(Self.request(method, path, headers: headers, body: body))
        return try receive(hasBody: method != "HEAD")
    }

    /// Sends a GraphQL request with the usual headers and reads the body of its answer.
    func graphql(_ query: String, _ variables: String = "null") throws -> String {
        try ask(body: Self.envelope(query, variables)).body
    }

    /// A metric without labels, by its name behind `syncline_`.
    func metric(_ name: String) throws -> Int {
        let lines = try ask("GET", "/metrics", headers: ["Host": "localhost"]).body.split(separator: "\n")
        let value = lines.first { $0.hasPrefix("syncline_\(name) ") }?.split(separator: " ").last
        return try #require(value.flatMap { Int($0) }, "no metric \(name)")
    }

    static let usualHeaders = ["x-api-key": TestServer.key, "content-type": "application/json"]

    static func envelope(_ query: String, _ variables: String = "null") -> String {
        let text = query.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return #"{"query":"\#(text)","variables":\#(variables)}"#
    }

    static func request(_ method: String, _ path: String, headers: [String: String], body: String) -> String {
        let host = headers["Host"] == nil ? "Host: localhost\r\n" : ""
        let lines = host + headers.map { "\($0): \($1)\r\n" }.joined()
        return "\(method) \(path) HTTP/1.1\r\n\(lines)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        var bytes = bytes[...]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes { unsafe systemSend(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Closed() }
            bytes = bytes.dropFirst(count)
        }
    }

    func receive(hasBody: Bool = true) throws -> Answer {
        let end = Array("\r\n\r\n".utf8)
        var headEnd = received.firstRange(of: end)
        while headEnd == nil {
            try receiveMore()
            headEnd = received.firstRange(of: end)
        }
        let split = try #require(headEnd)
        let lines = String(decoding: received[..<split.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let status = try #require(lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) })
        let headers = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (name: String(parts[0]), value: parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : "")
        }
        received.removeFirst(split.upperBound)
        var answer = Answer(status: status, headers: headers, bytes: [])
        if hasBody, answer["transfer-encoding"] == ["chunked"] {
            answer.bytes = try receiveChunks()
            return answer
        }
        let count = hasBody ? answer["content-length"].first.flatMap { Int($0) } ?? 0 : 0
        while received.count < count { try receiveMore() }
        answer.bytes = Array(received[..<count])
        received.removeFirst(count)
        return answer
    }

    /// A chunked body without trailers (RFC 9112, section 7.1).
    private func receiveChunks() throws -> [UInt8] {
        var body: [UInt8] = []
        while true {
            var end = received.firstRange(of: Array("\r\n".utf8))
            while end == nil {
                try receiveMore()
                end = received.firstRange(of: Array("\r\n".utf8))
            }
            let line = try #require(end)
            let count = try #require(Int(String(decoding: received[..<line.lowerBound], as: UTF8.self), radix: 16))
            received.removeFirst(line.upperBound)
            body += try receive(byteCount: count)
            _ = try receive(byteCount: 2)
            if count == 0 { return body }
        }
    }

    /// So many bytes, whatever they are.
    func receive(byteCount: Int) throws -> [UInt8] {
        while received.count < byteCount { try receiveMore() }
        defer { received.removeFirst(byteCount) }
        return Array(received[..<byteCount])
    }

    /// Whether the connection ends, in whatever way, within thirty seconds; what comes before is dropped.
    func awaitEnd() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let (count, reason) = unsafe chunk.withUnsafeMutableBytes {
                unsafe (recv(descriptor, $0.baseAddress, $0.count, 0), errno)
            }
            guard count > 0 else { return count == 0 || reason != EAGAIN }
        }
    }

    private func receiveMore() throws {
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        let count = unsafe chunk.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { throw Closed() }
        received += chunk[..<count]
    }
}

private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    #if canImport(Glibc)
    unsafe send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
    #else
    send(descriptor, bytes, count, 0)
    #endif
}
