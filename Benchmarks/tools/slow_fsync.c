// Preloaded into the server, makes the disk a slow one: each fsync and fdatasync takes FSYNC_DELAY_MICROSECONDS more.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static void wait_for_the_disk(void) {
    const char *text = getenv("FSYNC_DELAY_MICROSECONDS");
    long microseconds = text ? atol(text) : 5000;
    struct timespec delay = {microseconds / 1000000, microseconds % 1000000 * 1000};
    while (nanosleep(&delay, &delay) != 0) {
    }
}

static int after_the_delay(const char *name, int file) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    wait_for_the_disk();
    return real(file);
}

int fsync(int file) { return after_the_delay("fsync", file); }
int fdatasync(int file) { return after_the_delay("fdatasync", file); }
