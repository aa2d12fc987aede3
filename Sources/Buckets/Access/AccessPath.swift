/// The path of a rule, a key prefix such as `public/` or `private/{identity}/`.
///
/// A segment that is `*` or a placeholder of the identity matches any one segment. Only the segments at placeholders are
/// compared with the caller's identity. The empty path matches every key.
public struct AccessPath: Sendable, Hashable {
    /// A part of the path.
    enum Segment: Sendable, Hashable {
        case text([UInt8])
        /// `*`: at least one byte, and no slash.
        case any
        /// A placeholder: the same, and the identity of a caller who has access as the owner.
        case identity
    }

    /// The parts, texts with their slashes.
    let segments: [Segment]
    /// Bytes of the texts: if two paths match the same bytes, the one with more text is more specific.
    let textByteCount: Int

    /// The placeholders of the identity: Syncline's, that of `amplify_outputs.json`, and that of `defineStorage`.
    static let placeholders = ["{identity}", "${cognito-identity.amazonaws.com:sub}", "{entity_id}"]

    /// Parses a path. A trailing `*` is removed: every path is a prefix.
    ///
    /// - Returns: nil for a path with a leading slash, with a `*` or a placeholder that is not a whole segment, or with
    ///   a placeholder that no slash follows: the list of `own/1` has the keys of `own/12` too.
    public init?(_ text: String) {
        var text = Substring(text)
        if text == "*" || text.hasSuffix("/*") { text = text.dropLast() }
        guard !text.hasBytePrefix("/") else { return nil }
        var segments: [Segment] = []
        var literal: [UInt8] = []
        let names = text.split(separator: "/", omittingEmptySubsequences: false)
        for (index, name) in names.enumerated() {
            let isLast = index == names.count - 1
            let isPlaceholder = Self.placeholders.contains(String(name))
            if name == "*" || isPlaceholder {
                guard !isLast || !isPlaceholder else { return nil }
                if !literal.isEmpty { segments.append(.text(literal)) }
                literal = []
                segments.append(isPlaceholder ? .identity : .any)
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

    private init(_ segments: [Segment], textByteCount: Int) {
        (self.segments, self.textByteCount) = (segments, textByteCount)
    }

    /// Whether the path has a placeholder of the identity.
    var hasIdentity: Bool { segments.contains(.identity) }

    /// The path with a `*` for each placeholder, which matches the same keys. Amplify writes `own/*/*` for what others
    /// than the owner may do with `own/{entity_id}/*`.
    var pattern: AccessPath {
        AccessPath(segments.map { $0 == .identity ? .any : $0 }, textByteCount: textByteCount)
    }

    /// A match: the number of bytes covered by the path, and the texts at its placeholders.
    struct Match {
        var byteCount: Int
        var identities: [ArraySlice<UInt8>] = []

        /// Whether an identity is at every placeholder; false without placeholders.
        func isOwned(by id: String) -> Bool {
            !identities.isEmpty && identities.allSatisfy { $0.elementsEqual(id.utf8) }
        }
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
            case .any, .identity:
                let name = rest.prefix { $0 != UInt8(ascii: "/") }
                guard !name.isEmpty else { return nil }
                if segment == .identity { match.identities.append(name) }
                match.byteCount += name.count
            }
        }
        return match
    }
}
