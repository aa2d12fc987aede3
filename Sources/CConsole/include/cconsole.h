/// The files of the console that are embedded in the program. A third-party file that was missing at the build has no bytes.
#ifndef SYNCLINE_CCONSOLE_H
#define SYNCLINE_CCONSOLE_H

#include <stddef.h>

/// A file: its path below Console/, or the name of a third-party file, and its bytes, which live as long as the program.
typedef struct {
    const char *path;
    const unsigned char *bytes;
    size_t count;
} cconsole_file;

/// The number of rows of the table.
size_t cconsole_file_count(void);

/// A row of the table.
cconsole_file cconsole_file_at(size_t index);

#endif
