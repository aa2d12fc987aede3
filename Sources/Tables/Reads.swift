/// What one event loop reads by.
public enum Reads {
    /// Rows are read while an answer is completed: a cursor stands on a row until its children are done.
    case live(Reader)
    /// Rows are fetched in waves before an answer is completed.
    case batched(any BatchReader)
}
