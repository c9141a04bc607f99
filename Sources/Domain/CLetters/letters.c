// The Latin spellings of other scripts' letters, the other forms of Chinese characters, and the rules for addresses are
// in the program itself, like the countries of points. They come in by #embed (C23).

#include "CLetters.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char latin[] = {
#embed "../../../contrib/data/latin.tsv"
};

static const unsigned char chinese[] = {
#embed "../../../contrib/data/chinese.tsv"
};

static const unsigned char addresses[] = {
#embed "../../../contrib/data/addresses.tsv"
};

const unsigned char *cities_latin_bytes(void) { return latin; }

size_t cities_latin_count(void) { return sizeof latin; }

const unsigned char *cities_chinese_bytes(void) { return chinese; }

size_t cities_chinese_count(void) { return sizeof chinese; }

const unsigned char *cities_addresses_bytes(void) { return addresses; }

size_t cities_addresses_count(void) { return sizeof addresses; }
