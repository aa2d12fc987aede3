import Tables

/// Gathered rows that a worker completes.
///
/// Unchecked Sendable. Proof: the loop hands the rows over after it has gathered the last of them, and does not use them until
/// the worker has called back. The handover goes through a queue, which orders the memory of the two threads.
struct LentRows: @unchecked Sendable {
    let rows: GatheredRows

    init(_ rows: GatheredRows) { self.rows = rows }
}
