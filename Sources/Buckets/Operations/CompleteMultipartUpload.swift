import Crypto
import Encodings
import Tables

extension OperationCall {
    /// CompleteMultipartUpload: the parts are copied into one blob, which becomes the object in the transaction that
    /// ends the upload. Repeated requests get the same response for a day.
    func completeMultipartUpload() async throws(S3Error) -> S3Response {
        try authorize(.write)
        let conditions = try writeConditions()
        let document = try await multipartDocument()
        guard let upload = try await upload(in: UploadRecord.open(bucket)) else {
            guard let completed = try await upload(in: UploadRecord.completed(bucket)) else {
                throw .noSuchUpload(request.parameter("uploadId") ?? "")
            }
            return completion(etag: completed.completedETag ?? "", completed.completedChecksum)
        }
        do throws(S3Error) {
            return try await complete(upload, document, if: conditions)
        } catch {
            // Another request has completed the upload, or aborted it, and removed its parts.
            guard error.code == "NoSuchUpload" || error.code == "InvalidPart",
                let completed = try await self.upload(in: UploadRecord.completed(bucket))
            else { throw error }
            return completion(etag: completed.completedETag ?? "", completed.completedChecksum)
        }
    }

    private func complete(
        _ upload: UploadRecord, _ document: XMLElement, if conditions: WriteConditions
    ) async throws(S3Error) -> S3Response {
        try conditions.check(try await buckets.object(bucket, key), key: key)
        let parts = try selectedParts(document, of: upload, among: try await buckets.parts(of: upload.id, turn: turn))
        let size = parts.reduce(0) { $0 + Int($1.size) }
        guard size <= buckets.limits.objectBytesMax else {
            throw .entityTooLarge(size, max: buckets.limits.objectBytesMax)
        }
        try checkDeclarations(of: upload, size: size)
        var object = ObjectRecord(
            bucket: bucket, key: key, blob: "", size: Int64(size), etag: Self.etag(of: parts), modified: 0)
        (object.headers, object.tags) = (upload.headers, upload.tags)
        object.parts = parts.reduce(into: PartSizes()) { $0.append(Int($1.size)) }
        let reserved = size + object.storedSize.overheadBytes
        try buckets.usage.reserve(reserved, buckets.limits)
        defer { buckets.usage.release(reserved) }
        (object.blob, object.checksum) = try await join(parts, upload)
        let completed = upload.completed(etag: object.etag, object.checksum, at: buckets.now)
        let call = self
        try await buckets.put(
            object, event: .completeMultipartUpload, context, if: conditions,
            with: [.delete(upload), .insert(completed)]
        ) { () throws(S3Error) in _ = try await call.upload() }
        buckets.noteRemoval(of: upload)
        buckets.usage.add(completed.storedSize)
        buckets.usage.add(completed: 1)
        try? await buckets.removeParts(of: upload.id)
        return completion(etag: object.etag, object.checksum)
    }

    private func multipartDocument() async throws(S3Error) -> XMLElement {
        // The checksum in the headers is that of the object, not of the document.
        let reader = try PayloadReader(request, payload, body, verifiesChecksum: false)
        let bytes = try await documentShare.collect(reader, bytesMax: buckets.limits.documentBytesMax)
        return try documentShare.parse(bytes, root: "CompleteMultipartUpload")
    }

    /// The stored parts that the document lists.
    private func selectedParts(
        _ document: XMLElement, of upload: UploadRecord, among stored: [PartRecord]
    ) throws(S3Error) -> [PartRecord] {
        let byNumber = Dictionary(stored.map { ($0.number, $0) }, uniquingKeysWith: { $1 })
        let elements = document.all("Part")
        guard 1...buckets.limits.partsMax ~= elements.count else { throw .malformedXML }
        var parts: [PartRecord] = []
        for element in elements {
            guard let number = element["PartNumber"].flatMap({ $0.text.trimmingBlanks.decimal }),
                let etag = element["ETag"]?.text.trimmingBlanks
            else { throw .malformedXML }
            guard number > parts.last?.number ?? 0 else { throw .invalidPartOrder }
            let plain = etag.utf8.filter { $0 != UInt8(ascii: "\"") }
            guard let part = byNumber[number], part.etag.utf8.elementsEqual(plain) else {
                throw S3Error.invalidPart.with("UploadId", upload.id).with("PartNumber", String(number))
            }
            for algorithm in ChecksumAlgorithm.allCases {
                guard let text = element[algorithm.element]?.text.trimmingBlanks else { continue }
                guard part.checksum?.algorithm == algorithm, part.checksum?.text == text else {
                    throw S3Error.invalidPart.with("PartNumber", String(number))
                }
            }
            if let last = parts.last, last.size < buckets.limits.partBytesMin {
                throw .entityTooSmall(
                    Int(last.size), min: buckets.limits.partBytesMin, part: last.number, etag: last.etag)
            }
            parts.append(part)
        }
        return parts
    }

    /// `MD5(MD5 of the parts)-count`.
    private static func etag(of parts: [PartRecord]) -> String {
        var md5 = Insecure.MD5()
        for part in parts { md5.update(data: Hexadecimal.bytes(of: part.etag) ?? []) }
        return "\(Hexadecimal.text(of: md5.finalize()))-\(parts.count)"
    }

    /// Copies the parts into one blob, and computes the object's checksum.
    private func join(
        _ parts: [PartRecord], _ upload: UploadRecord
    ) async throws(S3Error) -> (blob: String, checksum: ObjectChecksum?) {
        let wanted = try expectedChecksum(of: upload)
        let type = upload.checksumType ?? wanted?.type
        var digest: ChecksumDigest?
        if let algorithm = upload.algorithm ?? wanted?.algorithm, type == .fullObject {
            digest = ChecksumDigest(algorithm)
        }
        let writer: BlobWriter
        // Missing is a part that was uploaded again concurrently.
        (writer, digest) = try await buckets.copying(missing: .invalidPart) { () throws(BlobError) in
            let blobs = buckets.blobs
            let writer = try blobs.makeWriter()
            for part in parts {
                try await writer.append(try blobs.open(part.blob), 0..<Int(part.size)) { digest?.update($0) }
            }
            return (writer, digest)
        }
        var checksum: ObjectChecksum?
        if let digest {
            checksum = ObjectChecksum(digest.algorithm, digest.value)
        } else if let algorithm = upload.algorithm {
            let checksums = parts.compactMap(\.checksum)
            if checksums.count == parts.count { checksum = ObjectChecksum(compositeOf: checksums, algorithm) }
        }
        if let wanted {
            guard let checksum, checksum.text == wanted.text else { throw .badChecksum(wanted.algorithm) }
        }
        return (try await buckets.copying { () throws(BlobError) in try writer.finish() }, checksum)
    }

    /// The checksum of the object that the request has in its headers.
    private func expectedChecksum(
        of upload: UploadRecord
    ) throws(S3Error) -> (algorithm: ChecksumAlgorithm, text: String, type: ChecksumType)? {
        for algorithm in ChecksumAlgorithm.allCases {
            guard let text = request.header(algorithm.header) else { continue }
            guard upload.algorithm == nil || upload.algorithm == algorithm,
                ObjectChecksum(algorithm, text: String(text.prefix { $0 != "-" })) != nil
            else { throw .invalidChecksum(algorithm) }
            return (algorithm, text, text.contains("-") ? .composite : .fullObject)
        }
        return nil
    }

    private func completion(etag: String, _ checksum: ObjectChecksum?) -> S3Response {
        let xml = XMLWriter(root: "CompleteMultipartUploadResult") { xml in
            xml.add("Location", request.url)
            xml.add("Bucket", bucket)
            xml.add("Key", key)
            xml.add("ETag", "\"\(etag)\"")
            xml.add(checksum)
        }
        return S3Response(xml)
    }
}
