import Synchronization

/// The existing buckets with their configuration. They are few and kept in memory.
final class BucketDirectory: Sendable {
    struct Bucket: Sendable {
        var record: BucketRecord
        /// Nil for a bucket created by a request: only operators may use it.
        var settings: BucketConfiguration.Bucket?
        /// Number of commits in progress that need the bucket.
        var commitCount = 0
        /// Whether it is being removed.
        var isEnding = false
        /// The uploads in progress; nil until they are counted.
        var uploads: UploadCounts?

        /// The CORS rules: those of PutBucketCors, else those of the configuration.
        var corsRules: [CORSRule] { record.corsRules ?? settings.map { $0.corsRules ?? CORSRule.defaults() } ?? [] }
    }

    private struct State {
        var buckets: [String: Bucket] = [:]
        var region = "us-east-1"
    }

    private let state = Mutex(State())

    var region: String { state.withLock { $0.region } }
    /// All buckets, ordered by name.
    var all: [Bucket] {
        state.withLock { Array($0.buckets.values) }.sorted { $0.record.name < $1.record.name }
    }

    func set(_ configuration: BucketConfiguration, _ records: [BucketRecord]) {
        let settings = Dictionary(configuration.buckets.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        state.withLock { state in
            state.region = configuration.region
            for name in state.buckets.keys where !records.contains(where: { $0.name == name }) {
                state.buckets[name] = nil
            }
            for record in records {
                state.buckets[record.name, default: Bucket(record: record)].record = record
                state.buckets[record.name]?.settings = settings[record.name]
            }
        }
    }

    func hasBucket(_ name: String) -> Bool { state.withLock { $0.buckets.index(forKey: name) != nil } }

    /// The access rules of a bucket; nil for a bucket that only operators may use.
    func access(to name: String) throws(S3Error) -> AccessRules? {
        try state.withLock { state throws(S3Error) in
            guard let index = state.buckets.index(forKey: name) else { throw .noSuchBucket(name) }
            return state.buckets.values[index].settings?.access
        }
    }

    func bucket(_ name: String) throws(S3Error) -> Bucket {
        guard let bucket = state.withLock({ $0.buckets[name] }) else { throw .noSuchBucket(name) }
        return bucket
    }

    func set(_ record: BucketRecord) {
        state.withLock { $0.buckets[record.name, default: Bucket(record: record)].record = record }
    }

    /// Sets the uploads in progress after they were counted.
    func set(_ uploads: UploadCounts, of name: String) {
        state.withLock { state in
            if state.buckets[name]?.uploads == nil { state.buckets[name]?.uploads = uploads }
        }
    }

    /// Counts an upload that is about to be committed; throws QuotaExceeded if there is no room for it. Call `endUpload` if it was
    /// not committed.
    ///
    /// - Returns: False if the uploads of the bucket are not counted yet.
    func beginUpload(_ upload: UploadRecord, _ limits: BucketLimits) throws(S3Error) -> Bool {
        try state.withLock { state throws(S3Error) in
            guard let uploads = state.buckets[upload.bucket]?.uploads else { return false }
            try uploads.checkRoom(for: upload, limits)
            state.buckets[upload.bucket]?.uploads?.add(upload)
            return true
        }
    }

    /// No longer counts an upload.
    func endUpload(_ upload: UploadRecord) {
        state.withLock { $0.buckets[upload.bucket]?.uploads?.remove(upload) }
    }

    // MARK: Commits and removal

    /// Begins a commit that needs the bucket. Call `endCommit` after it.
    func beginCommit(_ name: String) throws(S3Error) {
        let isThere = state.withLock { state in
            guard state.buckets[name]?.isEnding == false else { return false }
            state.buckets[name]?.commitCount += 1
            return true
        }
        guard isThere else { throw .noSuchBucket(name) }
    }

    func endCommit(_ name: String) { state.withLock { $0.buckets[name]?.commitCount -= 1 } }

    /// Begins the removal of a bucket: new commits are refused. Call `endRemoval` after it.
    func beginRemoval(_ name: String) throws(S3Error) {
        let isBegun: Bool? = state.withLock { state in
            guard let bucket = state.buckets[name] else { return nil }
            guard bucket.commitCount == 0, !bucket.isEnding else { return false }
            state.buckets[name]?.isEnding = true
            return true
        }
        guard let isBegun else { throw .noSuchBucket(name) }
        guard isBegun else {
            throw S3Error(
                "OperationAborted", 409,
                "A conflicting conditional operation is currently in progress against this resource. Please try again.")
        }
    }

    func endRemoval(_ name: String, isRemoved: Bool) {
        state.withLock { state in
            state.buckets[name]?.isEnding = false
            if isRemoved { state.buckets[name] = nil }
        }
    }
}
