#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

@testable import HTTP

/// A client that sends exactly the bytes it is given, on a socket of its own. Sending blocks, which the server's own
/// threads end; receiving does not, so that no test holds a thread that another needs.
final class Client {
    struct Answer: Equatable {
        var status: Int
        var headers: [String: String]
        var body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    private let descriptor: Int32
    private var input: [UInt8] = []

    init(port: Int, receiveBytes: Int32? = nil) {
        #if os(Linux)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        // No test may hang for ever on a server that says nothing.
        var timeout = timeval(tv_sec: 30, tv_usec: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        if var receiveBytes {
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBytes, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let result = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        precondition(result == 0, "the test's own server accepts connections")
    }

    deinit { close(descriptor) }

    /// Sends all of it; false when the server no longer takes it.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            #if os(Linux)
            let flags = Int32(MSG_NOSIGNAL)
            #else
            let flags: Int32 = 0
            #endif
            let count = unsafe bytes[sent...].withUnsafeBytes {
                #if canImport(Glibc)
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, flags)
                #elseif canImport(Musl)
                Musl.send(descriptor, $0.baseAddress, $0.count, flags)
                #else
                Darwin.send(descriptor, $0.baseAddress, $0.count, flags)
                #endif
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Says that nothing more will be sent.
    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Has the end of this client break the connection off instead of closing it.
    func resetOnClose() {
        var abrupt = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &abrupt, socklen_t(MemoryLayout<linger>.size))
    }

    /// The next answer, or nil when the connection ends before it is whole.
    func answer(isHead: Bool = false) async -> Answer? {
        while true {
            if let answer = parsed(isHead: isHead) { return answer }
            guard await receive() else { return nil }
        }
    }

    /// All that still comes until the server closes; nil when it does not, or resets the connection.
    func rest() async -> [UInt8]? {
        while await receive() {}
        guard isEnded else { return nil }
        defer { input = [] }
        return input
    }

    /// The next bytes, or nil when the connection ends before there are so many.
    func take(_ count: Int) async -> [UInt8]? {
        while input.count < count { guard await receive() else { return nil } }
        defer { input.removeSubrange(..<count) }
        return Array(input[..<count])
    }

    /// Receives that many bytes and drops them, on a thread that may block; false when the connection ends before.
    func drop(_ count: Int) -> Bool {
        var rest = count
        var piece = [UInt8](repeating: 0, count: min(count, 65_536))
        while rest > 0 {
            let received = unsafe recv(descriptor, &piece, min(rest, piece.count), 0)
            guard received > 0 else { return false }
            rest -= received
        }
        return true
    }

    private var isEnded = false

    /// Waits for more bytes, but not for ever.
    private func receive() async -> Bool {
        var piece = [UInt8](repeating: 0, count: 65_536)
        for _ in 0..<60_000 {
            let count = unsafe recv(descriptor, &piece, piece.count, Int32(MSG_DONTWAIT))
            if count < 0, errno == EAGAIN {
                try? await Task.sleep(for: .milliseconds(1))
                continue
            }
            isEnded = count == 0
            guard count > 0 else { return false }
            input += piece[..<count]
            return true
        }
        return false
    }

    private func parsed(isHead: Bool) -> Answer? {
        let end = Array("\r\n\r\n".utf8)
        guard let headEnd = input.indices.first(where: { input[$0...].starts(with: end) }) else { return nil }
        let lines = String(decoding: input[..<headEnd], as: UTF8.self).split(separator: "\r\n")
        let status = lines.first.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts.count > 1 ? String(parts[1].dropFirst()) : ""
        }
        let count = isHead ? 0 : headers["content-length"].flatMap { Int($0) } ?? 0
        let bodyStart = headEnd + 4
        guard input.count >= bodyStart + count else { return nil }
        defer { input.removeSubrange(..<(bodyStart + count)) }
        return Answer(status: status, headers: headers, body: Array(input[bodyStart..<bodyStart + count]))
    }
}
