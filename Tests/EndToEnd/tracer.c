// Runs a command, and lists or disturbs the system calls of one of its programs.
//
//   tracer PROGRAM REPORT ACTION SITE NTH VALUE COMMAND ARGUMENT...
//
// PROGRAM is the file name of the program. Its calls count from the first one of main() to the end of the program, in
// all threads; those of the dynamic loader, of the C library's start and of other programs are not seen. A call has a
// site: a hash of its number and of the nearest return addresses into the program. It is the NTH one of its site, from
// 1. SITE or NTH 0 stands for all.
//
//   record  changes nothing
//   fail    the call returns the error number VALUE and does nothing; as in the kernel, close(2) closes all the same,
//           and EPIPE and ECONNRESET come with a socket that is shut down and with SIGPIPE
//   short   the call moves one byte at most, where the file or socket can move a part
//   delay   the thread waits for VALUE milliseconds before the call
//   kill    everything is killed before the call: a power cut, as the program sees it
//   crash   the process of the call is killed before it, and no other one
//   loop    after the call, the thread is in an endless loop that calls nothing
//
// REPORT gets a line for each call that is listed: name, site, number at the site, kind of its descriptor, path, `child`
// if it is one of a program that the first one has started, else `-`, and six arguments. After an action that is meant
// for one call comes a line with its name.
//
// The exit status is that of the command, or 128 and the number of the signal that has ended it.

#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

// Return addresses that a site has, bytes of the stack in which they are looked for, instructions of the entry point.
enum { DEPTH = 5, STACK = 8192, ENTRY = 64, TRACEES = 256, SITES = 8192 };

static void fail(const char *what) {
  perror(what);
  exit(125);
}

// ---- The machine: registers, calls and breakpoints.

#if defined(__x86_64__)
typedef struct user_regs_struct registers;
#define ARGUMENT_REGISTER(number) ((size_t[]){                                                          \
    offsetof(struct user_regs_struct, rdi), offsetof(struct user_regs_struct, rsi),                      \
    offsetof(struct user_regs_struct, rdx), offsetof(struct user_regs_struct, r10),                      \
    offsetof(struct user_regs_struct, r8), offsetof(struct user_regs_struct, r9)}[number])
enum { BREAKPOINT = 0xcc, BREAKPOINT_SIZE = 1, BREAKPOINT_STEP = 1 };

static uint64_t *counter_of(registers *now) { return (uint64_t *)&now->rip; }
static uint64_t first_argument(const registers *now) { return now->rdi; }
static uint64_t *result_of(registers *now) { return (uint64_t *)&now->rax; }
static uint64_t frame_of(const registers *now) { return now->rbp; }

// An instruction that jumps to itself.
static const uint8_t endless[] = {0xeb, 0xfe};

static void set_number(pid_t thread, registers *now, long number) {
  (void)thread;
  now->orig_rax = (uint64_t)number;
}

// Whether an instruction calls: a direct one, after any prefix of its address size, or one through memory.
static int is_call(const uint8_t *code) {
  if (code[0] == 0x67) code++;
  return code[0] == 0xe8 || (code[0] == 0xff && (code[1] >> 3 & 7) == 2);
}

// Whether the instruction before `code` calls.
static int is_after_call(const uint8_t *code) {
  if (code[-5] == 0xe8) return 1;
  for (int size = 2; size <= 7; size++)
    if (code[-size] == 0xff && (code[1 - size] >> 3 & 7) == 2) return 1;
  return 0;
}
#elif defined(__aarch64__)
typedef struct user_regs_struct registers;
#define ARGUMENT_REGISTER(number) (offsetof(struct user_regs_struct, regs) + 8 * (size_t)(number))
enum { BREAKPOINT = 0xd4200000, BREAKPOINT_SIZE = 4, BREAKPOINT_STEP = 0 };

static uint64_t *counter_of(registers *now) { return (uint64_t *)&now->pc; }
static uint64_t first_argument(const registers *now) { return now->regs[0]; }
static uint64_t *result_of(registers *now) { return (uint64_t *)&now->regs[0]; }
static uint64_t frame_of(const registers *now) { return now->regs[29]; }

static const uint8_t endless[] = {0x00, 0x00, 0x00, 0x14};

static void set_number(pid_t thread, registers *now, long number) {
  (void)now;
  int value = (int)number;
  struct iovec part = {&value, sizeof value};
  if (ptrace(PTRACE_SETREGSET, thread, (void *)NT_ARM_SYSTEM_CALL, &part) != 0) fail("ptrace");
}

static int is_call(const uint8_t *code) {
  uint32_t word;
  memcpy(&word, code, sizeof word);
  return (word & 0xfc000000) == 0x94000000 || (word & 0xfffffc1f) == 0xd63f0000;
}

static int is_after_call(const uint8_t *code) { return is_call(code - 4); }
#else
#error "unknown machine"
#endif

static registers get(pid_t thread) {
  registers now;
  struct iovec part = {&now, sizeof now};
  if (ptrace(PTRACE_GETREGSET, thread, (void *)NT_PRSTATUS, &part) != 0 && errno != ESRCH) fail("ptrace");
  return now;
}

static void set(pid_t thread, registers *now) {
  struct iovec part = {now, sizeof *now};
  if (ptrace(PTRACE_SETREGSET, thread, (void *)NT_PRSTATUS, &part) != 0 && errno != ESRCH) fail("ptrace");
}

// Copies memory of another process, up to the first page that is not there; the number of bytes.
static size_t look(pid_t thread, uint64_t address, void *to, size_t size) {
  struct iovec here = {to, size}, there[1 + STACK / 4096 + 1];
  unsigned long pages = 0;
  for (uint64_t at = address, end = address + size; at < end && pages < sizeof there / sizeof there[0]; pages++) {
    uint64_t next = (at | 4095) + 1 < end ? (at | 4095) + 1 : end;
    there[pages] = (struct iovec){(void *)at, next - at};
    at = next;
  }
  ssize_t count = process_vm_readv(thread, &here, 1, there, pages, 0);
  return count < 0 ? 0 : (size_t)count;
}

// Changes memory, also that of instructions, which process_vm_writev(2) may not.
static void change(pid_t thread, uint64_t address, const void *from, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/mem", thread);
  int memory = open(path, O_RDWR | O_CLOEXEC);
  if (memory < 0 || pwrite(memory, from, size, (off_t)address) != (ssize_t)size) fail(path);
  close(memory);
}

// ---- The traced program: where its instructions are, and its sites.

static const char *program;
static struct { uint64_t base, start, end; const uint8_t *code; size_t size; } image;
// The instructions of the dynamic loader, which also opens libraries later.
static struct { uint64_t start, end; } loader;

// Whether the process runs the program; finds its instructions and those of the loader then.
static int find_image(pid_t process) {
  char path[64], name[4096], line[4600];
  snprintf(path, sizeof path, "/proc/%d/exe", process);
  ssize_t length = readlink(path, name, sizeof name - 1);
  if (length < 0) return 0;
  name[length] = 0;
  const char *last = strrchr(name, '/');
  if (strcmp(last ? last + 1 : name, program) != 0) return 0;
  snprintf(path, sizeof path, "/proc/%d/maps", process);
  FILE *maps = fopen(path, "re");
  if (!maps) return 0;
  image.base = image.end = loader.start = loader.end = 0;
  while (fgets(line, sizeof line, maps)) {
    uint64_t start, end, offset;
    char rights[8];
    int rest = 0;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n", &start, &end, rights, &offset, &rest) < 4)
      continue;
    if (rights[2] == 'x' && strstr(line + rest, "/ld-linux")) {
      loader.start = start;
      loader.end = end;
    }
    if (strncmp(line + rest, name, (size_t)length) != 0) continue;
    if (image.base == 0) image.base = start - offset;
    if (rights[2] != 'x' || image.end == end) continue;
    int file = open(name, O_RDONLY | O_CLOEXEC);
    image.start = start;
    image.end = end;
    image.size = end - start;
    image.code = mmap(NULL, image.size, PROT_READ, MAP_PRIVATE, file, (off_t)offset);
    if (file < 0 || image.code == MAP_FAILED) fail(name);
    close(file);
  }
  fclose(maps);
  return image.code != NULL;
}

static uint64_t entry_point(pid_t process) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/auxv", process);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  uint64_t values[128] = {0};
  if (file < 0 || read(file, values, sizeof values - 16) < 0) fail(path);
  close(file);
  for (size_t i = 0; i + 1 < sizeof values / sizeof values[0] && values[i] != AT_NULL; i += 2)
    if (values[i] == AT_ENTRY) return values[i + 1];
  fail("no entry point");
  return 0;
}

static uint64_t mixed(uint64_t hash, uint64_t value) {
  for (int i = 0; i < 8; i++) hash = (hash ^ (value >> 8 * i & 0xff)) * 0x100000001b3;
  return hash;
}

static int is_return_address(uint64_t word) {
  return word >= image.start + 8 && word < image.end && is_after_call(image.code + (word - image.start));
}

// The call's number and the nearest return addresses into the program, as one number: the first one on the stack, which
// the C library's frames may precede, then those of the frames that the frame pointer leads to.
static uint64_t site_of(pid_t thread, uint64_t number, uint64_t stack) {
  uint64_t words[STACK / 8], hash = mixed(0xcbf29ce484222325, number);
  stack &= ~7ull;
  size_t count = look(thread, stack, words, sizeof words) / 8, at = 0;
  while (at < count && !is_return_address(words[at])) at++;
  if (at < count) hash = mixed(hash, words[at] - image.base);
  registers now = get(thread);
  uint64_t frame = frame_of(&now), last = stack + 8 * at;
  for (int found = 1; found < DEPTH && frame > last && frame % 8 == 0 && (frame - stack) / 8 + 1 < count; found++) {
    at = (frame - stack) / 8;
    if (!is_return_address(words[at + 1])) break;
    hash = mixed(hash, words[at + 1] - image.base);
    last = frame;
    frame = words[at];
  }
  // A number that fits in any language's integers, and is not 0.
  return (hash >> 16) | 1;
}

// How often a site has been seen, with this time.
static uint64_t count_at(uint64_t site) {
  static struct { uint64_t site, count; } sites[SITES];
  for (size_t i = site % SITES, tried = 0; tried < SITES; i = (i + 1) % SITES, tried++) {
    if (sites[i].site != 0 && sites[i].site != site) continue;
    sites[i].site = site;
    return ++sites[i].count;
  }
  fail("too many sites");
  return 0;
}

// ---- Threads.

// A thread is FOREIGN in another program, then on its way to main(), then COUNTED. NEW ones wait for the event of the
// thread that has made them.
enum state { NEW, FOREIGN, LOADING, STEPPING, STARTING, COUNTED };

static struct tracee {
  pid_t thread, process;
  enum state state;
  // Whether the program was started by the first one.
  int is_child;
  int is_stopped;
  // The memory under a breakpoint.
  uint64_t place;
  uint8_t original[8];
  // For the return of the call: the error that it gets, an argument or a message header to restore, the endless loop.
  int error, has_argument, loops;
  size_t argument;
  uint64_t old;
  uint64_t header, parts;
  struct iovec part;
  size_t part_count;
} tracees[TRACEES];

static struct tracee *tracee_of(pid_t thread) {
  struct tracee *free = NULL;
  for (size_t i = 0; i < TRACEES; i++) {
    if (tracees[i].thread == thread) return &tracees[i];
    if (tracees[i].thread == 0 && !free) free = &tracees[i];
  }
  if (!free) fail("too many threads");
  *free = (struct tracee){.thread = thread, .process = thread};
  return free;
}

static void set_breakpoint(struct tracee *tracee, uint64_t place) {
  const uint32_t code = BREAKPOINT;
  tracee->place = place;
  if (look(tracee->thread, place, tracee->original, BREAKPOINT_SIZE) != BREAKPOINT_SIZE) fail("breakpoint");
  change(tracee->thread, place, &code, BREAKPOINT_SIZE);
}

static void remove_breakpoint(struct tracee *tracee) {
  change(tracee->thread, tracee->place, tracee->original, BREAKPOINT_SIZE);
  registers now = get(tracee->thread);
  *counter_of(&now) -= BREAKPOINT_STEP;
  set(tracee->thread, &now);
}

// Follows a program from its entry point, where it calls the C library with main() as the first argument, to main().
// False if the stop was not one of this way's.
static int approach_main(struct tracee *tracee) {
  if (tracee->state == LOADING || tracee->state == STARTING) {
    remove_breakpoint(tracee);
    tracee->state = tracee->state == LOADING ? STEPPING : COUNTED;
    return 1;
  }
  if (tracee->state != STEPPING) return 0;
  registers now = get(tracee->thread);
  uint8_t code[8];
  look(tracee->thread, *counter_of(&now), code, sizeof code);
  if (!is_call(code)) return 1;
  set_breakpoint(tracee, first_argument(&now));
  tracee->state = STARTING;
  return 1;
}

// ---- Calls.

#define CALL(name) {SYS_##name, #name},
static const struct { long number; const char *name; } calls[] = {
  CALL(read) CALL(write) CALL(pread64) CALL(pwrite64) CALL(readv) CALL(writev) CALL(recvfrom) CALL(sendto) CALL(recvmsg)
  CALL(sendmsg) CALL(sendfile) CALL(copy_file_range) CALL(openat) CALL(close) CALL(fcntl) CALL(flock) CALL(fsync)
  CALL(fdatasync) CALL(ftruncate) CALL(fallocate) CALL(renameat) CALL(renameat2) CALL(unlinkat) CALL(mkdirat)
  CALL(linkat) CALL(symlinkat) CALL(readlinkat) CALL(fchmod) CALL(fchmodat) CALL(fchown) CALL(fchownat) CALL(faccessat)
  CALL(faccessat2) CALL(newfstatat) CALL(fstat) CALL(statx) CALL(statfs) CALL(fstatfs) CALL(getdents64) CALL(chdir)
  CALL(getcwd) CALL(socket) CALL(socketpair) CALL(bind) CALL(listen) CALL(accept) CALL(accept4) CALL(connect)
  CALL(shutdown) CALL(getsockname) CALL(getpeername) CALL(getsockopt) CALL(setsockopt) CALL(epoll_create1)
  CALL(epoll_ctl) CALL(epoll_pwait) CALL(ppoll) CALL(pselect6) CALL(eventfd2) CALL(timerfd_create)
  CALL(timerfd_settime) CALL(signalfd4) CALL(inotify_init1) CALL(inotify_add_watch) CALL(inotify_rm_watch) CALL(pipe2)
  CALL(dup) CALL(dup3) CALL(memfd_create) CALL(pidfd_open) CALL(mmap) CALL(munmap) CALL(mremap) CALL(mprotect)
  CALL(madvise) CALL(msync) CALL(mlock) CALL(brk) CALL(clone) CALL(clone3) CALL(execve) CALL(wait4) CALL(waitid)
  CALL(kill) CALL(tgkill) CALL(futex) CALL(rt_sigaction) CALL(rt_sigprocmask) CALL(rt_sigreturn) CALL(sigaltstack)
  CALL(ioctl) CALL(prctl) CALL(prlimit64) CALL(getrandom) CALL(clock_nanosleep) CALL(nanosleep) CALL(sched_yield)
  CALL(sched_getaffinity) CALL(setpriority) CALL(set_robust_list) CALL(rseq) CALL(getpid) CALL(gettid) CALL(getuid)
  CALL(geteuid) CALL(getgid) CALL(getegid) CALL(setsid) CALL(uname) CALL(sysinfo) CALL(umask) CALL(lseek)
  CALL(exit_group) CALL(exit) CALL(restart_syscall) CALL(fadvise64) CALL(getresuid) CALL(getresgid)
#ifdef SYS_open
  CALL(open) CALL(stat) CALL(lstat) CALL(access) CALL(rename) CALL(unlink) CALL(mkdir) CALL(rmdir) CALL(chmod)
  CALL(chown) CALL(readlink) CALL(poll) CALL(select) CALL(epoll_wait) CALL(pipe) CALL(dup2) CALL(fork) CALL(vfork)
  CALL(alarm) CALL(pause) CALL(arch_prctl) CALL(link) CALL(symlink)
#endif
};

static const char *name_of(uint64_t number) {
  static char text[24];
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
    if ((uint64_t)calls[i].number == number) return calls[i].name;
  snprintf(text, sizeof text, "call-%" PRIu64, number);
  return text;
}

// The argument with the number of bytes that a call moves; -1 if it moves none, -2 if it has a message header.
static int size_argument(uint64_t number) {
  switch (number) {
    case SYS_read: case SYS_write: case SYS_pread64: case SYS_pwrite64: case SYS_recvfrom: case SYS_sendto: return 2;
    case SYS_readv: case SYS_writev: return 2;
    case SYS_sendfile: return 3;
    case SYS_copy_file_range: return 4;
    case SYS_recvmsg: case SYS_sendmsg: return -2;
    default: return -1;
  }
}

// The path that a call has among its arguments; empty for other calls.
static const char *path_of(pid_t thread, const char *name, const uint64_t *arguments) {
  static const char *const first[] = {
    "open", "stat", "lstat", "access", "readlink", "unlink", "mkdir", "rename", "chdir", NULL};
  static const char *const second[] = {
    "openat", "newfstatat", "statx", "faccessat", "faccessat2", "readlinkat", "unlinkat", "mkdirat", "renameat",
    "renameat2", "inotify_add_watch", NULL};
  static char path[256];
  int at = -1;
  for (size_t i = 0; first[i]; i++) if (strcmp(name, first[i]) == 0) at = 0;
  for (size_t i = 0; second[i]; i++) if (strcmp(name, second[i]) == 0) at = 1;
  size_t size = at < 0 ? 0 : look(thread, arguments[at], path, sizeof path - 1);
  path[size] = 0;
  for (char *byte = path; *byte; byte++) if ((unsigned char)*byte < ' ') *byte = '?';
  return path;
}

// What a descriptor of a process is: one word, with `+` if it does not block; `-` for none.
static const char *kind_of(pid_t process, uint64_t number) {
  static char kind[80];
  int handle = (int)syscall(SYS_pidfd_open, process, 0);
  int copy = handle < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, handle, (int)number, 0);
  struct stat status;
  const char *word = "-";
  char path[64], target[64] = "";
  if (copy >= 0 && fstat(copy, &status) == 0) {
    int type = 0;
    socklen_t size = sizeof type;
    snprintf(path, sizeof path, "/proc/self/fd/%d", copy);
    if (readlink(path, target, sizeof target - 1) < 0) target[0] = 0;
    switch (status.st_mode & S_IFMT) {
      case S_IFREG: word = strncmp(target, "/memfd:", 7) == 0 ? "memory" : "file"; break;
      case S_IFDIR: word = "folder"; break;
      case S_IFIFO: word = "pipe"; break;
      case S_IFCHR: word = isatty(copy) ? "tty" : "device"; break;
      case S_IFSOCK:
        getsockopt(copy, SOL_SOCKET, SO_TYPE, &type, &size);
        word = type == SOCK_STREAM ? "stream" : "datagram";
        break;
      default: word = strchr(target, ':') ? strchr(target, ':') + 1 : "other";
    }
  }
  snprintf(kind, sizeof kind, "%s%s", word, copy >= 0 && fcntl(copy, F_GETFL) & O_NONBLOCK ? "+" : "");
  if (copy >= 0) close(copy);
  if (handle >= 0) close(handle);
  return kind;
}

// Whether what a descriptor stands for moves bytes, and not whole messages.
static int is_divisible(const char *kind) {
  return strncmp(kind, "file", 4) == 0 || strncmp(kind, "pipe", 4) == 0 || strncmp(kind, "stream", 6) == 0 ||
         strncmp(kind, "tty", 3) == 0;
}

static enum { RECORD, FAIL, SHORT, DELAY, KILL, CRASH, LOOP } action;
static const char *const actions[] = {"record", "fail", "short", "delay", "kill", "crash", "loop"};
static uint64_t wanted_site, wanted_nth, value;
static int is_done;
static FILE *report;
static pid_t held;

// Makes a call with a message header move one byte.
static void shorten_message(struct tracee *tracee, uint64_t address) {
  struct msghdr header;
  struct iovec part;
  if (look(tracee->thread, address, &header, sizeof header) != sizeof header || header.msg_iovlen == 0) return;
  if (look(tracee->thread, (uint64_t)header.msg_iov, &part, sizeof part) != sizeof part || part.iov_len < 2) return;
  tracee->header = address + offsetof(struct msghdr, msg_iovlen);
  tracee->part_count = header.msg_iovlen;
  tracee->parts = (uint64_t)header.msg_iov;
  tracee->part = part;
  const size_t one = 1;
  part.iov_len = 1;
  change(tracee->thread, tracee->parts, &part, sizeof part);
  change(tracee->thread, tracee->header, &one, sizeof one);
}

static void shorten(struct tracee *tracee, uint64_t number, const uint64_t *arguments) {
  int at = size_argument(number);
  if (at == -1 || !is_divisible(kind_of(tracee->process, arguments[0]))) return;
  if (at == -2) return shorten_message(tracee, arguments[1]);
  if (arguments[at] < 2) return;
  registers now = get(tracee->thread);
  tracee->has_argument = 1;
  tracee->argument = ARGUMENT_REGISTER(at);
  uint64_t *argument = (uint64_t *)((char *)&now + tracee->argument);
  tracee->old = *argument;
  *argument = 1;
  set(tracee->thread, &now);
}

// Makes true what EPIPE and ECONNRESET say: the other end of a socket is gone, and writing to it is a signal.
static void break_connection(struct tracee *tracee, uint64_t number, const uint64_t *arguments) {
  if (value != EPIPE && value != ECONNRESET) return;
  int is_quiet = number == SYS_sendto ? (arguments[3] & MSG_NOSIGNAL) != 0 : 0;
  is_quiet |= number == SYS_sendmsg && (arguments[2] & MSG_NOSIGNAL) != 0;
  int handle = (int)syscall(SYS_pidfd_open, tracee->process, 0);
  int copy = handle < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, handle, (int)arguments[0], 0);
  if (copy >= 0) shutdown(copy, SHUT_RDWR);
  if (copy >= 0) close(copy);
  if (handle >= 0) close(handle);
  if (value == EPIPE && !is_quiet) syscall(SYS_tgkill, tracee->process, tracee->thread, SIGPIPE);
}

static void act(struct tracee *tracee, uint64_t number, const uint64_t *arguments, pid_t child) {
  is_done = wanted_site != 0 && wanted_nth != 0;
  if (is_done) fprintf(report, "%s\n", actions[action]);
  switch (action) {
    case RECORD: break;
    case KILL: kill(child, SIGKILL); break;
    case CRASH: kill(tracee->process, SIGKILL); break;
    case LOOP: tracee->loops = 1; break;
    case SHORT: shorten(tracee, number, arguments); break;
    case FAIL:
      tracee->error = (int)value;
      if (number == SYS_close) break;
      break_connection(tracee, number, arguments);
      registers now = get(tracee->thread);
      set_number(tracee->thread, &now, -1);
      set(tracee->thread, &now);
      break;
    case DELAY: {
      // It rings until it is stopped: one that rings just before waitpid(2) would be missed.
      struct itimerval alarm = {{0, 2000}, {(time_t)(value / 1000), (suseconds_t)(value % 1000 * 1000 + 1)}};
      held = tracee->thread;
      setitimer(ITIMER_REAL, &alarm, NULL);
    }
  }
}

static void enter(struct tracee *tracee, const struct __ptrace_syscall_info *info, pid_t child) {
  if (info->instruction_pointer >= loader.start && info->instruction_pointer < loader.end) return;
  uint64_t number = info->entry.nr;
  // Calls of a child are counted apart from those of the process that waits for it, as both run at the same time.
  uint64_t site = site_of(tracee->thread, number, info->stack_pointer) ^ (tracee->is_child ? 2 : 0);
  uint64_t nth = count_at(site);
  if (action == RECORD || action == KILL) {
    uint64_t arguments[6];
    for (int i = 0; i < 6; i++) arguments[i] = info->entry.args[i];
    const char *name = name_of(number);
    fprintf(report, "%s\t%" PRIu64 "\t%" PRIu64 "\t%s\t%s\t%s", name, site, nth,
            kind_of(tracee->process, arguments[0]), path_of(tracee->thread, name, arguments),
            tracee->is_child ? "child" : "-");
    for (int i = 0; i < 6; i++) fprintf(report, "\t%" PRIx64, arguments[i]);
    fprintf(report, "\n");
  }
  if ((wanted_site == 0 || wanted_site == site) && (wanted_nth == 0 || wanted_nth == nth))
    act(tracee, number, info->entry.args, child);
}

static int needs_return(const struct tracee *tracee) {
  return tracee->error != 0 || tracee->has_argument || tracee->header != 0 || tracee->loops;
}

static void leave(struct tracee *tracee) {
  if (!needs_return(tracee)) return;
  registers now = get(tracee->thread);
  if (tracee->loops) change(tracee->thread, *counter_of(&now), endless, sizeof endless);
  if (tracee->error != 0) *result_of(&now) = (uint64_t)-(int64_t)tracee->error;
  if (tracee->has_argument) *(uint64_t *)((char *)&now + tracee->argument) = tracee->old;
  set(tracee->thread, &now);
  if (tracee->header != 0) {
    change(tracee->thread, tracee->parts, &tracee->part, sizeof tracee->part);
    change(tracee->thread, tracee->header, &tracee->part_count, sizeof tracee->part_count);
  }
  tracee->error = tracee->has_argument = tracee->loops = 0;
  tracee->header = 0;
}

// ---- The loop.

static void resume(struct tracee *tracee, int signal) {
  int how = tracee->state == STEPPING ? PTRACE_SINGLESTEP
            : tracee->state == COUNTED && (!is_done || needs_return(tracee)) ? PTRACE_SYSCALL : PTRACE_CONT;
  tracee->is_stopped = 0;
  // A thread that has been killed meanwhile cannot be continued.
  if (ptrace(how, tracee->thread, NULL, (void *)(long)signal) != 0 && errno != ESRCH) fail("ptrace");
}

static void see_child(struct tracee *parent, int event) {
  unsigned long number = 0;
  if (ptrace(PTRACE_GETEVENTMSG, parent->thread, NULL, &number) != 0) return;
  enum state state = parent->state;
  pid_t process = parent->process;
  struct tracee *made = tracee_of((pid_t)number);
  made->state = state;
  made->is_child = parent->is_child;
  made->process = event == PTRACE_EVENT_CLONE ? process : made->thread;
  if (made->is_stopped) resume(made, 0);
}

// Handles the stop of a thread; the signal that it is to get, or -1 if it is not to continue yet.
static int handle_stop(struct tracee *tracee, int status, pid_t child) {
  int event = status >> 16, signal = WSTOPSIG(status);
  if (signal == (SIGTRAP | 0x80)) {
    struct __ptrace_syscall_info info;
    long size = ptrace(PTRACE_GET_SYSCALL_INFO, tracee->thread, (void *)sizeof info, &info);
    if (tracee->state != COUNTED || size <= 0) return 0;
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY && !is_done) enter(tracee, &info, child);
    if (info.op == PTRACE_SYSCALL_INFO_EXIT) leave(tracee);
    return held == tracee->thread ? -1 : 0;
  }
  if (event == PTRACE_EVENT_CLONE || event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK) {
    see_child(tracee, event);
    return 0;
  }
  if (event == PTRACE_EVENT_EXEC) {
    static pid_t first;
    tracee->state = find_image(tracee->thread) ? LOADING : FOREIGN;
    tracee->process = tracee->thread;
    if (tracee->state == FOREIGN) return 0;
    if (first == 0) first = tracee->process;
    tracee->is_child = tracee->process != first;
    set_breakpoint(tracee, entry_point(tracee->thread));
    return 0;
  }
  if (tracee->state == NEW) {
    tracee->is_stopped = 1;
    return -1;
  }
  if (signal == SIGTRAP && event == 0 && approach_main(tracee)) return 0;
  // A new thread starts with a stop, which is not its program's.
  return event != 0 || signal == SIGSTOP ? 0 : signal;
}

static volatile sig_atomic_t target, rang;
static void ring(int signal) { (void)signal; rang = 1; }
static void forward(int signal) { if (target > 0) kill(target, signal); }

static void release_held(void) {
  const struct itimerval none = {{0, 0}, {0, 0}};
  if (!rang || held == 0) return;
  setitimer(ITIMER_REAL, &none, NULL);
  struct tracee *tracee = tracee_of(held);
  held = rang = 0;
  resume(tracee, 0);
}

static pid_t start(char **command) {
  pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) {
    personality(ADDR_NO_RANDOMIZE);
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    execvp(command[0], command);
    _exit(127);
  }
  int status;
  if (waitpid(child, &status, 0) != child) fail("waitpid");
  long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                 PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
  if (ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)options) != 0) fail("ptrace");
  return child;
}

static void take_signals(void) {
  struct sigaction on_alarm = {.sa_handler = ring}, passed = {.sa_handler = forward, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &on_alarm, NULL);
  const int numbers[] = {SIGTERM, SIGHUP, SIGINT, SIGUSR1, SIGUSR2};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) sigaction(numbers[i], &passed, NULL);
}

int main(int argc, char **argv) {
  if (argc < 8) return 125;
  program = argv[1];
  report = fopen(argv[2], "we");
  if (!report) fail(argv[2]);
  setvbuf(report, NULL, _IOLBF, 0);
  for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
    if (strcmp(argv[3], actions[i]) == 0) action = (int)i;
  wanted_site = strtoull(argv[4], NULL, 10);
  wanted_nth = strtoull(argv[5], NULL, 10);
  value = strtoull(argv[6], NULL, 10);
  pid_t child = start(argv + 7), thread;
  target = child;
  take_signals();
  tracee_of(child)->state = FOREIGN;
  resume(tracee_of(child), 0);
  int status, end = 0;
  while ((thread = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
    release_held();
    if (thread <= 0) continue;
    struct tracee *tracee = tracee_of(thread);
    if (!WIFSTOPPED(status)) {
      if (thread == child) end = status;
      *tracee = (struct tracee){0};
      continue;
    }
    int signal = handle_stop(tracee, status, child);
    if (signal >= 0) resume(tracee, signal);
  }
  if (fclose(report) != 0) fail(argv[2]);
  return WIFSIGNALED(end) ? 128 + WTERMSIG(end) : WEXITSTATUS(end);
}
