/// The lines of a text, for the places of many of its bytes, and which of them may show a secret.
struct SourceLines: Sendable {
    let name: String
    private let bytes: [UInt8]
    /// The byte at which each line starts.
    private let starts: [Int]
    /// Lists of API keys, which may have keys on lines of their own.
    private let keyLists: [Range<Int>]

    /// The longest line that is shown, and whose columns are counted in characters, in bytes.
    private static let shownBytesMax = 1_024

    init(_ bytes: [UInt8], name: String) {
        (self.bytes, self.name) = (bytes, name)
        var starts = [bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0]
        for (index, byte) in bytes.enumerated() {
            let isEnd =
                byte == UInt8(ascii: "\n")
                || byte == UInt8(ascii: "\r") && (index + 1 == bytes.count || bytes[index + 1] != UInt8(ascii: "\n"))
            if isEnd { starts.append(index + 1) }
        }
        self.starts = starts
        keyLists = Self.keyLists(in: bytes)
    }

    /// The line and column of a byte; an offset beyond the end means the end.
    func place(of offset: Int) -> Diagnostic.Place {
        let offset = min(max(offset, starts[0]), bytes.count)
        var (low, high) = (0, starts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        let start = starts[low]
        var end = low + 1 < starts.count ? starts[low + 1] : bytes.count
        while end > start, bytes[end - 1] == UInt8(ascii: "\n") || bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        let isShown = end - start <= Self.shownBytesMax
        let column =
            isShown ? String(decoding: bytes[start..<offset], as: UTF8.self).utf16.count + 1 : offset - start + 1
        let line = isShown ? String(decoding: bytes[start..<end], as: UTF8.self) : ""
        let showsSecret = Self.namesSecret(line) || keyLists.contains { $0.overlaps(start..<max(end, start + 1)) }
        return Diagnostic.Place(
            sourceName: name, line: low + 1, column: column, sourceLine: showsSecret ? "" : line)
    }

    // MARK: Secrets

    /// Whether a line may show a secret, which is never repeated in a message: an API key, the secret of a client, a private
    /// key or a password. Also in a file that is not valid JSON, and for a name of another spelling.
    private static func namesSecret(_ line: String) -> Bool {
        line.lowercased().contains(/secret|private[-_ ]?key|api[-_ ]?key|da2-|password["']?\s*:\s*["']/)
    }

    /// The lists that follow the name of API keys, up to their `]`.
    private static func keyLists(in bytes: [UInt8]) -> [Range<Int>] {
        var lists: [Range<Int>] = []
        var position = 0
        while let name = nameOfKeys(in: bytes, from: position) {
            position = name
            while position < bytes.count, !"[]{},".utf8.contains(bytes[position]) { position += 1 }
            guard position < bytes.count, bytes[position] == UInt8(ascii: "[") else { continue }
            let start = position
            while position < bytes.count, bytes[position] != UInt8(ascii: "]") { position += 1 }
            lists.append(start..<position)
        }
        return lists
    }

    /// The end of the next `apiKey`, `api_key`, `api-key` or `api key` in any letter case.
    private static func nameOfKeys(in bytes: [UInt8], from start: Int) -> Int? {
        func matches(_ word: String, at position: Int) -> Bool {
            position + 3 <= bytes.count
                && zip(bytes[position..<position + 3], word.utf8).allSatisfy { $0 | 0x20 == $1 }
        }
        var position = start
        while position + 6 <= bytes.count {
            if bytes[position] | 0x20 == UInt8(ascii: "a"), matches("api", at: position) {
                let rest = position + 3
                let hasSeparator = rest < bytes.count && "-_ ".utf8.contains(bytes[rest])
                let word = hasSeparator ? rest + 1 : rest
                if matches("key", at: word) { return word + 3 }
            }
            position += 1
        }
        return nil
    }
}
