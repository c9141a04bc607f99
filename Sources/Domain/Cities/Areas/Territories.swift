/// Territories with a code of their own in ISO 3166-1, and the country that they belong to.
///
/// People write `Hong Kong, China` and `Nuuk, Denmark`. It says what people write, and takes no side: places that two
/// countries claim are listed under each.
enum Territories {
  /// The code of a country, and those of its territories.
  private static let table: KeyValuePairs = [
    "au": "cc cx nf hm", "cn": "hk mo tw", "dk": "fo gl", "fi": "ax",
    "fr": "bl gf gp mf mq nc pf pm re tf wf yt", "gb": "ai bm fk gg gi gs im io je ky ms pn sh tc vg", "il": "ps",
    "nl": "aw bq cw sx", "no": "bv sj", "nz": "ck nu tk", "rs": "xk", "us": "as gu mp pr um vi",
  ]

  /// By the letters of a territory's code, those of its country's; 0 for other codes.
  private static let sovereigns = {
    var found = [UInt16](repeating: 0, count: letters * letters)
    for (country, territories) in table {
      for territory in territories.split(separator: " ") {
        if let place = place(Array(territory.utf8)) { found[place] = country.utf8.reduce(0) { $0 << 8 | UInt16($1) } }
      }
    }
    return found
  }()
  private static let letters = 26

  /// Whether territories belong to the country with a folded code.
  ///
  /// - Complexity: O(1).
  static func belong(to code: some RandomAccessCollection<UInt8>) -> Bool {
    place(code).map { haveTerritories[$0] } ?? false
  }

  private static let haveTerritories = {
    let owners = table.compactMap { place(Array($0.key.utf8)) }
    return (0..<letters * letters).map(owners.contains)
  }()

  /// The folded code of the country that the territory with a folded code belongs to; `nil` for other codes.
  ///
  /// - Complexity: O(1).
  static func sovereign(of code: some RandomAccessCollection<UInt8>) -> [UInt8]? {
    guard let place = place(code), sovereigns[place] != 0 else { return nil }
    return [UInt8(sovereigns[place] >> 8), UInt8(sovereigns[place] & 0xFF)]
  }

  private static func place(_ code: some RandomAccessCollection<UInt8>) -> Int? {
    guard code.count == 2, let first = code.first, let last = code.last else { return nil }
    let (one, two) = (Int(first) - 0x61, Int(last) - 0x61)
    return (0..<letters).contains(one) && (0..<letters).contains(two) ? one * letters + two : nil
  }
}
