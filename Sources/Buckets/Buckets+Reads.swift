public import Tables

extension Buckets {
    /// Answers GetObject or HeadObject synchronously on the reader's thread, which may be an event loop: it reads one
    /// row and opens a file.
    ///
    /// - Returns: nil for every other request, for one that is refused before its operation begins, and for an object whose file
    ///   cannot be opened at once; `respond` answers them.
    public func respondNow(
        to request: S3Request, from caller: BucketCaller, reading reader: MetadataReader
    ) -> S3Response? {
        guard request.method == "GET" || request.method == "HEAD", let address = try? address(of: request),
            let call = try? makeCall(request, address, caller, documentShare(of: request, caller)),
            call.operation == .getObject || call.operation == .headObject
        else { return nil }
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
