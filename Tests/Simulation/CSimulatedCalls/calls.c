// The C library's functions that the server calls, defined in the program: see CSimulatedCalls.h.
//
// _FORTIFY_SOURCE would declare inline versions of some of them.
#undef _FORTIFY_SOURCE
#define _GNU_SOURCE
#include "CSimulatedCalls.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static struct simulated_calls kernel;
static int is_active;

void simulated_calls_install(const struct simulated_calls *calls) {
  is_active = calls != NULL;
  if (calls != NULL) kernel = *calls;
}

// The C library's own function of the same name.
#define LIBRARY(name) \
  static __typeof__(&name) library; \
  if (library == NULL) library = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static int is_simulated(int descriptor) { return is_active && descriptor >= SIMULATED_DESCRIPTOR; }

static int is_simulated_path(const char *path) {
  return is_active && strncmp(path, SIMULATED_ROOT, sizeof SIMULATED_ROOT - 1) == 0;
}

static long result(long value) {
  if (value >= 0) return value;
  errno = (int)-value;
  return -1;
}

// ---- time ---------------------------------------------------------------------------------------------------------

int clock_gettime(clockid_t clock, struct timespec *time) {
  LIBRARY(clock_gettime);
  if (!is_active || (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME)) return library(clock, time);
  int64_t now = kernel.clock(kernel.context, clock == CLOCK_REALTIME);
  time->tv_sec = now / 1000000000;
  time->tv_nsec = now % 1000000000;
  return 0;
}

int timerfd_create(int clock, int flags) {
  LIBRARY(timerfd_create);
  return is_active ? (int)result(kernel.timer_create(kernel.context)) : library(clock, flags);
}

int timerfd_settime(int descriptor, int flags, const struct itimerspec *new, struct itimerspec *old) {
  LIBRARY(timerfd_settime);
  if (!is_simulated(descriptor)) return library(descriptor, flags, new, old);
  int64_t deadline = (int64_t)new->it_value.tv_sec * 1000000000 + new->it_value.tv_nsec;
  return (int)result(kernel.timer_arm(kernel.context, descriptor, deadline));
}

// ---- events -------------------------------------------------------------------------------------------------------

int epoll_create1(int flags) {
  LIBRARY(epoll_create1);
  return is_active ? (int)result(kernel.epoll_create(kernel.context)) : library(flags);
}

int epoll_ctl(int epoll, int operation, int descriptor, struct epoll_event *event) {
  LIBRARY(epoll_ctl);
  if (!is_simulated(epoll)) return library(epoll, operation, descriptor, event);
  uint32_t interest = event == NULL ? 0 : event->events;
  uint64_t token = event == NULL ? 0 : event->data.u64;
  return (int)result(kernel.epoll_change(kernel.context, epoll, operation, descriptor, interest, token));
}

int epoll_wait(int epoll, struct epoll_event *events, int capacity, int milliseconds) {
  enum { maximum = 256 };
  LIBRARY(epoll_wait);
  if (!is_simulated(epoll)) return library(epoll, events, capacity, milliseconds);
  struct simulated_event found[maximum];
  int limit = capacity < maximum ? capacity : maximum;
  int count = (int)result(kernel.epoll_wait(kernel.context, epoll, found, limit, milliseconds));
  for (int index = 0; index < count; index++) {
    events[index].events = found[index].events;
    events[index].data.u64 = found[index].token;
  }
  return count;
}

int eventfd(unsigned int value, int flags) {
  LIBRARY(eventfd);
  return is_active ? (int)result(kernel.event_create(kernel.context)) : library(value, flags);
}

int signalfd(int descriptor, const sigset_t *signals, int flags) {
  LIBRARY(signalfd);
  if (!is_active) return library(descriptor, signals, flags);
  uint64_t mask = 0;
  for (int number = 1; number < 64; number++)
    if (sigismember(signals, number) == 1) mask |= (uint64_t)1 << number;
  return (int)result(kernel.signal_create(kernel.context, mask));
}

int inotify_init1(int flags) {
  LIBRARY(inotify_init1);
  return is_active ? (int)result(kernel.watch_create(kernel.context)) : library(flags);
}

int inotify_add_watch(int descriptor, const char *path, uint32_t mask) {
  LIBRARY(inotify_add_watch);
  if (!is_simulated(descriptor)) return library(descriptor, path, mask);
  return (int)result(kernel.watch_add(kernel.context, descriptor, path));
}

int inotify_rm_watch(int descriptor, int watch) {
  LIBRARY(inotify_rm_watch);
  if (!is_simulated(descriptor)) return library(descriptor, watch);
  return (int)result(kernel.watch_remove(kernel.context, descriptor, watch));
}

long simulated_watch_event(void *bytes, size_t count, int watch, uint32_t mask, const char *name) {
  size_t length = name[0] == 0 ? 0 : (strlen(name) / 16 + 1) * 16;
  size_t size = sizeof(struct inotify_event) + length;
  if (size > count) return 0;
  struct inotify_event event = {.wd = watch, .mask = mask, .len = (uint32_t)length};
  memset(bytes, 0, size);
  memcpy(bytes, &event, sizeof event);
  strcpy((char *)bytes + sizeof event, name);
  return (long)size;
}

// ---- sockets ------------------------------------------------------------------------------------------------------

ssize_t recv(int descriptor, void *bytes, size_t count, int flags) {
  LIBRARY(recv);
  if (!is_simulated(descriptor)) return library(descriptor, bytes, count, flags);
  return result(kernel.receive(kernel.context, descriptor, bytes, count, (flags & MSG_PEEK) != 0));
}

ssize_t send(int descriptor, const void *bytes, size_t count, int flags) {
  LIBRARY(send);
  if (!is_simulated(descriptor)) return library(descriptor, bytes, count, flags);
  return result(kernel.send(kernel.context, descriptor, bytes, count));
}

int socket(int domain, int type, int protocol) {
  LIBRARY(socket);
  if (!is_active || domain != AF_UNIX) return library(domain, type, protocol);
  return (int)result(kernel.socket(kernel.context));
}

int bind(int descriptor, const struct sockaddr *address, socklen_t length) {
  LIBRARY(bind);
  if (!is_simulated(descriptor)) return library(descriptor, address, length);
  return (int)result(kernel.bind(kernel.context, descriptor, ((const struct sockaddr_un *)address)->sun_path));
}

int listen(int descriptor, int backlog) {
  LIBRARY(listen);
  if (!is_simulated(descriptor)) return library(descriptor, backlog);
  return (int)result(kernel.listen(kernel.context, descriptor));
}

int connect(int descriptor, const struct sockaddr *address, socklen_t length) {
  LIBRARY(connect);
  if (!is_simulated(descriptor)) return library(descriptor, address, length);
  return (int)result(kernel.connect(kernel.context, descriptor, ((const struct sockaddr_un *)address)->sun_path));
}

int accept4(int descriptor, struct sockaddr *restrict address, socklen_t *restrict length, int flags) {
  LIBRARY(accept4);
  if (!is_simulated(descriptor)) return library(descriptor, address, length, flags);
  return (int)result(kernel.accept(kernel.context, descriptor));
}

int getsockopt(int descriptor, int level, int option, void *restrict value, socklen_t *restrict length) {
  LIBRARY(getsockopt);
  if (!is_simulated(descriptor)) return library(descriptor, level, option, value, length);
  if (option != SO_PEERCRED) return (int)result(-ENOPROTOOPT);
  struct ucred credentials = {.pid = 1, .uid = 0, .gid = 0};
  int outcome = kernel.peer(kernel.context, descriptor, &credentials.uid);
  if (outcome == 0) memcpy(value, &credentials, sizeof credentials);
  return (int)result(outcome);
}

int shutdown(int descriptor, int how) {
  LIBRARY(shutdown);
  if (!is_simulated(descriptor)) return library(descriptor, how);
  return (int)result(kernel.shutdown(kernel.context, descriptor, how));
}

// ---- descriptors and files ----------------------------------------------------------------------------------------

ssize_t read(int descriptor, void *bytes, size_t count) {
  LIBRARY(read);
  if (!is_simulated(descriptor)) return library(descriptor, bytes, count);
  return result(kernel.read(kernel.context, descriptor, bytes, count));
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  LIBRARY(write);
  if (!is_simulated(descriptor)) return library(descriptor, bytes, count);
  return result(kernel.write(kernel.context, descriptor, bytes, count));
}

int close(int descriptor) {
  LIBRARY(close);
  return is_simulated(descriptor) ? (int)result(kernel.close(kernel.context, descriptor)) : library(descriptor);
}

// The simulated descriptor that a path of /proc names; -1 for any other path.
static int named_descriptor(const char *path) {
  static const char folder[] = "/proc/self/fd/";
  if (strncmp(path, folder, sizeof folder - 1) != 0) return -1;
  int number = atoi(path + sizeof folder - 1);
  return number >= SIMULATED_DESCRIPTOR ? number : -1;
}

static int opens(const char *path) {
  return is_active && (is_simulated_path(path) || named_descriptor(path) >= 0 || strcmp(path, "/dev/null") == 0);
}

int open(const char *path, int flags, ...) {
  LIBRARY(open);
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (!opens(path)) return library(path, flags, mode);
  return (int)result(kernel.open(kernel.context, path, named_descriptor(path), flags));
}

int openat(int folder, const char *path, int flags, ...) {
  LIBRARY(openat);
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (!opens(path)) return library(folder, path, flags, mode);
  return (int)result(kernel.open(kernel.context, path, named_descriptor(path), flags));
}

static int fill(long outcome, const struct simulated_status *from, struct stat *to) {
  if (outcome < 0) return (int)result(outcome);
  memset(to, 0, sizeof *to);
  to->st_dev = 1;
  to->st_ino = from->inode;
  to->st_nlink = from->links;
  to->st_mode = from->mode;
  to->st_uid = geteuid();
  to->st_size = from->size;
  to->st_mtim = (struct timespec){.tv_sec = from->modified / 1000000000, .tv_nsec = from->modified % 1000000000};
  to->st_ctim = (struct timespec){.tv_sec = from->changed / 1000000000, .tv_nsec = from->changed % 1000000000};
  return 0;
}

int fstat(int descriptor, struct stat *status) {
  LIBRARY(fstat);
  if (!is_simulated(descriptor)) return library(descriptor, status);
  struct simulated_status found;
  return fill(kernel.status(kernel.context, descriptor, &found), &found, status);
}

int stat(const char *restrict path, struct stat *restrict status) {
  LIBRARY(stat);
  if (!is_simulated_path(path)) return library(path, status);
  struct simulated_status found;
  return fill(kernel.path_status(kernel.context, path, &found), &found, status);
}

int lstat(const char *restrict path, struct stat *restrict status) {
  LIBRARY(lstat);
  if (!is_simulated_path(path)) return library(path, status);
  struct simulated_status found;
  return fill(kernel.path_status(kernel.context, path, &found), &found, status);
}

int unlink(const char *path) {
  LIBRARY(unlink);
  return is_simulated_path(path) ? (int)result(kernel.unlink(kernel.context, path)) : library(path);
}

int chmod(const char *path, mode_t mode) {
  LIBRARY(chmod);
  return is_simulated_path(path) ? 0 : library(path, mode);
}

int fchmod(int descriptor, mode_t mode) {
  LIBRARY(fchmod);
  return is_simulated(descriptor) ? 0 : library(descriptor, mode);
}

void *mmap(void *start, size_t size, int protection, int flags, int descriptor, off_t offset) {
  LIBRARY(mmap);
  if (!is_simulated(descriptor)) return library(start, size, protection, flags, descriptor, offset);
  int memory = (int)result(kernel.memory(kernel.context, descriptor));
  return memory < 0 ? MAP_FAILED : library(start, size, protection, flags, memory, offset);
}

int fcntl(int descriptor, int command, ...) {
  LIBRARY(fcntl);
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  if (!is_simulated(descriptor)) return library(descriptor, command, argument);
  if (command == F_SETLEASE || command == F_GETLEASE || command == F_SETSIG || command == F_SETOWN_EX)
    return (int)result(kernel.lease(kernel.context, descriptor, command, (int)(intptr_t)argument));
  return 0;
}

// ---- threads ------------------------------------------------------------------------------------------------------

enum { SIMULATED_THREAD = 0x51 };

int pthread_create(
    pthread_t *restrict thread, const pthread_attr_t *restrict attributes, void *(*start)(void *),
    void *restrict argument) {
  LIBRARY(pthread_create);
  if (!is_active) return library(thread, attributes, start, argument);
  *thread = SIMULATED_THREAD;
  return kernel.thread(kernel.context, start, argument);
}

int pthread_detach(pthread_t thread) {
  LIBRARY(pthread_detach);
  return is_active && thread == SIMULATED_THREAD ? 0 : library(thread);
}

void simulated_thread_run(void *(*start)(void *), void *argument) { (void)start(argument); }
