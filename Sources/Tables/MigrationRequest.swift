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
    /// Declared tables to which plans of earlier migrations may not write any longer, because what they would write may not fit.
    /// Such a write fails with `superseded`, from the commit on.
    public var revokedTables: Set<String>
    /// Called on the writer's thread before the first step. Until the commit, another connection reads what the migration begins
    /// with. If it throws, nothing is changed.
    public var beforeSteps: @Sendable () throws(StoreError) -> Void
    /// Called on the writer's thread when everything is done but the commit, with a function that reads an item of each table. If
    /// it throws, nothing is changed.
    public var beforeCommit: @Sendable (_ verify: () throws(StoreError) -> Void) throws(StoreError) -> Void

    /// A request by its parts.
    public init(
        renames: [Rename] = [], effect: MigrationStep.Effect = .none, keepsIndexes: Bool = false,
        fills: [ColumnFill] = [], revokedTables: Set<String> = [],
        beforeSteps: @escaping @Sendable () throws(StoreError) -> Void = { () throws(StoreError) in },
        beforeCommit: @escaping @Sendable (_ verify: () throws(StoreError) -> Void) throws(StoreError) -> Void = {
            (_: () throws(StoreError) -> Void) throws(StoreError) in
        }
    ) {
        (self.renames, self.effect, self.keepsIndexes, self.fills) = (renames, effect, keepsIndexes, fills)
        self.revokedTables = revokedTables
        self.beforeSteps = beforeSteps
        self.beforeCommit = beforeCommit
    }
}
