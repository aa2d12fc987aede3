/// The limits of buckets. A request that exceeds one is refused, except that a list has at most `pageEntriesMax` entries whatever it
/// asks for, and that `removedBytesMax`, `abandonedUploadDays`, `completedUploadsMax`, `eventsMax` and `objectCacheBytesMax` say
/// what is removed or ended.
public struct BucketLimits: Sendable, Hashable {
    /// Bytes of all objects and parts together.
    public var storedBytesMax = 1 << 40
    /// Free bytes of the disk below which nothing is uploaded or copied, or a tenth of the disk if that is less: the tables need
    /// room for everything else, also to remove objects.
    public var freeBytesMin = 256 << 20
    /// Bytes of replaced and deleted versions whose downloads go on. They do not count as stored. Beyond it the downloads of the
    /// versions that were removed first are cut off.
    public var removedBytesMax = 16 << 30
    /// Objects of all buckets together.
    public var objectsMax = 100_000_000
    /// Bytes of one object, however it was uploaded (S3: 5 TB).
    public var objectBytesMax = 1 << 40
    /// Bytes of one body: an object in PutObject, or a part (S3: 5 GB).
    public var bodyBytesMax = 5 << 30
    /// Minimum bytes of a part, except the last one (S3: 5 MiB).
    public var partBytesMin = 5 << 20
    /// Parts of one upload (S3: 10,000).
    public var partsMax = 10_000
    /// Buckets created by CreateBucket (S3: 100 by default).
    public var bucketsMax = 100
    /// Uploads in progress in one bucket. A tenth is kept for operators, and guests together begin half at most.
    public var uploadsMax = 10_000
    /// Uploads in progress in one bucket that one caller other than an operator has begun.
    public var uploadsPerCallerMax = 1_000
    /// Days after which an upload that was not completed is removed.
    public var abandonedUploadDays = 7
    /// Completed uploads whose completion can be repeated, of all buckets. Beyond it the oldest are forgotten, once a minute.
    public var completedUploadsMax = 10_000
    /// Bytes of a key in UTF-8 (S3: 1024).
    public var keyBytesMax = 1_024
    /// Bytes of the names and values of user metadata of an object (S3: 2 KB).
    public var metadataBytesMax = 2_048
    /// Bytes of a body in XML. 10,000 parts with checksums take about 2 MiB.
    public var documentBytesMax = 4 << 20
    /// Bytes of a body in XML that configures a bucket or tags an object (S3: 64 KB).
    public var settingsBytesMax = 64 << 10
    /// Bytes of memory of all bodies in XML under way, with the elements parsed from them; half of them for one network. A
    /// request beyond it is answered SlowDown.
    public var documentsBytesMax = 64 << 20
    /// Bytes of memory of the metadata of objects that were read recently, which are read again without a statement.
    public var objectCacheBytesMax = 16 << 20
    /// Keys of one DeleteObjects (S3: 1000).
    public var deletedKeysMax = 1_000
    /// Entries of a page of a list (S3: 1000).
    public var pageEntriesMax = 1_000
    /// Object events waiting for delivery. Beyond it the oldest of the function with the most are dropped.
    public var eventsMax = 100_000
    /// Object events that are delivered to one function at one time. Each function has its own, so that one that does not
    /// answer delays no other.
    public var eventsPerFunctionMax = 8

    /// The bounds that fit a small server.
    public init() {}
}
