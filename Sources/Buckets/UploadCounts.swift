/// The uploads in progress in a bucket, by who began them, so that nobody takes the places of all others.
struct UploadCounts: Sendable {
    private var all = 0
    private var ofGuests = 0
    private var byInitiator: [String: Int] = [:]

    /// Whether an upload may begin. Operators may use every place; a tenth is theirs alone.
    func hasRoom(for upload: UploadRecord, _ limits: BucketLimits) -> Bool {
        switch upload.initiatorClass {
        case .operator: return all < limits.uploadsMax
        // Anyone can get any number of guest identities, so guests are bounded together.
        case .guest: guard ofGuests < max(1, limits.uploadsMax / 2) else { return false }
        case .user: break
        }
        return all < limits.uploadsMax - limits.uploadsMax / 10
            && byInitiator[upload.initiator] ?? 0 < limits.uploadsPerCallerMax
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
