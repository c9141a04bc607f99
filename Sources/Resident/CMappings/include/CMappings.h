#pragma once

// Mapped files that may be truncated while they are read.
//
// Reading a mapped page beyond the end of the file raises SIGBUS (mmap(2)). A guarded mapping survives that: the
// handler maps a page of zeros instead, marks the mapping as faulted and counts the fault, as systemd's
// src/basic/sigbus.c does. The reader continues with zeros, so a caller must check for faults after reading, and
// discard its result if there was one.

#include <stdint.h>
#include <stddef.h>

/// Most guarded mappings at a time.
#define CITIES_MAPPINGS_MAXIMUM 1024

/// Installs the SIGBUS handler of this process; faults outside guarded mappings keep the previous action. Returns 0, or
/// -errno. Further calls do nothing.
int cities_mappings_install(void);

/// Guards `size` bytes from `start`, the start of a page. Returns the guard's number, or -1 if all are in use.
/// Thread-safe.
int cities_mapping_guard(const void *start, size_t size);

/// Ends a guard; call it before unmapping.
void cities_mapping_release(int guard);

/// Whether a page of the guarded mapping was missing since it was guarded.
int cities_mapping_has_faulted(int guard);

/// The counter of faults in guarded mappings, of all threads; read it with a relaxed load.
const uint32_t *cities_mapping_fault_counter(void);

// Checksums on first use.
//
// A guarded mapping may be covered by CRC32C checksums of its blocks. Covered blocks are unreadable at first: the first
// access raises SIGSEGV, whose handler makes the block readable and compares its checksum. On a mismatch, zeros replace
// the block, and the fault is counted like that of a missing page. System calls fail with EFAULT on covered memory; the
// reader must touch it first.

/// Bytes of a block: 4 µs to checksum, and the amount that the kernel maps around a missing page.
#define CITIES_MAPPING_BLOCK 65536

/// Whether blocks can be checked in a signal handler on this machine; else the owner compares the checksums itself.
int cities_mapping_can_cover(void);

/// Covers the blocks of a guarded mapping, which start at multiples of CITIES_MAPPING_BLOCK. Only bytes from `first` up
/// to `end` are summed; `sums` has one checksum per block with such bytes, and must live until the guard is released.
/// The blocks at `first` and `end` are compared at once, because their pages hold other bytes too. Returns 0, -EINVAL
/// if there is no such guard or it cannot be covered, or -errno.
int cities_mapping_cover(int guard, size_t first, size_t end, const uint32_t *sums);

/// Reads a byte of each block of the `size` bytes from `start`, so that the blocks are compared.
void cities_mapping_touch(const void *start, size_t size);

/// Whether a block of the guarded mapping did not match its checksum.
int cities_mapping_is_damaged(int guard);

// Leases (fcntl(2), F_SETLEASE) on files that are open for reading.
//
// A lease is granted only while nobody has the file open for writing. A program that later opens it for writing, or
// truncates it, waits until the lease is released, at most 45 s (/proc/sys/fs/lease-break-time), and the holder gets a
// signal: while a lease is held, no byte of the file changes. Readers are not affected. The kernel grants leases to the
// file's owner and to processes with CAP_LEASE.

/// The signal that requests the release of a lease. It is ignored by default; if blocked, signalfd(2) reports it.
int cities_lease_signal(void);

/// Takes a lease. Returns 0; -EAGAIN if the file is open for writing; -EACCES if it belongs to another user; or another
/// -errno if the file system does not support leases.
int cities_lease_take(int file);

/// Directs the signal of a held lease to the calling thread. Returns 0, or -errno.
int cities_lease_direct(int file);

/// Whether the lease is held and no writer waits for it.
int cities_lease_is_held(int file);

/// Releases the lease, if any: waiting writers continue.
void cities_lease_release(int file);
