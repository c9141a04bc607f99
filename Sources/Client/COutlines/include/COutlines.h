#pragma once

#include <stddef.h>

/// The bytes of contrib/data/outlines.bin, which the compiler embeds in the program.
const unsigned char *cities_outlines_bytes(void);

/// Their number.
size_t cities_outlines_count(void);
