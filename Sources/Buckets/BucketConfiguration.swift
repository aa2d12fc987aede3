/// The configuration of buckets.
public struct BucketConfiguration: Sendable {
    /// A bucket.
    public struct Bucket: Sendable {
        /// The name: 3 to 63 lower-case letters, digits, dots and hyphens.
        public var name: String
        /// The access rules.
        public var access: AccessRules
        /// The CORS rules; nil for `CORSRule.defaults`. Rules set by PutBucketCors replace them.
        public var corsRules: [CORSRule]?
        /// The functions that are called when objects change.
        public var triggers: [ObjectTrigger] = []

        /// A bucket without triggers, unless some are given.
        public init(
            name: String, access: AccessRules, corsRules: [CORSRule]? = nil, triggers: [ObjectTrigger] = []
        ) {
            (self.name, self.access, self.corsRules, self.triggers) = (name, access, corsRules, triggers)
        }
    }

    /// The buckets.
    public var buckets: [Bucket]
    /// The region of all buckets.
    public var region: String

    /// A configuration; by default without buckets, in us-east-1.
    public init(buckets: [Bucket] = [], region: String = "us-east-1") {
        (self.buckets, self.region) = (buckets, region)
    }
}
