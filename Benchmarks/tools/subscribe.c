// Many WebSocket subscribers and a publisher in one process: what they receive, how soon.
//
//   subscribe PORT SOCKETS PER_SOCKET PROTOCOLS START MUTATION PUBLISHERS
//
// PROTOCOLS is the value of Sec-WebSocket-Protocol; `-` connects bare sockets to tools/fanout.c instead, whose publisher
// writes a byte for a message. START is a file with the `start` message, in it `$N` stands for the number of the
// subscription and `$G` for that of its group of ten. MUTATION is a file with a whole HTTP request; its `@T` and the 20 characters after it become the time of day in
// nanoseconds. Prints `ready` when all are subscribed. Then a line on the standard input is a command, and is answered by
// one JSON object:
//
//   fanout AT_ONCE EXPECTED SECONDS   publishes AT_ONCE messages, waits until EXPECTED were received in all, and again
//   rate PER_SECOND EXPECTED SECONDS  publishes evenly; microseconds from publishing to receiving, as percentiles
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 18, PUBLISHERS_MAX = 64, WAIT_SECONDS = 20 };

/// One socket; of a frame that has not come whole, what is still to come.
struct subscriber {
    int socket, head_count;
    unsigned char head[4];
    size_t rest;
};

static struct subscriber *subscribers;
static int socket_count, per_socket, publisher_count, publishers[PUBLISHERS_MAX], poll_file;
static int publisher_busy[PUBLISHERS_MAX];
static char *start_text, *mutation_text, *mutation_time;
static size_t mutation_length, errors;
static uint64_t received, *latencies;
static size_t latency_count, latency_capacity;
static int is_bare, measures_latency;
static char buffer[BUFFER_BYTES + 1];

static void die(const char *what) {
    fprintf(stderr, "subscribe: %s: %s\n", what, strerror(errno));
    exit(1);
}

static uint64_t now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static char *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file) die(path);
    char *text = calloc(1, 1 << 16);
    *length = fread(text, 1, (1 << 16) - 1, file);
    fclose(file);
    return text;
}

static int connect_to(int port) {
    int file = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (file < 0 || connect(file, (struct sockaddr *)&address, sizeof address)) die("connect");
    setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    return file;
}

static void send_all(int file, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t sent = send(file, bytes, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EAGAIN) continue;
        if (sent < 0) die("send");
        bytes += sent, length -= sent;
    }
}

/// A client's text frame: masked, with the mask 0, which changes nothing.
static void send_text(int file, const char *text, size_t length) {
    static char frame[1 << 16];
    size_t head = 2;
    frame[0] = (char)0x81;
    if (length < 126) {
        frame[1] = (char)(0x80 | length);
    } else {
        frame[1] = (char)(0x80 | 126), frame[2] = length >> 8, frame[3] = length & 255, head = 4;
    }
    memset(frame + head, 0, 4);
    memcpy(frame + head + 4, text, length);
    send_all(file, frame, head + 4 + length);
}

static void note_latency(const char *payload, size_t length) {
    const char *mark = memmem(payload, length, "@T", 2);
    if (!mark) return;
    uint64_t sent = strtoull(mark + 2, NULL, 10), time = now(CLOCK_REALTIME);
    if (latency_count == latency_capacity) {
        latency_capacity = latency_capacity ? latency_capacity * 2 : 1 << 16;
        latencies = realloc(latencies, latency_capacity * sizeof *latencies);
    }
    latencies[latency_count++] = time - sent;
}

/// Counts the frames that end in these bytes.
static void take(struct subscriber *subscriber, const char *bytes, size_t length) {
    while (length > 0) {
        if (subscriber->rest > 0) {
            size_t taken = length < subscriber->rest ? length : subscriber->rest;
            if (measures_latency) note_latency(bytes, taken);
            subscriber->rest -= taken, bytes += taken, length -= taken;
            if (subscriber->rest == 0) received++;
            continue;
        }
        subscriber->head[subscriber->head_count++] = *bytes++, length--;
        if (subscriber->head_count < 2) continue;
        int small = subscriber->head[1] & 127;
        if (small == 127) die("a frame larger than 64 KiB");
        if (small == 126 && subscriber->head_count < 4) continue;
        subscriber->rest = small < 126 ? (size_t)small : (size_t)subscriber->head[2] << 8 | subscriber->head[3];
        subscriber->head_count = 0;
    }
}

/// Serves the sockets once; waits for at most so long.
static void turn(int milliseconds) {
    struct epoll_event events[512];
    int ready = epoll_wait(poll_file, events, 512, milliseconds);
    for (int index = 0; index < ready; index++) {
        int place = events[index].data.u32;
        int file = place < socket_count ? subscribers[place].socket : publishers[place - socket_count];
        ssize_t count = read(file, buffer, BUFFER_BYTES);
        if (count == 0) die("the server closed a socket");
        if (count < 0) {
            if (errno == EAGAIN) continue;
            die("read");
        }
        if (place < socket_count) {
            take(&subscribers[place], buffer, count);
        } else {
            buffer[count] = 0;
            publisher_busy[place - socket_count] = 0;
            if (!strstr(buffer, " 200 OK") || strstr(buffer, "\"errors\"")) errors++;
        }
    }
}

static void wait_for(uint64_t expected, const char *what) {
    uint64_t deadline = now(CLOCK_MONOTONIC) + WAIT_SECONDS * 1000000000ull;
    while (received < expected) {
        turn(100);
        if (now(CLOCK_MONOTONIC) > deadline) {
            fprintf(stderr, "subscribe: %s: %llu of %llu came\n", what, (unsigned long long)received,
                    (unsigned long long)expected);
            exit(1);
        }
    }
}

static void publish(int publisher) {
    if (is_bare) return send_all(publishers[0], "p", 1);
    while (publisher_busy[publisher]) turn(100);
    char digits[32];
    snprintf(digits, sizeof digits, "%020llu", (unsigned long long)now(CLOCK_REALTIME));
    memcpy(mutation_time, digits, 20);
    publisher_busy[publisher] = 1;
    send_all(publishers[publisher], mutation_text, mutation_length);
}

static void watch(int file, int place) {
    fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = place};
    if (epoll_ctl(poll_file, EPOLL_CTL_ADD, file, &event)) die("epoll_ctl");
}

/// The upgrade, read up to the empty line; nothing follows it before the client speaks.
static void upgrade(int file, const char *protocols) {
    char request[4096];
    int length = snprintf(request, sizeof request,
                          "GET /graphql/realtime HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                          "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                          "Sec-WebSocket-Protocol: %s\r\n\r\n",
                          protocols);
    send_all(file, request, length);
    size_t count = 0;
    while (count < sizeof request - 1) {
        if (read(file, request + count, 1) != 1) die("upgrade");
        request[++count] = 0;
        if (count >= 4 && !memcmp(request + count - 4, "\r\n\r\n", 4)) break;
    }
    if (strncmp(request, "HTTP/1.1 101", 12)) {
        fprintf(stderr, "subscribe: %s\n", request);
        exit(1);
    }
}

/// The `start` message of a subscription: `$N` is its number, `$G` the number of its group of ten.
static int fill(char *message, size_t room, int number) {
    size_t length = 0;
    for (const char *next = start_text; *next && length < room - 16; next++) {
        int is_number = !strncmp(next, "$N", 2), is_group = !strncmp(next, "$G", 2);
        if (is_number || is_group) {
            length += sprintf(message + length, "%d", is_number ? number : number / 10);
            next++;
        } else {
            message[length++] = *next;
        }
    }
    return length;
}

static void start_all(const char *protocols) {
    uint64_t expected = 0;
    for (int place = 0; place < socket_count; place++) {
        int file = subscribers[place].socket;
        if (!is_bare) {
            upgrade(file, protocols);
            send_text(file, "{\"type\":\"connection_init\"}", 26);
            expected += 2;  // connection_ack, ka
        }
        watch(file, place);
        for (int number = 0; !is_bare && number < per_socket; number++) {
            char message[1 << 14];
            int length = fill(message, sizeof message, place * per_socket + number);
            send_text(file, message, length);
            expected++;  // start_ack
        }
        // The server keeps up with what it has been asked so far.
        if (place % 64 == 63 || place == socket_count - 1) wait_for(expected, "acknowledgements");
    }
    received = 0;
}

static int by_value(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static void fanout(int at_once, int expected, double seconds) {
    uint64_t begin = now(CLOCK_MONOTONIC), end = begin + (uint64_t)(seconds * 1e9);
    uint64_t rounds = 0, before = received;
    while (now(CLOCK_MONOTONIC) < end) {
        uint64_t goal = received + expected;
        for (int message = 0; message < at_once; message++) publish(message % publisher_count);
        wait_for(goal, "messages");
        rounds++;
    }
    double elapsed = (now(CLOCK_MONOTONIC) - begin) / 1e9;
    printf("{\"messages\":%llu,\"rounds\":%llu,\"seconds\":%f,\"errors\":%zu}\n", (unsigned long long)(received - before),
           (unsigned long long)rounds, elapsed, errors);
}

static void at_rate(int per_second, int expected, double seconds) {
    uint64_t begin = now(CLOCK_MONOTONIC), before = received;
    uint64_t count = (uint64_t)(per_second * seconds);
    measures_latency = 1, latency_count = 0;
    for (uint64_t number = 0; number < count; number++) {
        uint64_t due = begin + number * 1000000000ull / per_second;
        for (uint64_t time; (time = now(CLOCK_MONOTONIC)) < due;) turn((int)((due - time) / 1000000));
        publish(number % publisher_count);
    }
    wait_for(before + count * expected, "messages");
    measures_latency = 0;
    qsort(latencies, latency_count, sizeof *latencies, by_value);
    printf("{\"messages\":%llu,\"p50\":%f,\"p99\":%f,\"max\":%f,\"errors\":%zu}\n", (unsigned long long)(received - before),
           latency_count ? latencies[latency_count / 2] / 1e3 : 0, latency_count ? latencies[latency_count * 99 / 100] / 1e3 : 0,
           latency_count ? latencies[latency_count - 1] / 1e3 : 0, errors);
}

int main(int count, char **arguments) {
    if (count != 8) return fprintf(stderr, "subscribe PORT SOCKETS PER_SOCKET PROTOCOLS START MUTATION PUBLISHERS\n"), 2;
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files), files.rlim_cur = files.rlim_max, setrlimit(RLIMIT_NOFILE, &files);
    int port = atoi(arguments[1]);
    size_t ignored;
    socket_count = atoi(arguments[2]), per_socket = atoi(arguments[3]);
    is_bare = !strcmp(arguments[4], "-");
    if (!is_bare) {
        start_text = read_file(arguments[5], &ignored);
        mutation_text = read_file(arguments[6], &mutation_length);
        if (!(mutation_time = strstr(mutation_text, "@T"))) die("no @T in the mutation");
        mutation_time += 2;
    }
    publisher_count = atoi(arguments[7]);
    poll_file = epoll_create1(0);
    subscribers = calloc(socket_count, sizeof *subscribers);
    for (int place = 0; place < socket_count; place++) subscribers[place].socket = connect_to(port);
    start_all(arguments[4]);
    for (int publisher = 0; publisher < publisher_count; publisher++) {
        publishers[publisher] = connect_to(port);
        watch(publishers[publisher], socket_count + publisher);
    }
    puts("ready");
    fflush(stdout);
    char line[256];
    while (fgets(line, sizeof line, stdin)) {
        int first, expected;
        double seconds;
        if (sscanf(line, "fanout %d %d %lf", &first, &expected, &seconds) == 3) fanout(first, expected, seconds);
        else if (sscanf(line, "rate %d %d %lf", &first, &expected, &seconds) == 3) at_rate(first, expected, seconds);
        else return fprintf(stderr, "subscribe: no such command: %s", line), 2;
        fflush(stdout);
    }
    return 0;
}
