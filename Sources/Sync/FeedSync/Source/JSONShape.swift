extension [UInt8] {
  /// Tells by its first character whether JSON text can be a `shape` of `contents`, for a clearer word than a parser has.
  ///
  /// - Throws: ``FeedError`` with what was expected and found.
  func requireJSON(_ shape: JSONShape, of contents: String) throws(FeedError) {
    let first = withoutByteOrderMark.first { !" \t\r\n".utf8.contains($0) }
    guard first != shape.opening else { return }
    let found =
      switch first {
      case nil: "nothing"
      case UInt8(ascii: "["): "an array"
      case UInt8(ascii: "{"): "an object"
      case UInt8(ascii: "\""): "text"
      case UInt8(ascii: "<"): "a page of HTML or XML"
      default: "no JSON"
      }
    throw FeedError(.badData, "expected \(shape.description) of \(contents), found \(found)")
  }
}

extension [UInt8] {
  /// Refuses JSON text of more than `maximum` values before it is decoded.
  ///
  /// A decoder that takes a whole file holds some hundred bytes for each value, of which `{},` has three. What is counted
  /// is the marks that precede a value in an array or object, outside of strings.
  ///
  /// - Throws: ``FeedError`` with the limit.
  /// - Complexity: O(count), without memory.
  func requireJSONValues(atMost maximum: Int) throws(FeedError) {
    var count = 0
    var (isInString, isEscaped) = (false, false)
    for byte in self {
      if isInString {
        if byte == UInt8(ascii: "\""), !isEscaped { isInString = false }
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{"): count += 1
      default: continue
      }
      guard count <= maximum else { throw FeedError(.badData, "more than the \(maximum) values that are accepted") }
    }
  }
}

/// What a JSON text is as a whole.
enum JSONShape: CustomStringConvertible {
  case array
  case object

  fileprivate var opening: UInt8 { self == .array ? UInt8(ascii: "[") : UInt8(ascii: "{") }

  var description: String { self == .array ? "a JSON array" : "a JSON object" }
}
