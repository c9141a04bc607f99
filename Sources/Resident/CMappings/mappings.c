// Only async-signal-safe calls and lock-free atomics stand below the handler: it may run in any thread, between any two
// instructions. mmap(2) is not on POSIX's list of safe calls; on Linux it is a plain system call, and systemd relies on it too.

#define _GNU_SOURCE
#include "CMappings.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// A guard is free while `size` is 0, and counts only once `start` is set.
struct guard {
  uintptr_t start;
  size_t size;
  uint32_t faults;
};

static struct guard guards[CITIES_MAPPINGS_MAXIMUM];
// One more than the highest guard that was ever in use: most processes have a handful.
static int used;
static struct sigaction before;
static uint32_t installed;
static uintptr_t page_size;
static uint32_t all_faults;

static struct guard *guard_of(uintptr_t address) {
  int count = __atomic_load_n(&used, __ATOMIC_ACQUIRE);
  for (int index = 0; index < count; index++) {
    uintptr_t start = __atomic_load_n(&guards[index].start, __ATOMIC_ACQUIRE);
    if (start != 0 && address >= start && address - start < guards[index].size) return &guards[index];
  }
  return NULL;
}

static void handle(int number, siginfo_t *info, void *context) {
  (void)context;
  int error = errno;
  uintptr_t address = (uintptr_t)info->si_addr;
  struct guard *guard = info->si_code == BUS_ADRERR && address != 0 ? guard_of(address) : NULL;
  void *page = (void *)(address & ~(page_size - 1));
  if (guard != NULL
      && mmap(page, page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page) {
    __atomic_fetch_add(&guard->faults, 1, __ATOMIC_RELEASE);
    __atomic_fetch_add(&all_faults, 1, __ATOMIC_RELEASE);
    errno = error;
    return;
  }
  // Not ours: the action of before takes it. A fault repeats by itself; a signal that was sent must be sent again.
  sigaction(SIGBUS, &before, NULL);
  if (info->si_code <= 0) raise(number);
  errno = error;
}

int cities_mappings_install(void) {
  if (__atomic_exchange_n(&installed, 1, __ATOMIC_ACQ_REL) != 0) return 0;
  page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  return sigaction(SIGBUS, &action, &before) == 0 ? 0 : -errno;
}

int cities_mapping_guard(const void *start, size_t size) {
  if (start == NULL || size == 0) return -1;
  for (int index = 0; index < CITIES_MAPPINGS_MAXIMUM; index++) {
    size_t none = 0;
    if (!__atomic_compare_exchange_n(
            &guards[index].size, &none, size, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
      continue;
    __atomic_store_n(&guards[index].faults, 0, __ATOMIC_RELAXED);
    int known = __atomic_load_n(&used, __ATOMIC_RELAXED);
    while (known <= index
           && !__atomic_compare_exchange_n(&used, &known, index + 1, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
    }
    __atomic_store_n(&guards[index].start, (uintptr_t)start, __ATOMIC_RELEASE);
    return index;
  }
  return -1;
}

void cities_mapping_release(int guard) {
  if (guard < 0 || guard >= CITIES_MAPPINGS_MAXIMUM) return;
  __atomic_store_n(&guards[guard].start, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&guards[guard].size, 0, __ATOMIC_RELEASE);
}

const uint32_t *cities_mapping_fault_counter(void) { return &all_faults; }

int cities_mapping_has_faulted(int guard) {
  return guard >= 0 && guard < CITIES_MAPPINGS_MAXIMUM && __atomic_load_n(&guards[guard].faults, __ATOMIC_ACQUIRE) != 0;
}
