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
