extension ObjectHeaders {
    /// The headers that a request stores with an object.
    init(_ request: S3Request, limits: BucketLimits) throws(S3Error) {
        self.init()
        contentType = try Self.checked(request.header("content-type"), "Content-Type")
        for name in Self.systemNames {
            guard var value = try Self.checked(request.header(name.asciiLowercased), name) else { continue }
            if name == "Content-Encoding" {
                // aws-chunked is the encoding of the request's body, not of the object.
                value = value.split(separator: ",").map { $0.trimmingBlanks }
                    .filter { $0.asciiLowercased != "aws-chunked" }.joined(separator: ",")
            }
            if !value.isEmpty { system.append((name, value)) }
        }
        try readMetadata(request, limits)
    }

    /// Presigned URLs may have metadata in their query.
    private mutating func readMetadata(_ request: S3Request, _ limits: BucketLimits) throws(S3Error) {
        let prefix = "x-amz-meta-"
        var byteCount = 0
        for (field, value) in request.headers + request.parameters {
            let field = field.asciiLowercased
            guard field.hasBytePrefix(prefix) else { continue }
            let name = String(field.dropFirst(prefix.count))
            guard !name.isEmpty, name.utf8.allSatisfy(Self.isToken) else {
                throw .invalidArgument("The name of the metadata is invalid", "x-amz-meta", name)
            }
            guard let value = try Self.checked(value.trimmingBlanks, field) else { continue }
            if let index = metadata.firstIndex(where: { $0.name == name }) {
                // A repeated header is one header with both values; a parameter repeats a header's value.
                if metadata[index].value != value { metadata[index].value += ",\(value)" }
            } else {
                metadata.append((name, value))
            }
            byteCount += name.utf8.count + value.utf8.count
            guard byteCount <= limits.metadataBytesMax else { throw .metadataTooLarge }
        }
    }

    /// A value without control characters: a value decoded from a query could otherwise inject lines into a response.
    static func checked(_ value: String?, _ name: String) throws(S3Error) -> String? {
        guard let value else { return nil }
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }), value.utf8.count <= valueBytesMax
        else {
            throw .invalidArgument("The value of \(name) is invalid", name, "")
        }
        return value
    }

    /// Bytes of one value.
    private static let valueBytesMax = 8_192

    /// RFC 9110 §5.6.2.
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
