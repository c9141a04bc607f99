// The Linux calls that Swift's Glibc module does not expose, as static inline wrappers.
//
// Every wrapper returns the result of its call, or -errno, and preserves the caller's errno. This header defines no
// feature-test macro: one in any imported header breaks debug builds that import a second module. Declarations that
// glibc makes only with such macros (accept4, the peer's credentials) are therefore repeated below by their ABI.
#pragma once
// Take the C library's declarations from Swift's Glibc module: with a second owner of `struct stat`, files that import
// only that module fail to compile, depending on the order in which modules are loaded.
#pragma clang module import SwiftGlibc
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <langinfo.h>
#include <locale.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

// accept4(2): glibc declares it under _GNU_SOURCE only.
extern int accept4(int descriptor, struct sockaddr *restrict address, socklen_t *restrict length, int flags);
// setresgid(2), setresuid(2) and their readers: glibc declares them under _GNU_SOURCE only.
extern int setresgid(gid_t real, gid_t effective, gid_t saved);
extern int setresuid(uid_t real, uid_t effective, uid_t saved);
extern int getresgid(gid_t *real, gid_t *effective, gid_t *saved);
extern int getresuid(uid_t *real, uid_t *effective, uid_t *saved);
// sched_getaffinity(2): glibc declares it under _GNU_SOURCE only.
extern int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set);
// memfd_create(2): glibc declares it under _GNU_SOURCE only.
extern int memfd_create(const char *name, unsigned int flags);

static inline long linux_result(long result) { return result < 0 ? -(long)errno : result; }

// ---- epoll(7) -----------------------------------------------------------------------------------------------------

static const uint32_t linux_readable = EPOLLIN;
static const uint32_t linux_writable = EPOLLOUT;
// The peer has shut down its writing side.
static const uint32_t linux_input_ended = EPOLLRDHUP;
// Reported once when a descriptor becomes ready, not as long as it is ready.
static const uint32_t linux_edge_triggered = EPOLLET;
// Always reported.
static const uint32_t linux_failed = EPOLLERR;
static const uint32_t linux_hung_up = EPOLLHUP;

static inline int linux_epoll_create(void) { return (int)linux_result(epoll_create1(EPOLL_CLOEXEC)); }

static inline int linux_epoll_change(int epoll, int operation, int descriptor, uint32_t interest, uint64_t token) {
  struct epoll_event event;
  memset(&event, 0, sizeof event);
  event.events = interest;
  event.data.u64 = token;
  return (int)linux_result(epoll_ctl(epoll, operation, descriptor, &event));
}
static inline int linux_epoll_add(int epoll, int descriptor, uint32_t interest, uint64_t token) {
  return linux_epoll_change(epoll, EPOLL_CTL_ADD, descriptor, interest, token);
}
static inline int linux_epoll_modify(int epoll, int descriptor, uint32_t interest, uint64_t token) {
  return linux_epoll_change(epoll, EPOLL_CTL_MOD, descriptor, interest, token);
}
static inline int linux_epoll_remove(int epoll, int descriptor) {
  return linux_epoll_change(epoll, EPOLL_CTL_DEL, descriptor, 0, 0);
}
static inline int linux_epoll_wait(int epoll, struct epoll_event *events, int capacity, int milliseconds) {
  return (int)linux_result(epoll_wait(epoll, events, capacity, milliseconds));
}
// struct epoll_event is packed on x86_64, so its fields are read in C.
static inline uint64_t linux_event_token(const struct epoll_event *event) { return event->data.u64; }
static inline uint32_t linux_event_flags(const struct epoll_event *event) { return event->events; }

// ---- unix(7) ------------------------------------------------------------------------------------------------------

// The layout of glibc's struct ucred.
struct linux_credentials {
  int32_t pid;
  uint32_t uid;
  uint32_t gid;
};

static inline int linux_socket(void) {
  return (int)linux_result(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}
// Two connected sockets, not inherited by started programs.
static inline int linux_socket_pair(int *pair) {
  return (int)linux_result(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair));
}
static inline int linux_accept(int listener) {
  return (int)linux_result(accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));
}
static inline int linux_peer_credentials(int descriptor, struct linux_credentials *credentials) {
  socklen_t length = sizeof *credentials;
  return (int)linux_result(getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, credentials, &length));
}
// The pending error of a socket (SO_ERROR) as -errno, such as that of an asynchronous connect.
static inline int linux_socket_error(int descriptor) {
  int error = 0;
  socklen_t length = sizeof error;
  long result = linux_result(getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length));
  return result < 0 ? (int)result : -error;
}
// bind(2) and connect(2) by path; -ENAMETOOLONG if it does not fit sun_path with its terminator.
static inline int linux_address(const char *path, struct sockaddr_un *address) {
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  size_t length = strlen(path);
  if (length >= sizeof address->sun_path) return -ENAMETOOLONG;
  memcpy(address->sun_path, path, length);
  return 0;
}
static inline int linux_bind(int descriptor, const char *path) {
  struct sockaddr_un address;
  int result = linux_address(path, &address);
  return result < 0 ? result : (int)linux_result(bind(descriptor, (struct sockaddr *)&address, sizeof address));
}
static inline int linux_connect(int descriptor, const char *path) {
  struct sockaddr_un address;
  int result = linux_address(path, &address);
  if (result < 0) return result;
  // Stopping and continuing the process interrupts the wait in the queue (signal(7)).
  do result = (int)linux_result(connect(descriptor, (struct sockaddr *)&address, sizeof address));
  while (result == -EINTR);
  return result;
}
static inline int linux_listen(int descriptor, int backlog) { return (int)linux_result(listen(descriptor, backlog)); }
static inline int linux_stop_receiving(int descriptor) { return (int)linux_result(shutdown(descriptor, SHUT_RD)); }

static inline long linux_read(int descriptor, void *buffer, size_t count) {
  return linux_result(read(descriptor, buffer, count));
}
// The socket calls are a shorter path through the kernel than read and write. MSG_DONTWAIT: even an inherited blocking
// descriptor must not block.
static inline long linux_send(int descriptor, const void *buffer, size_t count) {
  return linux_result(send(descriptor, buffer, count, MSG_DONTWAIT | MSG_NOSIGNAL));
}
static inline long linux_receive(int descriptor, void *buffer, size_t count) {
  return linux_result(recv(descriptor, buffer, count, MSG_DONTWAIT));
}
// Whether unread bytes are available.
static inline _Bool linux_holds_input(int descriptor) {
  char byte;
  return recv(descriptor, &byte, 1, MSG_DONTWAIT | MSG_PEEK) > 0;
}
static inline int linux_set_nonblocking(int descriptor) {
  int flags = fcntl(descriptor, F_GETFL);
  return (int)linux_result(flags < 0 ? flags : fcntl(descriptor, F_SETFL, flags | O_NONBLOCK));
}
static inline int linux_open_spare(void) { return (int)linux_result(open("/dev/null", O_RDONLY | O_CLOEXEC)); }

// ---- signals, wake-ups, folders, time -----------------------------------------------------------------------------

static inline int linux_signal_descriptor(const sigset_t *signals) {
  return (int)linux_result(signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK));
}
// The next pending signal, or -EAGAIN.
static inline int linux_next_signal(int descriptor) {
  struct signalfd_siginfo info;
  long result = linux_result(read(descriptor, &info, sizeof info));
  return result < 0 ? (int)result : (int)info.ssi_signo;
}
static inline void linux_ignore_broken_pipes(void) { signal(SIGPIPE, SIG_IGN); }

static inline int linux_wake_descriptor(void) { return (int)linux_result(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }
static inline void linux_wake(int descriptor) {
  uint64_t one = 1;
  // A full counter means that a wake-up is pending already.
  long ignored = write(descriptor, &one, sizeof one);
  (void)ignored;
}
static inline void linux_clear_wakes(int descriptor) {
  uint64_t count;
  long ignored = read(descriptor, &count, sizeof count);
  (void)ignored;
}

static inline int linux_timer_descriptor(void) {
  return (int)linux_result(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
}
// Makes the timer readable from `deadline` on, in nanoseconds of the monotonic clock; never for 0.
static inline void linux_timer_arm(int descriptor, int64_t deadline) {
  struct itimerspec when;
  memset(&when, 0, sizeof when);
  when.it_value.tv_sec = deadline / 1000000000;
  when.it_value.tv_nsec = deadline % 1000000000;
  timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &when, NULL);
}

static inline int linux_inotify_create(void) { return (int)linux_result(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)); }
// The size of struct inotify_event, and the offset of the length of the name that follows it.
static const long linux_inotify_header = sizeof(struct inotify_event);
static const long linux_inotify_length = offsetof(struct inotify_event, len);
// Reports files created, removed, renamed or written in `folder`, and the end of the folder itself.
static inline int linux_inotify_folder(int inotify, const char *folder) {
  return (int)linux_result(inotify_add_watch(
      inotify, folder,
      IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR));
}
static inline int linux_inotify_forget(int inotify, int watch) {
  return (int)linux_result(inotify_rm_watch(inotify, watch));
}

// Loads a number that other threads or signal handlers change.
static inline uint32_t linux_load(const uint32_t *number) { return __atomic_load_n(number, __ATOMIC_RELAXED); }

static inline int64_t linux_nanoseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
static inline int64_t linux_monotonic(void) { return linux_nanoseconds(CLOCK_MONOTONIC); }
static inline int64_t linux_realtime(void) { return linux_nanoseconds(CLOCK_REALTIME); }

// The processor's counter of time, which one instruction reads; the unit follows from a comparison with a clock.
static inline int64_t linux_ticks(void) {
#if defined(__x86_64__)
  return (int64_t)__builtin_ia32_rdtsc();
#else
  return linux_monotonic();
#endif
}

// Raises the soft limit of descriptors to `wanted` or the hard limit; returns the new limit, or -errno.
static inline long linux_raise_descriptor_limit(uint64_t wanted) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -(long)errno;
  if (limit.rlim_cur >= wanted) return (long)limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : (rlim_t)wanted;
  return setrlimit(RLIMIT_NOFILE, &limit) != 0 ? -(long)errno : (long)limit.rlim_cur;
}

// ---- terminals ----------------------------------------------------------------------------------------------------

// The size of the terminal at `descriptor` in cells; -ENOTTY if it is not a terminal.
static inline int linux_terminal_size(int descriptor, int32_t *rows, int32_t *columns) {
  struct winsize size;
  int result = (int)linux_result(ioctl(descriptor, TIOCGWINSZ, &size));
  if (result < 0) return result;
  *rows = size.ws_row;
  *columns = size.ws_col;
  return 0;
}

// ---- programs -----------------------------------------------------------------------------------------------------

// The path by which this program was started (AT_EXECFN of getauxval(3)); NULL if the kernel does not say.
static inline const char *linux_program_name(void) { return (const char *)getauxval(AT_EXECFN); }

// Whether the locale `name` is installed, and its characters are UTF-8.
static inline int linux_locale_is_utf8(const char *name) {
  locale_t locale = newlocale(LC_CTYPE_MASK, name, (locale_t)0);
  if (!locale) return 0;
  int is_utf8 = strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
  freelocale(locale);
  return is_utf8;
}

// A file in memory, not inherited by started programs (MFD_CLOEXEC).
static inline int linux_memory_file(const char *name) { return (int)linux_result(memfd_create(name, 1U)); }

// Starts `path`, which may be a bare name in PATH, in its own session, out of reach of the terminal's keys. It inherits
// only `input`, `output` and `messages` as 0, 1 and 2 (/dev/null for a negative one); no signal is blocked, and
// SIGPIPE, SIGXFSZ and SIGCHLD have their default actions. Returns its process id, or -errno, including that of
// execve(2).
static inline int linux_start(
    const char *path, char *const *arguments, char *const *environment, int input, int output, int messages) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, usual;
  pid_t child = 0;
  // POSIX_SPAWN_SETSID, which glibc declares under _GNU_SOURCE only.
  const short own_session = 0x80;
  sigemptyset(&none);
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  sigaddset(&usual, SIGXFSZ);
  sigaddset(&usual, SIGCHLD);
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  const int given[3] = {input, output, messages};
  int error = 0;
  for (int number = 0; number < 3 && !error; number++)
    error = given[number] < 0 ? posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
                              : posix_spawn_file_actions_adddup2(&actions, given[number], number);
  if (!error) error = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  if (!error) error = posix_spawnattr_setsigmask(&attributes, &none);
  if (!error) error = posix_spawnattr_setsigdefault(&attributes, &usual);
  if (!error)
    error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | own_session);
  if (!error) error = posix_spawnp(&child, path, &actions, &attributes, arguments, environment);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error ? -error : child;
}

// Ends this process when `parent` does, which has started it, and limits its private memory to `bytes`; -ESRCH if the
// parent has ended already.
static inline int linux_confine(pid_t parent, uint64_t bytes) {
  struct rlimit limit;
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getrlimit(RLIMIT_DATA, &limit) != 0) return -errno;
  if (limit.rlim_max > bytes) limit.rlim_max = bytes;
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_DATA, &limit) != 0) return -errno;
  return getppid() == parent ? 0 : -ESRCH;
}

// ---- memory -------------------------------------------------------------------------------------------------------

// Allocations of `size` bytes and more get their own mapping, so that free(3) unmaps them. Only glibc supports this.
static inline void linux_return_large_memory(int size) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, size);
#else
  (void)size;
#endif
}

// ---- users --------------------------------------------------------------------------------------------------------

// Whether all three ids of this process are `user` and `group`.
static inline int linux_is(uid_t user, gid_t group) {
  uid_t users[3];
  gid_t groups[3];
  if (getresuid(&users[0], &users[1], &users[2]) != 0 || getresgid(&groups[0], &groups[1], &groups[2]) != 0) return 0;
  for (int index = 0; index < 3; index++)
    if (users[index] != user || groups[index] != group) return 0;
  return 1;
}
// Permanently drops root's rights: this process, with all its threads, becomes `user` with `group` and `groups`.
static inline int linux_become(uid_t user, gid_t group, const gid_t *groups, size_t count) {
  if (setgroups(count, groups) != 0 || setresgid(group, group, group) != 0 || setresuid(user, user, user) != 0)
    return -errno;
  // Regaining root's rights must fail.
  return linux_is(user, group) && setuid(0) != 0 ? 0 : -EPERM;
}
