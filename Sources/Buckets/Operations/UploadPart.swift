import Encodings

extension OperationCall {
    /// UploadPart.
    func uploadPart() async throws(S3Error) -> S3Response {
        try authorize(.write)
        let number = try partNumber()
        let upload = try await upload()
        let reader = try PayloadReader(request, payload, body, algorithm: upload.algorithm)
        let reservation = StorageReservation(buckets.usage, buckets.limits)
        defer { reservation.end() }
        try reservation.add(StoredSize.recordBytes)
        let received = try await buckets.receive(reader, reservation)
        if let algorithm = upload.algorithm, let given = reader.checksum?.algorithm, given != algorithm {
            buckets.blobs.remove(received.blob)
            throw .invalidRequest(
                "Checksum Type mismatch occurred, expected checksum Type: \(algorithm.rawValue.asciiLowercased), actual checksum Type: \(given.rawValue.asciiLowercased)"
            )
        }
        let part = PartRecord(
            upload: upload, number: number, blob: received.blob, size: received.size,
            etag: Hexadecimal.text(of: received.md5), modified: buckets.now, checksum: reader.checksum)
        try await buckets.put(part, of: upload)
        return S3Response(200, [("ETag", "\"\(part.etag)\"")] + Self.lines(part.checksum).prefix(1))
    }

    func partNumber() throws(S3Error) -> Int {
        let text = request.parameter("partNumber") ?? ""
        guard let number = text.decimal, 1...buckets.limits.partsMax ~= number,
            !(request.parameter("uploadId") ?? "").isEmpty
        else {
            throw .invalidArgument(
                "Part number must be an integer between 1 and \(buckets.limits.partsMax), inclusive", "partNumber", text
            )
        }
        return number
    }
}
