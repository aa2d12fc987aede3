extension OperationCall {
    /// DeleteObject: 204 even if the object does not exist, unless `If-Match` requires that it does.
    func deleteObject() async throws(S3Error) -> S3Response {
        try authorize(.delete)
        // A caller who may not read an object cannot find out its entity tag (Amazon S3 User Guide, "How to perform conditional
        // deletes").
        if let etag = request.header("if-match"), etag != "*" { try authorize(.get, on: key, in: bucket) }
        try await buckets.delete([key], in: bucket, context, if: try WriteConditions(request))
        return S3Response(204)
    }
}
