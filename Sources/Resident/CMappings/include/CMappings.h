#ifndef CITIES_CMAPPINGS_H
#define CITIES_CMAPPINGS_H

// Mapped files that may be shortened while they are read.
//
// Reading a page of a mapping that lies beyond the end of its file raises SIGBUS (mmap(2)). A guarded mapping survives
// that: the handler puts a page of zeros in the place of the missing one, notes which mapping it was and counts the
// fault, as systemd's src/basic/sigbus.c does. The reader goes on with zeros, so a caller must ask after reading
// whether a fault has happened, and discard its result if one has.

#include <stdint.h>
#include <stddef.h>

/// Mappings that can be guarded at a time.
#define CITIES_MAPPINGS_MAXIMUM 1024

/// Installs the handler of SIGBUS for this process; faults outside guarded mappings keep the action of before. Returns
/// 0, or -errno. Calling it again changes nothing.
int cities_mappings_install(void);

/// Guards `size` bytes from `start`, which is the start of a page. Returns the guard's number, or -1 if all are in use.
/// May be called from any thread.
int cities_mapping_guard(const void *start, size_t size);

/// Ends a guard, before its mapping is taken away.
void cities_mapping_release(int guard);

/// Whether a page of the guarded mapping was missing since it was guarded.
int cities_mapping_has_faulted(int guard);

/// Where the faults in guarded mappings are counted, of all threads; read it with a relaxed load.
const uint32_t *cities_mapping_fault_counter(void);

// Checksums on first use.
//
// A guarded mapping may be covered with the CRC32C of each of its blocks. Covered blocks cannot be read at first; the
// first access raises SIGSEGV, whose handler makes the block readable and compares its checksum. If that does not
// match, zeros take the block's place, and the fault is noted and counted like that of a missing page. A system call
// that is given covered memory fails with EFAULT; the reader must touch the memory before.

/// Bytes of a block: four microseconds of summing, and what the kernel maps around a page that is missing.
#define CITIES_MAPPING_BLOCK 65536

/// Whether this machine can sum blocks in a signal handler; else the owner compares checksums itself.
int cities_mapping_can_cover(void);

/// Covers the blocks of a guarded mapping, which start at multiples of CITIES_MAPPING_BLOCK. Bytes before `first` and
/// from `end` on belong to no sum; `sums` has one for each block with bytes between them, and must stay until the guard
/// is released. The blocks at `first` and `end` are compared at once, as others share their pages. Returns 0, -EINVAL
/// if there is no such guard or it cannot be covered, or -errno.
int cities_mapping_cover(int guard, size_t first, size_t end, const uint32_t *sums);

/// Reads a byte of each block between the offsets `start` and `end`, so that they are compared.
void cities_mapping_touch(const void *start, size_t size);

/// Whether a block of the guarded mapping did not match its checksum.
int cities_mapping_is_damaged(int guard);

// Leases (fcntl(2), F_SETLEASE) on files that are open for reading.
//
// A lease is given only while nobody has the file open for writing. A program that opens it for writing or truncates it
// later waits until the lease is released, 45 s at most (/proc/sys/fs/lease-break-time), and the holder gets a signal:
// as long as a lease is held, no byte of the file changes. Readers neither wait nor send one. The kernel gives leases
// to the owner of the file and to processes with CAP_LEASE.

/// The signal that asks for a lease. It is ignored by default; where it is blocked, signalfd(2) reports it.
int cities_lease_signal(void);

/// Takes a lease. Returns 0; -EAGAIN if somebody has the file open for writing; -EACCES if the file is another user's;
/// or another -errno if its file system has no leases.
int cities_lease_take(int file);

/// Has the signal sent to the calling thread, for a lease that is held. Returns 0, or -errno.
int cities_lease_direct(int file);

/// Whether the lease is held and nobody waits for it.
int cities_lease_is_held(int file);

/// Releases the lease, if there is one: those that wait go on.
void cities_lease_release(int file);

#endif
