// The single-byte charsets are in the program itself, by #embed (C23), like the public holidays.

#include "CCharsets.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char charsets[] = {
#embed "../../../contrib/data/charsets.tsv"
};

const unsigned char *cities_charsets_bytes(void) { return charsets; }

size_t cities_charsets_count(void) { return sizeof charsets; }
