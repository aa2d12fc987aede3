/// One of the writes of a transaction.
enum MetadataWrite: Sendable {
    /// Makes a record; it fails where one with its key is.
    case insert(any Record)
    /// Writes a record over the one that it was read from; it fails where that has changed.
    case replace(any Record)
    /// Removes a record; it fails where it has changed.
    case delete(any Record)
    /// Fails where no record with its key is.
    case require(any Record)
}
