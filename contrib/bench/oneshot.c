// oneshot SOCKET REQUEST: the least that a one-shot client can do. Connects, sends REQUEST (a file with one framed
// request), reads one framed reply and writes its payload to stdout. Built static, it is the floor for `citiesctl`.
#include "common.h"

int main(int count, char **words) {
  if (count != 3) {
    fprintf(stderr, "usage: oneshot SOCKET REQUEST\n");
    return 2;
  }
  static char reply[4 << 20];
  size_t length, have = 0;
  char *request = read_file(words[2], &length);
  int fd = unix_connect(words[1]);
  write_all(fd, request, length);
  while (have < 4 || have < 4 + (size_t)load_be32(reply)) {
    ssize_t n = read(fd, reply + have, sizeof reply - have);
    if (n <= 0) fail("read");
    have += (size_t)n;
  }
  write_all(1, reply + 4, have - 4);
  return 0;
}
