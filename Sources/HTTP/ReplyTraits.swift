/// What an answer must know of its request after the request itself is released.
struct ReplyTraits: OptionSet, Sendable {
    let rawValue: UInt8

    /// The answer leaves without its body.
    static let isHead = ReplyTraits(rawValue: 1)
    /// The connection ends with the answer.
    static let closes = ReplyTraits(rawValue: 2)
    /// An HTTP/1.0 client needs `Connection: keep-alive` to keep the connection open.
    static let isHTTP10 = ReplyTraits(rawValue: 4)
    /// The client takes gzip.
    static let acceptsGzip = ReplyTraits(rawValue: 8)
    /// The client asks to go on in WebSocket frames, so what follows the request is not read before it is answered.
    static let asksWebSocket = ReplyTraits(rawValue: 16)
    /// The client asks why rules decided as they did.
    static let asksExplanation = ReplyTraits(rawValue: 32)
    /// The request came to a listener that redirects.
    static let isToBeRedirected = ReplyTraits(rawValue: 64)
    /// The request came to a listener for operators.
    static let isForOperators = ReplyTraits(rawValue: 128)
}
