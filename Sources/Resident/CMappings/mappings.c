// The handler uses only async-signal-safe calls and lock-free atomics: it may run in any thread, between any two
// instructions. POSIX does not list mmap(2) as safe; on Linux it is a plain system call, and systemd relies on that
// too.

#define _GNU_SOURCE
#include "CMappings.h"

#include "../CCRC32C/crc32c.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

// A guard is free while `size` is 0, and counts only once `start` is set.
struct guard {
  uintptr_t start;
  size_t size;
  uint32_t faults;
  uint32_t damages;
  // The expected checksums of the blocks; covered once `sums` is set.
  size_t first, end;
  const uint32_t *sums;
};

static struct guard guards[CITIES_MAPPINGS_MAXIMUM];
// One more than the highest guard ever used; most processes use a handful.
static int used;
static struct sigaction before, before_access;
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

static void count_fault(struct guard *guard) {
  __atomic_fetch_add(&guard->faults, 1, __ATOMIC_RELEASE);
  __atomic_fetch_add(&all_faults, 1, __ATOMIC_RELEASE);
}

static void handle(int number, siginfo_t *info, void *context) {
  (void)context;
  int error = errno;
  uintptr_t address = (uintptr_t)info->si_addr;
  struct guard *guard = info->si_code == BUS_ADRERR && address != 0 ? guard_of(address) : NULL;
  void *page = (void *)(address & ~(page_size - 1));
  if (guard != NULL
      && mmap(page, page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page) {
    count_fault(guard);
    errno = error;
    return;
  }
  // Not ours: restore the previous action. A fault repeats by itself; a sent signal must be raised again.
  sigaction(SIGBUS, &before, NULL);
  if (info->si_code <= 0) raise(number);
  errno = error;
}

// Makes the block at `offset` readable and compares its checksum; 0 if the kernel refuses.
static int uncover(struct guard *guard, const uint32_t *sums, size_t offset) {
  size_t block = offset / CITIES_MAPPING_BLOCK, start = block * CITIES_MAPPING_BLOCK;
  size_t stop = guard->size - start < CITIES_MAPPING_BLOCK ? guard->size : start + CITIES_MAPPING_BLOCK;
  uint8_t *bytes = (uint8_t *)guard->start;
  if (mprotect(bytes + start, stop - start, PROT_READ) != 0) {
    // Splitting the mapping needs memory, so open all of it. Count a fault: its other blocks are not compared, and
    // answers from them must not count.
    if (mprotect(bytes, guard->size, PROT_READ) != 0) return 0;
    count_fault(guard);
    return 1;
  }
  size_t from = start < guard->first ? guard->first : start, to = stop > guard->end ? guard->end : stop;
  if (from >= to) return 1;
  uint32_t sum = ~cities_crc32c_update(~0u, bytes + from, to - from);
  if (sum == sums[block - guard->first / CITIES_MAPPING_BLOCK]) return 1;
  // Another thread may already have read the block: counting the fault last discards that answer too.
  if (mmap(bytes + start, stop - start, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
    return 0;
  __atomic_fetch_add(&guard->damages, 1, __ATOMIC_RELEASE);
  count_fault(guard);
  return 1;
}

// Whether the fault is a read of mapped but protected memory; mapped files are never written or executed.
static int is_read(const siginfo_t *info, const void *context) {
#if defined(__x86_64__)
  if (((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & (2 | 16)) return 0;
#else
  (void)context;
#endif
  return info->si_code == SEGV_ACCERR;
}

static void handle_access(int number, siginfo_t *info, void *context) {
  int error = errno;
  uintptr_t address = (uintptr_t)info->si_addr;
  struct guard *guard = is_read(info, context) ? guard_of(address) : NULL;
  const uint32_t *sums = guard == NULL ? NULL : __atomic_load_n(&guard->sums, __ATOMIC_ACQUIRE);
  if (sums == NULL || !uncover(guard, sums, address - guard->start)) {
    // Not ours, as above.
    sigaction(SIGSEGV, &before_access, NULL);
    if (info->si_code <= 0) raise(number);
  }
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
  if (sigaction(SIGBUS, &action, &before) == 0) {
    action.sa_sigaction = handle_access;
    if (sigaction(SIGSEGV, &action, &before_access) == 0) return 0;
  }
  // Without the handlers nothing may be covered.
  __atomic_store_n(&installed, 0, __ATOMIC_RELEASE);
  return -errno;
}

int cities_mapping_guard(const void *start, size_t size) {
  if (start == NULL || size == 0) return -1;
  for (int index = 0; index < CITIES_MAPPINGS_MAXIMUM; index++) {
    size_t none = 0;
    if (!__atomic_compare_exchange_n(
            &guards[index].size, &none, size, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
      continue;
    __atomic_store_n(&guards[index].faults, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&guards[index].damages, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&guards[index].sums, NULL, __ATOMIC_RELAXED);
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

int cities_mapping_can_cover(void) { return __atomic_load_n(&installed, __ATOMIC_ACQUIRE) != 0 && cities_crc32c_available(); }

int cities_mapping_cover(int number, size_t first, size_t end, const uint32_t *sums) {
  if (number < 0 || number >= CITIES_MAPPINGS_MAXIMUM || !cities_mapping_can_cover()) return -EINVAL;
  struct guard *guard = &guards[number];
  if (first >= end || end > guard->size || CITIES_MAPPING_BLOCK % page_size != 0) return -EINVAL;
  guard->first = first;
  guard->end = end;
  size_t covered = (first / CITIES_MAPPING_BLOCK + 1) * CITIES_MAPPING_BLOCK;
  size_t last = (end - 1) / CITIES_MAPPING_BLOCK * CITIES_MAPPING_BLOCK;
  if (!uncover(guard, sums, first) || !uncover(guard, sums, last)) return -errno;
  if (covered >= last) return 0;
  __atomic_store_n(&guard->sums, sums, __ATOMIC_RELEASE);
  return mprotect((uint8_t *)guard->start + covered, last - covered, PROT_NONE) == 0 ? 0 : -errno;
}

void cities_mapping_touch(const void *start, size_t size) {
  const volatile uint8_t *bytes = start;
  for (size_t offset = 0; offset < size; offset += CITIES_MAPPING_BLOCK) (void)bytes[offset];
  if (size > 0) (void)bytes[size - 1];
}

int cities_mapping_is_damaged(int guard) {
  return guard >= 0 && guard < CITIES_MAPPINGS_MAXIMUM && __atomic_load_n(&guards[guard].damages, __ATOMIC_ACQUIRE) != 0;
}

const uint32_t *cities_mapping_fault_counter(void) { return &all_faults; }

int cities_mapping_has_faulted(int guard) {
  return guard >= 0 && guard < CITIES_MAPPINGS_MAXIMUM && __atomic_load_n(&guards[guard].faults, __ATOMIC_ACQUIRE) != 0;
}
