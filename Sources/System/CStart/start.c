// What the Swift runtime asks for when a program starts, with answers that take few system calls.
//
// A linker takes a member of the runtime's archive only for a name that is still missing, so these functions keep three
// of its members out: one that looks for the arguments of the program in /proc/self/maps, in 5 calls and 60,000
// instructions; one that looks for a program that prints a backtrace, in 9 calls; and one that asks whether the kernel
// has getrandom(2) before it uses it.
#include "start.h"

#include <stdlib.h>
#include <sys/random.h>

static char **words;
static int count;

// The C library passes what main() will get.
__attribute__((constructor)) static void keep_arguments(int given_count, char **given) {
  words = given;
  count = given_count;
}

char **_swift_stdlib_getUnsafeArgvArgc(int *result) {
  *result = count;
  return words;
}

void _swift_stdlib_overrideUnsafeArgvArgc(char **given, int given_count) { keep_arguments(given_count, given); }

const char *swift_copyAuxiliaryExecutablePath(const char *name) { return (void)name, NULL; }

void swift_stdlib_random(void *bytes, size_t size) {
  if (getentropy(bytes, size) != 0) abort();
}
