import Geodesy

/// Gives every location an id that scripts can keep.
///
/// It is the bank and the source's own id where there is one (`imaginary-1`); else the bank and a hash in 8 hexadecimal
/// digits (`swedbank-lt-1f0c9a77`) over what makes a place that place, so that a new opening time keeps the id and a new
/// address changes it:
///
///     FNV-1a, 32 bits, over the UTF-8 bytes of
///     code of the kind, U+001F, name, U+001F, address, U+001F, latitude, U+001F, longitude
///
/// with coordinates as whole hundred-millionths of a degree in decimal. Where several locations come to the same id, the
/// first by their remaining keys has it, and the others follow as `…-2`, `…-3`: the same rows have the same ids, in
/// whatever order they came.
enum LocationIDs {
  /// A hundred-millionth: real files have up to eight decimals.
  private static let unit = 1e8

  /// The ids of `locations`, which are tidied and all different, in their order.
  ///
  /// - Complexity: O(n log n).
  static func assign(to locations: [BankLocation]) -> [String] {
    let wanted = locations.map(wanted)
    var taken = Set(wanted)
    var owned: Set<String> = []
    var ids = wanted
    // By contents within an id, so that who comes first does not depend on the file's order.
    let order = locations.indices.sorted {
      wanted[$0] == wanted[$1]
        ? isBelow(locations[$0].contents, locations[$1].contents) : bytesAscend(wanted[$0], wanted[$1])
    }
    for index in order where !owned.insert(wanted[index]).inserted {
      var number = 2
      while !taken.insert("\(wanted[index])-\(number)").inserted { number += 1 }
      ids[index] = "\(wanted[index])-\(number)"
    }
    return ids
  }

  /// The id of a location that shares it with no other.
  static func wanted(_ location: BankLocation) -> String {
    if let id = location.sourceID { return "\(location.bank)-\(id)" }
    let parts = [
      String(location.kind.code), location.name ?? "", location.address, hundredMillionths(location.point.latitude),
      hundredMillionths(location.point.longitude),
    ]
    let digits = String(fnv1a(parts.joined(separator: "\u{1F}").utf8), radix: 16)
    return "\(location.bank)-\(String(repeating: "0", count: 8 - digits.count))\(digits)"
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
