// load sizes SOCKET REQUESTS >SIZES             what each request's reply measures, for `floor`
// load latency ROUNDS COUNT TARGET...           one client in ping-pong
// load throughput ROUNDS MILLIS CONNECTIONS DEPTH TARGET...
// load costs ROUNDS DEPTH TARGET...             what each request costs the server, DEPTH times in one write
//
// A TARGET is NAME=KIND:SOCKET:REQUESTS. KIND is `framed` (32-bit big-endian length, payload) or `resp` (redis).
// REQUESTS is a file of requests as they go over the wire, each after a 32-bit big-endian length of its own. Rounds are
// interleaved: every target once, then again; figures are medians over the rounds, ratios are to the first target.
#include "common.h"
#include <dirent.h>
#include <sys/epoll.h>

struct requests {
  char *bytes;
  size_t *start;  // start[i] ... start[i + 1] is the i-th request
  size_t count;
};

struct target {
  const char *name;
  int is_resp;
  char *socket;
  struct requests requests;
  pid_t pid;
  double *p50, *p99, *p999, *rate, *cpu;  // one value a round
};

static struct requests load_requests(const char *path) {
  size_t length, at = 0, out = 0;
  char *bytes = read_file(path, &length);
  struct requests r = {.bytes = bytes, .start = malloc((length / 4 + 2) * sizeof(size_t))};
  while (at + 4 <= length) {
    uint32_t size = load_be32(bytes + at);
    memmove(bytes + out, bytes + at + 4, size);
    r.start[r.count++] = out;
    out += size, at += 4 + size;
  }
  r.start[r.count] = out;
  if (!r.count) fail(path);
  return r;
}

// The length of the whole reply at `bytes`, or 0 if it is not all there yet.
static size_t framed_reply(const char *bytes, size_t have) {
  if (have < 4) return 0;
  size_t whole = 4 + (size_t)load_be32(bytes);
  return have >= whole ? whole : 0;
}

// RESP: an array of bulk strings, or one line.
static size_t resp_reply(const char *bytes, size_t have) {
  const char *end = bytes + have, *line = memchr(bytes, '\n', have);
  if (!line) return 0;
  const char *at = line + 1;
  if (*bytes != '*') return (size_t)(at - bytes);
  for (long left = strtol(bytes + 1, NULL, 10); left > 0; left--) {
    if (at >= end || !(line = memchr(at, '\n', (size_t)(end - at)))) return 0;
    long length = strtol(at + 1, NULL, 10);
    at = line + 1 + length + 2;
    if (at > end) return 0;
  }
  return (size_t)(at - bytes);
}

static size_t whole_reply(const struct target *t, const char *bytes, size_t have) {
  return t->is_resp ? resp_reply(bytes, have) : framed_reply(bytes, have);
}

static char buffer[8 << 20];

static size_t ask(const struct target *t, int fd, size_t i) {
  const struct requests *r = &t->requests;
  i %= r->count;
  write_all(fd, r->bytes + r->start[i], r->start[i + 1] - r->start[i]);
  for (size_t have = 0;;) {
    ssize_t n = read(fd, buffer + have, sizeof buffer - have);
    if (n <= 0) fail(t->name);
    have += (size_t)n;
    size_t whole = whole_reply(t, buffer, have);
    if (whole) return whole;
  }
}

static struct target parse_target(const char *word, int rounds) {
  struct target t = {0};
  char *copy = strdup(word), *equals = strchr(copy, '='), *kind, *file;
  if (!equals || !(kind = strchr(equals, ':')) || !(file = strchr(kind + 1, ':'))) {
    fprintf(stderr, "not NAME=KIND:SOCKET:REQUESTS: %s\n", word);
    exit(2);
  }
  *equals = *kind = *file = 0;
  t.name = copy, t.is_resp = !strcmp(equals + 1, "resp"), t.socket = kind + 1;
  t.requests = load_requests(file + 1);
  double **values[] = {&t.p50, &t.p99, &t.p999, &t.rate, &t.cpu};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) *values[i] = calloc((size_t)rounds, sizeof(double));
  int fd = unix_connect(t.socket);
  struct ucred peer;
  socklen_t length = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length)) fail("SO_PEERCRED");
  t.pid = peer.pid;
  close(fd);
  return t;
}

// CPU time of all threads of `pid` in ns (proc(5), schedstat).
static uint64_t cpu_ns(pid_t pid) {
  char path[300];
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  DIR *tasks = opendir(path);
  uint64_t sum = 0;
  for (struct dirent *entry; tasks && (entry = readdir(tasks));) {
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "/proc/%d/task/%.200s/schedstat", pid, entry->d_name);
    FILE *file = fopen(path, "r");
    unsigned long long value = 0;
    if (file && fscanf(file, "%llu", &value) == 1) sum += value;
    if (file) fclose(file);
  }
  if (tasks) closedir(tasks);
  return sum;
}

static void latency_round(struct target *t, int round, size_t count, uint64_t *samples) {
  int fd = unix_connect(t->socket);
  for (size_t i = 0; i < count / 20 + 50; i++) ask(t, fd, i);
  uint64_t cpu = cpu_ns(t->pid);
  for (size_t i = 0; i < count; i++) {
    uint64_t start = now_ns();
    ask(t, fd, i);
    samples[i] = now_ns() - start;
  }
  t->cpu[round] = (double)(cpu_ns(t->pid) - cpu) / 1e3 / (double)count;
  close(fd);
  qsort(samples, count, sizeof *samples, compare_u64);
  t->p50[round] = (double)samples[count / 2] / 1e3;
  t->p99[round] = (double)samples[count * 99 / 100] / 1e3;
  t->p999[round] = (double)samples[count * 999 / 1000] / 1e3;
}

struct stream {
  int fd;
  size_t next, have;
  char *input;
};

// Asks `more` further requests in one write, as a pipelining client would.
static void ask_more(const struct target *t, struct stream *s, size_t more) {
  static char batch[1 << 20];
  const struct requests *r = &t->requests;
  size_t length = 0;
  for (; more > 0; more--, s->next++) {
    size_t i = s->next % r->count, size = r->start[i + 1] - r->start[i];
    if (length + size > sizeof batch) write_all(s->fd, batch, length), length = 0;
    memcpy(batch + length, r->bytes + r->start[i], size);
    length += size;
  }
  write_all(s->fd, batch, length);
}

// Takes what arrived; returns how many replies were completed.
static size_t take_replies(const struct target *t, struct stream *s) {
  enum { INPUT = 1 << 20 };
  if (!s->input) s->input = malloc(INPUT);
  ssize_t n = read(s->fd, s->input + s->have, INPUT - s->have);
  if (n <= 0) fail(t->name);
  s->have += (size_t)n;
  size_t at = 0, whole, done = 0;
  while ((whole = whole_reply(t, s->input + at, s->have - at))) at += whole, done++;
  memmove(s->input, s->input + at, s->have - at);
  s->have -= at;
  return done;
}

static void throughput_round(struct target *t, int round, uint64_t millis, int connections, size_t depth) {
  struct stream *streams = calloc((size_t)connections, sizeof *streams);
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  for (int i = 0; i < connections; i++) {
    streams[i].fd = unix_connect(t->socket);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)i};
    epoll_ctl(epoll, EPOLL_CTL_ADD, streams[i].fd, &event);
    ask(t, streams[i].fd, streams[i].next++);
  }
  uint64_t cpu = cpu_ns(t->pid), start = now_ns(), done = 0;
  for (int i = 0; i < connections; i++) ask_more(t, &streams[i], depth);
  while (now_ns() - start < millis * 1000000u) {
    struct epoll_event ready[256];
    int count = epoll_wait(epoll, ready, 256, 100);
    for (int i = 0; i < count; i++) {
      struct stream *s = &streams[ready[i].data.u32];
      size_t replies = take_replies(t, s);
      if (replies) ask_more(t, s, replies), done += replies;
    }
  }
  t->rate[round] = (double)done * 1e9 / (double)(now_ns() - start);
  t->cpu[round] = (double)(cpu_ns(t->pid) - cpu) / 1e3 / (double)(done ? done : 1);
  for (int i = 0; i < connections; i++) close(streams[i].fd), free(streams[i].input);
  close(epoll);
  free(streams);
}

// Server CPU of request `i` in µs, asked `depth` times in one write. Exact if both ends share a core: the kernel counts
// the time of a thread up to its last switch.
static double repeated_cost(const struct target *t, struct stream *s, size_t i, size_t depth) {
  static char batch[1 << 20];
  const struct requests *r = &t->requests;
  size_t size = r->start[i + 1] - r->start[i], done = 0;
  if (size * depth > sizeof batch) fail(t->name);
  for (size_t k = 0; k < depth; k++) memcpy(batch + k * size, r->bytes + r->start[i], size);
  uint64_t cpu = cpu_ns(t->pid);
  write_all(s->fd, batch, size * depth);
  while (done < depth) done += take_replies(t, s);
  return (double)(cpu_ns(t->pid) - cpu) / 1e3 / (double)depth;
}

static void cost_round(const struct target *t, int round, int rounds, size_t depth, double *costs) {
  struct stream s = {.fd = unix_connect(t->socket)};
  repeated_cost(t, &s, 0, depth);
  for (size_t i = 0; i < t->requests.count; i++) costs[i * (size_t)rounds + (size_t)round] = repeated_cost(t, &s, i, depth);
  close(s.fd);
  free(s.input);
}

static int measure_costs(int rounds, size_t depth, int targets, char **words) {
  struct target *t = calloc((size_t)targets, sizeof *t);
  double **costs = calloc((size_t)targets, sizeof *costs);
  for (int i = 0; i < targets; i++) {
    t[i] = parse_target(words[i], 1);
    costs[i] = calloc(t[i].requests.count * (size_t)rounds, sizeof **costs);
  }
  for (int round = 0; round < rounds; round++)
    for (int i = 0; i < targets; i++) cost_round(&t[i], round, rounds, depth, costs[i]);
  printf("| questions | count | mean µs | p50 µs | p99 µs | worst µs |\n|---|---|---|---|---|---|\n");
  for (int i = 0; i < targets; i++) {
    size_t count = t[i].requests.count;
    double sum = 0;
    for (size_t k = 0; k < count; k++) sum += costs[i][k] = median(costs[i] + k * (size_t)rounds, rounds);
    qsort(costs[i], count, sizeof **costs, compare_double);
    printf("| %s | %zu | %.2f | %.2f | %.2f | %.2f |\n", t[i].name, count, sum / (double)count, costs[i][count / 2],
           costs[i][count * 99 / 100], costs[i][count - 1]);
  }
  return 0;
}

static int print_sizes(const char *socket, const char *file) {
  struct target t = {.name = "sizes", .requests = load_requests(file)};
  int fd = unix_connect(socket);
  for (size_t i = 0; i < t.requests.count; i++) printf("%zu\n", ask(&t, fd, i) - 4);
  return ferror(stdout) || fflush(stdout) ? 1 : 0;
}

static int measure_latency(int rounds, size_t count, int targets, char **words) {
  struct target *t = calloc((size_t)targets, sizeof *t);
  uint64_t *samples = malloc(count * sizeof *samples);
  for (int i = 0; i < targets; i++) t[i] = parse_target(words[i], rounds);
  for (int round = 0; round < rounds; round++)
    for (int i = 0; i < targets; i++) latency_round(&t[i], round, count, samples);
  double base = 0, base99 = 0;
  printf("| server | p50 µs | p99 µs | p99.9 µs | p50 ratio | p99 ratio | server CPU µs/request |\n");
  printf("|---|---|---|---|---|---|---|\n");
  for (int i = 0; i < targets; i++) {
    double p50 = median(t[i].p50, rounds), p99 = median(t[i].p99, rounds);
    if (!i) base = p50, base99 = p99;
    printf("| %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", t[i].name, p50, p99, median(t[i].p999, rounds),
           p50 / base, p99 / base99, median(t[i].cpu, rounds));
  }
  return 0;
}

static int measure_throughput(int rounds, uint64_t millis, int connections, size_t depth, int targets, char **words) {
  struct target *t = calloc((size_t)targets, sizeof *t);
  for (int i = 0; i < targets; i++) t[i] = parse_target(words[i], rounds);
  for (int round = 0; round < rounds; round++)
    for (int i = 0; i < targets; i++) throughput_round(&t[i], round, millis, connections, depth);
  double base = 0, base_cpu = 0;
  printf("| server | connections | depth | requests/s | ratio | server CPU µs/request | CPU ratio |\n");
  printf("|---|---|---|---|---|---|---|\n");
  for (int i = 0; i < targets; i++) {
    double rate = median(t[i].rate, rounds), cpu = median(t[i].cpu, rounds);
    if (!i) base = rate, base_cpu = cpu;
    printf("| %s | %d | %zu | %.0f | %.2f | %.2f | %.2f |\n", t[i].name, connections, depth, rate, rate / base, cpu,
           cpu / base_cpu);
  }
  return 0;
}

int main(int count, char **words) {
  if (count == 4 && !strcmp(words[1], "sizes")) return print_sizes(words[2], words[3]);
  if (count >= 5 && !strcmp(words[1], "latency"))
    return measure_latency(atoi(words[2]), strtoul(words[3], NULL, 10), count - 4, words + 4);
  if (count >= 7 && !strcmp(words[1], "throughput"))
    return measure_throughput(atoi(words[2]), strtoul(words[3], NULL, 10), atoi(words[4]),
                              strtoul(words[5], NULL, 10), count - 6, words + 6);
  if (count >= 5 && !strcmp(words[1], "costs"))
    return measure_costs(atoi(words[2]), strtoul(words[3], NULL, 10), count - 4, words + 4);
  fprintf(stderr, "usage: load sizes|latency|throughput|costs ... (see the comment in load.c)\n");
  return 2;
}
