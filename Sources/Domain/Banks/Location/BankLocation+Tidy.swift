import Geodesy
import Text

extension BankLocation {
  /// The location with tidy texts.
  ///
  /// All are in NFC, without white space at either end, and absent where nothing is left. In availability and info, which
  /// have several lines, `\r\n` and `\r` are `\n` and no line ends with a blank.
  ///
  /// - Complexity: O(n) in the bytes of the texts.
  package func tidied() -> BankLocation {
    let folder = Folder()
    var tidy = self
    tidy.bank = trimmed(bank, folder)
    tidy.address = trimmed(address, folder)
    tidy.country = trimmed(country, folder)
    tidy.zone = trimmed(zone, folder)
    // A zero is a zero: −0.0 differs from it in its bits alone.
    tidy.point = GeoPoint(latitude: point.latitude + 0, longitude: point.longitude + 0)
    for field in [\Self.sourceID, \.name, \.region, \.phone, \.email, \.website] {
      tidy[keyPath: field] = present(self[keyPath: field].map { trimmed($0, folder) })
    }
    for field in [\Self.availability, \.info] {
      tidy[keyPath: field] = present(self[keyPath: field].map { trimmedLines($0, folder) })
    }
    return tidy
  }
}

private func present(_ text: String?) -> String? { text?.isEmpty ?? true ? nil : text }

private func trimmed(_ text: some StringProtocol, _ folder: Folder) -> String {
  let start = text.drop(while: \.isWhitespace)
  guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
  return folder.composed(String(start[...last]))
}

private func trimmedLines(_ text: String, _ folder: Folder) -> String {
  // A character that is a line's end may be "\r\n", which is one.
  let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
  return trimmed(lines.map { withoutTrailingBlanks($0) }.joined(separator: "\n"), folder)
}

private func withoutTrailingBlanks(_ line: Substring) -> Substring {
  guard let last = line.lastIndex(where: { !$0.isWhitespace }) else { return "" }
  return line[...last]
}
