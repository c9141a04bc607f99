/// Where the records of a JSON list hold bytes that are not UTF-8, which the decoder does not say.
///
/// The text is only gone through once a record was refused because of such bytes.
struct InvalidText {
  private let text: [UInt8]
  private let key: String?
  private lazy var faults = Self.faults(in: text, key: key)

  /// Looks into `text`, an array of records, or an object that has it under `key`.
  init(_ text: [UInt8], key: String? = nil) { (self.text, self.key) = (text, key) }

  /// The problem with the record at `position`, counted from 1, with the place if it is about text.
  ///
  /// - Complexity: O(bytes of the list) for the first record whose text is invalid.
  mutating func clause(_ problem: RecordProblem, at position: Int) -> String {
    guard problem.isAboutText, let fault = faults[position] else { return problem.description }
    return "\(problem), \(fault.place)"
  }

  /// By position, the first byte of each record that is not UTF-8.
  private static func faults(in text: [UInt8], key: String?) -> [Int: JSONFault] {
    var faults: [Int: JSONFault] = [:]
    var position = 0
    var scanner = JSONTextScanner(text, from: text.count - text.withoutByteOrderMark.count)
    func takeRecord(_ scanner: inout JSONTextScanner) throws(JSONFault) {
      _ = try scanner.peek()
      let start = scanner.offset
      try scanner.skipValue()
      position += 1
      guard let offset = text[start..<scanner.offset].firstInvalidUTF8 else { return }
      faults[position] = JSONFault("the text is not UTF-8", at: offset, of: text)
    }
    // The decoder has accepted the list; what it took and the scanner does not is left without a place.
    do throws(JSONFault) {
      guard let key else {
        guard try scanner.peek() == UInt8(ascii: "[") else { return [:] }
        try scanner.readElements(until: "]", takeRecord)
        return faults
      }
      guard try scanner.peek() == UInt8(ascii: "{") else { return [:] }
      try scanner.readElements(until: "}") { (scanner) throws(JSONFault) in
        guard try scanner.readKey().trimmingBlanks == key, try scanner.peek() == UInt8(ascii: "[") else {
          return try scanner.skipValue()
        }
        try scanner.readElements(until: "]", takeRecord)
      }
    } catch {}
    return faults
  }
}

extension ArraySlice<UInt8> {
  /// The index of the first byte that does not belong to well-formed UTF-8.
  var firstInvalidUTF8: Int? {
    var parser = Unicode.UTF8.ForwardParser()
    var bytes = makeIterator()
    var offset = startIndex
    while true {
      switch parser.parseScalar(from: &bytes) {
      case .valid(let scalar): offset += scalar.count
      case .error: return offset
      case .emptyInput: return nil
      }
    }
  }
}
