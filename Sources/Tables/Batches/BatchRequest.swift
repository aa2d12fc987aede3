/// One request of a wave.
public enum BatchRequest: Sendable {
    /// Rows by their keys.
    case fetch(BatchFetch)
    /// The begin of a sync of a versioned table; later waves find all that it must not miss.
    case beginSync(StoredTable)
    /// The delta horizon of a versioned table.
    case deltaHorizon(StoredTable)
}
