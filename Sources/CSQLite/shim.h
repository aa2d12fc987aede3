#include <sqlite3.h>

/// sqlite3_db_config takes a variable number of arguments, which Swift cannot call.
/// SQLITE_DBCONFIG_DEFENSIVE refuses what could damage the file by SQL alone.
static inline int csqlite_set_defensive(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}

/// SQLite's global memory statistics cost a lock around every allocation, a sixth of a point read; nobody reads them.
/// sqlite3_config takes a variable number of arguments, too. It has an effect before the first connection only.
static inline int csqlite_forgo_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
