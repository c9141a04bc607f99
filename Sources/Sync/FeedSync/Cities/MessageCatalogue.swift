/// A catalogue of translated messages as GNU gettext compiles it (`.mo`; gettext manual, "The Format of GNU MO Files").
struct MessageCatalogue {
  /// Most bytes in a catalogue; the largest one of places has a million.
  static let maximumBytes = 64 << 20
  /// Most messages in a catalogue.
  private static let maximumMessages = 1 << 20

  /// Messages and their translations, by the bytes of the message.
  let messages: [(message: String, translation: String)]

  /// Reads a catalogue of any byte order; a message without a translation is left out.
  ///
  /// Safe for arbitrary bytes: every offset is checked before use.
  ///
  /// - Throws: ``FeedError`` with the path and the reason.
  /// - Complexity: O(n) in the bytes.
  init(_ bytes: [UInt8], path: String) throws(FeedError) {
    func refusal(_ reason: String) -> FeedError {
      FeedError(.badData, "\(path): not a message catalogue: \(reason)")
    }
    let isBigEndian: Bool
    switch bytes.prefix(4) {
    case [0xDE, 0x12, 0x04, 0x95]: isBigEndian = false
    case [0x95, 0x04, 0x12, 0xDE]: isBigEndian = true
    default: throw refusal("it does not start with the magic number")
    }
    let numbers = CatalogueNumbers(bytes: bytes, isBigEndian: isBigEndian)
    guard let count = numbers[8], let ids = numbers[12], let texts = numbers[16], count <= Self.maximumMessages else {
      throw refusal("the header is cut, or has more than \(Self.maximumMessages) messages")
    }
    var messages: [(message: String, translation: String)] = []
    for index in 0..<count {
      guard let id = numbers.text(ids + 8 * index), let text = numbers.text(texts + 8 * index) else {
        throw refusal("message \(index) is not a text in the file")
      }
      if !id.isEmpty, !text.isEmpty { messages.append((id, text)) }
    }
    self.messages = messages
  }
}

/// The numbers of a catalogue, 32 bits each.
private struct CatalogueNumbers {
  let bytes: [UInt8]
  let isBigEndian: Bool

  /// The number at `offset`; `nil` beyond the end.
  subscript(offset: Int) -> Int? {
    guard offset >= 0, offset <= bytes.count - 4 else { return nil }
    let number = bytes.number(at: offset, as: UInt32.self)
    return Int(isBigEndian ? number.byteSwapped : number)
  }

  /// The text whose length and offset are at `entry`; `nil` if it is not UTF-8 within the file.
  func text(_ entry: Int) -> String? {
    guard let length = self[entry], let start = self[entry + 4], start <= bytes.count, length <= bytes.count - start
    else { return nil }
    return String(validating: bytes[start..<start + length], as: UTF8.self)
  }
}
