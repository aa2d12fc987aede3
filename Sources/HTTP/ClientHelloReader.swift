/// The first bytes of a TLS connection, up to the end of the ClientHello: which server name it asks for (RFC 8446 §4.1.2,
/// RFC 6066 §3).
///
/// It is strict: a message whose lengths do not add up, that has an extension twice, or more than one name, is invalid, so that
/// no server can find another name in it. A value without sockets; it keeps twice `bytesMax` bytes at most.
package struct ClientHelloReader: Sendable {
    package enum Event: Sendable, Hashable {
        case needsBytes
        /// The name, in lower case; nil where there is none.
        case serverName(String?)
        /// No ClientHello of TLS, or one that is too large.
        case invalid
    }

    /// Bytes of a ClientHello with the headers of its records.
    package static let bytesMax = 16 << 10

    /// All that was received.
    package private(set) var bytes: [UInt8] = []
    /// Bytes that were read, so that each is read once however slowly they arrive.
    private var readCount = 0
    /// Bytes of the record in hand that are still to come.
    private var recordRest = 0
    /// The first handshake message as far as it has come, with its header.
    private var message: [UInt8] = []

    package init() {}

    /// The next bytes of the connection. Not called again after another event than `needsBytes`.
    package mutating func receive(_ more: some Sequence<UInt8>) -> Event {
        bytes += more
        switch readMessage(end: min(bytes.count, Self.bytesMax)) {
        case .needsBytes: return bytes.count < Self.bytesMax ? .needsBytes : .invalid
        case .invalid: return .invalid
        case .whole: return Self.name(in: Array(message[4...]))
        }
    }

    private enum Progress { case needsBytes, invalid, whole }

    /// Reads the first handshake message, which may stand in several records (RFC 8446 §5.1), on to `end`.
    private mutating func readMessage(end: Int) -> Progress {
        while true {
            if recordRest == 0 {
                // Each byte is judged when it arrives: 22 is "handshake", and 3 the first byte of all versions.
                let header = bytes[readCount..<end].prefix(5)
                guard let type = header.first else { return .needsBytes }
                guard type == 22, header.dropFirst().first ?? 3 == 3 else { return .invalid }
                guard header.count == 5 else { return .needsBytes }
                recordRest = Int(header[readCount + 3]) << 8 | Int(header[readCount + 4])
                guard (1...16_384).contains(recordRest) else { return .invalid }
                readCount += 5
            }
            let count = min(recordRest, end - readCount)
            message += bytes[readCount..<readCount + count]
            readCount += count
            recordRest -= count
            if let first = message.first, first != 1 { return .invalid }
            guard recordRest == 0 else { return .needsBytes }
            guard message.count >= 4 else { continue }
            let length = Int(message[1]) << 16 | Int(message[2]) << 8 | Int(message[3])
            // A client waits for the answer to its ClientHello: nothing else follows in the record.
            guard message.count <= length + 4 else { return .invalid }
            if message.count == length + 4 { return .whole }
        }
    }

    private static func name(in message: [UInt8]) -> Event {
        var input = Input(message[...])
        // Version and random.
        guard input.take(2 + 32) != nil, let session = input.vector(lengthBytes: 1), session.count <= 32,
            let suites = input.vector(lengthBytes: 2), suites.count >= 2, suites.count.isMultiple(of: 2),
            let compression = input.vector(lengthBytes: 1), !compression.isEmpty
        else { return .invalid }
        if input.isAtEnd { return .serverName(nil) }
        guard let list = input.vector(lengthBytes: 2), input.isAtEnd else { return .invalid }
        var extensions = Input(list)
        var seen: Set<Int> = []
        var name: String?
        while !extensions.isAtEnd {
            guard let type = extensions.integer(byteCount: 2), seen.insert(type).inserted,
                let content = extensions.vector(lengthBytes: 2)
            else { return .invalid }
            guard type == 0 else { continue }
            guard let found = hostName(in: content) else { return .invalid }
            name = found
        }
        return .serverName(name)
    }

    /// RFC 6066 §3: a list of names, of which one of the type "host_name" is all that is defined.
    private static func hostName(in content: ArraySlice<UInt8>) -> String? {
        var input = Input(content)
        guard let list = input.vector(lengthBytes: 2), input.isAtEnd else { return nil }
        var names = Input(list)
        guard names.integer(byteCount: 1) == 0, let name = names.vector(lengthBytes: 2), names.isAtEnd,
            (1...255).contains(name.count), name.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        return String(decoding: name, as: UTF8.self).lowercased()
    }

    /// Bytes that are taken from the front.
    private struct Input {
        private var bytes: ArraySlice<UInt8>

        init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

        var isAtEnd: Bool { bytes.isEmpty }

        mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
            guard bytes.count >= count else { return nil }
            defer { bytes = bytes.dropFirst(count) }
            return bytes.prefix(count)
        }

        mutating func integer(byteCount: Int) -> Int? { take(byteCount)?.reduce(0) { $0 << 8 | Int($1) } }

        mutating func vector(lengthBytes: Int) -> ArraySlice<UInt8>? {
            integer(byteCount: lengthBytes).flatMap { take($0) }
        }
    }
}
