#pragma once

// The system calls of the server, taken over by a simulated kernel.
//
// This module defines the C library's functions (epoll_wait, recv, clock_gettime and so on) in the program itself, so
// that the linker binds the server's calls to them. Descriptors from `SIMULATED_DESCRIPTOR` up and paths below
// `SIMULATED_ROOT` belong to the simulated kernel; everything else goes to the C library. Nothing is taken over before
// simulated_calls_install().

#include <stddef.h>
#include <stdint.h>

/// The first descriptor of the simulated kernel.
#define SIMULATED_DESCRIPTOR 100000
/// The folder of all simulated files and sockets.
#define SIMULATED_ROOT "/simulated"

/// An event of the simulated epoll(7).
struct simulated_event {
  uint32_t events;
  uint64_t token;
};

/// The state of a simulated file.
struct simulated_status {
  uint64_t inode;
  uint64_t links;
  int64_t size;
  int64_t modified;
  int64_t changed;
  uint32_t mode;
};

/// The simulated kernel: each function returns what the call returns, or -errno.
struct simulated_calls {
  void *context;
  /// Nanoseconds of the monotonic clock, or of the time of day.
  int64_t (*clock)(void *context, int is_realtime);
  int (*epoll_create)(void *context);
  int (*epoll_change)(void *context, int epoll, int operation, int descriptor, uint32_t interest, uint64_t token);
  int (*epoll_wait)(void *context, int epoll, struct simulated_event *events, int capacity, int milliseconds);
  int (*event_create)(void *context);
  int (*timer_create)(void *context);
  int (*timer_arm)(void *context, int descriptor, int64_t deadline);
  int (*signal_create)(void *context, uint64_t signals);
  int (*watch_create)(void *context);
  int (*watch_add)(void *context, int descriptor, const char *path);
  int (*watch_remove)(void *context, int descriptor, int watch);
  long (*read)(void *context, int descriptor, void *bytes, size_t count);
  long (*write)(void *context, int descriptor, const void *bytes, size_t count);
  long (*receive)(void *context, int descriptor, void *bytes, size_t count, int only_looks);
  long (*send)(void *context, int descriptor, const void *bytes, size_t count);
  int (*socket)(void *context);
  int (*bind)(void *context, int descriptor, const char *path);
  int (*listen)(void *context, int descriptor);
  int (*connect)(void *context, int descriptor, const char *path);
  int (*accept)(void *context, int descriptor);
  int (*peer)(void *context, int descriptor, uint32_t *user);
  int (*shutdown)(void *context, int descriptor, int how);
  int (*close)(void *context, int descriptor);
  /// `original` is a simulated descriptor that /proc/self/fd names, else -1; `path` is "/dev/null" for a spare one.
  int (*open)(void *context, const char *path, int original, int flags);
  int (*status)(void *context, int descriptor, struct simulated_status *status);
  int (*path_status)(void *context, const char *path, struct simulated_status *status);
  /// The real descriptor of the memory that holds the file.
  int (*memory)(void *context, int descriptor);
  /// fcntl(2) with the commands of leases.
  int (*lease)(void *context, int descriptor, int command, int argument);
  int (*unlink)(void *context, const char *path);
  /// Takes a thread that is to run; 0, or an error number.
  int (*thread)(void *context, void *(*start)(void *), void *argument);
};

/// Has the calls go to `calls` from now on, which are copied; NULL ends it.
void simulated_calls_install(const struct simulated_calls *calls);

/// Runs the body of a thread that `thread` has taken.
void simulated_thread_run(void *(*start)(void *), void *argument);

/// The length of a directory event of inotify(7) for a name of `length` bytes, written to `bytes` if it fits.
long simulated_watch_event(void *bytes, size_t count, int watch, uint32_t mask, const char *name);

/// Makes a file in memory with these bytes; its real descriptor, or -1.
int simulated_memory_make(const void *bytes, size_t count);

/// Writes into a file in memory.
void simulated_memory_write(int memory, size_t offset, const void *bytes, size_t count);

/// Shortens or lengthens a file in memory.
void simulated_memory_resize(int memory, size_t size);

/// Closes a real descriptor.
void simulated_memory_close(int memory);

/// Bytes of memory that this process has allocated.
size_t simulated_heap(void);

/// Starts this program again with the settings in which equal seeds give equal traces: no random addresses, and hashes
/// without random seeds. Returns only if that has been done, or cannot be.
void simulated_settle(char *const *arguments);

/// The outcome of one seed, in memory that the processes share.
struct simulated_outcome {
  uint64_t calls;
  uint64_t requests;
  uint64_t trace;
  uint64_t virtual_milliseconds;
  int32_t has_failed;
  char message[2048];
};

/// Runs `body` in a process of its own, so that no seed sees the memory of another one; a crash, or more than `seconds`
/// of processor time, is a failure with a message.
void simulated_process(
    void (*body)(void *context, uint64_t seed, struct simulated_outcome *outcome), void *context, uint64_t seed,
    unsigned seconds, struct simulated_outcome *outcome);

/// Memory for an outcome that child processes share.
struct simulated_outcome *simulated_outcome_make(void);
