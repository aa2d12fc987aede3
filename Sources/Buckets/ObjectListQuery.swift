import Encodings
import Tables

/// The parameters of a page of a list.
struct ObjectListQuery: Sendable {
    /// The start of a page.
    enum Start: Sendable, Hashable {
        /// At the first key.
        case beginning
        /// After a key.
        case after(String)
        /// After all keys with this common prefix, which the previous page had.
        case past(String)
    }

    var bucket: String
    var prefix = ""
    var delimiter: String? {
        didSet { search = delimiter.map { unsafe Array($0.utf8).withUnsafeBytes { unsafe TextSearch(for: $0) } } }
    }
    private var search: TextSearch?
    var start = Start.beginning
    var entriesMax = 1_000

    init(bucket: String) { self.bucket = bucket }

    /// Returns the start of a list with a marker. If the marker is a common prefix, its keys are not listed again.
    func start(marker: String) -> Start { commonPrefix(of: marker) == marker ? .past(marker) : .after(marker) }

    /// Returns the common prefix of a key: the key up to the first delimiter after the prefix; nil without a delimiter.
    func commonPrefix(of key: String) -> String? {
        guard let search, key.hasBytePrefix(prefix) else { return nil }
        let prefixCount = prefix.utf8.count
        var key = key
        // Memory safety: the bytes are borrowed for the closure, and begin with the prefix.
        return key.withUTF8 { bytes in
            let rest = unsafe UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[prefixCount...])
            return unsafe search.end(in: rest).map {
                unsafe String(decoding: bytes[..<(prefixCount + $0)], as: UTF8.self)
            }
        }
    }
}

extension ObjectListQuery.Start {
    /// The key or common prefix.
    var text: String {
        switch self {
        case .beginning: ""
        case .after(let text), .past(let text): text
        }
    }

    /// A continuation token.
    var token: String {
        let mark: UInt8 = if case .past = self { 1 } else { 0 }
        return Base64.encodeURL([mark] + Array(text.utf8))
    }

    /// Parses a continuation token; nil if it is malformed. Tokens are not signed: they grant nothing that
    /// `start-after` does not.
    init?(token: String) {
        guard token.utf8.count <= 8_192, let bytes = Base64.decodeURL(token), let mark = bytes.first, mark <= 1,
            let text = String(validating: bytes.dropFirst(), as: UTF8.self), !text.isEmpty
        else { return nil }
        self = mark == 1 ? .past(text) : .after(text)
    }
}

extension String {
    /// The smallest text that is greater than every text with this prefix, in byte order: the last scalar is
    /// incremented. Nil if there is none.
    ///
    /// `a/` gives `a0`: a text between the two begins with `a/`, since no scalar is between `/` and `0`.
    var afterPrefix: String? {
        var scalars = Array(unicodeScalars)
        while let last = scalars.popLast() {
            // Between U+D7FF and U+E000 there are no scalars, and after U+10FFFF neither.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { continue }
            var text = ""
            text.unicodeScalars.append(contentsOf: scalars + [scalar])
            return text
        }
        return nil
    }
}
