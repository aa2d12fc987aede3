/// Why a filter is none.
public struct FilterError: Error, Sendable {
    /// A sentence for people.
    public let message: String
}
