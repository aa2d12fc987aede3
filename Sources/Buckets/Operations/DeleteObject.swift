extension OperationCall {
    /// DeleteObject: 204 also where no object is.
    func deleteObject() async throws(S3Error) -> S3Response {
        try authorize(.delete)
        try await buckets.delete([key], in: bucket, context, if: try WriteConditions(request))
        return S3Response(204)
    }
}
