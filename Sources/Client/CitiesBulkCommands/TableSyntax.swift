internal import CitiesCommands

/// The bytes that a table is made of, and the quotes of csv as RFC 4180 has them.
///
/// What the RFC leaves open is read as Python's module `csv` reads it: a quote is only special at the start of a value
/// and in the part that it opens.
struct TableSyntax: Equatable {
  static let tsv = TableSyntax(.tsv)
  static let csv = TableSyntax(.csv)
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let quote = UInt8(ascii: "\"")

  /// The byte between values.
  let separator: UInt8
  /// Whether values may be in quotes.
  let hasQuotes: Bool

  /// The syntax of a format, with another separator if there is one.
  init(_ form: TableForm, separator: UInt8? = nil) {
    self.separator = separator ?? (form == .csv ? UInt8(ascii: ",") : UInt8(ascii: "\t"))
    hasQuotes = form == .csv
  }

  /// Bytes of the byte order mark at `start`, which spreadsheets put before a table; 0 if there is none.
  static func markLength(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Int {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    return bytes[start...].starts(with: mark) ? mark.count : 0
  }

  /// Bytes of the part in quotes that a value starts with; all of them if no quote closes it.
  ///
  /// - Complexity: O(bytes of the part).
  static func quotedLength(_ value: UnsafeRawBufferPointer) -> Int {
    var end = 1
    while end < value.count {
      let isQuote = value[end] == quote
      end += 1
      guard isQuote else { continue }
      guard end < value.count, value[end] == quote else { return end }
      end += 1
    }
    return value.count
  }

  /// A value that starts with a quote, without the quotes around its first part; one for each two in that part.
  ///
  /// - Complexity: O(bytes).
  static func unquoted(_ value: UnsafeRawBufferPointer) -> [UInt8] {
    let length = quotedLength(value)
    var text: [UInt8] = []
    text.reserveCapacity(value.count)
    var position = 1
    while position < length {
      let byte = value[position]
      position += byte == quote ? 2 : 1
      // The quote that closes the part is single.
      if byte != quote || position <= length { text.append(byte) }
    }
    return text + value[length...]
  }
}
