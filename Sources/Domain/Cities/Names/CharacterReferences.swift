/// The character references of HTML, as texts copied from web pages have them: `d&#39;Ascq`, `Orl&eacute;ans`.
enum CharacterReferences {
  /// The number of bytes of the longest reference.
  private static let longest = 10
  /// The names of marks on letters, which the search ignores.
  private static let marks = ["acute", "grave", "circ", "uml", "tilde", "cedil", "ring", "caron", "slash"]
  private static let names: [TextKey: String] = [
    "amp": "&", "apos": "'", "rsquo": "'", "lsquo": "'", "nbsp": " ", "quot": "\"", "ndash": "-", "szlig": "ss",
    "aelig": "ae", "AElig": "Ae", "oelig": "oe", "OElig": "Oe", "eth": "d", "ETH": "D", "thorn": "th", "THORN": "Th",
  ]

  /// The text without references, marks on letters included; `nil` if it has none.
  ///
  /// - Complexity: O(n) in the bytes.
  static func decoded(_ typed: [UInt8]) -> String? {
    var (text, isChanged) = ("", false)
    for (index, part) in typed.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).enumerated() {
      if index > 0, let end = part.prefix(longest).firstIndex(of: UInt8(ascii: ";")),
        let character = character(String(decoding: part[..<end], as: UTF8.self))
      {
        text += character + String(decoding: part[(end + 1)...], as: UTF8.self)
        isChanged = true
      } else {
        text += (index > 0 ? "&" : "") + String(decoding: part, as: UTF8.self)
      }
    }
    return isChanged ? text : nil
  }

  private static func character(_ name: String) -> String? {
    if name.utf8.first == UInt8(ascii: "#") {
      let isHexadecimal = name.utf8.dropFirst().first.map { $0 | 0x20 } == UInt8(ascii: "x")
      let number = UInt32(name.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10)
      return number.flatMap(Unicode.Scalar.init).map { String($0) }
    }
    if let known = names[name] { return known }
    return marks.contains { name.dropFirst().utf8.elementsEqual($0.utf8) } ? String(name.prefix(1)) : nil
  }
}
