#pragma once

#include <stddef.h>

/// The bytes of contrib/data/charsets.tsv, which the compiler has put into the program; they live as long as it does.
const unsigned char *cities_charsets_bytes(void);

/// How many they are.
size_t cities_charsets_count(void);
