// Tries what the sandbox of a unit must forbid, from inside that unit, and prints one line a probe:
//
//   forbidden NAME: REASON        as it should be
//   ALLOWED NAME                  a hole
//
// Built static and run in place of the service (a drop-in replaces ExecStart=). Exit code: the number of holes, at most
// 100. It refuses to run as root: there the probes would not be forbidden, and would mount, unmount and rename for real.
//
// probes server|sync FILE: `sync` may use the network and write the state folder, so those probes are left out for it.
// FILE is one in a user's home that everybody may read.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int holes, count;

// A probe's result is what a system call returns: below zero is forbidden, and errno says why.
static void report(const char *name, long result) {
  count++;
  if (result < 0) {
    printf("forbidden %s: %s\n", name, strerror(errno));
    return;
  }
  printf("ALLOWED %s\n", name);
  holes++;
}

static void probe_socket(const char *name, int family, int type) {
  int fd = socket(family, type | SOCK_CLOEXEC, 0);
  report(name, fd);
  if (fd >= 0) close(fd);
}

static void probe_create(const char *name, const char *path) {
  int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  report(name, fd);
  if (fd >= 0) close(fd), unlink(path);
}

static void probe_open(const char *name, const char *path, int flags) {
  int fd = open(path, flags | O_CLOEXEC);
  report(name, fd);
  if (fd >= 0) close(fd);
}

static void probe_connect(const char *name, const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  report(name, connect(fd, (struct sockaddr *)&address, sizeof address));
  if (fd >= 0) close(fd);
}

// The child's exec fails and it says so through its exit code, or it runs, and that is the hole.
static void probe_exec(const char *name, const char *path) {
  pid_t pid = fork();
  if (pid == 0) {
    execl(path, path, "--version", (char *)NULL);
    _exit(200 + (errno == EACCES || errno == EPERM ? 1 : 0));
  }
  int status = 0;
  if (pid > 0) waitpid(pid, &status, 0);
  errno = EACCES;
  report(name, pid < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 201) ? -1 : 0);
}

static void probe_network(void) {
  probe_socket("IPv4 stream socket", AF_INET, SOCK_STREAM);
  probe_socket("IPv4 datagram socket", AF_INET, SOCK_DGRAM);
  probe_socket("IPv6 stream socket", AF_INET6, SOCK_STREAM);
}

static void probe_odd_sockets(void) {
  probe_socket("packet socket", AF_PACKET, SOCK_RAW);
  probe_socket("raw IPv4 socket", AF_INET, SOCK_RAW);
  probe_socket("vsock", AF_VSOCK, SOCK_STREAM);
  probe_socket("bluetooth socket", AF_BLUETOOTH, SOCK_RAW);
  probe_socket("kernel crypto socket", AF_ALG, SOCK_SEQPACKET);
}

static void probe_files(const char *file_at_home) {
  probe_create("create in /etc", "/etc/probe");
  probe_create("create in /usr", "/usr/probe");
  probe_create("create in /var", "/var/probe");
  probe_create("create in /run", "/run/probe");
  probe_create("create in /", "/probe");
  probe_open("read /etc/shadow", "/etc/shadow", O_RDONLY);
  probe_open("list /root", "/root", O_RDONLY | O_DIRECTORY);
  probe_open("read a user's home", file_at_home, O_RDONLY);
  probe_open("read /proc/kcore", "/proc/kcore", O_RDONLY);
  probe_open("read /dev/mem", "/dev/mem", O_RDONLY);
  probe_open("write /proc/sys", "/proc/sys/kernel/hostname", O_WRONLY);
  probe_open("write /sys", "/sys/kernel/mm/ksm/run", O_WRONLY);
  probe_open("write a cgroup", "/sys/fs/cgroup/cgroup.procs", O_WRONLY);
  probe_open("read the kernel log", "/dev/kmsg", O_RDONLY);
  probe_open("list shared memory", "/dev/shm", O_RDONLY | O_DIRECTORY);
  probe_open("open shared memory", "/dev/shm/probe", O_RDWR);
  probe_create("create shared memory", "/dev/shm/own");
  probe_connect("the system's message bus", "/run/dbus/system_bus_socket");
  probe_connect("the service manager's bus", "/run/systemd/private");
  report("make a device", mknod("/tmp/probe", S_IFCHR | 0600, 0x103));
}

static void probe_processes(void) {
  probe_exec("exec /bin/sh", "/bin/sh");
  probe_exec("exec /usr/bin/env", "/usr/bin/env");
  probe_open("see process 1", "/proc/1/status", O_RDONLY);
  report("signal process 1", kill(1, 0));
  report("trace process 1", ptrace(PTRACE_ATTACH, 1, NULL, NULL));
  char byte;
  struct { void *base; size_t length; } local = {&byte, 1}, remote = {&byte, 1};
  report("read another process", syscall(SYS_process_vm_readv, 1, &local, 1, &remote, 1, 0));
  report("become root", setuid(0));
  report("become root's group", setgid(0));
}

static void probe_memory(void) {
  void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  report("memory both writable and executable", page == MAP_FAILED ? -1 : 0);
  page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  report("make data executable", mprotect(page, 4096, PROT_READ | PROT_EXEC));
  report("change the personality", personality(ADDR_NO_RANDOMIZE));
}

static void probe_kernel(void) {
  struct timeval time;
  struct timespec spec;
  struct sched_param realtime = {.sched_priority = 1};
  gettimeofday(&time, NULL);
  clock_gettime(CLOCK_REALTIME, &spec);
  report("mount", mount("none", "/tmp", "tmpfs", 0, NULL));
  report("unmount", umount2("/proc", MNT_DETACH));
  report("change the root", chroot("/tmp"));
  report("a new user namespace", unshare(CLONE_NEWUSER));
  report("a new mount namespace", unshare(CLONE_NEWNS));
  report("a new network namespace", unshare(CLONE_NEWNET));
  report("set the clock", clock_settime(CLOCK_REALTIME, &spec));
  report("set the host name", sethostname("probe", 5));
  report("real-time scheduling", sched_setscheduler(0, SCHED_FIFO, &realtime));
  report("load a module", syscall(SYS_init_module, NULL, 0, ""));
  report("unload a module", syscall(SYS_delete_module, "probe", O_NONBLOCK));
  report("BPF", syscall(SYS_bpf, 0, NULL, 0));
  report("performance counters", syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0));
  report("the kernel's keyring", syscall(SYS_keyctl, 0, -3, 0));
  report("the kernel's log", syscall(SYS_syslog, 10, NULL, 0));
  report("kexec", syscall(SYS_kexec_load, 0, 0, NULL, 0));
  report("swap", syscall(SYS_swapoff, "/probe"));
  report("accounting", syscall(SYS_acct, NULL));
  char parameters[120] = {0};  // struct io_uring_params
  report("io_uring_setup", syscall(SYS_io_uring_setup, 1, parameters));
  report("io_uring_enter", syscall(SYS_io_uring_enter, -1, 0, 0, 0, NULL, 0));
  report("io_uring_register", syscall(SYS_io_uring_register, -1, 0, NULL, 0));
  long context = 0;
  report("io_setup", syscall(SYS_io_setup, 1, &context));
  report("userfaultfd", syscall(SYS_userfaultfd, 1));
  report("raw port access", syscall(SYS_ioperm, 0x80, 1, 1));
  report("open by handle", syscall(SYS_open_by_handle_at, AT_FDCWD, NULL, 0));
}

int main(int words, char **word) {
  if (words != 3) {
    fprintf(stderr, "usage: probes server|sync FILE\n");
    return 125;
  }
  int is_sync = !strcmp(word[1], "sync");
  if (getuid() == 0 || geteuid() == 0) {
    fprintf(stderr, "probes: not as root: run it inside a unit with User=\n");
    return 125;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (!is_sync) {
    probe_network();
    probe_create("write the state folder", "/var/lib/cities/probe");
  }
  probe_odd_sockets();
  probe_files(word[2]);
  probe_processes();
  probe_memory();
  probe_kernel();
  printf("%d probes, %d holes\n", count, holes);
  return holes > 100 ? 100 : holes;
}
