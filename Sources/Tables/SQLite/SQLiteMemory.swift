internal import CSQLite

/// SQLite's memory in this process: the allocator of `shim.h`, which keeps freed blocks in lists of each thread.
///
/// All of it that has to do with the lists is called in this file and never inlined into another. A `static inline`
/// function of C, with what is static in it, has a copy in each object file that calls it, and there is one for each
/// Swift file, in release builds too: what one file's copy of the lists keeps, another's does not find.
enum SQLiteMemory {
    /// Set for the whole process, once, before its first connection. A library that was in use already says
    /// SQLITE_MISUSE and stays as it is.
    static let isConfigured = configure()

    @inline(never)
    private static func configure() -> Bool { csqlite_configure_memory() == SQLITE_OK }

    /// Gives back what is kept for the calling thread, which is about to end.
    @inline(never)
    static func endThread() { csqlite_end_thread() }

    /// Blocks that are kept for the calling thread.
    @inline(never)
    static func keptCount() -> Int { Int(csqlite_kept_count()) }
}
