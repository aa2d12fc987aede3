import Crypto
import Encodings

/// A request in the one form that client and server sign.
///
/// AWS, "Create a signed AWS API request", "Create a canonical request".
struct CanonicalRequest {
    /// Method, path, query, headers, names of the headers and payload hash, a line feed between them.
    let text: String

    /// Builds the form of a request under the rules of a service.
    init(
        _ request: SignedRequest, query: QueryParameters, signedHeaders: [String], payloadHash: String, isS3: Bool
    ) throws(SignatureError) {
        var bytes = Array(request.method.utf8)
        bytes.append(UInt8(ascii: "\n"))
        bytes += isS3 ? try Self.pathEncodedOnce(request.path) : Self.pathEncodedTwice(request.path)
        bytes.append(UInt8(ascii: "\n"))
        bytes += query.canonical
        bytes.append(UInt8(ascii: "\n"))
        for name in signedHeaders {
            let values = request.values(ofHeader: name)
            guard !values.isEmpty else { throw .signedHeaderMissing(name) }
            bytes += Array("\(name):".utf8)
            bytes += values.map(Self.collapsingBlanks).joined(separator: [UInt8(ascii: ",")])
            bytes.append(UInt8(ascii: "\n"))
        }
        bytes += Array("\n\(signedHeaders.joined(separator: ";"))\n\(payloadHash)".utf8)
        text = String(decoding: bytes, as: UTF8.self)
    }

    /// The algorithm, the date, the scope and the hash of the canonical request.
    func stringToSign(date: SigningDate, scope: CredentialScope) -> String {
        let hash = Hexadecimal.text(of: SHA256.hash(data: Array(text.utf8)))
        return "\(SignatureClaim.algorithm)\n\(date.text)\n\(scope.text)\n\(hash)"
    }

    /// S3: the path is decoded and encoded again, so that every spelling of a key is one. "Don't normalize URI paths
    /// for requests to Amazon S3": `//`, `.` and `..` are parts of keys.
    private static func pathEncodedOnce(_ path: String) throws(SignatureError) -> [UInt8] {
        guard let decoded = Percent.decodeStrictly(path.utf8) else { throw .malformedPath }
        var encoded: [UInt8] = []
        Percent.append(decoded, keepsSlash: true, to: &encoded)
        return encoded.isEmpty ? [UInt8(ascii: "/")] : encoded
    }

    /// Other services: the path as sent, which is encoded, is normalized and encoded once more.
    private static func pathEncodedTwice(_ path: String) -> [UInt8] {
        var encoded: [UInt8] = []
        Percent.append(normalized(path.utf8), keepsSlash: true, to: &encoded)
        return encoded
    }

    /// RFC 3986 §5.2.4, and without empty segments. A slash at the end stays, unless it is the only one.
    private static func normalized(_ path: String.UTF8View) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        guard !path.isEmpty else { return [slash] }
        var segments: [String.UTF8View.SubSequence] = []
        for segment in path.split(separator: slash) {
            if segment.elementsEqual("..".utf8) {
                _ = segments.popLast()
            } else if !segment.elementsEqual(".".utf8) {
                segments.append(segment)
            }
        }
        var normalized: [UInt8] = path.first == slash ? [slash] : []
        normalized += segments.joined(separator: [slash])
        if !segments.isEmpty, path.last == slash { normalized.append(slash) }
        return normalized
    }

    /// The value without blanks at its ends, and with one space for each run of blanks.
    private static func collapsingBlanks(_ value: String) -> [UInt8] {
        Array(value.utf8.split(whereSeparator: \.isBlank).joined(separator: [0x20]))
    }
}
