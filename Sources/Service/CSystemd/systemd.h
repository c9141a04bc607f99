// The functions of libsystemd that services call, as one table: citiesd fills it by dlopen(3) when systemd has started
// it, citiesd-sync with the library that it is linked with.
//
// No feature-test macro may be defined in this header; see CLinux.
#pragma once
// As in CLinux: the C library's declarations stay those of Swift's Glibc module. The C compiler does not know it.
#ifdef __swift__
#pragma clang module import SwiftGlibc
#endif
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>
// Without it, sd_journal_sendv is a macro that adds the place in the source to each entry.
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-daemon.h>
#include <systemd/sd-id128.h>
#include <systemd/sd-journal.h>

struct systemd_calls {
  __typeof__(&sd_notify) notify;
  __typeof__(&sd_notify_barrier) notify_barrier;
  __typeof__(&sd_listen_fds_with_names) listen_fds_with_names;
  __typeof__(&sd_is_socket_unix) is_socket_unix;
  __typeof__(&sd_watchdog_enabled) watchdog_enabled;
  __typeof__(&sd_journal_sendv) journal_sendv;
};

// Fills the table with the functions that the program is linked with; returns NULL, as nothing can be missing. Only a
// program that calls it needs the library.
static inline const char *systemd_linked(struct systemd_calls *calls) {
  calls->notify = sd_notify;
  calls->notify_barrier = sd_notify_barrier;
  calls->listen_fds_with_names = sd_listen_fds_with_names;
  calls->is_socket_unix = sd_is_socket_unix;
  calls->watchdog_enabled = sd_watchdog_enabled;
  calls->journal_sendv = sd_journal_sendv;
  return NULL;
}
