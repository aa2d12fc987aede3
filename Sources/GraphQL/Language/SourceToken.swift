/// A token of a text and its range in it, for callers that change a text in place (spec §2.1.6).
public struct SourceToken: Sendable, Hashable {
    /// What a token is.
    public enum Kind: Sendable, Hashable {
        case name
        /// An integer or a float.
        case number
        case string
        case blockString
        /// A punctuator of one byte, by that byte.
        case punctuator(UInt8)
        /// Three dots.
        case spread
    }

    /// What it is.
    public let kind: Kind
    /// The offset of its first byte.
    public let start: Int
    /// The offset after its last byte.
    public let end: Int

    /// The characters of a string token of this source; nil for another token.
    public func stringValue(in source: Source) -> String? {
        guard kind == .string || kind == .blockString else { return nil }
        let quotes = kind == .blockString ? 3 : 1
        let raw = source.bytes[start + quotes..<end - quotes]
        return StringDecoding.string(
            raw, isBlock: kind == .blockString, hasEscapes: raw.contains(UInt8(ascii: "\\")))
    }

    init(_ token: Token) {
        switch token.kind {
        case .name: kind = .name
        case .int, .float: kind = .number
        case .string: kind = .string
        case .blockString: kind = .blockString
        case .spread: kind = .spread
        default: kind = .punctuator(token.kind.byte)
        }
        start = token.start
        end = token.end
    }
}
