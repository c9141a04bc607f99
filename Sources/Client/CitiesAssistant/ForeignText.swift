internal import CBOR

/// Texts of data sources, for an assistant that reads them: they must not look like another row, the end of a result or
/// an instruction, and must not say what people cannot see.

/// `text` on one line, without control characters, invisible ones and those that change its direction.
///
/// - Complexity: O(*n*).
func readable(_ text: String) -> String {
  escaped(withoutInvisible(text), where: \.actsOnTerminal) { $0.properties.isWhitespace ? " " : "" }
}

/// A value of a row: the first 100 code points of ``readable(_:)``, quoted as in JSON, without the start of a tag.
func value(_ text: String) -> String {
  let text = readable(text)
  let start = text.excerpt(100)
  return escaped(quotedJSON(start.utf8.count < text.utf8.count ? start + "…" : start)) { $0 == "<" }
}

extension CBORValue {
  /// The value with every text ``readable(_:)``, and whole.
  var readable: CBORValue {
    switch self {
    case .text(let text): .text(CitiesAssistant.readable(text))
    case .array(let elements): .array(elements.map(\.readable))
    case .map(let pairs): .map(pairs.map { ($0.key.readable, $0.value.readable) })
    case .tagged(let tag, let value): .tagged(tag, value.readable)
    default: self
    }
  }
}
