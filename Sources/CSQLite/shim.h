#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/// sqlite3_db_config takes a variable number of arguments, which Swift cannot call.
/// SQLITE_DBCONFIG_DEFENSIVE refuses what could damage the file by SQL alone.
static inline int csqlite_set_defensive(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}

// MARK: Memory
//
// A point read allocates some ten small blocks (a register for each text column, two cursors, the bound key) and frees
// them at reset. Debian builds SQLite without its own answer to that (OMIT_LOOKASIDE), so each goes through malloc. Here
// they come from and go to short lists, one for each size and thread: a seventh less time for a point read in C, and ten
// allocations less for each request. A block may be freed on another thread than it was made on; it joins that one's
// list. What the lists keep is bounded: at most CSQLITE_KEPT_MAX blocks of each size for each thread, 0.5 MiB.

enum {
    CSQLITE_CLASS_BYTES = 64,
    CSQLITE_CLASS_COUNT = 16,
    CSQLITE_SMALL_BYTES_MAX = CSQLITE_CLASS_BYTES * CSQLITE_CLASS_COUNT,
    CSQLITE_KEPT_MAX = 64,
    CSQLITE_HEADER_BYTES = 8
};

/// In front of each block: its size. While the block is kept, its first bytes point to the next one.
typedef struct csqlite_kept {
    void *first;
    int count;
} csqlite_kept;

/// This thread's lists, one for each size. Inside a function, since Swift's importer carries over no variable. Each
/// object file has lists of its own, so one Swift file makes all the calls: SQLiteMemory.swift.
static inline csqlite_kept *csqlite_list(int size) {
    static __thread csqlite_kept lists[CSQLITE_CLASS_COUNT];
    return &lists[size / CSQLITE_CLASS_BYTES - 1];
}

static inline int csqlite_block_size(void *block) {
    return *(int *)((char *)block - CSQLITE_HEADER_BYTES);
}

static inline int csqlite_round_up(int bytes) {
    int unit = bytes <= CSQLITE_SMALL_BYTES_MAX ? CSQLITE_CLASS_BYTES : 8;
    return (bytes + unit - 1) / unit * unit;
}

static inline void *csqlite_malloc(int bytes) {
    int size = csqlite_round_up(bytes);
    if (size > 0 && size <= CSQLITE_SMALL_BYTES_MAX) {
        csqlite_kept *list = csqlite_list(size);
        if (list->first) {
            void *block = list->first;
            list->first = *(void **)block;
            list->count--;
            return block;
        }
    }
    char *memory = (char *)malloc((size_t)size + CSQLITE_HEADER_BYTES);
    if (!memory) return 0;
    *(int *)memory = size;
    return memory + CSQLITE_HEADER_BYTES;
}

static inline void csqlite_free(void *block) {
    if (!block) return;
    int size = csqlite_block_size(block);
    if (size > 0 && size <= CSQLITE_SMALL_BYTES_MAX) {
        csqlite_kept *list = csqlite_list(size);
        if (list->count < CSQLITE_KEPT_MAX) {
            *(void **)block = list->first;
            list->first = block;
            list->count++;
            return;
        }
    }
    free((char *)block - CSQLITE_HEADER_BYTES);
}

static inline void *csqlite_realloc(void *block, int bytes) {
    int size = csqlite_block_size(block);
    if (bytes <= size && csqlite_round_up(bytes) == size) return block;
    void *larger = csqlite_malloc(bytes);
    if (!larger) return 0;
    memcpy(larger, block, (size_t)(bytes < size ? bytes : size));
    csqlite_free(block);
    return larger;
}

/// Gives this thread's lists back, when it ends.
static inline void csqlite_end_thread(void) {
    for (int size = CSQLITE_CLASS_BYTES; size <= CSQLITE_SMALL_BYTES_MAX; size += CSQLITE_CLASS_BYTES) {
        csqlite_kept *list = csqlite_list(size);
        while (list->first) {
            void *block = list->first;
            list->first = *(void **)block;
            free((char *)block - CSQLITE_HEADER_BYTES);
        }
        list->count = 0;
    }
}

/// Blocks in this thread's lists.
static inline int csqlite_kept_count(void) {
    int count = 0;
    for (int size = CSQLITE_CLASS_BYTES; size <= CSQLITE_SMALL_BYTES_MAX; size += CSQLITE_CLASS_BYTES) {
        count += csqlite_list(size)->count;
    }
    return count;
}

static inline int csqlite_begin(void *context) { return SQLITE_OK; }

static inline void csqlite_end(void *context) {}

/// Sets the allocator above, and switches off SQLite's global memory statistics, which take a lock around every
/// allocation and which nobody reads: a sixth of a point read. Has an effect before the first connection only;
/// sqlite3_config takes a variable number of arguments, which Swift cannot call.
static inline int csqlite_configure_memory(void) {
    static const sqlite3_mem_methods methods = {
        csqlite_malloc, csqlite_free, csqlite_realloc, csqlite_block_size, csqlite_round_up, csqlite_begin, csqlite_end, 0,
    };
    int code = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    return code == SQLITE_OK ? sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) : code;
}
