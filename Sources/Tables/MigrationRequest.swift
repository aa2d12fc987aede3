/// How a migration is carried out.
public struct MigrationRequest: Sendable {
    /// Stored tables and columns that are declared under another name, in their order.
    public var renames: [Rename]
    /// The most that a step may do to the data that is there.
    public var effect: MigrationStep.Effect
    /// Whether indexes that are no longer declared stay until the next migration: the API that is being replaced still reads by
    /// them.
    public var keepsIndexes: Bool
    /// The values that items get after the steps.
    public var fills: [ColumnFill]
    /// Called on the writer's thread when everything is done but the commit, with a function that reads an item of each table. If
    /// it throws, nothing is changed.
    public var beforeCommit: @Sendable (_ verify: () throws(StoreError) -> Void) throws(StoreError) -> Void

    /// A request by its parts.
    public init(
        renames: [Rename] = [], effect: MigrationStep.Effect = .none, keepsIndexes: Bool = false,
        fills: [ColumnFill] = [],
        beforeCommit: @escaping @Sendable (_ verify: () throws(StoreError) -> Void) throws(StoreError) -> Void = {
            (_: () throws(StoreError) -> Void) throws(StoreError) in
        }
    ) {
        (self.renames, self.effect, self.keepsIndexes, self.fills) = (renames, effect, keepsIndexes, fills)
        self.beforeCommit = beforeCommit
    }
}
