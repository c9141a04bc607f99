#pragma once

#include <stddef.h>

/// The bytes of contrib/data/country-names.tsv, which the compiler embeds in the program.
const unsigned char *cities_country_names_bytes(void);

/// Their number.
size_t cities_country_names_count(void);
