// The words of opening hours are in the program itself, like the public holidays.

#include "CHours.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char words[] = {
#embed "../../../contrib/data/hours.tsv"
};

const unsigned char *cities_hours_bytes(void) { return words; }

size_t cities_hours_count(void) { return sizeof words; }
