/// One request: its head, and its body, already joined from chunks and decompressed, or a stream.
///
/// A value of references into the connection's bytes: passing it on costs a few retains, and text is made only where
/// it is asked for. It stays valid as long as anyone keeps it; who needs it only to answer should not keep it, because
/// then the connection uses the same room for its next request.
///
/// Memory safety: the parser makes the ranges of the same bytes, which the request keeps and never changes; they are lent for
/// a call.
public struct Request: Sendable {
    // In this order it takes less than 128 bytes, up to which a value is moved without a call of memcpy.

    /// What the client wants done.
    public let method: Method
    /// Whether the client speaks HTTP/1.0.
    public let isHTTP10: Bool
    /// Whether the connection is encrypted.
    public let isSecure: Bool
    /// What the answer must know of the request.
    let traits: ReplyTraits
    let noted: NotedFields
    /// Where the head begins in `bytes`; its parts are offsets from there.
    let start: UInt32
    /// Who is at the other end; of a request that was forwarded, its client.
    public private(set) var peer: Peer

    /// The body, where the route streams it; nil for any other request.
    public internal(set) var stream: RequestBody?
    @usableFromInline let bytes: [UInt8]
    let fields: [RequestHead.FieldLine]
    /// The bytes that hold the body: the same array, unless the body came in chunks or compressed.
    @usableFromInline let body: [UInt8]
    @usableFromInline let bodyLower: UInt32
    @usableFromInline let bodyUpper: UInt32
    let pathRange: ByteRange
    let queryRange: ByteRange?

    init(
        method: Method, isHTTP10: Bool, peer: Peer, isSecure: Bool, traits: ReplyTraits, bytes: [UInt8], start: Int,
        path: ByteRange, query: ByteRange?, fields: [RequestHead.FieldLine],
        noted: NotedFields, body: [UInt8], bodyRange: Range<Int>
    ) {
        self.method = method
        self.isHTTP10 = isHTTP10
        self.peer = peer
        self.isSecure = isSecure
        self.traits = traits
        self.bytes = bytes
        self.start = UInt32(start)
        self.pathRange = path
        self.queryRange = query
        self.fields = fields
        self.noted = noted
        self.body = body
        bodyLower = UInt32(bodyRange.lowerBound)
        bodyUpper = UInt32(bodyRange.upperBound)
    }
}

extension Request {
    /// The same request from another client: who is at the other end of the connection has forwarded it.
    public func forwarded(for client: Peer) -> Request {
        var request = self
        request.peer = client
        return request
    }
}

// MARK: - The target

extension Request {
    /// The path as it was sent, percent-encoded, without the query. `*` for an OPTIONS of the whole server.
    public var path: String { pathRange.count == 0 ? "/" : text(pathRange) }

    /// The query as it was sent, percent-encoded, without its `?`; nil where there is no `?`.
    public var query: String? { queryRange.map(text) }

    /// The bytes of `query`, or nil, without making a String of them.
    public func withQuery<R>(_ body: (UnsafeRawBufferPointer?) throws -> R) rethrows -> R {
        guard let queryRange else { return try body(nil) }
        return try unsafe withBytes(queryRange, body)
    }

    /// The bytes of `path`, without making a String of them.
    public func withPath<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        // RFC 9112 §3.2.1: an absolute target with an empty path means "/".
        if pathRange.count == 0 { return try unsafe withUnsafeBytes(of: ASCII.slash, body) }
        return try unsafe withBytes(pathRange, body)
    }
}

// MARK: - The headers

extension Request {
    /// The first field of that name, in any case, without the whitespace around it.
    public subscript(header name: StaticString) -> String? {
        field(name).map { text($0.value) }
    }

    /// The bytes of the first field of that name, or nil, without making a String of them.
    public func withHeader<R>(
        _ name: StaticString, _ body: (UnsafeRawBufferPointer?) throws -> R
    ) rethrows -> R {
        guard let field = field(name) else { return try body(nil) }
        return try unsafe withBytes(field.value, body)
    }

    /// The same for a field that was noted while the head was read: nothing is searched. Inlinable, because a generic
    /// function of another target is called unspecialised.
    @inlinable
    public func withHeader<R>(
        _ field: NotedField, _ body: (UnsafeRawBufferPointer?) throws -> R
    ) rethrows -> R {
        guard let place = place(of: field) else { return try body(nil) }
        return try unsafe bytes.withUnsafeBytes { try unsafe body(UnsafeRawBufferPointer(rebasing: $0[place])) }
    }

    @usableFromInline
    func place(of field: NotedField) -> Range<Int>? { noted[field].map { fields[$0].value.offset(by: Int(start)) } }

    /// Whether it has a field `x-syncline-explain`: noted while the head was read, so that other requests are not searched.
    public var asksExplanation: Bool { traits.contains(.asksExplanation) }

    /// The bytes of the name of each field in their order, as they were sent, without making Strings of them.
    public func forEachFieldName(_ body: (UnsafeRawBufferPointer) -> Void) {
        unsafe bytes.withUnsafeBytes { bytes in
            for field in fields {
                unsafe body(UnsafeRawBufferPointer(rebasing: bytes[field.name.offset(by: Int(start))]))
            }
        }
    }

    /// Whether the target has a query.
    public var hasQuery: Bool { queryRange != nil }

    /// Whether it came to a listener of `ListenerProtocol.redirect`, in clear text.
    public var isToBeRedirected: Bool { traits.contains(.isToBeRedirected) }

    /// Whether it came to a listener for operators.
    public var isForOperators: Bool { traits.contains(.isForOperators) }

    /// Whether it asks to go on in WebSocket frames.
    public var asksWebSocket: Bool { traits.contains(.asksWebSocket) }

    /// All fields in their order, the names in lower case. Makes two Strings of each.
    public var headers: [(name: String, value: String)] {
        fields.map { field in
            let name = bytes[field.name.offset(by: Int(start))].lazy.map(\.lowercased)
            return (String(decoding: name, as: UTF8.self), text(field.value))
        }
    }

    /// The names, in lower case, of the fields whose values are no UTF-8: `headers` has U+FFFD in them.
    public var undecodedFieldNames: [String] {
        fields.compactMap { field in
            let value = bytes[field.value.offset(by: Int(start))]
            guard value.contains(where: { $0 >= 0x80 }), String(validating: value, as: UTF8.self) == nil else {
                return nil
            }
            return String(decoding: bytes[field.name.offset(by: Int(start))].lazy.map(\.lowercased), as: UTF8.self)
        }
    }

    private func field(_ name: StaticString) -> RequestHead.FieldLine? {
        name.withUTF8Buffer { name in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                fields.first { field in
                    unsafe field.name.count == name.count
                        && zip(field.name.offset(by: Int(start)), name).allSatisfy { index, byte in
                            unsafe bytes[index].lowercased == byte.lowercased
                        }
                }
            }
        }
    }
}

// MARK: - The body

extension Request {
    /// Bytes of the body.
    public var bodyCount: Int { Int(bodyUpper - bodyLower) }

    /// The most bytes that are kept as long as the request is.
    public var keptByteCount: Int {
        // The address of an array's storage, which is not read.
        let isOneArray = unsafe bytes.withUnsafeBytes { head in
            unsafe body.withUnsafeBytes { unsafe head.baseAddress == $0.baseAddress }
        }
        return bytes.count + (isOneArray ? 0 : bodyCount)
    }

    /// The body's bytes, valid during the call. Inlinable, as `withHeader`.
    @inlinable
    public func withBody<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        let range = Int(bodyLower)..<Int(bodyUpper)
        return try unsafe self.body.withUnsafeBytes { try unsafe body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    private func withBytes<R>(_ range: ByteRange, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try unsafe bytes.withUnsafeBytes {
            try unsafe body(UnsafeRawBufferPointer(rebasing: $0[range.offset(by: Int(start))]))
        }
    }

    /// Field values may hold bytes that are no UTF-8 (RFC 9110 §5.5, obs-text); those become U+FFFD.
    private func text(_ range: ByteRange) -> String {
        String(decoding: bytes[range.offset(by: Int(start))], as: UTF8.self)
    }
}
