import Crypto
import Encodings

extension OperationCall {
    /// The source of a copy: an object that the caller may read and that meets the conditions, open for reading.
    func copySource() async throws(S3Error) -> (object: ObjectRecord, blob: OpenBlob) {
        let address = try S3Address(copySource: request.header("x-amz-copy-source") ?? "")
        let (bucket, key) = (address.bucket ?? "", address.key ?? "")
        try authorize(.get, on: key, in: bucket)
        guard let source = try await buckets.open(bucket, key) else { throw try missing(key, in: bucket) }
        let prefix = "x-amz-copy-source-"
        if let condition = RequestConditions(request, prefix: prefix).failed(for: source.object) {
            throw .preconditionFailed(prefix + condition.rawValue)
        }
        return source
    }

    /// CopyObject.
    func copyObject() async throws(S3Error) -> S3Response {
        try authorize(.write)
        let conditions = try writeConditions()
        let replacesHeaders = try directive("x-amz-metadata-directive")
        let replacesTags = try directive("x-amz-tagging-directive")
        let algorithm = try request.header("x-amz-checksum-algorithm").map(ChecksumAlgorithm.named)
        let (source, blob) = try await copySource()
        let isItself = source.bucket == bucket && source.objectKey.utf8.elementsEqual(key.utf8)
        guard !isItself || replacesHeaders || replacesTags || algorithm != nil else {
            throw .invalidRequest(
                "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes."
            )
        }
        var object = source
        (object.bucket, object.objectKey) = (bucket, key)
        if replacesHeaders { object.headers = try ObjectHeaders(request, limits: buckets.limits) }
        if replacesTags {
            object.tags = try storedTags()
        } else if !source.tags.isEmpty, !caller.isOperator {
            throw .accessDenied
        }
        // A copy is made in one operation, so that its ETag is the MD5 of its bytes (Amazon S3 API Reference, "Object"), and its
        // checksum that of its bytes, also if the source was uploaded in parts.
        let isFromParts = source.etag.contains("-")
        let isComposite = source.checksum?.type == .composite
        let computed = algorithm == source.checksum?.algorithm && !isComposite ? nil : algorithm
        if isFromParts || computed != nil {
            let (md5, checksum) = try await digests(
                of: blob, size: Int(source.size), computed ?? (isComposite ? source.checksum?.algorithm : nil))
            if isFromParts { (object.etag, object.parts) = (md5, nil) }
            if let checksum { object.checksum = checksum }
        }
        let reserved = Int(source.size) + object.storedSize.overheadBytes
        try buckets.usage.reserve(reserved, buckets.limits)
        defer { buckets.usage.release(reserved) }
        object.blob = try await buckets.copying { () throws(BlobError) in
            try await buckets.blobs.copy(source.blob, blob, size: Int(source.size))
        }
        let stored = try await buckets.put(object, event: .copy, context, if: conditions)
        let xml = XMLWriter(root: "CopyObjectResult") { xml in
            xml.add("LastModified", DateTime.text(milliseconds: stored.modified))
            xml.add("ETag", stored.quotedETag)
            xml.add(stored.checksum)
        }
        return S3Response(xml)
    }

    /// Whether a directive is REPLACE instead of COPY.
    private func directive(_ name: String) throws(S3Error) -> Bool {
        switch request.header(name) {
        case nil, "COPY"?: return false
        case "REPLACE"?: return true
        case let value?: throw .invalidArgument("Unknown directive.", name, value)
        }
    }

    /// The MD5 of an object's bytes in hexadecimal, and a checksum of them.
    private func digests(
        of blob: OpenBlob, size: Int, _ algorithm: ChecksumAlgorithm?
    ) async throws(S3Error) -> (md5: String, checksum: ObjectChecksum?) {
        try await buckets.copying { () throws(BlobError) in
            var md5 = Insecure.MD5()
            var digest = algorithm.map(ChecksumDigest.init)
            try await buckets.blobs.read(0..<size, of: blob) { bytes in
                md5.update(data: bytes)
                digest?.update(bytes)
            }
            let checksum = digest.map { ObjectChecksum($0.algorithm, $0.value) }
            return (Hexadecimal.text(of: md5.finalize()), checksum)
        }
    }
}

extension XMLWriter {
    /// Adds the elements of a checksum.
    mutating func add(_ checksum: ObjectChecksum?) {
        guard let checksum else { return }
        add(checksum.algorithm.element, checksum.text)
        add("ChecksumType", checksum.type.rawValue)
    }
}
