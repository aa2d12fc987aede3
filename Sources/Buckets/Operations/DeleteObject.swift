extension OperationCall {
    /// DeleteObject: 204 even if the object does not exist.
    func deleteObject() async throws(S3Error) -> S3Response {
        try authorize(.delete)
        try await buckets.delete([key], in: bucket, context, if: try WriteConditions(request))
        return S3Response(204)
    }
}
