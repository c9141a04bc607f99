// The keys of the names of countries, which the compiler embeds in the programs (C23), so that no installation can lose
// them.

#include "CCountryNames.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char names[] = {
#embed "../../../contrib/data/country-names.tsv"
};

const unsigned char *cities_country_names_bytes(void) { return names; }

size_t cities_country_names_count(void) { return sizeof names; }
