// Preloaded: the main thread sleeps where it would end. Swift's runtime ends it with pthread_exit once `main` awaits, and
// valgrind 3.19 then takes the process for ended.
#include <unistd.h>

void pthread_exit(void *value) {
    (void)value;
    for (;;) pause();
}
