extension OperationCall {
    /// DeleteObjects: keys are authorized separately, so that one denied key does not fail the others.
    func deleteObjects() async throws(S3Error) -> S3Response {
        try authorizeDeletion()
        guard try hasDigest() else {
            throw .invalidRequest("Missing required header for this request: Content-MD5")
        }
        let document = try await document("Delete", bytesMax: buckets.limits.documentBytesMax)
        let elements = document.all("Object")
        guard 1...buckets.limits.deletedKeysMax ~= elements.count else { throw .malformedXML }
        let isQuiet = document["Quiet"]?.text.trimmingBlanks == "true"
        var results: [(key: String, error: S3Error?)] = []
        for element in elements {
            guard let key = element["Key"]?.text, !key.isEmpty else { throw .malformedXML }
            results.append((key, error(of: key, element)))
        }
        // A repeated key is deleted once. Canonically equivalent texts with different bytes are different keys.
        var seen: Set<[UInt8]> = []
        let keys = results.filter { $0.error == nil && seen.insert(Array($0.key.utf8)).inserted }.map(\.key)
        try await buckets.delete(keys, in: bucket, context)
        let xml = XMLWriter(root: "DeleteResult") { xml in
            for (key, error) in results {
                if let error {
                    xml.add("Error") { xml in
                        xml.add("Key", key)
                        xml.add("Code", error.code)
                        xml.add("Message", error.message)
                    }
                } else if !isQuiet {
                    xml.add("Deleted") { $0.add("Key", key) }
                }
            }
        }
        return S3Response(xml)
    }

    /// Refuses callers who may delete no object at all, before the body is read.
    func authorizeDeletion() throws(S3Error) {
        let access = try buckets.directory.bucket(bucket).settings?.access
        guard access?.allowSomewhere(.delete, for: caller) ?? caller.isOperator else { throw .accessDenied }
        try operation.checkHeaders(request)
    }

    /// Whether the request has an MD5 or another checksum of its body: a body that was damaged on its way would delete other
    /// objects.
    private func hasDigest() throws(S3Error) -> Bool {
        if request.header("content-md5") != nil { return true }
        if try PayloadReader.checksum(of: request) != nil { return true }
        return request.header("x-amz-trailer")?.asciiLowercased.contains("x-amz-checksum-") ?? false
    }

    private func error(of key: String, _ element: XMLElement) -> S3Error? {
        do throws(S3Error) {
            if let version = element["VersionId"]?.text, version != "null" {
                throw .invalidArgument("Invalid version id specified", "VersionId", version)
            }
            for name in ["ETag", "LastModifiedTime", "Size"] where element[name] != nil { throw .notImplemented(name) }
            try authorize(.delete, on: key, in: bucket)
            return nil
        } catch { return error }
    }
}
