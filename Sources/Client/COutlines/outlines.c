// The outlines stand in the program itself, so that no installation can lose them. They come in by #embed (C23), which
// takes no time; as a literal of Swift they would keep the compiler busy for minutes.

#include "COutlines.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char outlines[] = {
#embed "../../../contrib/data/outlines.bin"
};

static const unsigned char areas[] = {
#embed "../../../contrib/data/areas.bin"
};

const unsigned char *cities_outlines_bytes(void) { return outlines; }

size_t cities_outlines_count(void) { return sizeof outlines; }

const unsigned char *cities_areas_bytes(void) { return areas; }

size_t cities_areas_count(void) { return sizeof areas; }
