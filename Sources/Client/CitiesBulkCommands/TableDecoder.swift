internal import CitiesCommands

/// The bytes that some tables start with and that say what they are.
enum TableMark: CaseIterable {
  /// The byte order marks of UTF-16.
  case littleEndian, bigEndian
  /// Compressed with gzip.
  case gzip
  /// A zip archive, which the files of spreadsheets are.
  case zip

  /// The most bytes of a mark.
  static let maximumBytes = 4

  /// The bytes.
  var bytes: [UInt8] {
    switch self {
    case .littleEndian: [0xFF, 0xFE]
    case .bigEndian: [0xFE, 0xFF]
    case .gzip: [0x1F, 0x8B]
    case .zip: [0x50, 0x4B, 0x03, 0x04]
    }
  }
}

/// Decodes a table piece by piece into UTF-8, wherever the pieces divide its characters.
struct TableDecoder {
  /// What windows-1252 has from 80 to 9F, where latin1 has control characters; U+FFFD for a byte without a character.
  private static let upper = Array(
    "€\u{FFFD}‚ƒ„…†‡ˆ‰Š‹Œ\u{FFFD}Ž\u{FFFD}\u{FFFD}‘’“”•–—˜™š›œ\u{FFFD}žŸ".unicodeScalars)

  private let encoding: TableEncoding
  private let isBigEndian: Bool
  /// The bytes of a character of UTF-16 whose end has not come yet.
  private var rest: [UInt8] = []
  private var decoded = 0
  /// Where the table stops having the encoding, in bytes from its start; nothing after that is decoded.
  private(set) var invalidOffset: Int?

  /// Decodes `encoding`; the order of bytes is that of UTF-16.
  init(_ encoding: TableEncoding, isBigEndian: Bool) { (self.encoding, self.isBigEndian) = (encoding, isBigEndian) }

  /// The next piece in UTF-8.
  ///
  /// - Complexity: O(bytes).
  mutating func decode(_ piece: UnsafeRawBufferPointer, isLast: Bool) -> [UInt8] {
    guard invalidOffset == nil else { return [] }
    let bytes = rest + piece
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count + bytes.count / 8)
    var place = 0
    while place < bytes.count, let (scalar, count) = next(bytes[place...]) {
      guard let scalar else {
        invalidOffset = decoded + place
        return text
      }
      if scalar.isASCII { text.append(UInt8(truncatingIfNeeded: scalar.value)) } else { text += scalar.utf8 }
      place += count
    }
    rest = Array(bytes[place...])
    decoded += place
    if isLast, !rest.isEmpty { invalidOffset = decoded }
    return text
  }

  /// The character at the start of `bytes`, `nil` for an invalid one, and how many bytes it has; `nil` if more have to
  /// come first.
  private func next(_ bytes: ArraySlice<UInt8>) -> (Unicode.Scalar?, Int)? {
    let first = bytes[bytes.startIndex]
    switch encoding {
    case .utf8, .latin1: return (Unicode.Scalar(first), 1)
    case .windows1252:
      guard (0x80...0x9F).contains(first) else { return (Unicode.Scalar(first), 1) }
      let scalar = Self.upper[Int(first) - 0x80]
      return (scalar == "\u{FFFD}" ? nil : scalar, 1)
    case .utf16:
      guard let high = unit(bytes) else { return nil }
      guard UTF16.isLeadSurrogate(high) else { return (Unicode.Scalar(high), 2) }
      guard let low = unit(bytes.dropFirst(2)) else { return nil }
      guard UTF16.isTrailSurrogate(low) else { return (nil, 4) }
      return (UTF16.decode(UTF16.EncodedScalar([high, low])), 4)
    }
  }

  /// The code unit at the start of `bytes`.
  private func unit(_ bytes: ArraySlice<UInt8>) -> UInt16? {
    guard bytes.count >= 2 else { return nil }
    let (first, second) = (UInt16(bytes[bytes.startIndex]), UInt16(bytes[bytes.startIndex + 1]))
    return isBigEndian ? first << 8 | second : second << 8 | first
  }
}
