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
  /// All keys, each ended by a zero byte; equal keys are here once. Begins and ends with a zero byte.
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
  /// For every country, in the order of folded codes: where its code begins in `keys`, and where its cities begin in
  /// the two sections that follow.
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
  /// The ``PointTree`` over positions, with ``CityWeight`` as weights and the order of `populationRanks`.
  case pointTree = "SPAT"
  /// By rank, inhabitants + 1, or 0 where unknown; empty if all are unknown.
  case populations = "POPU"
  /// The ranks by population, largest first, equal ones by rank: what a place of ``PopulationOrder`` stands for.
  case populationRanks = "PRNK"
  /// The ranks by population, equal ones by folded position.
  case populationFoldedRanks = "PFRK"
  /// ``PopulationOrder`` over ranks.
  case populationPlain = "PPLA"
  /// ``PopulationOrder`` over folded positions.
  case populationFolded = "PFOL"
  /// ``PopulationOrder`` over the positions in `countryRanks`.
  case populationCountryPlain = "PCPL"
  /// ``PopulationOrder`` over the positions in `countryPositions`.
  case populationCountryFolded = "PCFO"

  /// All search keys of names, each ended by a zero byte; equal keys are here once. Begins and ends with a zero byte.
  ///
  /// A *name* is an entry: one search key of one city. Entries are ordered by key, then by what they score as a whole
  /// name, most first, then by the city's place in `populationRanks`.
  case nameKeys = "NKEY"
  /// By entry, where its key begins in `nameKeys`.
  case nameKeyOffsets = "NKOF"
  /// By entry, the rank of its city in the lower 28 bits and its ``NameKind`` above them; older readers take a name in
  /// use for any other name.
  case nameCities = "NCTY"
  /// By entry, its score as the start of a name, a number of 16 bits.
  case nameScores = "NSCO"
  /// The spellings of the cities' other names, in the order of entries, each ended by a zero byte. Begins and ends with
  /// one.
  case nameTexts = "NTXT"
  /// By entry, where its spelling begins in `nameTexts`; 0 for a title's, 32 set bits for one that is its key.
  case nameTextOffsets = "NTOF"
  /// The radix trie over `nameKeys`.
  case nameTrie = "NTRI"
  /// For every node of `nameTrie` six bytes, see ``NameBounds``.
  case nameBounds = "NBOU"
  /// For every node of `nameTrie` a bit: whether it has a list of its best names (see ``BestNames``).
  case nameBestBits = "NBBI"
  /// For each of these nodes, and once more at the end, where its list begins in `nameBest`.
  case nameBestOffsets = "NBOF"
  /// The lists: entries, best first, one per city.
  case nameBest = "NBES"
  /// For each country, and once more at the end: where its entries begin in `countryNames` and its nodes in
  /// `countryNameTries`.
  case countryNameOffsets = "CNOF"
  /// The entries of each country's cities, ascending.
  case countryNames = "CNAM"
  /// The radix tries over each country's entries, one after the other.
  case countryNameTries = "CNTR"
  /// As `nameBestBits`, for the nodes of all these tries.
  case countryNameBestBits = "CNBI"
  /// As `nameBestOffsets`.
  case countryNameBestOffsets = "CNBO"
  /// As `nameBest`; the lists hold positions in `countryNames`.
  case countryNameBest = "CNBE"
  /// By rank, the city's locality.
  case cityLocalities = "LCTY"
  /// For each locality seven numbers: its country, its region (the first locality of that region), the texts of the
  /// region's code, the region's name and the time zone in `localityTexts`, its county (the first locality of it) and
  /// the text of the county's code.
  case localities = "LOCA"
  /// The texts of localities, as ``ByteTable`` has them; text 0 is empty.
  case localityTexts = "LTXT"
  /// The search keys of countries, regions and counties, each ended by a zero byte. Begins and ends with one. A code
  /// that is not a word is here after a byte 01.
  case areaKeys = "AKEY"
  /// In the order of their keys, where the key begins in `areaKeys`.
  case areaKeyOffsets = "AKOF"
  /// In the same order, what has that name: a country, a county with bit 30 set, or a region with bit 31 set.
  case areas = "AREA"
  /// The radix trie over `areaKeys`.
  case areaTrie = "ATRI"
}
