// Asks the processor for memory that will be read soon: a hint that cannot fail, whatever the address.
#ifndef CITIES_PREFETCH_H
#define CITIES_PREFETCH_H

static inline void cities_prefetch(const void *address) { __builtin_prefetch(address, 0, 3); }

#endif
