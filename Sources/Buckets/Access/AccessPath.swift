/// The path of a rule, a key prefix such as `public/` or `private/{identity}/`.
///
/// A segment that is `*` or a placeholder of the identity matches any one segment. The empty path matches every
/// key.
public struct AccessPath: Sendable, Hashable {
    /// A part of the path.
    enum Segment: Sendable, Hashable {
        case text([UInt8])
        /// At least one byte, and no slash.
        case any
    }

    /// The parts, texts with their slashes.
    let segments: [Segment]
    /// Bytes of the texts: if two paths match the same bytes, the one with more text is more specific.
    let textByteCount: Int

    /// The placeholders of the identity: Syncline's, that of `amplify_outputs.json`, and that of `defineStorage`.
    static let placeholders = ["{identity}", "${cognito-identity.amazonaws.com:sub}", "{entity_id}"]

    /// Parses a path. A trailing `*` is removed: every path is a prefix.
    ///
    /// - Returns: nil for a path with a leading slash, or with a `*` or a placeholder that is not a whole
    ///   segment.
    public init?(_ text: String) {
        var text = Substring(text)
        if text == "*" || text.hasSuffix("/*") { text = text.dropLast() }
        guard !text.hasBytePrefix("/") else { return nil }
        var segments: [Segment] = []
        var literal: [UInt8] = []
        let names = text.split(separator: "/", omittingEmptySubsequences: false)
        for (index, name) in names.enumerated() {
            let isLast = index == names.count - 1
            if name == "*" || Self.placeholders.contains(String(name)) {
                if !literal.isEmpty { segments.append(.text(literal)) }
                literal = []
                segments.append(.any)
            } else {
                guard !name.utf8.contains(UInt8(ascii: "*")),
                    !Self.placeholders.contains(where: { name.contains($0) })
                else { return nil }
                literal += Array(name.utf8)
            }
            if !isLast { literal.append(UInt8(ascii: "/")) }
        }
        if !literal.isEmpty { segments.append(.text(literal)) }
        self.segments = segments
        textByteCount = segments.reduce(0) { if case .text(let bytes) = $1 { $0 + bytes.count } else { $0 } }
    }

    /// A match: the number of bytes covered by the path, and the text at the first `*` or placeholder.
    struct Match {
        var byteCount: Int
        var identity: ArraySlice<UInt8>?
    }

    /// Matches a key, or the prefix of a list.
    func match(_ key: [UInt8]) -> Match? {
        var match = Match(byteCount: 0)
        for segment in segments {
            let rest = key[match.byteCount...]
            switch segment {
            case .text(let bytes):
                guard rest.starts(with: bytes) else { return nil }
                match.byteCount += bytes.count
            case .any:
                let name = rest.prefix { $0 != UInt8(ascii: "/") }
                guard !name.isEmpty else { return nil }
                if match.identity == nil { match.identity = name }
                match.byteCount += name.count
            }
        }
        return match
    }
}
