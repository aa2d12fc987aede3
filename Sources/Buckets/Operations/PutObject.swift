import Encodings

extension OperationCall {
    /// PutObject.
    func putObject() async throws(S3Error) -> S3Response {
        try authorize(.write)
        let conditions = try writeConditions()
        let headers = try ObjectHeaders(request, limits: buckets.limits)
        let tags = try storedTags()
        let reader = try PayloadReader(request, payload, body)
        // Refuse before receiving the body.
        if !conditions.isEmpty { try conditions.check(try await buckets.object(bucket, key), key: key) }
        guard reader.byteCount <= buckets.limits.objectBytesMax else {
            throw .entityTooLarge(reader.byteCount, max: buckets.limits.objectBytesMax)
        }
        let reservation = StorageReservation(buckets.usage, buckets.limits)
        defer { reservation.end() }
        var object = ObjectRecord(bucket: bucket, key: key, blob: "", size: 0, etag: "", modified: 0)
        (object.headers, object.tags) = (headers, tags)
        try reservation.add(object.storedSize.overheadBytes)
        let received = try await buckets.receive(reader, reservation)
        (object.blob, object.size, object.etag) = (received.blob, received.size, Hexadecimal.text(of: received.md5))
        object.checksum = reader.checksum
        let stored = try await buckets.put(object, event: .put, context, if: conditions)
        return S3Response(200, [("ETag", stored.quotedETag)] + Self.lines(stored.checksum))
    }
}
