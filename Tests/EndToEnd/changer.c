// Changes a file in place and restores it, again and again, as fast as it can: what a server that maps the file must survive.
//
//   changer MODE FILE CHANGES BURST SPOILT PAUSE
//
// A change overwrites a block of the file with other bytes and, SPOILT microseconds later, with the right ones. The file is
// opened for BURST changes in a row and closed after them; then nothing happens for PAUSE microseconds. MODE says how a
// change is made:
//
//   write      two calls of pwrite(2)
//   store      through a shared writable mapping of the file (mmap(2)): no system call announces a change
//   truncate   truncate(2) by path to the middle of a page, and the rest written again
//   backdate   as write, and the time of modification is set to what it was, as `cp -p` does
//
// Prints the number of changes. Exit code 1 if a call fails; the file is as it was in any case.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 65536, PAGE = 4096 };

static const char *path;
static unsigned char *good, *spoilt;
static size_t size;
static useconds_t spoilt_time;
static uint64_t state = 88172645463325252u;

static void require(int holds, const char *call) {
  if (holds) return;
  fprintf(stderr, "changer: %s: %s\n", call, strerror(errno));
  exit(1);
}

// Marsaglia's xorshift generator.
static size_t below(size_t bound) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (size_t)(state % bound);
}

static void put(int file, const unsigned char *bytes, size_t start, size_t count) {
  while (count > 0) {
    ssize_t written = pwrite(file, bytes + start, count, (off_t)start);
    require(written > 0, "pwrite");
    start += (size_t)written, count -= (size_t)written;
  }
}

static void change_by_writing(int file, size_t start, size_t count) {
  put(file, spoilt, start, count);
  usleep(spoilt_time);
  put(file, good, start, count);
}

static void change_by_storing(int file, size_t start, size_t count) {
  unsigned char *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  require(mapped != MAP_FAILED, "mmap");
  memcpy(mapped + start, spoilt + start, count);
  usleep(spoilt_time);
  memcpy(mapped + start, good + start, count);
  munmap(mapped, size);
}

static void change_by_truncating(size_t start) {
  require(truncate(path, (off_t)start) == 0, "truncate");
  usleep(spoilt_time);
  int file = open(path, O_WRONLY | O_CLOEXEC);
  require(file >= 0, "open");
  put(file, good, start, size - start);
  close(file);
}

static void change_and_backdate(int file, size_t start, size_t count) {
  struct stat before;
  require(fstat(file, &before) == 0, "fstat");
  change_by_writing(file, start, count);
  struct timespec times[2] = {before.st_atim, before.st_mtim};
  require(futimens(file, times) == 0, "futimens");
}

static void change(const char *mode, int file) {
  size_t start = below(size), count = size - start < BLOCK ? size - start : BLOCK;
  if (strcmp(mode, "write") == 0) return change_by_writing(file, start, count);
  if (strcmp(mode, "store") == 0) return change_by_storing(file, start, count);
  if (strcmp(mode, "truncate") == 0) return change_by_truncating(start);
  require(strcmp(mode, "backdate") == 0, "mode");
  change_and_backdate(file, start, count);
}

static void load(void) {
  struct stat status;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  require(file >= 0 && fstat(file, &status) == 0, "open");
  size = (size_t)status.st_size;
  good = malloc(size), spoilt = malloc(size);
  require(good != NULL && spoilt != NULL && read(file, good, size) == status.st_size, "read");
  // Letters become other letters: a row stays a row, and is wrong.
  for (size_t index = 0; index < size; index++) spoilt[index] = good[index] ^ 1;
  close(file);
}

int main(int count, char **arguments) {
  errno = EINVAL;
  require(count == 7, "changer MODE FILE CHANGES BURST SPOILT PAUSE");
  const char *mode = arguments[1];
  path = arguments[2];
  long changes = atol(arguments[3]), burst = atol(arguments[4]), done = 0;
  spoilt_time = (useconds_t)atol(arguments[5]);
  useconds_t pause = (useconds_t)atol(arguments[6]);
  load();
  while (done < changes) {
    int file = strcmp(mode, "truncate") == 0 ? -1 : open(path, O_RDWR | O_CLOEXEC);
    require(file >= 0 || strcmp(mode, "truncate") == 0, "open");
    for (long number = 0; number < burst && done < changes; number++, done++) change(mode, file);
    if (file >= 0) close(file);
    usleep(pause);
  }
  printf("%ld\n", done);
  return 0;
}
