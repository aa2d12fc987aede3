// How fast the core's clock runs: a processor adds 1 to a register once per cycle. Prints GHz.
//
// Virtual machines are not told; their cores slow down when their neighbours, or the other thread of a core, are busy.
#include <stdio.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

int main(void) {
    enum { ADDITIONS = 100000000 };
    double start = now();
    unsigned long value = 1;
    for (long count = 0; count < ADDITIONS; count++) {
        value += 1;
        // The compiler must not add all at once.
        __asm__ volatile("" : "+r"(value));
    }
    printf("%.2f\n", ADDITIONS / (now() - start));
    return 0;
}
