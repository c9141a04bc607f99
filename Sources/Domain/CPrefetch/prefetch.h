// Asks the processor for memory that will be read soon: a hint that cannot fail, whatever the address.
#pragma once

#include <stddef.h>

// Bytes that the processor loads at a time: a line of its cache, on x86-64 and on most ARM.
enum { cities_cache_line = 64 };

static inline void cities_prefetch(const void *address) { __builtin_prefetch(address, 0, 3); }

// Asks for a line at `start` and for one at each further step of a line below `start + count`; for none if `count` is
// not positive.
static inline void cities_prefetch_bytes(const void *start, ptrdiff_t count) {
  for (ptrdiff_t offset = 0; offset < count; offset += cities_cache_line) cities_prefetch((const char *)start + offset);
}
