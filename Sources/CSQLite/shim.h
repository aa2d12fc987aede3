#include <sqlite3.h>

/// sqlite3_db_config takes a variable number of arguments, which Swift cannot call.
/// SQLITE_DBCONFIG_DEFENSIVE refuses what could damage the file by SQL alone.
static inline int csqlite_set_defensive(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}
