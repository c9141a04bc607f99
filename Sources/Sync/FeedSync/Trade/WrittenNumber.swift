import Money

extension ExactDecimal {
  /// Reads a number as people and programs write it, if it has exactly one meaning.
  ///
  /// Besides plain decimals these are numbers with blanks around them, a plus sign, an exponent, or a decimal comma
  /// (`10,50`). One comma before exactly three digits may separate thousands: it is refused, like any other separator.
  ///
  /// - Throws: ``MoneyError/malformedNumber(_:reason:)`` or ``MoneyError/overflow``.
  /// - Complexity: O(bytes of the text).
  init(written text: String) throws(MoneyError) {
    do { self = try ExactDecimal(parsing: text) } catch {
      guard text.utf8.count <= 128 else { throw error }
      // The sign of typography is not ASCII.
      var plain = text.trimmingSpace
      if plain.utf8.starts(with: "\u{2212}".utf8) { plain = "-" + String(plain.unicodeScalars.dropFirst()) }
      if plain.utf8.first == UInt8(ascii: "+"), plain.utf8.dropFirst().first != UInt8(ascii: "-") {
        plain.removeFirst()
      }
      let mantissa = plain.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }
      let parts = mantissa.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      if parts.count == 2, !mantissa.contains(UInt8(ascii: ".")) {
        guard parts[1].count != 3 else {
          let reason = "a comma before three digits may separate thousands or decimals"
          throw .malformedNumber(MoneyError.excerpt(of: text), reason: reason)
        }
        plain = plain.withDecimalPoint
      }
      guard let read = try? ExactDecimal(jsonNumber: plain) else { throw error }
      self = read
    }
  }
}

extension String {
  /// With points in the place of commas.
  var withDecimalPoint: String {
    String(decoding: utf8.map { $0 == UInt8(ascii: ",") ? UInt8(ascii: ".") : $0 }, as: UTF8.self)
  }
}
