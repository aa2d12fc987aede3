// The entry that libFuzzer offers to programs with a `main` of their own (LLVM, "libFuzzer", "Using libFuzzer as a
// library"). The compiler's runtime has it; it comes with `-sanitize=fuzzer`.
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(
    int *_Nonnull argc, char *_Nullable *_Nonnull *_Nonnull argv,
    int (*_Nonnull runOne)(const uint8_t *_Nullable start, size_t count));
