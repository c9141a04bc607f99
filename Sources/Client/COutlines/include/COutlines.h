#pragma once

#include <stddef.h>

/// The bytes of contrib/data/outlines.bin, which the compiler embeds in the program.
const unsigned char *cities_outlines_bytes(void);

/// Their number.
size_t cities_outlines_count(void);

/// The bytes of contrib/data/areas.bin, which the compiler embeds in the program.
const unsigned char *cities_areas_bytes(void);

/// Their number.
size_t cities_areas_count(void);
