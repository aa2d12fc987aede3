/// The uploads in progress in a bucket, by who began them, so that nobody takes the places of all others.
struct UploadCounts: Sendable {
    private var all = 0
    private var ofGuests = 0
    private var byInitiator: [String: Int] = [:]

    /// Throws QuotaExceeded if an upload may not begin. Operators may use every place; a tenth is theirs alone.
    func checkRoom(for upload: UploadRecord, _ limits: BucketLimits) throws(S3Error) {
        let isOperator = upload.initiatorClass == .operator
        // Anyone can get any number of guest identities, so guests are bounded together.
        let areGuestsMany = upload.initiatorClass == .guest && ofGuests >= max(1, limits.uploadsMax / 2)
        guard !areGuestsMany, all < limits.uploadsMax - (isOperator ? 0 : limits.uploadsMax / 10) else {
            throw .tooManyUploads("of this bucket", "uploadsPerBucketMax")
        }
        guard isOperator || byInitiator[upload.initiator] ?? 0 < limits.uploadsPerCallerMax else {
            throw .tooManyUploads("of this caller", "uploadsPerCallerMax")
        }
    }

    mutating func add(_ upload: UploadRecord) { change(upload, by: 1) }

    mutating func remove(_ upload: UploadRecord) { change(upload, by: -1) }

    private mutating func change(_ upload: UploadRecord, by count: Int) {
        all += count
        if upload.initiatorClass == .guest { ofGuests += count }
        let rest = (byInitiator[upload.initiator] ?? 0) + count
        byInitiator[upload.initiator] = rest == 0 ? nil : rest
    }
}
