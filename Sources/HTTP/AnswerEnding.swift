/// Whether a connection ends with an answer.
enum AnswerEnding {
    case stays
    /// The client expects it.
    case asked
    /// The client did not ask for it, and may be sending.
    case unasked
}
