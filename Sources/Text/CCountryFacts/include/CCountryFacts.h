#pragma once

#include <stddef.h>

/// The bytes of contrib/data/countries.tsv, which the compiler embeds in the program.
const unsigned char *cities_country_facts_bytes(void);

/// Their number.
size_t cities_country_facts_count(void);
