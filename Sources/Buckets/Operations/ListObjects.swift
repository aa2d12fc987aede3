import Encodings

extension OperationCall {
    /// ListObjects and ListObjectsV2.
    func listObjects() async throws(S3Error) -> S3Response {
        let isV2 = operation == .listObjectsV2
        var query = ObjectListQuery(bucket: bucket)
        query.prefix = request.parameter("prefix") ?? ""
        query.delimiter = request.parameter("delimiter").flatMap { $0.isEmpty ? nil : $0 }
        query.entriesMax = try number(
            "max-keys", default: buckets.limits.pageEntriesMax, in: 0...buckets.limits.pageEntriesMax)
        try authorize(.list, on: query.prefix, in: bucket)
        try operation.checkHeaders(request)
        let encodesKeys = try keyEncoding()
        let token = request.parameter("continuation-token")
        let (startAfter, marker) = (request.parameter("start-after"), request.parameter("marker"))
        if isV2, let token {
            guard let start = ObjectListQuery.Start(token: token) else {
                throw .invalidArgument("The continuation token provided is incorrect", "continuation-token", token)
            }
            query.start = start
        } else if let key = isV2 ? startAfter : marker, !key.isEmpty {
            query.start = isV2 ? .after(key) : query.start(marker: key)
        }
        let page = try await buckets.list(query, turn)
        func text(_ key: String) -> String { encodesKeys ? Self.encoded(key) : key }
        let xml = XMLWriter(root: "ListBucketResult") { xml in
            xml.add("Name", bucket)
            xml.add("Prefix", text(query.prefix))
            if isV2 {
                xml.add("StartAfter", startAfter.map(text))
                xml.add("ContinuationToken", token)
                xml.add("NextContinuationToken", page.next?.token)
                xml.add("KeyCount", page.entryCount)
            } else {
                xml.add("Marker", text(marker ?? ""))
                // Without a delimiter, clients continue after the last key.
                if query.delimiter != nil { xml.add("NextMarker", (page.next?.text).map(text)) }
            }
            xml.add("MaxKeys", query.entriesMax)
            xml.add("Delimiter", query.delimiter.map(text))
            if encodesKeys { xml.add("EncodingType", "url") }
            xml.add("IsTruncated", page.next != nil)
            let showsOwner = !isV2 || request.parameter("fetch-owner") == "true"
            for object in page.objects {
                xml.add("Contents") { xml in
                    xml.add("Key", text(object.objectKey))
                    xml.add("LastModified", DateTime.text(milliseconds: object.modified))
                    xml.add("ETag", object.quotedETag)
                    if let checksum = object.checksum {
                        xml.add("ChecksumAlgorithm", checksum.algorithm.rawValue)
                        xml.add("ChecksumType", checksum.type.rawValue)
                    }
                    xml.add("Size", Int(object.size))
                    if showsOwner { xml.addOwner("Owner") }
                    xml.add("StorageClass", "STANDARD")
                }
            }
            for prefix in page.commonPrefixes { xml.add("CommonPrefixes") { $0.add("Prefix", text(prefix)) } }
        }
        return S3Response(xml, 200, [("x-amz-bucket-region", buckets.directory.region)])
    }

    /// Whether keys are percent-encoded (`encoding-type=url`).
    func keyEncoding() throws(S3Error) -> Bool {
        switch request.parameter("encoding-type") {
        case nil, ""?: return false
        case "url"?: return true
        case let value?: throw .invalidArgument("Invalid Encoding Method specified in Request", "encoding-type", value)
        }
    }

    /// The percent-encoded key, with unescaped slashes.
    static func encoded(_ key: String) -> String {
        var bytes: [UInt8] = []
        Percent.append(key.utf8, keepsSlash: true, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension XMLWriter {
    /// Adds who has begun an upload.
    mutating func addInitiator(of upload: UploadRecord) {
        add("Initiator") { xml in
            xml.add("ID", upload.initiator)
            xml.add("DisplayName", upload.initiator)
        }
    }

    /// Adds the owner of all objects.
    mutating func addOwner(_ name: String, attributes: String = "") {
        add(name, attributes: attributes) { xml in
            xml.add("ID", BucketOwner.id)
            xml.add("DisplayName", BucketOwner.displayName)
        }
    }
}
