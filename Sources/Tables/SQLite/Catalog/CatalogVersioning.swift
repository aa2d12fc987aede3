/// What a table that is or was versioned has beyond others.
struct CatalogVersioning: Sendable, Hashable {
    /// Whether it is versioned now.
    var isOn = true
    /// The SQLite names of the index on `_lastChangedAt`, of the one on `_ttl`, and of the table of the last versions of
    /// removed items.
    var changeIndex: String
    var ttlIndex: String
    var lastVersions: String
    /// The latest `_lastChangedAt` among the tombstones that were removed. Since then or before, a delta is incomplete.
    var deltaHorizon: Int64 = 0

    /// The catalog's own table, made when the first table is versioned.
    static let makeCatalog = """
        CREATE TABLE IF NOT EXISTS "#versioning" ("table" TEXT PRIMARY KEY, "isOn" INTEGER NOT NULL, \
        "changeIndex" TEXT NOT NULL, "ttlIndex" TEXT NOT NULL, "lastVersions" TEXT NOT NULL, \
        "deltaHorizon" INTEGER NOT NULL)
        """
    /// The horizon of the table with the name.
    static let selectHorizon = "SELECT \"deltaHorizon\" FROM \"#versioning\" WHERE \"table\" = ?1"
    /// Moves the horizon of the table with the name, never back.
    static let raiseHorizon =
        "UPDATE \"#versioning\" SET \"deltaHorizon\" = max(\"deltaHorizon\", ?2) WHERE \"table\" = ?1"
}
