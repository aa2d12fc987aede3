extension OperationCall {
    /// HeadBucket, for callers who may list the whole bucket.
    func headBucket() throws(S3Error) -> S3Response {
        try authorize(.list, on: "", in: bucket)
        try operation.checkHeaders(request)
        var response = S3Response(
            200, [("x-amz-bucket-region", buckets.directory.region), ("x-amz-access-point-alias", "false")])
        response.body = .head(byteCount: 0)
        return response
    }

    /// GetBucketLocation: empty for us-east-1.
    func getBucketLocation() throws(S3Error) -> S3Response {
        try authorizeOperator()
        let region = buckets.directory.region
        return S3Response(XMLWriter(root: "LocationConstraint") { $0.addText(region == "us-east-1" ? "" : region) })
    }

    /// GetBucketVersioning: the response for a bucket that never had versioning enabled.
    func getBucketVersioning() throws(S3Error) -> S3Response {
        try authorizeOperator()
        return S3Response(XMLWriter(root: "VersioningConfiguration") { _ in })
    }

    /// GetBucketAcl and GetObjectAcl: only the owner has a grant, FULL_CONTROL.
    func getACL() async throws(S3Error) -> S3Response {
        try await authorizeACL()
        let type = " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:type=\"CanonicalUser\""
        let xml = XMLWriter(root: "AccessControlPolicy") { xml in
            xml.addOwner("Owner")
            xml.add("AccessControlList") { xml in
                xml.add("Grant") { xml in
                    xml.addOwner("Grantee", attributes: type)
                    xml.add("Permission", "FULL_CONTROL")
                }
            }
        }
        return S3Response(xml)
    }

    /// PutBucketAcl and PutObjectAcl: accept only the existing ACL, such as `x-amz-acl: private`; everything else is not
    /// implemented.
    func putACL() async throws(S3Error) -> S3Response {
        try await authorizeACL()
        guard request.field("x-amz-acl") != nil else { throw .notImplemented("access control lists") }
        return S3Response(200)
    }

    private func authorizeACL() async throws(S3Error) {
        try authorizeOperator()
        if !key.isEmpty, try await buckets.object(bucket, key) == nil { throw .noSuchKey(key) }
    }
}

extension XMLWriter {
    /// Adds text.
    mutating func addText(_ value: String) { append(value) }
}
