/// Stands in for the product's: every signature of 64 digits is valid, so that inputs get past the first chunk.
public struct ChunkSignature: Sendable {
    public init() {}

    public mutating func isValid(_ signature: String, ofChunk hash: String) -> Bool { signature.utf8.count == 64 }

    public func isValid(_ signature: String, ofTrailer hash: String) -> Bool { signature.utf8.count == 64 }
}
