#pragma once

#include <stddef.h>

/// The bytes of contrib/data/holidays.tsv, which the compiler has put into the program; they live as long as it does.
const unsigned char *cities_holidays_bytes(void);

/// How many they are.
size_t cities_holidays_count(void);

/// The same of contrib/data/hours.tsv.
const unsigned char *cities_hours_bytes(void);
size_t cities_hours_count(void);
