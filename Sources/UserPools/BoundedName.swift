import JSON

/// The keys of tables in memory by names that callers choose, such as user names and addresses.
enum BoundedName {
    /// Longer names are kept as their hash, so that a table's entries are of bounded size.
    static let bytesMax = 128

    /// The key of a name, compared by bytes, as the store compares it.
    static func key(_ name: String) -> ExactText {
        ExactText(name.utf8.count > bytesMax ? UserPools.hash(name) : name)
    }
}
