// A load generator for what wrk does not do: a fixed number of requests, and latencies for each kind of a mixture.
//
//   load PORT CONNECTIONS seconds:N|requests:N WEIGHT:FILE...
//
// A FILE holds whole HTTP requests, each after its length in decimal and a newline. Each connection is kept alive and
// has one request under way, of a kind chosen by weight. Prints one JSON object per FILE, in order: requests, errors
// (not a 200, or "errors" in the body), microseconds at the 50th and 99th percentile and at most.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { KINDS_MAX = 8, RESPONSE_BYTES_MAX = 1 << 22 };

struct request {
    const char *bytes;
    size_t length;
};

struct kind {
    int weight;
    struct request *requests;
    size_t request_count, next;
    uint64_t *latencies;
    size_t count, capacity, errors;
};

struct connection {
    int socket, kind;
    uint64_t start;
    char *response;
    size_t received, expected;
};

static struct kind kinds[KINDS_MAX];
static int kind_count, weight_sum;
static uint64_t random_state = 0x9E3779B97F4A7C15;

static void die(const char *what) {
    fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
    exit(1);
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void read_requests(struct kind *kind, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) die(path);
    size_t length;
    while (fscanf(file, "%zu", &length) == 1 && fgetc(file) == '\n') {
        kind->requests = realloc(kind->requests, (kind->request_count + 1) * sizeof(struct request));
        char *bytes = malloc(length);
        if (fread(bytes, 1, length, file) != length) die(path);
        kind->requests[kind->request_count++] = (struct request){bytes, length};
    }
    fclose(file);
    if (kind->request_count == 0) die("no requests");
}

static int choose_kind(void) {
    random_state ^= random_state << 13, random_state ^= random_state >> 7, random_state ^= random_state << 17;
    int rest = random_state % weight_sum;
    for (int kind = 0; kind < kind_count; kind++)
        if ((rest -= kinds[kind].weight) < 0) return kind;
    return 0;
}

static void send_next(struct connection *connection) {
    connection->kind = choose_kind();
    connection->received = connection->expected = 0;
    struct kind *kind = &kinds[connection->kind];
    struct request request = kind->requests[kind->next++ % kind->request_count];
    connection->start = now();
    if (send(connection->socket, request.bytes, request.length, MSG_NOSIGNAL) != (ssize_t)request.length) die("send");
}

// Whether the whole response is there.
static int receive(struct connection *connection) {
    ssize_t count = recv(connection->socket, connection->response + connection->received,
                         RESPONSE_BYTES_MAX - connection->received - 1, 0);
    if (count <= 0) die("the server closed a connection");
    connection->received += count;
    connection->response[connection->received] = 0;
    if (connection->expected == 0) {
        char *end = strstr(connection->response, "\r\n\r\n");
        char *length = strcasestr(connection->response, "content-length:");
        if (!end || !length || length > end) return 0;
        connection->expected = end + 4 - connection->response + strtoul(length + 15, NULL, 10);
        if (connection->expected >= RESPONSE_BYTES_MAX) die("a response is too large");
    }
    return connection->received >= connection->expected;
}

static void note(struct connection *connection) {
    struct kind *kind = &kinds[connection->kind];
    if (kind->count == kind->capacity) {
        kind->capacity = kind->capacity ? kind->capacity * 2 : 1 << 16;
        kind->latencies = realloc(kind->latencies, kind->capacity * sizeof(uint64_t));
    }
    kind->latencies[kind->count++] = now() - connection->start;
    if (strncmp(connection->response + 9, "200", 3) != 0 || strstr(connection->response, "\"errors\"")) kind->errors++;
}

static int by_size(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static void print(struct kind *kind) {
    qsort(kind->latencies, kind->count, sizeof(uint64_t), by_size);
    size_t last = kind->count ? kind->count - 1 : 0;
    double at[3] = {0};
    if (kind->count) {
        at[0] = kind->latencies[last / 2] / 1e3;
        at[1] = kind->latencies[last * 99 / 100] / 1e3;
        at[2] = kind->latencies[last] / 1e3;
    }
    printf("{\"requests\":%zu,\"errors\":%zu,\"p50\":%.1f,\"p99\":%.1f,\"max\":%.1f}\n", kind->count, kind->errors,
           at[0], at[1], at[2]);
}

int main(int count, char **arguments) {
    if (count < 5 || count - 4 > KINDS_MAX) {
        fprintf(stderr, "load PORT CONNECTIONS seconds:N|requests:N WEIGHT:FILE...\n");
        return 2;
    }
    int connection_count = atoi(arguments[2]);
    double amount = atof(strchr(arguments[3], ':') + 1);
    int is_timed = strncmp(arguments[3], "seconds", 7) == 0;
    for (int index = 4; index < count; index++) {
        kinds[kind_count].weight = atoi(arguments[index]);
        weight_sum += kinds[kind_count].weight;
        read_requests(&kinds[kind_count++], strchr(arguments[index], ':') + 1);
    }

    int queue = epoll_create1(0);
    struct connection *connections = calloc(connection_count, sizeof(struct connection));
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(arguments[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    uint64_t end = now() + (uint64_t)(amount * 1e9);
    size_t sent = 0, limit = is_timed ? SIZE_MAX : (size_t)amount, underway = 0;
    for (int index = 0; index < connection_count && sent < limit; index++) {
        struct connection *connection = &connections[index];
        connection->response = malloc(RESPONSE_BYTES_MAX);
        connection->socket = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(connection->socket, (struct sockaddr *)&address, sizeof address) != 0) die("connect");
        setsockopt(connection->socket, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
        epoll_ctl(queue, EPOLL_CTL_ADD, connection->socket,
                  &(struct epoll_event){.events = EPOLLIN, .data.ptr = connection});
        send_next(connection);
        sent++, underway++;
    }
    while (underway > 0) {
        struct epoll_event events[256];
        int ready = epoll_wait(queue, events, 256, 30000);
        if (ready == 0) die("no answer in 30 s");
        for (int index = 0; index < ready; index++) {
            struct connection *connection = events[index].data.ptr;
            if (!receive(connection)) continue;
            note(connection);
            underway--;
            if (is_timed ? now() < end : sent < limit) {
                send_next(connection);
                sent++, underway++;
            }
        }
    }
    for (int index = 0; index < kind_count; index++) print(&kinds[index]);
    return 0;
}
