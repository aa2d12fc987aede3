import Tables

extension OperationCall {
    /// CreateBucket: creates a bucket that only operators may use.
    func createBucket() async throws(S3Error) -> S3Response {
        guard caller.isOperator else { throw .accessDenied }
        try operation.checkHeaders(request)
        guard BucketName.isValid(bucket) else { throw S3Error.invalidBucketName.with("BucketName", bucket) }
        var bytes: [UInt8] = []
        // RFC 9112 §6.3: a request that declares no length and is not chunked has no body.
        if body.byteCount != nil || request.header("transfer-encoding") != nil {
            let reader = try PayloadReader(request, payload, body)
            bytes = try await documentShare.collect(reader, bytesMax: buckets.limits.settingsBytesMax)
        }
        if !bytes.isEmpty {
            let document = try documentShare.parse(bytes, root: "CreateBucketConfiguration")
            for element in document.elements where element.name != "LocationConstraint" {
                throw .notImplemented(element.name)
            }
            if let region = document["LocationConstraint"]?.text, !region.isEmpty, region != buckets.directory.region {
                throw S3Error(
                    "IllegalLocationConstraintException", 400,
                    "The \(region) location constraint is incompatible for the region specific endpoint this request was sent to."
                )
            }
        }
        let all = buckets.directory.all
        guard !all.contains(where: { $0.record.name == bucket }) else { throw .bucketAlreadyOwnedByYou(bucket) }
        guard !buckets.reservedNames.contains(bucket) else { throw .bucketAlreadyExists(bucket) }
        guard all.count(where: { $0.record.isMadeByCall }) < buckets.limits.bucketsMax else {
            throw S3Error("TooManyBuckets", 400, "You have attempted to create more buckets than allowed")
        }
        var record = BucketRecord(name: bucket, created: buckets.now)
        record.isMadeByCall = true
        guard try await buckets.commit([.insert(record)]) else { throw .bucketAlreadyOwnedByYou(bucket) }
        record.revision = 1
        buckets.directory.set(record)
        return S3Response(200, [("Location", "/\(bucket)")])
    }
}
