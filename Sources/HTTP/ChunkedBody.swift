/// RFC 9112 §7.1: a body in chunks, joined as they arrive, or taken away by parts. Extensions and trailers are checked and dropped.
struct ChunkedBody {
    private enum State {
        case size
        case data(remaining: Int)
        case dataEnd
        case trailers
        case done
    }

    /// The chunks so far, but those that were taken.
    private(set) var bytes: [UInt8] = []
    private let bytesMax: Int
    private let chunkCountMax: Int
    private var byteCount = 0
    private var state = State.size
    private var chunkCount = 0
    private var trailerBytes = 0
    private var trailerCount = 0

    /// - Parameter chunkCountMax: The most chunks that are joined: tiny ones cost more than they carry.
    init(bytesMax: Int, chunkCountMax: Int = .max) {
        self.bytesMax = bytesMax
        self.chunkCountMax = chunkCountMax
    }

    /// Takes what has been joined.
    mutating func takeBytes() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    /// Memory that is kept.
    var keptBytes: Int { bytes.capacity }

    var isDone: Bool { if case .done = state { true } else { false } }

    /// Reads as much of `input` as it can and returns how many bytes that was. What remains is less than a line, and
    /// is to be given again with what follows it.
    mutating func read(_ input: borrowing Span<UInt8>, limits: HTTPLimits) throws(Refusal) -> Int {
        var cursor = 0
        while true {
            switch state {
            case .size:
                let bound = limits.chunkLineBytesMax
                guard let line = try ChunkedBody.line(input, at: cursor, bytesMax: bound, .chunkLineTooLong) else {
                    return cursor
                }
                try readSize(input, line, limits: limits)
                cursor = line.upperBound + 2
            case .data(let remaining):
                let count = min(remaining, input.count - cursor)
                guard count > 0 else { return cursor }
                // `extracting` checks the range; the bytes are copied.
                unsafe input.extracting(cursor..<cursor + count).withUnsafeBufferPointer {
                    unsafe bytes.append(contentsOf: $0)
                }
                cursor += count
                state = count == remaining ? .dataEnd : .data(remaining: remaining - count)
            case .dataEnd:
                // Both bytes are checked in one place, as soon as they are there.
                guard input.count - cursor >= 2 else { return cursor }
                guard input[cursor] == ASCII.carriageReturn, input[cursor + 1] == ASCII.lineFeed else {
                    throw .malformed("A chunk is longer or shorter than its size.")
                }
                cursor += 2
                state = .size
            case .trailers:
                let bound = limits.trailerBytesMax - trailerBytes
                guard let line = try ChunkedBody.line(input, at: cursor, bytesMax: bound, .trailersTooLarge) else {
                    return cursor
                }
                try readTrailer(input, line, limits: limits)
                cursor = line.upperBound + 2
            case .done:
                return cursor
            }
        }
    }

    /// The line that begins at `start`, without its CRLF, or nil until all of it is there.
    private static func line(
        _ input: borrowing Span<UInt8>, at start: Int, bytesMax: Int, _ refusal: Refusal
    ) throws(Refusal) -> Range<Int>? {
        guard let lineFeed = input.firstIndex(of: ASCII.lineFeed, from: start) else {
            guard input.count - start < bytesMax else { throw refusal }
            return nil
        }
        guard lineFeed + 1 - start <= bytesMax else { throw refusal }
        guard lineFeed > start, input[lineFeed - 1] == ASCII.carriageReturn else {
            throw .malformed("A line of the chunked body does not end in CRLF.")
        }
        return start..<lineFeed - 1
    }

    /// chunk-size [ chunk-ext ].
    private mutating func readSize(
        _ input: borrowing Span<UInt8>, _ line: Range<Int>, limits: HTTPLimits
    ) throws(Refusal) {
        var size = 0
        var index = line.lowerBound
        while index < line.upperBound, let digit = input[index].hexDigitValue {
            guard size >> 56 == 0 else { throw .bodyTooLarge }
            size = size << 4 | digit
            index += 1
        }
        guard index > line.lowerBound else { throw .malformed("A chunk has no size.") }
        try ChunkedBody.checkExtensions(input, index..<line.upperBound)
        guard size > 0 else {
            state = .trailers
            return
        }
        chunkCount += 1
        guard chunkCount <= chunkCountMax, size <= bytesMax - byteCount else { throw .bodyTooLarge }
        byteCount += size
        state = .data(remaining: size)
    }

    /// RFC 9112 §7.1.1: *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] ).
    private static func checkExtensions(_ input: borrowing Span<UInt8>, _ range: Range<Int>) throws(Refusal) {
        let malformed = Refusal.malformed("A chunk extension is malformed.")
        var index = range.lowerBound
        func skipWhitespace() { while index < range.upperBound, input[index].isWhitespace { index += 1 } }
        func skipToken() -> Bool {
            let start = index
            while index < range.upperBound, input[index].isToken { index += 1 }
            return index > start
        }
        while index < range.upperBound {
            skipWhitespace()
            guard index < range.upperBound, input[index] == ASCII.semicolon else { throw malformed }
            index += 1
            skipWhitespace()
            guard skipToken() else { throw malformed }
            let nameEnd = index
            skipWhitespace()
            guard index < range.upperBound, input[index] == ASCII.equals else {
                // Whitespace after a name belongs to the next extension; at the end of the line it is an error.
                index = nameEnd
                continue
            }
            index += 1
            skipWhitespace()
            guard index < range.upperBound else { throw malformed }
            if input[index] == ASCII.quote {
                guard let end = quotedStringEnd(input, index..<range.upperBound) else { throw malformed }
                index = end
            } else {
                guard skipToken() else { throw malformed }
            }
        }
    }

    /// RFC 9110 §5.6.4: the offset after the closing quote.
    private static func quotedStringEnd(_ input: borrowing Span<UInt8>, _ range: Range<Int>) -> Int? {
        var index = range.lowerBound + 1
        while index < range.upperBound, input[index].isFieldContent {
            if input[index] == ASCII.quote { return index + 1 }
            if input[index] == ASCII.backslash {
                index += 1
                guard index < range.upperBound, input[index].isFieldContent else { return nil }
            }
            index += 1
        }
        return nil
    }

    /// RFC 9112 §7.1.2: a trailer field must not change what the header said, so all of them are dropped.
    private mutating func readTrailer(
        _ input: borrowing Span<UInt8>, _ line: Range<Int>, limits: HTTPLimits
    ) throws(Refusal) {
        guard !line.isEmpty else {
            state = .done
            return
        }
        trailerBytes += line.count + 2
        trailerCount += 1
        guard trailerCount <= limits.headerCountMax else { throw .trailersTooLarge }
        _ = try RequestHead.fieldLine(input, line)
    }
}

extension Refusal {
    fileprivate static let chunkLineTooLong = Refusal.malformed("A chunk's size line is longer than the server reads.")
    fileprivate static let trailersTooLarge = Refusal(
        status: 431, message: "The trailer section is larger than the server reads.")
}
