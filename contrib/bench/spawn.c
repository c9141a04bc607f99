// spawn whole ROUNDS NAME=COMMAND...            exec to exit of a command, its output thrown away
// spawn cold ROUNDS REQUEST NAME=COMMAND...     exec to the first reply of a server whose first request is waiting
//
// COMMAND is split at blanks. For `cold` the listening socket is descriptor 3, as sd_listen_fds(3) expects, with a
// client connected and its REQUEST (one framed request, a file) written before the server exists. Rounds are
// interleaved, two warm-up rounds are not counted, ratios are to the first command.
#include "common.h"
#include <signal.h>
#include <sys/wait.h>

enum { MAXIMUM_WORDS = 32, WARM_UP = 2 };

struct command {
  const char *name;
  char *words[MAXIMUM_WORDS];
  double *milliseconds;
};

static struct command parse_command(const char *word, int rounds) {
  struct command c = {0};
  char *copy = strdup(word), *equals = strchr(copy, '=');
  if (!equals) {
    fprintf(stderr, "not NAME=COMMAND: %s\n", word);
    exit(2);
  }
  *equals = 0;
  c.name = copy;
  int n = 0;
  for (char *p = strtok(equals + 1, " "); p && n < MAXIMUM_WORDS - 1; p = strtok(NULL, " ")) c.words[n++] = p;
  c.milliseconds = calloc((size_t)rounds, sizeof(double));
  return c;
}

static void become(struct command *c) {
  int null = open("/dev/null", O_RDWR);
  dup2(null, 1);
  execvp(c->words[0], c->words);
  perror(c->words[0]);
  _exit(127);
}

static double whole(struct command *c) {
  uint64_t start = now_ns();
  pid_t pid = vfork();
  if (pid == 0) become(c);
  int status;
  if (pid < 0 || waitpid(pid, &status, 0) != pid) fail("wait");
  double elapsed = (double)(now_ns() - start) / 1e6;
  if (!WIFEXITED(status) || WEXITSTATUS(status)) {
    fprintf(stderr, "%s ended with status %#x\n", c->name, status);
    exit(1);
  }
  return elapsed;
}

// The listener becomes descriptor 3 of the child, and LISTEN_PID its own pid.
static void become_activated(struct command *c, int listener) {
  char pid[24];
  if (listener != 3) dup2(listener, 3);
  fcntl(3, F_SETFD, 0);
  snprintf(pid, sizeof pid, "%d", getpid());
  setenv("LISTEN_PID", pid, 1);
  setenv("LISTEN_FDS", "1", 1);
  setenv("LISTEN_FDNAMES", "citiesd", 1);
  become(c);
}

static double cold(struct command *c, const char *request, size_t length) {
  char path[64];
  snprintf(path, sizeof path, "/tmp/cities-cold-%d.sock", getpid());
  int listener = unix_listen(path), client = unix_connect(path);
  write_all(client, request, length);
  uint64_t start = now_ns();
  pid_t pid = fork();
  if (pid == 0) become_activated(c, listener);
  static char reply[1 << 20];
  for (size_t have = 0; have < 4 || have < 4 + (size_t)load_be32(reply);) {
    ssize_t n = read(client, reply + have, sizeof reply - have);
    if (n <= 0) fail(c->name);
    have += (size_t)n;
  }
  double elapsed = (double)(now_ns() - start) / 1e6;
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  close(client), close(listener), unlink(path);
  return elapsed;
}

static void print(struct command *commands, int count, int rounds) {
  double base = 0;
  printf("| command | median ms | smallest ms | p95 ms | ratio |\n|---|---|---|---|---|\n");
  for (int i = 0; i < count; i++) {
    double middle = median(commands[i].milliseconds, rounds), *sorted = commands[i].milliseconds;
    if (!i) base = middle;
    printf("| %s | %.3f | %.3f | %.3f | %.2f |\n", commands[i].name, middle, sorted[0], sorted[rounds * 95 / 100],
           middle / base);
  }
}

int main(int count, char **words) {
  int is_cold = count > 2 && !strcmp(words[1], "cold"), first = is_cold ? 4 : 3;
  if (count <= first || (!is_cold && strcmp(words[1], "whole"))) {
    fprintf(stderr, "usage: spawn whole|cold ... (see the comment in spawn.c)\n");
    return 2;
  }
  int rounds = atoi(words[2]), commands = count - first;
  size_t length = 0;
  char *request = is_cold ? read_file(words[3], &length) : NULL;
  struct command *c = calloc((size_t)commands, sizeof *c);
  for (int i = 0; i < commands; i++) c[i] = parse_command(words[first + i], rounds);
  for (int round = -WARM_UP; round < rounds; round++)
    for (int i = 0; i < commands; i++) {
      double elapsed = is_cold ? cold(&c[i], request, length) : whole(&c[i]);
      if (round >= 0) c[i].milliseconds[round] = elapsed;
    }
  print(c, commands, rounds);
  return 0;
}
