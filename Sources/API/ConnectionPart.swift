/// A field of the connection object around a page, `ModelPostConnection`: what it is filled with.
enum ConnectionPart<Fetches: Sendable>: Sendable {
    case items(Fetches, ItemSelection)
    case nextToken
    /// Of a sync alone.
    case startedAt
    case typename([UInt8])
    /// A field that nothing fills.
    case null
}
