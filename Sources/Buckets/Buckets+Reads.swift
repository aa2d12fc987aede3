public import Tables

extension Buckets {
    /// Answers a read synchronously on the reader's thread, which may be an event loop: it reads one row and opens a file.
    ///
    /// - Returns: nil for an object whose file cannot be opened at once; `respond` answers then.
    public func respondNow(
        to read: ObjectRead, from caller: BucketCaller, reading reader: MetadataReader
    ) -> S3Response? {
        let request = read.request
        let call = OperationCall(self, request, read.target, caller, documentShare(of: request, caller))
        do throws(S3Error) {
            return try call.getObject(reading: reader).map { finish($0, request, call.bucket) }
        } catch {
            return finish(Self.response(to: request, error), request, call.bucket)
        }
    }

    /// A reader for `respondNow`, for one thread.
    /// - Parameter executor: Runs work on that thread.
    public func makeReader(on executor: any Executor) throws(StoreError) -> MetadataReader {
        try metadata.makeReader(on: executor)
    }
}
