import Geodesy

/// Assigns every location an id that scripts can store.
///
/// It consists of the bank and the source's own id, if any (`imaginary-1`); else of the bank and a hash in 8
/// hexadecimal digits (`swedbank-lt-1f0c9a77`) over the identifying fields, so that new opening hours keep the id and a
/// new address changes it:
///
///     FNV-1a, 32 bits, over the UTF-8 bytes of
///     code of the kind, U+001F, name, U+001F, address, U+001F, latitude, U+001F, longitude
///
/// with coordinates as whole hundred-millionths of a degree in decimal. If several locations have the same id, the
/// first of them by their remaining fields keeps it; for the others, a hyphen and a hash of those fields are appended
/// (`swedbank-lt-1f0c9a77-5be0c4d1`), so that changes to one location do not affect the ids of the others. Locations
/// equal in all fields are numbered (`…-2`, `…-3`). The same rows have the same ids, in any order.
enum LocationIDs {
  /// Hundred-millionths: real files have up to eight decimals.
  private static let unit = 1e8

  /// The unique ids of `locations`, which are tidied, in their order.
  ///
  /// - Complexity: O(n log n).
  static func assign(to locations: [BankLocation]) -> [String] {
    let wanted = locations.map(wanted)
    var taken = Set(wanted.map { TextKey($0) })
    var ids = wanted
    // By contents within an id, so that the first does not depend on the file's order.
    let contents = locations.map(\.contents)
    let order = locations.indices.sorted {
      wanted[$0] == wanted[$1] ? isBelow(contents[$0], contents[$1]) : wanted[$0] < wanted[$1]
    }
    var twin = ""
    var number = 1
    for (index, previous) in zip(order, [nil] + order.map(Optional.some)) {
      guard let previous, wanted[previous] == wanted[index] else {
        (twin, number) = (wanted[index], 1)
        continue
      }
      if !contents[previous].elementsEqual(contents[index], by: { $0 == $1 }) {
        (twin, number) = ("\(wanted[index])-\(remainder(of: locations[index]))", 1)
        if taken.insert(twin) {
          ids[index] = twin
          continue
        }
      }
      // Skip a number if a source's own id equals the result.
      repeat { number += 1 } while !taken.insert("\(twin)-\(number)")
      ids[index] = "\(twin)-\(number)"
    }
    return ids
  }

  /// The hash of all of a location's data from the source, in 8 hexadecimal digits.
  ///
  /// Configured values (bank, country, zone) and derived ones (hours from the availability) are left out: a new version
  /// may derive more from the same text, but must not change ids.
  private static func remainder(of location: BankLocation) -> String {
    let hours = location.availability == nil ? location.hours?.description : nil
    let parts = [
      location.kind.code.map(String.init), location.name, location.address, location.region,
      hundredMillionths(location.point.latitude), hundredMillionths(location.point.longitude), location.availability,
      location.info, String(location.noCash), String(location.coinStation), location.phone, location.email,
      location.website, hours,
    ]
    return digits(parts.map { $0 ?? "" })
  }

  /// The id of a location, unless it is shared with another.
  static func wanted(_ location: BankLocation) -> String {
    if let id = location.sourceID { return "\(location.bank)-\(id)" }
    let parts = [
      location.kind.code.map(String.init) ?? "", location.name ?? "", location.address,
      hundredMillionths(location.point.latitude), hundredMillionths(location.point.longitude),
    ]
    return "\(location.bank)-\(digits(parts))"
  }

  private static func digits(_ parts: [String]) -> String {
    hexadecimal(UInt64(fnv1a(parts.joined(separator: "\u{1F}").utf8)), digits: 8)
  }

  private static func hundredMillionths(_ degrees: Double) -> String { String(Int64((degrees * unit).rounded())) }

  private static func isBelow(_ one: [String?], _ other: [String?]) -> Bool {
    one.lexicographicallyPrecedes(other) { mine, theirs in
      theirs.map { text in mine.map { $0 < text } ?? true } ?? false
    }
  }
}

/// The 32-bit FNV-1a hash (draft-eastlake-fnv).
private func fnv1a(_ bytes: some Sequence<UInt8>) -> UInt32 {
  bytes.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
}
