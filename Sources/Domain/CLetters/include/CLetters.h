#pragma once

#include <stddef.h>

/// The bytes of contrib/data/latin.tsv, which the compiler has put into the program; they live as long as it does.
const unsigned char *cities_latin_bytes(void);

/// How many they are.
size_t cities_latin_count(void);

/// The bytes of contrib/data/chinese.tsv, in the same way.
const unsigned char *cities_chinese_bytes(void);

/// How many they are.
size_t cities_chinese_count(void);

/// The bytes of contrib/data/addresses.tsv, in the same way.
const unsigned char *cities_addresses_bytes(void);

/// How many they are.
size_t cities_addresses_count(void);
