import AWSSignature
import Crypto
import Encodings

/// Reads the body of a request: decodes it, computes its digests, and verifies them at its end.
///
/// Used by one task. Holds the bytes of one part at a time.
final class PayloadReader {
    private let body: S3Body
    private var decoder: ChunkedDecoder?
    private var expectedHash: String?
    private var hash = SHA256()
    private var expectedMD5: [UInt8]?
    private var expectedChecksum: ObjectChecksum?
    private let trailerAlgorithm: ChecksumAlgorithm?
    private var md5 = Insecure.MD5()
    private var digest: ChecksumDigest?
    private var receivedCount = 0
    private var hasEnded = false
    /// Number of bytes of the decoded body.
    let byteCount: Int

    /// The MD5 of the body, after it was read to its end.
    private(set) var md5Digest: [UInt8] = []
    /// The requested checksum, after the body was read to its end.
    private(set) var checksum: ObjectChecksum?

    /// - Parameters:
    ///   - algorithm: A checksum that is computed if the request does not name one.
    ///   - verifiesChecksum: Whether a checksum in the headers is that of the body. One in the trailer always is.
    init(
        _ request: S3Request, _ payload: S3Payload, _ body: S3Body, algorithm: ChecksumAlgorithm? = nil,
        verifiesChecksum: Bool = true
    ) throws(S3Error) {
        self.body = body
        var trailerNames: Set<String>?
        switch payload {
        case .unsigned: byteCount = try Self.plainCount(body)
        case .hash(let hash):
            byteCount = try Self.plainCount(body)
            expectedHash = hash
        case .chunked(let signature, let hasTrailer):
            guard let text = request.header("x-amz-decoded-content-length"), let count = text.decimal else {
                throw .missingContentLength
            }
            byteCount = count
            if hasTrailer {
                let names = (request.header("x-amz-trailer") ?? "").split(separator: ",")
                    .map { $0.trimmingBlanks.asciiLowercased }
                trailerNames = Set(names)
            }
            decoder = ChunkedDecoder(signature, trailerNames: trailerNames, byteCount: count)
        }
        let trailerAlgorithms = ChecksumAlgorithm.allCases.filter { trailerNames?.contains($0.header) ?? false }
        guard trailerAlgorithms.count <= 1 else {
            throw .invalidRequest("Expecting a single x-amz-checksum- header")
        }
        trailerAlgorithm = trailerAlgorithms.first
        for header in request.headers where header.name.asciiLowercased == "content-md5" {
            guard let bytes = Base64.decode(header.value.trimmingBlanks.utf8), bytes.count == 16 else {
                throw .invalidDigest
            }
            expectedMD5 = bytes
        }
        if verifiesChecksum { expectedChecksum = try Self.checksum(of: request) }
        guard expectedChecksum == nil || trailerAlgorithm == nil else {
            throw .invalidRequest("Expecting a single x-amz-checksum- header")
        }
        let named = try request.header("x-amz-sdk-checksum-algorithm").map(ChecksumAlgorithm.named)
        digest = (expectedChecksum?.algorithm ?? trailerAlgorithm ?? named ?? algorithm).map(ChecksumDigest.init)
    }

    private static func plainCount(_ body: S3Body) throws(S3Error) -> Int {
        guard let count = body.byteCount else { throw .missingContentLength }
        return count
    }

    /// The checksum in the headers. Parameters of a presigned URL are ignored: SDKs send the checksum of an empty body
    /// there.
    static func checksum(of request: S3Request) throws(S3Error) -> ObjectChecksum? {
        var found: ObjectChecksum?
        for algorithm in ChecksumAlgorithm.allCases {
            guard let text = request.header(algorithm.header) else { continue }
            guard let checksum = ObjectChecksum(algorithm, text: text) else { throw .invalidChecksum(algorithm) }
            guard found == nil else { throw .invalidRequest("Expecting a single x-amz-checksum- header") }
            found = checksum
        }
        return found
    }

    /// The next bytes; nil at the end, after everything was verified.
    func next() async throws(S3Error) -> [UInt8]? {
        while !hasEnded {
            switch await body.next() {
            case .bytes(var bytes):
                if expectedHash != nil { hash.update(data: bytes) }
                if let decoded = try decoder?.decode(bytes) { bytes = decoded }
                receivedCount += bytes.count
                guard receivedCount <= byteCount else { throw .incompleteBody }
                md5.update(data: bytes)
                digest?.update(bytes)
                if !bytes.isEmpty { return bytes }
            case .end:
                try verify()
                hasEnded = true
            case .failed: throw .incompleteBody
            case .timedOut: throw .requestTimeout
            case .tooLarge(let bytesMax): throw .entityTooLarge(nil, max: bytesMax)
            }
        }
        return nil
    }

    private func verify() throws(S3Error) {
        try decoder?.end()
        guard receivedCount == byteCount else { throw .incompleteBody }
        if let expectedHash, Hexadecimal.text(of: hash.finalize()) != expectedHash { throw .contentHashMismatch }
        md5Digest = Array(md5.finalize())
        if let expectedMD5, expectedMD5 != md5Digest { throw .badMD5 }
        guard let digest else { return }
        let computed = ObjectChecksum(digest.algorithm, digest.value)
        if let trailerAlgorithm {
            let text = decoder?.trailers.first { $0.name == trailerAlgorithm.header }?.value ?? ""
            guard let checksum = ObjectChecksum(trailerAlgorithm, text: text) else {
                throw .invalidChecksum(trailerAlgorithm)
            }
            expectedChecksum = checksum
        }
        if let expectedChecksum, expectedChecksum.bytes != computed.bytes { throw .badChecksum(digest.algorithm) }
        checksum = computed
    }
}
