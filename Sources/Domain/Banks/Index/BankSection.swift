/// The sections of an index, by the four bytes that name them in the file.
///
/// Numbers are little-endian and unsigned, 32 bits. A *rank* is a location's position in the order of headings: countries
/// by name, regions by name, locations by title; so the locations of a country, and of a region, are neighbours. n is the
/// number of locations. A *table* is what `ByteTable` reads.
package enum BankSection: String, CaseIterable, Sendable {
  /// A table of the rows' opaque bytes by rank.
  case rows = "ROWS"
  /// A table of ids by rank.
  case ids = "IDEN"
  /// The ranks in the order of ids' bytes.
  case idOrder = "IDOR"
  /// A table of names with addresses in base letters, by rank.
  case texts = "TEXT"
  /// The ranks in the order of titles.
  case titleOrder = "TORD"
  /// By rank, the category: 0 branch, 1 ATM, 2 BNA, 3 unknown.
  case categories = "CATE"
  /// A table of banks, ascending.
  case banks = "BANK"
  /// By rank, the bank's position in `banks`.
  case bankOfRank = "BNKR"
  /// A table of time zones, ascending.
  case zones = "ZONE"
  /// By rank, the zone's position in `zones`.
  case zoneOfRank = "ZONR"
  /// A table by rank: empty if the hours are unknown, else the byte 1 and, for each stretch, the minute of the week at
  /// which it begins and its minutes.
  case hours = "HOUR"
  /// A table of countries' codes, in the order of their names.
  case countries = "CTRY"
  /// A table of regions' names, country by country; the byte 1 before each, and nothing at all for "without a region".
  case regions = "REGN"
  /// For each region, the position of its country in `countries` and its first rank.
  case regionSpans = "RSPN"
  /// By rank, latitude and longitude.
  case coordinates = "COOR"
  /// The k-d tree over positions.
  case pointTree = "SPAT"
}
