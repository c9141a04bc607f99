// Functions of the Swift runtime that are replaced; only the runtime calls them.
#pragma once

#include <stddef.h>

// The arguments of the process, and their number.
char **_swift_stdlib_getUnsafeArgvArgc(int *result);

// Replaces them.
void _swift_stdlib_overrideUnsafeArgvArgc(char **given, int given_count);

// The path of a program of the toolchain's; NULL: there is none.
const char *swift_copyAuxiliaryExecutablePath(const char *name);

// Random bytes, for hashes and for SystemRandomNumberGenerator.
void swift_stdlib_random(void *bytes, size_t size);
