// The least a server can do to tell many sockets the same: one `send` of a ready WebSocket frame per socket and message,
// from one loop. What our own fan-out is measured against.
//
//   fanout BYTES
//
// Listens on a free port of the loopback interface and prints it. Every connection is a subscriber. Each byte that any
// of them sends makes one message of BYTES to each of the others; the sender is the publisher and gets nothing.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static void die(const char *what) {
    fprintf(stderr, "fanout: %s: %s\n", what, strerror(errno));
    exit(1);
}

static size_t make_frame(unsigned char *frame, size_t length) {
    size_t head = 2;
    frame[0] = 0x81;
    if (length < 126) {
        frame[1] = length;
    } else {
        frame[1] = 126, frame[2] = length >> 8, frame[3] = length & 255, head = 4;
    }
    memset(frame + head, 'x', length);
    return head + length;
}

int main(int count, char **arguments) {
    if (count != 2) return fprintf(stderr, "fanout BYTES\n"), 2;
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files), files.rlim_cur = files.rlim_max, setrlimit(RLIMIT_NOFILE, &files);
    static unsigned char frame[1 << 16];
    size_t frame_length = make_frame(frame, atoi(arguments[1]));

    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 1024)) die("listen");
    getsockname(listener, (struct sockaddr *)&address, &size);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);

    int poll = epoll_create1(0), *subscribers = NULL, subscriber_count = 0;
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[256];
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int ready = epoll_wait(poll, events, 256, -1);
        for (int index = 0; index < ready; index++) {
            int file = events[index].data.fd, other;
            if (file == listener) {
                while ((other = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
                    setsockopt(other, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
                    event.data.fd = other;
                    epoll_ctl(poll, EPOLL_CTL_ADD, other, &event);
                    subscribers = realloc(subscribers, (subscriber_count + 1) * sizeof(int));
                    subscribers[subscriber_count++] = other;
                }
                continue;
            }
            char asked[64];
            ssize_t messages = read(file, asked, sizeof asked);
            if (messages <= 0) {
                close(file);
                for (int place = 0; place < subscriber_count; place++)
                    if (subscribers[place] == file) subscribers[place--] = subscribers[--subscriber_count];
                continue;
            }
            while (messages-- > 0)
                for (int place = 0; place < subscriber_count; place++)
                    // The publisher waits for every message, so no socket is ever full.
                    if (subscribers[place] != file && send(subscribers[place], frame, frame_length, MSG_NOSIGNAL) < 0)
                        die("send");
        }
    }
}
