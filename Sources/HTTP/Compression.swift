import CZlib

/// The unpacked body. The bound is on what comes out, so a small bomb is no larger than an honest body.
///
/// Memory safety: the stream is initialized before use and ended once; `next_in` and `next_out` point into buffers that are
/// borrowed for the calls in which zlib uses them, with their counts beside them.
func inflated(_ packed: ArraySlice<UInt8>, _ coding: ContentCoding, bytesMax: Int) throws(Refusal) -> [UInt8] {
    let malformed = Refusal.malformed("The request body is not what its Content-Encoding says.")
    var stream = unsafe z_stream()
    // zlib.h, inflateInit2: 15 is the largest window; 16 more means the gzip format, none the zlib format, which is
    // what HTTP calls deflate (RFC 9110 §8.4.1.2).
    let windowBits: Int32 = coding == .gzip ? 15 + 16 : 15
    guard unsafe inflateInit2_(&stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
        throw Refusal(status: 503, message: "The server has no memory left to decompress the request body.")
    }
    defer { unsafe inflateEnd(&stream) }
    var output: [UInt8] = []
    var result = Z_OK
    unsafe packed.withUnsafeBufferPointer { packed in
        // zlib only reads from next_in, which its C declaration does not say.
        unsafe stream.next_in = unsafe UnsafeMutablePointer(mutating: packed.baseAddress)
        unsafe stream.avail_in = UInt32(packed.count)
        while result == Z_OK, output.count <= bytesMax {
            // One byte more than allowed is enough to know that it is too much.
            let room = min(max(output.count, 4096), bytesMax + 1 - output.count)
            let piece = unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                unsafe stream.next_out = buffer.baseAddress
                unsafe stream.avail_out = UInt32(room)
                result = unsafe inflate(&stream, Z_NO_FLUSH)
                count = unsafe room - Int(stream.avail_out)
            }
            output += piece
            // Nothing came and nothing is left to read: the packed bytes end too early.
            if result == Z_OK, unsafe piece.isEmpty || (stream.avail_in == 0 && stream.avail_out > 0) { break }
        }
    }
    guard output.count <= bytesMax else { throw .bodyTooLarge }
    guard result == Z_STREAM_END, unsafe stream.avail_in == 0 else { throw malformed }
    return output
}
