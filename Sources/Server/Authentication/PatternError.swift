/// Why a text is not a valid pattern.
struct PatternError: Error, Sendable, Hashable {
    /// The reason, as a sentence.
    let message: String

    static let tooLarge = PatternError(message: "The expression is too large: its repetitions come to too many states.")
}
