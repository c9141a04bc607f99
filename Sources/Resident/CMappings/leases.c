// F_SETLEASE, F_SETSIG and F_SETOWN_EX are Linux's own.
#define _GNU_SOURCE
#include "CMappings.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

// Its default action is to be ignored: a process that leases files and listens to nothing is not ended by it.
enum { LEASE_SIGNAL = SIGURG };

int cities_lease_signal(void) { return LEASE_SIGNAL; }

int cities_lease_take(int file) {
  // Each time: giving a lease up sets the signal back to SIGIO, which ends a process.
  if (fcntl(file, F_SETSIG, LEASE_SIGNAL) != 0) return -errno;
  return fcntl(file, F_SETLEASE, F_RDLCK) == 0 ? 0 : -errno;
}

int cities_lease_direct(int file) {
  struct f_owner_ex owner = {.type = F_OWNER_TID, .pid = (pid_t)syscall(SYS_gettid)};
  return fcntl(file, F_SETOWN_EX, &owner) == 0 ? 0 : -errno;
}

int cities_lease_is_held(int file) { return fcntl(file, F_GETLEASE) == F_RDLCK; }

void cities_lease_release(int file) {
  // It fails only if there is none.
  (void)fcntl(file, F_SETLEASE, F_UNLCK);
}
