/// What follows a read's turn on a worker.
enum TurnEnd {
    /// It has its next turn.
    case resume
    /// It needs a slot of the next class and none is free: it fails with `repeatOnWorker`, and restarts later.
    case interrupt
    /// It fails with `cancelled`, because its client has hung up.
    case cancel
}
