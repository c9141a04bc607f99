/// The sections of an index, by their four-byte names in the file.
///
/// Numbers are little-endian and unsigned, 32 bits unless stated otherwise. A *rank* is a city's position in key order,
/// a *folded position* its position in the order of base letters; n is the number of cities. A section may be empty
/// only if its description says so.
public enum CitySection: String, CaseIterable, Sendable {
  /// The rows' opaque bytes, back to back by rank.
  case rows = "ROWS"
  /// n + 1 offsets into `rows`: row r ends where row r + 1 starts.
  case rowOffsets = "ROFF"
  /// All keys, each followed by a zero byte; equal keys are stored once. Starts and ends with a zero byte.
  case keys = "KEYS"
  /// By rank, the start of the plain key in `keys`.
  case keyOffsets = "KOFF"
  /// 12 bytes per 64 ranks: a 64-bit number with a bit set for each base key that differs from its plain key, and the
  /// number of bits set before.
  case baseKeyBits = "BBIT"
  /// The starts of those base keys in `keys`, by rank.
  case baseKeyOffsets = "BOFF"
  /// Two numbers: the bytes of the longest plain key and of the longest base key.
  case keyLengths = "KLEN"
  /// By folded position, the rank.
  case foldedOrder = "FORD"
  /// The radix trie over plain keys.
  case plainTrie = "PTRI"
  /// The radix trie over base keys.
  case foldedTrie = "FTRI"
  /// For every country, in the order of folded codes: the start of its code in `keys`, and the start of its cities in
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
  /// The ranks ordered by id.
  case idOrder = "IDOR"
  /// By rank, latitude and longitude: two signed numbers of ten-millionths of a degree where that is exact for every
  /// city, else two 64-bit floating-point numbers of degrees.
  case coordinates = "COOR"
  /// The ``PointTree`` over positions, with ``CityWeight`` as weights and the order of `populationRanks`.
  case pointTree = "SPAT"
  /// By rank, inhabitants + 1, or 0 if unknown; empty if all are unknown.
  case populations = "POPU"
  /// The ranks by population, largest first, equal ones by rank; indexed by the places in ``PopulationOrder``.
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

  /// All search keys of names, each followed by a zero byte; equal keys are stored once. Starts and ends with a zero
  /// byte.
  ///
  /// A *name* is an entry: one search key of one city. Entries are ordered by key, then by their score as a whole name,
  /// highest first, then by the city's place in `populationRanks`.
  case nameKeys = "NKEY"
  /// By entry, the start of its key in `nameKeys`.
  case nameKeyOffsets = "NKOF"
  /// By entry, the rank of its city in the lower 28 bits and its ``NameKind`` above them; older readers treat a name in
  /// use like any other name.
  case nameCities = "NCTY"
  /// By entry, its score as the start of a name, in 16 bits.
  case nameScores = "NSCO"
  /// The spellings of the cities' alternate names, in the order of entries, each followed by a zero byte. Starts and
  /// ends with a zero byte.
  case nameTexts = "NTXT"
  /// By entry, the start of its spelling in `nameTexts`; 0 for a title, 32 set bits if the spelling is the key itself.
  case nameTextOffsets = "NTOF"
  /// The radix trie over `nameKeys`.
  case nameTrie = "NTRI"
  /// Six bytes per node of `nameTrie`; see ``NameBounds``.
  case nameBounds = "NBOU"
  /// One bit per node of `nameTrie`: whether it has a list of its best names (see ``BestNames``).
  case nameBestBits = "NBBI"
  /// For each of these nodes, and once more at the end, the start of its list in `nameBest`.
  case nameBestOffsets = "NBOF"
  /// The lists: entries, best first, one per city.
  case nameBest = "NBES"
  /// For each country, and once more at the end: the start of its entries in `countryNames` and of its nodes in
  /// `countryNameTries`.
  case countryNameOffsets = "CNOF"
  /// The entries of each country's cities, ascending.
  case countryNames = "CNAM"
  /// The radix tries over each country's entries, one after the other.
  case countryNameTries = "CNTR"
  /// Like `nameBestBits`, for the nodes of all these tries.
  case countryNameBestBits = "CNBI"
  /// Like `nameBestOffsets`.
  case countryNameBestOffsets = "CNBO"
  /// Like `nameBest`; the lists contain positions in `countryNames`.
  case countryNameBest = "CNBE"
  /// By rank, the city's locality.
  case cityLocalities = "LCTY"
  /// Seven numbers per locality: its country; its region (the first locality of that region); the texts of the region's
  /// code, the region's name and the time zone in `localityTexts`; its county (the first locality of that county); the
  /// text of the county's code.
  case localities = "LOCA"
  /// The texts of localities, as a ``ByteTable``; text 0 is empty.
  case localityTexts = "LTXT"
  /// The search keys of countries, regions and counties, each followed by a zero byte. Starts and ends with a zero
  /// byte. A code that is not a word is stored after a byte 01.
  case areaKeys = "AKEY"
  /// In key order, the start of the key in `areaKeys`.
  case areaKeyOffsets = "AKOF"
  /// In the same order, the area with that name: a country, a county with bit 30 set, or a region with bit 31 set.
  case areas = "AREA"
  /// The radix trie over `areaKeys`.
  case areaTrie = "ATRI"
}
