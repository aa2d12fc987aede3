/// Why a value is none of a scalar, in AppSync's words, without the words that lead to it
/// (`Variable 'x' has an invalid value. ` or `Can't serialize value (/x) : `).
public struct ScalarError: Error, Sendable, Hashable {
    /// For example `Expected type 'Int' but was 'String'.`
    public let reason: String

    /// An error by its reason.
    public init(reason: String) { self.reason = reason }
}
