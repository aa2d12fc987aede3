import CZlib

/// Packs answers with gzip. One belongs to each loop, because zlib's state is large and slow to make.
///
/// Memory safety: the stream is allocated in `init` and freed in `deinit`, at one address, since zlib points back to it. Its
/// pointers into bytes are set before each use. One thread uses an object at a time.
@safe final class Deflater {
    /// zlib keeps a pointer back to the stream, so the stream has an address of its own.
    private let stream: UnsafeMutablePointer<z_stream>
    private let isReady: Bool

    /// - Parameter level: 1 is the fastest, 9 the smallest.
    init(level: Int32 = 1) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        // Level 1: JSON of repeated keys shrinks to about a fifth of its size, at a third of the default's time, which
        // the loop spends. 15 is the largest window, 16 more means gzip, 8 the default memory.
        isReady =
            unsafe deflateInit2_(
                stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)) == Z_OK
    }

    deinit {
        if isReady { unsafe deflateEnd(stream) }
        unsafe stream.deinitialize(count: 1)
        unsafe stream.deallocate()
    }

    /// The packed bytes, or nil where they would not be fewer, or where there is no memory to make them.
    func gzip(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        guard isReady, bytes.count <= Int(UInt32.max), unsafe deflateReset(stream) == Z_OK else { return nil }
        var isDone = false
        let packed = unsafe [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, count in
            // zlib only reads from next_in, which its C declaration does not say.
            unsafe stream.pointee.next_in = unsafe UnsafeMutablePointer(
                mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
            unsafe stream.pointee.avail_in = UInt32(bytes.count)
            unsafe stream.pointee.next_out = buffer.baseAddress
            unsafe stream.pointee.avail_out = UInt32(bytes.count)
            isDone = unsafe deflate(stream, Z_FINISH) == Z_STREAM_END
            count = unsafe bytes.count - Int(stream.pointee.avail_out)
        }
        return isDone ? packed : nil
    }
}
