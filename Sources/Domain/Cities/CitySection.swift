/// The sections of an index, by the four bytes that name them in the file.
///
/// Numbers are little-endian and unsigned, 32 bits unless said otherwise. A *rank* is a city's position in key order, a
/// *folded position* its position in the order of base letters; n is the number of cities. A section may be empty only
/// where it says so.
public enum CitySection: String, CaseIterable, Sendable {
  /// The rows' opaque bytes, back to back by rank.
  case rows = "ROWS"
  /// n + 1 offsets into `rows`: row r ends where row r + 1 begins.
  case rowOffsets = "ROFF"
  /// All keys, each ended by a zero byte; equal keys stand here once. Begins and ends with a zero byte.
  case keys = "KEYS"
  /// By rank, where the plain key begins in `keys`.
  case keyOffsets = "KOFF"
  /// For every 64 ranks 12 bytes: a bit (64-bit number) for each whose base key differs from its plain key, and the
  /// number of such before them.
  case baseKeyBits = "BBIT"
  /// Where those base keys begin in `keys`, by rank.
  case baseKeyOffsets = "BOFF"
  /// Two numbers: the bytes of the longest plain key and of the longest base key.
  case keyLengths = "KLEN"
  /// By folded position, the rank.
  case foldedOrder = "FORD"
  /// The radix trie over plain keys.
  case plainTrie = "PTRI"
  /// The radix trie over base keys.
  case foldedTrie = "FTRI"
  /// For every country, in the order of folded codes: where its code begins in `keys`, and where its cities begin in the
  /// two sections that follow.
  case countries = "CTRY"
  /// The ranks of each country's cities, ascending.
  case countryRanks = "CRNK"
  /// The folded positions of each country's cities, ascending.
  case countryPositions = "CFLD"
  /// By rank, the lower 32 bits of the id.
  case ids = "IDLO"
  /// By rank, the upper 32 bits of the id; empty if all are 0.
  case idsHigh = "IDHI"
  /// The ranks in the order of ids.
  case idOrder = "IDOR"
  /// By rank, latitude and longitude: two signed numbers of ten-millionths of a degree where that is exact for every
  /// city, else two 64-bit floating-point numbers of degrees.
  case coordinates = "COOR"
  /// The k-d tree over positions.
  case pointTree = "SPAT"
  /// By rank, inhabitants + 1, or 0 where unknown; empty if all are unknown.
  case populations = "POPU"
}
