/// Why a text is no pattern.
struct PatternError: Error, Sendable, Hashable {
    /// A sentence.
    let message: String

    static let tooLarge = PatternError(message: "The expression is too large: its repetitions come to too many states.")
}
