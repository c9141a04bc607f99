// One process for each seed: see CSimulatedCalls.h.
#define _GNU_SOURCE
#include "CSimulatedCalls.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int simulated_memory_make(const void *bytes, size_t count) {
  int memory = memfd_create("simulated", MFD_CLOEXEC);
  if (memory >= 0) simulated_memory_write(memory, 0, bytes, count);
  return memory;
}

void simulated_memory_write(int memory, size_t offset, const void *bytes, size_t count) {
  if (pwrite(memory, bytes, count, (off_t)offset) != (ssize_t)count) abort();
}

void simulated_memory_resize(int memory, size_t size) {
  if (ftruncate(memory, (off_t)size) != 0) abort();
}

void simulated_memory_close(int memory) { close(memory); }

size_t simulated_heap(void) {
  struct mallinfo2 state = mallinfo2();
  return state.uordblks + state.hblkhd;
}

void simulated_settle(char *const *arguments) {
  static const char mark[] = "SWIFT_DETERMINISTIC_HASHING";
  if (getenv(mark) != NULL) return;
  setenv(mark, "1", 1);
  // Where it is forbidden, traces are equal unless the order of addresses matters.
  int present = personality(0xffffffff);
  if (present != -1) personality((unsigned long)present | ADDR_NO_RANDOMIZE);
  execv("/proc/self/exe", arguments);
}

struct simulated_outcome *simulated_outcome_make(void) {
  void *memory = mmap(
      NULL, sizeof(struct simulated_outcome), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

static void fail(struct simulated_outcome *outcome, const char *reason, int number) {
  outcome->has_failed = 1;
  size_t length = strlen(outcome->message);
  snprintf(
      outcome->message + length, sizeof outcome->message - length, "%s%s %d (%s)", length > 0 ? "; " : "", reason,
      number, strsignal(number));
}

// In an instrumented program alone: contrib/coverage.
extern int __llvm_profile_write_file(void) __attribute__((weak));

void simulated_process(
    void (*body)(void *context, uint64_t seed, struct simulated_outcome *outcome), void *context, uint64_t seed,
    unsigned seconds, struct simulated_outcome *outcome) {
  memset(outcome, 0, sizeof *outcome);
  pid_t child = fork();
  if (child == 0) {
    struct rlimit limit = {.rlim_cur = seconds, .rlim_max = seconds + 1};
    setrlimit(RLIMIT_CPU, &limit);
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    body(context, seed, outcome);
    if (__llvm_profile_write_file != NULL) __llvm_profile_write_file();
    _exit(0);
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (child < 0) fail(outcome, "fork failed, errno", errno);
  if (child > 0 && WIFSIGNALED(status)) fail(outcome, "the process ended by signal", WTERMSIG(status));
  if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) != 0) fail(outcome, "exit status", WEXITSTATUS(status));
}
