// floor block|epoll SOCKET SIZES: the least that a framed server can do.
//
// Reads frames (32-bit big-endian length, payload), looks at nothing in them, and answers the i-th request of a
// connection with a frame of SIZES[i mod n] payload bytes; SIZES is a text file of numbers, as `load sizes` writes it,
// so that the floor moves exactly as many bytes as the server that is held against it.
#include "common.h"
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>

enum { INPUT = 65536, OUTPUT = 1 << 20 };

static uint32_t *sizes;
static size_t size_count;

struct connection {
  int fd;
  size_t request;        // requests answered so far
  size_t have;           // bytes in `input`
  size_t pending, sent;  // bytes in `output`, and how many of them are written
  char input[INPUT];
  char output[OUTPUT];
};

static void load_sizes(const char *path) {
  size_t length;
  char *text = read_file(path, &length), *end;
  sizes = malloc((length / 2 + 1) * sizeof *sizes);
  for (char *p = text;; p = end) {
    unsigned long value = strtoul(p, &end, 10);
    if (end == p) break;
    if (value > OUTPUT - 4) value = OUTPUT - 4;
    sizes[size_count++] = (uint32_t)value;
  }
  if (!size_count) fail("no sizes");
  free(text);
}

// Answers the whole frames in `input` as far as `output` has room.
static void answer(struct connection *c) {
  size_t at = 0;
  while (c->have - at >= 4) {
    uint32_t payload = load_be32(c->input + at);
    uint32_t size = sizes[c->request % size_count];
    if (payload > INPUT - 4) exit(1);
    if (c->have - at < 4 + (size_t)payload || c->pending + 4 + size > OUTPUT) break;
    uint32_t head = htonl(size);
    memcpy(c->output + c->pending, &head, 4);
    c->pending += 4 + size;
    c->request++;
    at += 4 + payload;
  }
  memmove(c->input, c->input + at, c->have - at);
  c->have -= at;
}

static struct connection *open_connection(int fd) {
  struct connection *c = calloc(1, sizeof *c);
  if (!c) fail("calloc");
  c->fd = fd;
  return c;
}

static void *serve_blocking(void *argument) {
  struct connection *c = argument;
  for (;;) {
    ssize_t n = read(c->fd, c->input + c->have, INPUT - c->have);
    if (n <= 0) break;
    c->have += (size_t)n;
    do {
      answer(c);
      for (c->sent = 0; c->sent < c->pending;) {
        ssize_t w = write(c->fd, c->output + c->sent, c->pending - c->sent);
        if (w <= 0) goto end;
        c->sent += (size_t)w;
      }
      n = (ssize_t)c->pending;
      c->pending = 0;
    } while (n > 0 && c->have >= 4);
  }
end:
  close(c->fd);
  free(c);
  return NULL;
}

static void run_blocking(int listener) {
  for (;;) {
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    pthread_t thread;
    if (fd < 0 || pthread_create(&thread, NULL, serve_blocking, open_connection(fd))) fail("accept");
    pthread_detach(thread);
  }
}

// Writes the pending bytes; true if the connection is still good.
static int flush(int epoll, struct connection *c) {
  while (c->sent < c->pending) {
    ssize_t n = write(c->fd, c->output + c->sent, c->pending - c->sent);
    if (n < 0 && errno == EAGAIN) {
      struct epoll_event event = {.events = EPOLLOUT, .data.ptr = c};
      epoll_ctl(epoll, EPOLL_CTL_MOD, c->fd, &event);
      return 1;
    }
    if (n <= 0) return 0;
    c->sent += (size_t)n;
  }
  c->sent = c->pending = 0;
  return 1;
}

static int serve_ready(int epoll, struct connection *c, uint32_t events) {
  if (events & EPOLLOUT) {
    if (!flush(epoll, c)) return 0;
    if (c->pending) return 1;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
    epoll_ctl(epoll, EPOLL_CTL_MOD, c->fd, &event);
  } else {
    ssize_t n = read(c->fd, c->input + c->have, INPUT - c->have);
    if (n <= 0) return n < 0 && errno == EAGAIN;
    c->have += (size_t)n;
  }
  size_t before;
  do {
    before = c->have;
    answer(c);
    if (!flush(epoll, c)) return 0;
  } while (!c->pending && c->have >= 4 && c->have < before);
  return 1;
}

static void run_epoll(int listener) {
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN}, ready[256];
  fcntl(listener, F_SETFL, O_NONBLOCK);
  epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
  for (;;) {
    int count = epoll_wait(epoll, ready, 256, -1);
    for (int i = 0; i < count; i++) {
      struct connection *c = ready[i].data.ptr;
      if (c) {
        if (!serve_ready(epoll, c, ready[i].events)) close(c->fd), free(c);
        continue;
      }
      int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd < 0) continue;
      event.data.ptr = open_connection(fd);
      epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
    }
  }
}

int main(int count, char **words) {
  if (count != 4) {
    fprintf(stderr, "usage: floor block|epoll SOCKET SIZES\n");
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  load_sizes(words[3]);
  // Activated (sd_listen_fds(3)): the cold-start measurement passes the listener as descriptor 3.
  int listener = getenv("LISTEN_FDS") ? 3 : unix_listen(words[2]);
  if (!strcmp(words[1], "epoll")) run_epoll(listener);
  run_blocking(listener);
}
