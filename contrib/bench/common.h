// What the measuring programs share: time, sockets, frames, statistics. A measuring stick has no error recovery: it
// says what failed and ends.
#pragma once
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static inline void fail(const char *what) {
  perror(what);
  exit(1);
}

static inline uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline struct sockaddr_un unix_address(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) {
    fprintf(stderr, "socket path too long: %s\n", path);
    exit(1);
  }
  strcpy(address.sun_path, path);
  return address;
}

static inline int unix_listen(const char *path) {
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_un address = unix_address(path);
  unlink(path);
  if (fd < 0 || bind(fd, (void *)&address, sizeof address) || listen(fd, 512)) fail(path);
  return fd;
}

static inline int unix_connect(const char *path) {
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_un address = unix_address(path);
  if (fd < 0 || connect(fd, (void *)&address, sizeof address)) fail(path);
  return fd;
}

static inline void write_all(int fd, const void *bytes, size_t count) {
  for (const char *p = bytes; count > 0;) {
    ssize_t n = write(fd, p, count);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail("write");
    p += n, count -= (size_t)n;
  }
}

// A whole file in memory; *size gets its length.
static inline char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END)) fail(path);
  long length = ftell(file);
  rewind(file);
  char *bytes = malloc((size_t)length + 1);
  if (length < 0 || !bytes || fread(bytes, 1, (size_t)length, file) != (size_t)length) fail(path);
  bytes[length] = 0;
  fclose(file);
  *size = (size_t)length;
  return bytes;
}

static inline uint32_t load_be32(const void *bytes) {
  uint32_t value;
  memcpy(&value, bytes, 4);
  return ntohl(value);
}

static inline int compare_u64(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static inline int compare_double(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Sorts `values` and returns the middle one.
static inline double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare_double);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}
