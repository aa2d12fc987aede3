/// The object of a plain read: a GetObject of which neither a header nor a parameter changes the answer, so that this is the same for
/// every caller who may read the object.
public struct PlainRead: Sendable {
    /// The bytes of an object.
    public enum Body: Sendable {
        /// Those of a small object.
        case bytes([UInt8])
        /// Those of a larger one, and their number.
        case blob(OpenBlob, Int)
    }

    /// The header lines of the answer, each with CRLF, without `Content-Length`, `Date`, `Server` and the request's id.
    public let lines: [UInt8]
    /// The time in Last-Modified, in seconds since 1970.
    public let modifiedSeconds: Int64
    /// The bytes of the object.
    public let body: Body
}

extension Buckets {
    /// Answers a plain read synchronously on the reader's thread, which may be an event loop. Of an object that was read recently, it
    /// opens the file and nothing else.
    ///
    /// - Parameters:
    ///   - read: A read that is plain; its request has no header that changes the answer either.
    ///   - bytesMax: Bytes of objects that are read at once.
    /// - Returns: nil if there is no such object, or the caller may not read it, or its file cannot be opened: `respondNow` and
    ///   `respond` say why.
    public func plainRead(
        _ read: ObjectRead, from caller: BucketCaller, reading reader: MetadataReader, bytesMax: Int
    ) -> PlainRead? {
        guard read.isPlain else { return nil }
        return plainRead(read.target.bucket, read.target.key, caller, reader, bytesMax)
    }

    /// The same for an unsigned request without a query, by its path.
    ///
    /// - Parameter bucketOfHost: The bucket in the host name; nil if the path begins with it.
    public func plainRead(
        path: String, bucketOfHost: String?, reading reader: MetadataReader, bytesMax: Int
    ) -> PlainRead? {
        guard let address = try? S3Address(path: path, bucketOfHost: bucketOfHost), let bucket = address.bucket,
            let key = address.key, key.utf8.count <= limits.keyBytesMax
        else { return nil }
        return plainRead(bucket, key, .anonymous, reader, bytesMax)
    }

    private func plainRead(
        _ bucket: String, _ key: String, _ caller: BucketCaller, _ reader: MetadataReader, _ bytesMax: Int
    ) -> PlainRead? {
        guard (try? allows(.get, on: key, in: bucket, for: caller)) ?? false,
            let entry = try? reader.object(bucket, key)
        else { return nil }
        let (object, size) = (entry.object, Int(entry.object.size))
        // The answer to an operator has their number.
        if !object.tags.isEmpty, caller.isOperator { return nil }
        let body: PlainRead.Body
        if size <= bytesMax {
            guard let bytes = blobs.contents(of: object.blob, byteCount: size) else { return nil }
            body = .bytes(bytes)
        } else {
            guard let blob = try? blobs.open(object.blob) else { return nil }
            body = .blob(blob, size)
        }
        return PlainRead(lines: entry.lines, modifiedSeconds: object.modified / 1_000, body: body)
    }
}
