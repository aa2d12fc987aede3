import CZlib

/// How a request body is packed: the codings of RFC 9110 §8.4.1 that zlib knows.
enum ContentCoding: Equatable {
    case identity, gzip, deflate, unknown

    /// Reads one Content-Encoding line. Two codings on top of each other are as good as an unknown one.
    mutating func read(_ bytes: borrowing Span<UInt8>, _ value: Range<Int>) {
        var coding = self
        bytes.forEachListMember(in: value) { member in
            // AppSync's clients sign `amz-1.0` into requests that are not packed at all.
            if bytes.matches(member, "identity") || bytes.matches(member, "amz-1.0") { return }
            guard coding == .identity else { return coding = .unknown }
            if bytes.matches(member, "gzip") || bytes.matches(member, "x-gzip") {
                coding = .gzip
            } else if bytes.matches(member, "deflate") {
                coding = .deflate
            } else {
                coding = .unknown
            }
        }
        self = coding
    }
}

/// What Accept-Encoding says of gzip. RFC 9110 §12.5.3; weights in thousandths.
struct AcceptEncoding {
    private var gzip: Int?
    private var identity: Int?
    private var any: Int?

    /// Whether gzip is acceptable and not liked less than no coding. Without the field, nothing is asked for.
    var prefersGzip: Bool {
        let weight = gzip ?? any ?? 0
        return weight > 0 && weight >= identity ?? 0
    }

    /// Reads one line; several lines are one list.
    mutating func read(_ bytes: borrowing Span<UInt8>, _ value: Range<Int>) {
        var (gzip, identity, any) = (gzip, identity, any)
        bytes.forEachListMember(in: value) { member in
            let end = bytes.firstIndex(of: ASCII.semicolon, from: member.lowerBound)
            let name = bytes.trimmed(member.lowerBound..<min(end ?? member.upperBound, member.upperBound))
            let weight = AcceptEncoding.weight(bytes, name.upperBound..<member.upperBound)
            if bytes.matches(name, "gzip") || bytes.matches(name, "x-gzip") { gzip = weight }
            if bytes.matches(name, "identity") { identity = weight }
            if bytes.matches(name, "*") { any = weight }
        }
        (self.gzip, self.identity, self.any) = (gzip, identity, any)
    }

    /// RFC 9110 §12.4.2: `;q=0.5` is 500. A weight that cannot be read is 0: plain bytes are always understood.
    private static func weight(_ bytes: borrowing Span<UInt8>, _ parameters: Range<Int>) -> Int {
        var weight = 1000
        bytes.forEachListMember(in: parameters, separator: ASCII.semicolon) { parameter in
            guard parameter.count >= 2, bytes[parameter.lowerBound].lowercased == UInt8(ascii: "q"),
                bytes[parameter.lowerBound + 1] == ASCII.equals
            else { return }
            weight = thousandths(bytes, parameter.lowerBound + 2..<parameter.upperBound) ?? 0
        }
        return weight
    }

    /// `0` or `1`, then at most three decimals.
    private static func thousandths(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Int? {
        guard (1...5).contains(range.count), bytes[range.lowerBound].isDigit else { return nil }
        var value = Int(bytes[range.lowerBound] - ASCII.zero) * 1000
        var place = 100
        for index in range.dropFirst() {
            if index == range.lowerBound + 1 {
                guard bytes[index] == UInt8(ascii: ".") else { return nil }
                continue
            }
            guard bytes[index].isDigit else { return nil }
            value += Int(bytes[index] - ASCII.zero) * place
            place /= 10
        }
        return value <= 1000 ? value : nil
    }
}

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

/// Packs answers with gzip. One belongs to each loop, because zlib's state is large and slow to make.
///
/// Memory safety: the stream is allocated in `init` and freed in `deinit`, at one address, since zlib points back to it. Its
/// pointers into bytes are set before each use. One thread uses an object at a time.
@safe final class Deflater {
    /// zlib keeps a pointer back to the stream, so the stream has an address of its own.
    private let stream: UnsafeMutablePointer<z_stream>
    private let isReady: Bool

    init() {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        // Level 1: JSON of repeated keys shrinks to about a fifth of its size, at a third of the default's time, which
        // the loop spends. 15 is the largest window, 16 more means gzip, 8 the default memory.
        isReady =
            unsafe deflateInit2_(
                stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
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
