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
        if let algorithm, algorithm != source.checksum?.algorithm {
            object.checksum = ObjectChecksum(
                algorithm, try await digest(of: blob, size: Int(source.size), algorithm))
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

    private func digest(
        of blob: OpenBlob, size: Int, _ algorithm: ChecksumAlgorithm
    ) async throws(S3Error) -> [UInt8] {
        try await buckets.copying { () throws(BlobError) in
            var digest = ChecksumDigest(algorithm)
            try await buckets.blobs.read(0..<size, of: blob) { digest.update($0) }
            return digest.value
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
