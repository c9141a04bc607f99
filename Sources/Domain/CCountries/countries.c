// The countries of points are in the program itself, like the public holidays: no installation can lose them, and only the
// pages that are looked into are read. They come in by #embed (C23).

#include "CCountries.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char countries[] = {
#embed "../../../contrib/data/countries.bin"
};

const unsigned char *cities_countries_bytes(void) { return countries; }

size_t cities_countries_count(void) { return sizeof countries; }
