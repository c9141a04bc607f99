import Base
import Geodesy

/// Gives every location an id that scripts can keep.
///
/// It is the bank and the source's own id where there is one (`imaginary-1`); else the bank and a hash in 8 hexadecimal
/// digits (`swedbank-lt-1f0c9a77`) over what makes a place that place, so that a new opening time keeps the id and a
/// new address changes it:
///
///     FNV-1a, 32 bits, over the UTF-8 bytes of
///     code of the kind, U+001F, name, U+001F, address, U+001F, latitude, U+001F, longitude
///
/// with coordinates as whole hundred-millionths of a degree in decimal. Several locations may come to the same id. The
/// first of them by their remaining fields has it; the others have it with a hyphen and a hash of those fields
/// (`swedbank-lt-1f0c9a77-5be0c4d1`), so that changes of one location do not affect the ids of the others. Locations
/// that are equal in all fields follow with a number (`…-2`, `…-3`). The same rows have the same ids, in whatever order
/// they came.
enum LocationIDs {
  /// A hundred-millionth: real files have up to eight decimals.
  private static let unit = 1e8

  /// The ids of `locations`, which are tidied, in their order; no two are the same.
  ///
  /// - Complexity: O(n log n).
  static func assign(to locations: [BankLocation]) -> [String] {
    let wanted = locations.map(wanted)
    var taken = Set(wanted)
    var ids = wanted
    // By contents within an id, so that which comes first does not depend on the file's order.
    let contents = locations.map(\.contents)
    let order = locations.indices.sorted {
      wanted[$0] == wanted[$1] ? isBelow(contents[$0], contents[$1]) : bytesAscend(wanted[$0], wanted[$1])
    }
    var twin = ""
    var number = 1
    for (index, previous) in zip(order, [nil] + order.map(Optional.some)) {
      guard let previous, wanted[previous] == wanted[index] else {
        (twin, number) = (wanted[index], 1)
        continue
      }
      if contents[previous] != contents[index] {
        (twin, number) = ("\(wanted[index])-\(remainder(of: locations[index]))", 1)
        if taken.insert(twin).inserted {
          ids[index] = twin
          continue
        }
      }
      // A number is skipped where a source's own id reads like it.
      repeat { number += 1 } while !taken.insert("\(twin)-\(number)").inserted
      ids[index] = "\(twin)-\(number)"
    }
    return ids
  }

  /// The hash of everything that the source says of a location, in 8 hexadecimal digits.
  ///
  /// What the configuration adds (bank, country, zone) and what is derived from the source's words (hours from the
  /// availability) is left out: a new version reads more from the same words, and must not change ids.
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

  /// The id of a location that shares it with no other.
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
    for (mine, theirs) in zip(one, other) where mine != theirs {
      guard let mine else { return true }
      guard let theirs else { return false }
      return bytesAscend(mine, theirs)
    }
    return false
  }
}

/// The hash of Fowler, Noll and Vo in its variant 1a with 32 bits (draft-eastlake-fnv).
private func fnv1a(_ bytes: some Sequence<UInt8>) -> UInt32 {
  bytes.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
}

/// Whether the UTF-8 of one text is below that of the other, which no version of Unicode can change.
func bytesAscend(_ one: String, _ other: String) -> Bool { one.utf8.lexicographicallyPrecedes(other.utf8) }
