// The public holidays are in the program itself, so that no installation can lose them and a new one brings new years. They
// come in by #embed (C23), like the outlines of maps.

#include "CHours.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char holidays[] = {
#embed "../../../contrib/data/holidays.tsv"
};

const unsigned char *cities_holidays_bytes(void) { return holidays; }

size_t cities_holidays_count(void) { return sizeof holidays; }
