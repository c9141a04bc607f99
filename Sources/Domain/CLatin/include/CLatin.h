#ifndef CITIES_CLATIN_H
#define CITIES_CLATIN_H

#include <stddef.h>

/// The bytes of contrib/data/latin.tsv, which the compiler has put into the program; they live as long as it does.
const unsigned char *cities_latin_bytes(void);

/// How many they are.
size_t cities_latin_count(void);

#endif
