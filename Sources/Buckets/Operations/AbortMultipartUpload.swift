import Tables

extension OperationCall {
    /// AbortMultipartUpload.
    func abortMultipartUpload() async throws(S3Error) -> S3Response {
        // The permission to begin an upload is also the permission to abort it, of one's own.
        try authorize(.write)
        let upload = try await upload()
        try authorizeInitiator(of: upload)
        guard try await buckets.commit([.delete(upload)]) else { throw .noSuchUpload(upload.id) }
        buckets.noteRemoval(of: upload)
        try await buckets.removeParts(of: upload.id)
        return S3Response(204)
    }
}
