#ifndef CITIES_CMAPPINGS_H
#define CITIES_CMAPPINGS_H

// Mapped files that may be shortened while they are read.
//
// Reading a page of a mapping that lies beyond the end of its file raises SIGBUS (mmap(2)). A guarded mapping survives that:
// the handler puts a page of zeros in the place of the missing one, notes which mapping it was and counts the fault, as
// systemd's src/basic/sigbus.c does. The reader goes on with zeros, so whoever has read must ask afterwards whether a fault
// has happened, and throw away what it made from them.

#include <stdint.h>
#include <stddef.h>

/// Mappings that can be guarded at a time.
#define CITIES_MAPPINGS_MAXIMUM 1024

/// Installs the handler of SIGBUS for this process; faults outside guarded mappings keep the action of before. Returns 0, or
/// -errno. Calling it again changes nothing.
int cities_mappings_install(void);

/// Guards `size` bytes from `start`, which is the start of a page. Returns the guard's number, or -1 if all are in use. May be
/// called from any thread.
int cities_mapping_guard(const void *start, size_t size);

/// Ends a guard, before its mapping is taken away.
void cities_mapping_release(int guard);

/// Whether a page of the guarded mapping was missing since it was guarded.
int cities_mapping_has_faulted(int guard);

/// Where the faults in guarded mappings are counted, of all threads; read it with a relaxed load.
const uint32_t *cities_mapping_fault_counter(void);

#endif
