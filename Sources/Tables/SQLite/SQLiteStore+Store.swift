extension SQLiteStore: Store {
    /// A read connection for the loop, which reads live.
    public func makeReads(on executor: any Executor) throws(StoreError) -> sending Reads { .live(try makeReader()) }

    /// The threads for long reads.
    public func makeWorkers(longMax: Int, stepsPerTurn: Int) -> Workers? {
        Workers(store: self, longMax: longMax, stepsPerTurn: stepsPerTurn)
    }
}
