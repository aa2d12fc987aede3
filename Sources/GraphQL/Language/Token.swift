/// A token (spec §2.1.6): its kind and its range in the source.
struct Token {
    /// A punctuator's number is its byte, so that no table is needed to find it.
    struct Kind: Equatable {
        let byte: UInt8

        static var endOfSource: Kind { Kind(byte: 0) }
        static var name: Kind { Kind(byte: 1) }
        static var int: Kind { Kind(byte: 2) }
        static var float: Kind { Kind(byte: 3) }
        static var string: Kind { Kind(byte: 4) }
        static var blockString: Kind { Kind(byte: 5) }
        /// Where bytes form no token, or a token is one too many: no grammar has it, so it ends every parse.
        static var malformed: Kind { Kind(byte: 6) }
        static var bang: Kind { Kind(byte: UInt8(ascii: "!")) }
        static var dollar: Kind { Kind(byte: UInt8(ascii: "$")) }
        static var ampersand: Kind { Kind(byte: UInt8(ascii: "&")) }
        static var openParenthesis: Kind { Kind(byte: UInt8(ascii: "(")) }
        static var closeParenthesis: Kind { Kind(byte: UInt8(ascii: ")")) }
        static var spread: Kind { Kind(byte: UInt8(ascii: ".")) }
        static var colon: Kind { Kind(byte: UInt8(ascii: ":")) }
        static var equals: Kind { Kind(byte: UInt8(ascii: "=")) }
        static var at: Kind { Kind(byte: UInt8(ascii: "@")) }
        static var openBracket: Kind { Kind(byte: UInt8(ascii: "[")) }
        static var closeBracket: Kind { Kind(byte: UInt8(ascii: "]")) }
        static var openBrace: Kind { Kind(byte: UInt8(ascii: "{")) }
        static var pipe: Kind { Kind(byte: UInt8(ascii: "|")) }
        static var closeBrace: Kind { Kind(byte: UInt8(ascii: "}")) }
    }

    /// Its range. Of a name, this is the name itself.
    let name: Name
    let kind: Kind
    /// Whether a string's backslashes need decoding.
    let hasEscapes: Bool

    @inline(__always) init(kind: Kind, start: Int, count: Int, hasEscapes: Bool = false) {
        self.kind = kind
        self.hasEscapes = hasEscapes
        name = Name(start: UInt32(truncatingIfNeeded: start), count: UInt32(truncatingIfNeeded: count))
    }

    init(kind: Kind, start: Int, end: Int, hasEscapes: Bool = false) {
        self.init(kind: kind, start: start, count: end &- start, hasEscapes: hasEscapes)
    }

    var start: Int { Int(name.start) }
    var end: Int { Int(name.start) &+ Int(name.count) }

    var string: StringRange {
        let quotes: UInt32 = kind == .blockString ? 3 : 1
        return StringRange(
            start: name.start &+ quotes, count: name.count &- 2 &* quotes, isBlock: kind == .blockString,
            hasEscapes: hasEscapes)
    }
}
