/// The account of bytes that a connection's SQL functions look at. A function is one step of SQLite's virtual machine
/// however long its text is, so what counts steps alone does not see it.
///
/// A reader's goes to the budget of its request; the writer, which cannot put a write off, gives each write so many.
final class Meter {
    /// Where a reader's bytes are charged; nil on the writer's connection.
    ///
    /// Unowned and not checked, for it is read at each call of a function. Proof: `Progress` takes itself away in `end`,
    /// which its `deinit` calls.
    unowned(unsafe) var progress: Progress?
    /// What a write may still look at.
    private var bytesLeft = Int.max
    /// Whether a write has asked for more than it may.
    private(set) var isPassed = false

    /// Starts over with the bytes of the next write.
    func begin(bytesMax: Int) {
        (bytesLeft, isPassed) = (bytesMax, false)
    }

    /// Charges bytes before they are looked at; false when the work must not go on.
    ///
    /// Memory safety: see `progress`.
    func charge(_ byteCount: Int) -> Bool {
        if let progress = unsafe progress { return progress.charge(byteCount) }
        bytesLeft -= byteCount
        if bytesLeft < 0 { isPassed = true }
        return !isPassed
    }
}
