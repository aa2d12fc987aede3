import Crypto
import Encodings

extension OperationCall {
    /// UploadPartCopy: a part whose bytes are copied from an object.
    func uploadPartCopy() async throws(S3Error) -> S3Response {
        try authorize(.write)
        let number = try partNumber()
        let upload = try await upload()
        let (source, blob) = try await copySource()
        let range = try copiedRange(ofSize: Int(source.size))
        guard range.count <= buckets.limits.bodyBytesMax else {
            throw .entityTooLarge(range.count, max: buckets.limits.bodyBytesMax)
        }
        let reserved = range.count + StoredSize.recordBytes
        try buckets.usage.reserve(reserved, buckets.limits)
        defer { buckets.usage.release(reserved) }
        let (name, md5, checksum) = try await buckets.copying { () throws(BlobError) in
            var md5 = Insecure.MD5()
            var digest = upload.algorithm.map(ChecksumDigest.init)
            let writer = try buckets.blobs.makeWriter()
            try await writer.append(blob, range) { bytes in
                md5.update(data: bytes)
                digest?.update(bytes)
            }
            return (try writer.finish(), md5.finalize(), digest.map { ObjectChecksum($0.algorithm, $0.value) })
        }
        let part = PartRecord(
            upload: upload, number: number, blob: name, size: Int64(range.count),
            etag: Hexadecimal.text(of: md5), modified: buckets.now, checksum: checksum)
        try await buckets.put(part, of: upload)
        let xml = XMLWriter(root: "CopyPartResult") { xml in
            xml.add("LastModified", DateTime.text(milliseconds: part.modified))
            xml.add("ETag", "\"\(part.etag)\"")
            if let checksum = part.checksum { xml.add(checksum.algorithm.element, checksum.text) }
        }
        return S3Response(xml)
    }

    /// `bytes=first-last`; unlike the range of a read, it must lie within the object.
    private func copiedRange(ofSize size: Int) throws(S3Error) -> Range<Int> {
        let name = "x-amz-copy-source-range"
        guard let text = request.header(name) else { return 0..<size }
        guard case .from(let first, let last?)? = RequestedRange(text) else {
            throw .invalidArgument(
                "The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are the zero-based offsets of the first and last bytes to copy",
                name, text)
        }
        guard last < size else {
            throw .invalidArgument("Range specified is not valid for source object of size: \(size)", name, text)
        }
        return first..<last + 1
    }
}
