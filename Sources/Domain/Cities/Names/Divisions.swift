/// Addresses that are written from the large to the small, with a character after the name of each division:
/// `浙江省宁波市`, `東京都八王子市`, `경기도 수원시`.
enum Divisions {
  /// The characters that end the name of a city, and of other divisions.
  private static let (cities, others) = (Set("市시".unicodeScalars), Set("省州县縣区區旗都道府県郡町村도군구읍면".unicodeScalars))
  /// The number of characters of the longest address, and of the shortest name with its division.
  private static let (longest, shortest) = (64, 2)

  /// Keys for the city of an address, best first: the last city, or else the last division, each in the first division
  /// and then alone, with and without the character for its kind.
  ///
  /// - Complexity: O(n) in the bytes.
  static func forms(of key: [UInt8]) -> [[UInt8]] {
    // The first of these characters has three bytes, which begin with 0xE3.
    guard key.contains(where: { $0 >= 0xE3 }) else { return [] }
    let text = Array(String(decoding: key, as: UTF8.self).unicodeScalars)
    guard text.contains(where: { $0.value >= 0x3000 }), text.count <= longest else { return [] }
    let parts = parts(text)
    guard let last = parts.last else { return [] }
    let city = parts.last { cities.contains($0[$0.count - 1]) } ?? last
    var forms: [[Unicode.Scalar]] = []
    for name in [city, Array(city.dropLast())] where name.count >= shortest || name.count == 1 && parts.count == 1 {
      if parts[0] != city { forms.append(name + [" "] + parts[0]) }
      forms.append(name)
    }
    return forms.map { Array(String(String.UnicodeScalarView($0)).utf8) }.filter { $0 != key }
  }

  /// The names of divisions, each with its last character; what does not end with one is left out.
  private static func parts(_ text: [Unicode.Scalar]) -> [[Unicode.Scalar]] {
    var (parts, part): ([[Unicode.Scalar]], [Unicode.Scalar]) = ([], [])
    for scalar in text where scalar != " " {
      let isEnd = cities.contains(scalar) || others.contains(scalar)
      // In 四日市市 and 市川市, the first of these characters is a part of the name.
      if isEnd, part.isEmpty, let last = parts.last, scalar == last[last.count - 1] {
        parts[parts.count - 1].append(scalar)
        continue
      }
      part.append(scalar)
      if isEnd, part.count >= shortest {
        parts.append(part)
        part = []
      }
    }
    return parts
  }
}
