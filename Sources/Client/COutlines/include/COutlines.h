#ifndef CITIES_COUTLINES_H
#define CITIES_COUTLINES_H

#include <stddef.h>

/// The bytes of contrib/data/outlines.bin, which the compiler has put into the program; they live as long as it does.
const unsigned char *cities_outlines_bytes(void);

/// How many they are.
size_t cities_outlines_count(void);

/// The bytes of contrib/data/countries.tsv, likewise.
const unsigned char *cities_country_facts_bytes(void);

/// How many they are.
size_t cities_country_facts_count(void);

#endif
