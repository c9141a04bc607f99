#pragma once

#include <stddef.h>

/// The bytes of contrib/data/countries.bin, which the compiler has put into the program; they live as long as it does.
const unsigned char *cities_countries_bytes(void);

/// How many they are.
size_t cities_countries_count(void);
