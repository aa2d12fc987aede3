/// The owner of every bucket and object: the account of this server.
enum BucketOwner {
    /// The canonical user id.
    static let id = "0000000000000000000000000000000000000000000000000000000000000000"
    /// The account, as `x-amz-expected-bucket-owner` names it.
    static let account = "000000000000"
    static let displayName = "syncline"
}
