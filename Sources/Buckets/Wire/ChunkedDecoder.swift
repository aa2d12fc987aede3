import AWSSignature
import Crypto
import Encodings

/// Decodes `aws-chunked` (Amazon S3 API Reference, "Transferring payload in multiple chunks"): chunks with a hexadecimal
/// size, each signed if the request is, and trailers. A state machine: bytes in, bytes out.
///
/// `*( size [";chunk-signature=" 64HEX] CRLF data CRLF ) "0" […] CRLF *( name ":" value CRLF ) CRLF`
/// (reference: storage, "Bodies")
struct ChunkedDecoder {
    private enum State {
        /// In the line before a chunk.
        case size
        /// In a chunk's data, with the number of missing bytes.
        case data(Int)
        /// In the line end after a chunk's data.
        case dataEnd
        /// In the lines after the last chunk.
        case trailer
        /// After the empty line.
        case ended
    }

    /// Bytes of a line before a chunk.
    private static let lineBytesMax = 256
    /// Bytes of a line of the trailer.
    private static let trailerBytesMax = 1_024
    /// Lines of the trailer.
    private static let trailersMax = 8

    private var state = State.size
    private var line: [UInt8] = []
    private var signature: ChunkSignature?
    private let isSigned: Bool
    /// The names that the trailer must have, and no others, in lower case.
    private let trailerNames: Set<String>
    private let hasTrailer: Bool
    private var chunkHash = SHA256()
    /// The signature of the current chunk.
    private var claim = ""
    private var trailerClaim: String?
    /// Number of remaining bytes.
    private var rest: Int
    /// The trailer: names in lower case and values, in their order.
    private(set) var trailers: [(name: String, value: String)] = []

    /// - Parameters:
    ///   - signature: The signatures of the chunks; nil if they are not signed.
    ///   - trailerNames: The names in `x-amz-trailer`, in lower case; nil if the payload has no trailer.
    ///   - byteCount: The bytes of the decoded body, `x-amz-decoded-content-length`.
    init(_ signature: ChunkSignature?, trailerNames: Set<String>?, byteCount: Int) {
        self.signature = signature
        isSigned = signature != nil
        self.trailerNames = trailerNames ?? []
        hasTrailer = trailerNames != nil
        rest = byteCount
    }

    private static let malformed = S3Error.invalidRequest("The body is not well-formed aws-chunked encoding.")
    private static let malformedTrailer = S3Error(
        "MalformedTrailerError", 400,
        "The request contained trailing data that was not well-formed or did not conform to our published schema.")

    /// Decodes the next bytes of the body.
    mutating func decode(_ bytes: [UInt8]) throws(S3Error) -> [UInt8] {
        var data: [UInt8] = []
        var index = 0
        while index < bytes.count {
            switch state {
            case .size, .dataEnd, .trailer:
                let byte = bytes[index]
                index += 1
                guard byte == 0x0A else {
                    line.append(byte)
                    try boundLine()
                    continue
                }
                try endLine()
            case .data(let missing):
                let end = min(bytes.count, index + missing)
                let part = bytes[index..<end]
                if isSigned { unsafe part.withUnsafeBytes { unsafe chunkHash.update(bufferPointer: $0) } }
                data += part
                let left = missing - part.count
                state = left > 0 ? .data(left) : .dataEnd
                index = end
            case .ended: throw Self.malformed
            }
        }
        return data
    }

    /// Ends the body; throws if it is incomplete.
    mutating func end() throws(S3Error) {
        // Some clients omit the line end of the last line.
        if case .trailer = state {
            if !line.isEmpty { try endLine() }
            if case .trailer = state { try endTrailer() }
        }
        guard case .ended = state, rest == 0 else { throw .incompleteBody }
    }

    private func boundLine() throws(S3Error) {
        if case .trailer = state {
            guard line.count <= Self.trailerBytesMax else { throw Self.malformedTrailer }
        } else {
            guard line.count <= Self.lineBytesMax else { throw Self.malformed }
        }
    }

    private mutating func endLine() throws(S3Error) {
        let hasReturn = line.last == 0x0D
        if hasReturn { line.removeLast() }
        let text = line
        line = []
        switch state {
        case .size:
            guard hasReturn else { throw Self.malformed }
            try beginChunk(text)
        case .dataEnd:
            guard hasReturn, text.isEmpty else { throw Self.malformed }
            try verifyChunk()
            state = .size
        case .trailer:
            guard text.isEmpty else { return try addTrailer(text) }
            // Between the trailer and its signature some clients write an empty line.
            if isSigned, hasTrailer, trailerClaim == nil, !trailers.isEmpty { return }
            try endTrailer()
        case .data, .ended: preconditionFailure("there are no lines in data and after the end")
        }
    }

    private mutating func beginChunk(_ line: [UInt8]) throws(S3Error) {
        let parts = line.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard (1...12).contains(parts[0].count), parts.count <= 2,
            parts[0].allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
            let size = Int(String(decoding: parts[0], as: UTF8.self), radix: 16)
        else { throw Self.malformed }
        if isSigned {
            let prefix = Array("chunk-signature=".utf8)
            guard parts.count == 2, parts[1].starts(with: prefix) else { throw S3Error.signatureDoesNotMatch }
            claim = String(decoding: parts[1].dropFirst(prefix.count), as: UTF8.self)
            chunkHash = SHA256()
        } else {
            guard parts.count == 1 else { throw Self.malformed }
        }
        guard size <= rest else { throw S3Error.incompleteBody }
        rest -= size
        if size == 0 {
            try verifyChunk()
            state = .trailer
        } else {
            state = .data(size)
        }
    }

    private mutating func verifyChunk() throws(S3Error) {
        guard isSigned else { return }
        let hash = Hexadecimal.text(of: chunkHash.finalize())
        guard signature?.isValid(claim, ofChunk: hash) ?? false else { throw S3Error.signatureDoesNotMatch }
    }

    private mutating func addTrailer(_ line: [UInt8]) throws(S3Error) {
        guard hasTrailer, let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            let name = String(validating: line[..<colon], as: UTF8.self)?.trimmingBlanks.asciiLowercased,
            let value = String(validating: line[(colon + 1)...], as: UTF8.self)?.trimmingBlanks,
            trailerClaim == nil
        else { throw Self.malformedTrailer }
        if name == "x-amz-trailer-signature" {
            trailerClaim = value
            return
        }
        guard trailerNames.contains(name), !trailers.contains(where: { $0.name == name }),
            trailers.count < Self.trailersMax
        else { throw Self.malformedTrailer }
        trailers.append((name, value))
    }

    private mutating func endTrailer() throws(S3Error) {
        guard trailers.count == trailerNames.count else { throw Self.malformedTrailer }
        if isSigned, hasTrailer {
            let lines = trailers.map { "\($0.name):\($0.value)\n" }.joined()
            let hash = Hexadecimal.text(of: SHA256.hash(data: Array(lines.utf8)))
            guard let trailerClaim, signature?.isValid(trailerClaim, ofTrailer: hash) ?? false else {
                throw S3Error.signatureDoesNotMatch
            }
        }
        state = .ended
    }
}
