#include "fault_vfs.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { FOLDERS_MAX = 64, PATH_BYTES_MAX = 1024 };

typedef struct {
    char path[PATH_BYTES_MAX];
    atomic_llong space;
    atomic_int write_code, sync_code, read_code, is_read_only, keeps_synced;
    atomic_llong sync_count;
} Folder;

// A folder is written before `folder_count` says that it is there, and its path never changes after that.
static Folder folders[FOLDERS_MAX];
static atomic_int folder_count;
static pthread_mutex_t registration = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t copying = PTHREAD_MUTEX_INITIALIZER;

static sqlite3_vfs *base;
static sqlite3_vfs fault_vfs;
static sqlite3_io_methods methods;

// An open file: ours, followed by the system's own, which has its place behind it.
typedef struct {
    sqlite3_file face;
    Folder *folder;
    // SQLite keeps the name for as long as the file is open.
    const char *path;
    sqlite3_file *real;
} File;

static sqlite3_file *real(sqlite3_file *file) { return ((File *)file)->real; }
static Folder *folder_of(sqlite3_file *file) { return ((File *)file)->folder; }

static int file_close(sqlite3_file *file) { return real(file)->pMethods->xClose(real(file)); }

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    int code = atomic_load(&folder_of(file)->read_code);
    return code ? code : real(file)->pMethods->xRead(real(file), bytes, count, offset);
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    Folder *folder = folder_of(file);
    int code = atomic_load(&folder->write_code);
    if (code) return code;
    if (atomic_load(&folder->space) >= 0) {
        sqlite3_int64 size = 0;
        code = real(file)->pMethods->xFileSize(real(file), &size);
        if (code) return code;
        long long growth = offset + count > size ? offset + count - size : 0;
        if (growth > 0 && atomic_fetch_sub(&folder->space, growth) < growth) {
            atomic_fetch_add(&folder->space, growth);
            return SQLITE_FULL;
        }
    }
    return real(file)->pMethods->xWrite(real(file), bytes, count, offset);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    return real(file)->pMethods->xTruncate(real(file), size);
}

// Through the open file: closing another descriptor of it would drop SQLite's locks (POSIX, fcntl).
static int keep_synced(File *file) {
    char name[PATH_BYTES_MAX + 16], half[PATH_BYTES_MAX + 32];
    snprintf(name, sizeof name, "%s.synced", file->path);
    // Whoever looks meanwhile sees what was synchronised before, whole.
    snprintf(half, sizeof half, "%s.half", name);
    sqlite3_int64 size = 0;
    int code = file->real->pMethods->xFileSize(file->real, &size);
    if (code) return code;
    pthread_mutex_lock(&copying);
    FILE *copy = fopen(half, "wb");
    for (sqlite3_int64 offset = 0; copy && !code && offset < size; offset += 65536) {
        static char bytes[65536];
        int count = size - offset < 65536 ? (int)(size - offset) : 65536;
        code = file->real->pMethods->xRead(file->real, bytes, count, offset);
        if (!code && fwrite(bytes, 1, (size_t)count, copy) != (size_t)count) code = SQLITE_IOERR;
    }
    if (!copy || fclose(copy) != 0 || rename(half, name) != 0) code = SQLITE_IOERR;
    pthread_mutex_unlock(&copying);
    return code;
}

static int file_sync(sqlite3_file *file, int flags) {
    Folder *folder = folder_of(file);
    atomic_fetch_add(&folder->sync_count, 1);
    int code = atomic_load(&folder->sync_code);
    if (!code) code = real(file)->pMethods->xSync(real(file), flags);
    if (!code && atomic_load(&folder->keeps_synced) && ((File *)file)->path) code = keep_synced((File *)file);
    return code;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) { return real(file)->pMethods->xFileSize(real(file), size); }
static int file_lock(sqlite3_file *file, int level) { return real(file)->pMethods->xLock(real(file), level); }
static int file_unlock(sqlite3_file *file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }

static int file_check_lock(sqlite3_file *file, int *result) {
    return real(file)->pMethods->xCheckReservedLock(real(file), result);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
    // A file that grows ahead of its bytes would grow past the bound.
    if (operation == SQLITE_FCNTL_SIZE_HINT && atomic_load(&folder_of(file)->space) >= 0) return SQLITE_OK;
    return real(file)->pMethods->xFileControl(real(file), operation, argument);
}

static int file_sector_size(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }
static int file_device(sqlite3_file *file) { return real(file)->pMethods->xDeviceCharacteristics(real(file)); }

static int file_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
    return real(file)->pMethods->xShmMap(real(file), page, size, extend, memory);
}

static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}

static void file_shm_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }
static int file_shm_unmap(sqlite3_file *file, int deletes) { return real(file)->pMethods->xShmUnmap(real(file), deletes); }

static int file_fetch(sqlite3_file *file, sqlite3_int64 offset, int count, void **memory) {
    // Without a mapping SQLite reads, and so meets the faults of reading.
    (void)file, (void)offset, (void)count;
    *memory = NULL;
    return SQLITE_OK;
}

static int file_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *memory) {
    (void)file, (void)offset, (void)memory;
    return SQLITE_OK;
}

static Folder *folder_with(const char *path) {
    if (!path) return NULL;
    for (int index = atomic_load(&folder_count) - 1; index >= 0; index--) {
        size_t length = strlen(folders[index].path);
        if (strncmp(path, folders[index].path, length) == 0 && path[length] == '/') return &folders[index];
    }
    return NULL;
}

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *opened, int flags, int *out_flags) {
    (void)vfs;
    Folder *folder = folder_with(path);
    if (!folder) return base->xOpen(base, path, opened, flags, out_flags);
    if (atomic_load(&folder->is_read_only)) {
        // What the system does where nothing may be written: files that are there open for reading, none is made.
        flags = (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY;
    }
    File *file = (File *)opened;
    file->face.pMethods = NULL;
    file->folder = folder;
    file->path = path;
    file->real = (sqlite3_file *)(file + 1);
    int code = base->xOpen(base, path, file->real, flags, out_flags);
    // SQLite closes whatever has methods, also when it could not be opened.
    if (file->real->pMethods) file->face.pMethods = &methods;
    return code;
}

static void start(void) {
    base = sqlite3_vfs_find(NULL);
    methods = (sqlite3_io_methods){
        .iVersion = 3,
        .xClose = file_close,
        .xRead = file_read,
        .xWrite = file_write,
        .xTruncate = file_truncate,
        .xSync = file_sync,
        .xFileSize = file_size,
        .xLock = file_lock,
        .xUnlock = file_unlock,
        .xCheckReservedLock = file_check_lock,
        .xFileControl = file_control,
        .xSectorSize = file_sector_size,
        .xDeviceCharacteristics = file_device,
        .xShmMap = file_shm_map,
        .xShmLock = file_shm_lock,
        .xShmBarrier = file_shm_barrier,
        .xShmUnmap = file_shm_unmap,
        .xFetch = file_fetch,
        .xUnfetch = file_unfetch,
    };
    fault_vfs = *base;
    fault_vfs.pNext = NULL;
    fault_vfs.zName = "fault";
    fault_vfs.szOsFile = (int)sizeof(File) + base->szOsFile;
    fault_vfs.xOpen = vfs_open;
    sqlite3_vfs_register(&fault_vfs, 1);
}

int fault_vfs_watch(const char *path) {
    if (strlen(path) >= PATH_BYTES_MAX) return -1;
    pthread_mutex_lock(&registration);
    if (!base) start();
    int number = atomic_load(&folder_count);
    if (number < FOLDERS_MAX) {
        strcpy(folders[number].path, path);
        atomic_store(&folders[number].space, -1);
        atomic_store(&folder_count, number + 1);
    } else {
        number = -1;
    }
    pthread_mutex_unlock(&registration);
    return number;
}

void fault_vfs_set_space(int folder, long long bytes) { atomic_store(&folders[folder].space, bytes); }

void fault_vfs_set_codes(int folder, int write_code, int sync_code, int read_code) {
    atomic_store(&folders[folder].write_code, write_code);
    atomic_store(&folders[folder].sync_code, sync_code);
    atomic_store(&folders[folder].read_code, read_code);
}

void fault_vfs_set_read_only(int folder, int is_read_only) {
    atomic_store(&folders[folder].is_read_only, is_read_only);
}

void fault_vfs_keep_synced(int folder) { atomic_store(&folders[folder].keeps_synced, 1); }

long long fault_vfs_sync_count(int folder) { return atomic_load(&folders[folder].sync_count); }
