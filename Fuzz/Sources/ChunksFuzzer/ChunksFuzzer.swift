import AWSSignature
import Fuzzing

@main enum ChunksFuzzer {
    static func main() { fuzz(check) }
}

/// A body in `aws-chunked`. The first byte says whether it is signed (1) and has a trailer (2), the second how many bytes were
/// declared, the third where the reads are cut.
private func check(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count > 3 else { return }
    let (isSigned, hasTrailer, declared) = (bytes[0] & 1 == 1, bytes[0] & 2 == 2, Int(bytes[1]))
    let body = Array(bytes[3...])
    func decode(partBytes: Int) -> Result<(data: [UInt8], trailers: [String]), S3Error> {
        var decoder = ChunkedDecoder(
            isSigned ? ChunkSignature() : nil, trailerNames: hasTrailer ? ["x-amz-checksum-crc32"] : nil,
            byteCount: declared)
        var data: [UInt8] = []
        do throws(S3Error) {
            for start in stride(from: 0, to: body.count, by: partBytes) {
                data += try decoder.decode(Array(body[start..<min(body.count, start + partBytes)]))
                require(data.count <= declared, "no more bytes than were declared")
            }
            try decoder.end()
        } catch { return .failure(error) }
        return .success((data, decoder.trailers.map { "\($0.name):\($0.value)" }))
    }
    switch (decode(partBytes: body.count), decode(partBytes: 1 + Int(bytes[2]) % 32)) {
    case (.success(let whole), .success(let cut)):
        require(whole == cut, "the same bytes however the reads are cut")
        require(whole.data.count == declared, "all declared bytes are there")
        require(whole.trailers.count == (hasTrailer ? 1 : 0), "the trailer is the one that was announced")
    case (.failure(let whole), .failure(let cut)): require(whole == cut, "the same error however the reads are cut")
    default: require(false, "the same outcome however the reads are cut")
    }
}
