/// Tags are read and written by operators alone: the roles of an Amplify project allow `s3:GetObject` and `s3:PutObject`, and not
/// `s3:GetObjectTagging` and `s3:PutObjectTagging`.
/// (reference: storage, "Access")
extension OperationCall {
    /// GetObjectTagging.
    func getObjectTagging() async throws(S3Error) -> S3Response {
        try authorizeOperator()
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
        try authorizeOperator()
        try await setTags(try ObjectTags.read(try await document("Tagging", bytesMax: buckets.limits.settingsBytesMax)))
        return S3Response(200)
    }

    /// DeleteObjectTagging.
    func deleteObjectTagging() async throws(S3Error) -> S3Response {
        try authorizeOperator()
        try await setTags([])
        return S3Response(204)
    }

    /// The tags that the request stores with an object; throws AccessDenied if there are any and the caller is no operator.
    func storedTags() throws(S3Error) -> [(name: String, value: String)] {
        let tags = try ObjectTags.read(request.field(ObjectTags.header))
        guard tags.isEmpty || caller.isOperator else { throw .accessDenied }
        return tags
    }

    private func setTags(_ tags: [(name: String, value: String)]) async throws(S3Error) {
        guard try await buckets.update(bucket, key, { $0.tags = tags }) != nil else {
            throw try missing(key, in: bucket)
        }
    }
}
