// zlib, for reading gzip (RFC 1952) and zip. inflateInit2 is a macro, which Swift cannot import.
#pragma once
#include <zlib.h>

static inline int cities_inflate_init_gzip(z_stream *stream) {
  return inflateInit2(stream, 15 + 16);
}

// A deflate stream without header and trailer (RFC 1951), as in a zip archive.
static inline int cities_inflate_init_raw(z_stream *stream) {
  return inflateInit2(stream, -15);
}
