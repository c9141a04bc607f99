// For F_SETLEASE, F_SETSIG and F_SETOWN_EX.
#define _GNU_SOURCE
#include "CMappings.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

// Ignored by default, so it does not end a process that takes leases but handles no signal.
enum { LEASE_SIGNAL = SIGURG };

int cities_lease_signal(void) { return LEASE_SIGNAL; }

int cities_lease_take(int file) {
  // Every time: releasing a lease resets the signal to SIGIO, which ends the process.
  if (fcntl(file, F_SETSIG, LEASE_SIGNAL) != 0) return -errno;
  return fcntl(file, F_SETLEASE, F_RDLCK) == 0 ? 0 : -errno;
}

int cities_lease_direct(int file) {
  struct f_owner_ex owner = {.type = F_OWNER_TID, .pid = (pid_t)syscall(SYS_gettid)};
  return fcntl(file, F_SETOWN_EX, &owner) == 0 ? 0 : -errno;
}

int cities_lease_is_held(int file) { return fcntl(file, F_GETLEASE) == F_RDLCK; }

void cities_lease_release(int file) {
  // Fails only if there is no lease.
  (void)fcntl(file, F_SETLEASE, F_UNLCK);
}
