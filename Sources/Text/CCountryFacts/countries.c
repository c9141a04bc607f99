// The facts about countries, which the compiler embeds in the programs (C23), so that no installation can lose them.

#include "CCountryFacts.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char countries[] = {
#embed "../../../contrib/data/countries.tsv"
};

const unsigned char *cities_country_facts_bytes(void) { return countries; }

size_t cities_country_facts_count(void) { return sizeof countries; }
