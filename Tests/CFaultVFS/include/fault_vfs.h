#ifndef FAULT_VFS_H
#define FAULT_VFS_H

// A file system for SQLite that fails on demand, for tests.
//
// It stands before the system's own and passes everything on, but for files below a folder that was put under its care:
// there the disk fills up, writes, reads and synchronisations fail, and files open for reading only. Each folder has its
// own faults, so that tests can run beside each other. The functions may be called from any thread.

/// Makes this the file system of all databases that are opened from now on, and puts a folder under its care.
/// Returns the folder's number, or -1 when there are too many.
int fault_vfs_watch(const char *folder);

/// The bytes by which the folder's files may still grow; a negative number is no bound. Past it a write fails with
/// SQLITE_FULL, as on a full disk. What overwrites succeeds.
void fault_vfs_set_space(int folder, long long bytes);

/// From now on writes, synchronisations and reads fail with these result codes of SQLite's; 0 lets them succeed.
void fault_vfs_set_codes(int folder, int write_code, int sync_code, int read_code);

/// From now on files are opened as if the folder and all in it could only be read.
void fault_vfs_set_read_only(int folder, int is_read_only);

/// From now on each file has a copy beside it, named with `.synced` at its end, of what it held when it was last
/// synchronised: what the loss of power leaves at least.
void fault_vfs_keep_synced(int folder);

/// Synchronisations of the folder's files so far, those that failed included.
long long fault_vfs_sync_count(int folder);

#endif
