import CCharsets

/// A single-byte charset: ASCII, and 128 characters above it.
struct Charset {
  /// The most bytes of a name.
  private static let maximumName = 40

  /// The characters of the bytes from 128 on, in UTF-8; empty for a byte without a character.
  private let upper: [[UInt8]]

  /// The charset with a name in any case, such as `windows-1257`; `nil` if it is none of contrib/data/charsets.tsv.
  init?(_ name: String) {
    guard name.utf8.count <= Self.maximumName else { return nil }
    let wanted = name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    let table = UnsafeBufferPointer(start: cities_charsets_bytes(), count: cities_charsets_count())
    let lines = table.split(separator: 0x0A).lazy.map { $0.split(separator: 0x09, maxSplits: 1) }
    let line = lines.first { $0.count == 2 && $0[0].split(separator: 0x20).contains { $0.elementsEqual(wanted) } }
    guard let line else { return nil }
    upper = String(decoding: line[1], as: UTF8.self).unicodeScalars.map { $0 == "\u{fffd}" ? [] : Array($0.utf8) }
    guard upper.count == 128 else { return nil }
  }

  /// `bytes` in UTF-8; `nil` if one of them has no character.
  ///
  /// - Complexity: O(count of `bytes`).
  func utf8(_ bytes: [UInt8]) -> [UInt8]? {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count + bytes.count / 8)
    for byte in bytes {
      guard byte >= 128 else {
        text.append(byte)
        continue
      }
      guard !upper[Int(byte) - 128].isEmpty else { return nil }
      text += upper[Int(byte) - 128]
    }
    return text
  }
}

extension [UInt8] {
  /// This text of a source in UTF-8, if its server names another charset; text that is UTF-8 stays as it is.
  ///
  /// That a text is packed with gzip makes no difference, up to `limit` bytes.
  ///
  /// - Complexity: O(count, unpacked).
  func decoded(from charset: String?, limit: Int) -> [UInt8] {
    guard let charset = charset.flatMap(Charset.init), !ZipArchive.isArchive(self) else { return self }
    let text = Gzip.isPacked(self) ? (try? Gzip.unpack(self, limit: limit)) ?? self : self
    guard !Gzip.isPacked(text), text.withUnsafeBytes(isValidUTF8) == false, !text.starts(with: [0xFE, 0xFF]),
      !text.starts(with: [0xFF, 0xFE])
    else { return self }
    return charset.utf8(text) ?? self
  }

  /// The text of a list named `name` in UTF-8: unpacked, and decoded from UTF-16 if it has the mark of it.
  ///
  /// - Throws: ``FeedError`` of reason `badData`, for invalid text with the place of its first byte.
  /// - Complexity: O(count, unpacked).
  func listText(name: String) throws(FeedError) -> [UInt8] {
    var text = self
    do {
      if Gzip.isPacked(self) || ZipArchive.isArchive(self) {
        text = try PackedSource(self, name: name).unpack(limit: SourceFile.maximumBytes)
      }
    } catch {
      throw FeedError(.badData, "\(name): \(error); nothing was imported")
    }
    for (mark, high) in [([0xFF, 0xFE] as [UInt8], 1), ([0xFE, 0xFF], 0)] where text.starts(with: mark) {
      let units = stride(from: 2, to: text.count - 1, by: 2).map { start in
        UInt16(text[start + high]) << 8 | UInt16(text[start + 1 - high])
      }
      guard text.count % 2 == 0, let decoded = String(validating: units, as: UTF16.self) else {
        throw FeedError(.badData, "\(name): the text is not UTF-16, as its mark says; nothing was imported")
      }
      text = Array(decoded.utf8)
    }
    guard let offset = text.withUnsafeBytes(firstInvalidUTF8) else { return text }
    var lines = LineCounter(text)
    let remedy = "a web server names another charset in Content-Type"
    throw FeedError(
      .badData, "\(name): the text is not UTF-8 \(lines.place(at: offset)): \(remedy); nothing was imported")
  }
}
