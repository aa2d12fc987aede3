/// Stands in for the one that `HTTP` keeps beside its connections, which are not compiled here.
struct ReplyTraits: OptionSet {
    let rawValue: UInt8

    static let isHead = ReplyTraits(rawValue: 1)
    static let closes = ReplyTraits(rawValue: 2)
    static let isHTTP10 = ReplyTraits(rawValue: 4)
    static let acceptsGzip = ReplyTraits(rawValue: 8)
    static let asksWebSocket = ReplyTraits(rawValue: 16)
}
