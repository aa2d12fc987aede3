extension OperationCall {
    /// GetObjectTagging.
    func getObjectTagging() async throws(S3Error) -> S3Response {
        try authorize(.get)
        guard let object = try await buckets.object(bucket, key) else { throw try missing(key, in: bucket) }
        let xml = XMLWriter(root: "Tagging") { xml in
            xml.add("TagSet") { xml in
                for tag in object.tags {
                    xml.add("Tag") { xml in
                        xml.add("Key", tag.name)
                        xml.add("Value", tag.value)
                    }
                }
            }
        }
        return S3Response(xml)
    }

    /// PutObjectTagging.
    func putObjectTagging() async throws(S3Error) -> S3Response {
        try authorize(.write)
        try await setTags(try ObjectTags.read(try await document("Tagging", bytesMax: buckets.limits.settingsBytesMax)))
        return S3Response(200)
    }

    /// DeleteObjectTagging.
    func deleteObjectTagging() async throws(S3Error) -> S3Response {
        try authorize(.write)
        try await setTags([])
        return S3Response(204)
    }

    private func setTags(_ tags: [(name: String, value: String)]) async throws(S3Error) {
        guard try await buckets.update(bucket, key, { $0.tags = tags }) != nil else {
            throw try missing(key, in: bucket)
        }
    }
}
