// The Latin spellings of other scripts' letters are in the program itself, like the countries of points. They come in by
// #embed (C23).

#include "CLatin.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char latin[] = {
#embed "../../../contrib/data/latin.tsv"
};

const unsigned char *cities_latin_bytes(void) { return latin; }

size_t cities_latin_count(void) { return sizeof latin; }
