extension Store {
    /// Carries out all of these writes in one transaction, or none.
    ///
    /// - Parameter executor: The store's answer comes to it.
    /// - Returns: Whether they were carried out; they are durable then.
    package func write(
        _ writes: [RecordWrite], to tables: StoredRecordTables, on executor: any Executor
    ) async -> Result<Bool, StoreError> {
        let writes = writes.map { $0.write(to: tables) }
        return await withCheckedContinuation { continuation in
            if let only = writes.first, writes.count == 1 {
                write(only, deadline: .now + .seconds(RecordWrite.secondsMax), on: executor) { result in
                    continuation.resume(returning: result.map(\.isDone))
                }
            } else {
                transact(writes, on: executor) { result in
                    continuation.resume(returning: result.map { $0.allSatisfy(\.isDone) })
                }
            }
        }
    }
}

extension WriteResult {
    fileprivate var isDone: Bool { if case .item = self { true } else { false } }
}
