// Runs a program and kills it before one of its calls on files: a power cut, as the program sees it.
//
//   powercut N REPORT PROGRAM ARGUMENT...
//
// Calls are counted from the first file that is made exclusively (O_EXCL, a temporary file) to the end, over all threads.
// Before the N-th one everything is killed; 0 kills nothing. REPORT gets the name of each call that was counted.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// The calls that open, change, name and close files.
static const struct { long number; const char *name; } calls[] = {
  {SYS_openat, "openat"}, {SYS_write, "write"}, {SYS_fsync, "fsync"}, {SYS_close, "close"}, {SYS_flock, "flock"},
  {SYS_renameat, "renameat"}, {SYS_unlinkat, "unlinkat"}, {SYS_mkdirat, "mkdirat"}, {SYS_fchown, "fchown"},
  {SYS_ftruncate, "ftruncate"}, {SYS_fdatasync, "fdatasync"}, {SYS_renameat2, "renameat2"}, {SYS_linkat, "linkat"},
#ifdef SYS_rename
  {SYS_rename, "rename"}, {SYS_unlink, "unlink"}, {SYS_mkdir, "mkdir"}, {SYS_chown, "chown"},
#endif
};

static const char *name_of(long number) {
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
    if (calls[i].number == number) return calls[i].name;
  return NULL;
}

static void fail(const char *what) {
  perror(what);
  exit(2);
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  long wanted = atol(argv[1]), counted = 0;
  FILE *report = fopen(argv[2], "we");
  if (!report) fail(argv[2]);
  pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    execv(argv[3], argv + 3);
    _exit(127);
  }
  int status;
  if (waitpid(child, &status, 0) != child) fail("waitpid");
  long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
  if (ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)options) != 0) fail("ptrace");
  if (ptrace(PTRACE_SYSCALL, child, NULL, NULL) != 0) fail("ptrace");

  int begun = 0, end = 0;
  pid_t thread;
  while ((thread = waitpid(-1, &status, __WALL)) > 0) {
    if (!WIFSTOPPED(status)) {
      if (thread == child) end = status;
      continue;
    }
    int event = status >> 16, signal = WSTOPSIG(status), deliver = 0;
    if (signal == (SIGTRAP | 0x80)) {
      struct __ptrace_syscall_info info;
      long size = ptrace(PTRACE_GET_SYSCALL_INFO, thread, (void *)sizeof info, &info);
      if (size > 0 && info.op == PTRACE_SYSCALL_INFO_ENTRY) {
        const char *name = name_of((long)info.entry.nr);
        begun |= info.entry.nr == SYS_openat && (info.entry.args[2] & O_EXCL);
        if (begun && name) {
          fprintf(report, "%s\n", name);
          if (++counted == wanted) kill(child, SIGKILL);
        }
      }
    } else if (event == 0 && signal != SIGSTOP && signal != SIGTRAP) {
      deliver = signal;
    }
    // A thread that has been killed meanwhile cannot be continued.
    if (ptrace(PTRACE_SYSCALL, thread, NULL, (void *)(long)deliver) != 0 && errno != ESRCH) fail("ptrace");
  }
  if (fclose(report) != 0) fail(argv[2]);
  return WIFSIGNALED(end) ? 128 + WTERMSIG(end) : WEXITSTATUS(end);
}
