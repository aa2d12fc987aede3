/// Why a filter is not valid.
public struct FilterError: Error, Sendable {
    /// A sentence for people.
    public let message: String
}
