public import CBOR

/// Prints an item in hexadecimal, one line per head, with its meaning: the format of this project's golden files.
///
/// ```
/// a2                                            # map of 2
///   62 6964                                     # "id"
///   07                                          # 7
/// ```
///
/// Children are indented by two spaces. Strings of more than 60 bytes follow their head in lines of 32 bytes, and a
/// break has a line of its own. Every byte is shown once, in order.
/// - Throws: The errors of ``CBORValue/init(decoding:limits:)``.
/// - Complexity: O(*n*).
public func annotatedHexadecimal(_ bytes: [UInt8], limits: CBORLimits = .init()) throws(CBORError) -> String {
  try unsafe bytes.withUnsafeBytes { bytes in
    Result { () throws(CBORError) in
      let storage = try unsafe TapeScanner.scan(bytes, limits: limits)
      return withExtendedLifetime(storage) {
        var annotator = Annotator(tape: storage.tape)
        annotator.write(0, level: 0)
        return String(decoding: annotator.text, as: UTF8.self)
      }
    }
  }.get()
}

/// Writes the lines of ``annotatedHexadecimal(_:limits:)``.
private struct Annotator {
  /// The column in which comments start.
  private static let column = 46
  /// The most bytes of a string on the same line as its head.
  private static let longest = 60
  /// Bytes per line of a longer string.
  private static let width = 32

  let tape: Tape
  var text: [UInt8] = []

  mutating func write(_ index: Int, level: Int) {
    let item = tape[index]
    switch item.kind {
    case .bytes, .text: writeString(item, CBORValue(tape, at: index), level)
    case .array: writeContainer(index, "array of \(item.argument)", level)
    case .map: writeContainer(index, "map of \(item.argument)", level)
    case .tag: writeContainer(index, "tag \(item.argument)", level)
    case .unsigned, .negative, .chunkedBytes, .chunkedText, .float, .simple:
      writeLine(Int(item.offset)..<Int(item.endOffset), meaning: CBORValue(tape, at: index).diagnostic, level)
    }
  }

  private mutating func writeString(_ item: Tape.Item, _ value: CBORValue, _ level: Int) {
    let (start, content, end) = (Int(item.offset), Int(item.mark), Int(item.endOffset))
    guard end - content > Self.longest else {
      return writeLine(start..<content, content..<end, meaning: value.diagnostic, level)
    }
    writeLine(start..<content, meaning: "\(end - content) bytes\(item.kind == .text ? " of text" : "")", level)
    for line in stride(from: content, to: end, by: Self.width) {
      writeLine(line..<min(line + Self.width, end), meaning: nil, level + 1)
    }
  }

  /// Writes a head, the children, and the break, if any.
  private mutating func writeContainer(_ index: Int, _ meaning: String, _ level: Int) {
    let item = tape[index]
    var child = index + 1
    let offset = Int(child < Int(item.next) ? tape[child].offset : item.endOffset)
    let isIndefinite = unsafe tape.bytes[Int(item.offset)] & 0x1f == 31
    // An empty container of indefinite length ends with its break, which does not belong to its head.
    let head = Int(item.offset)..<(isIndefinite ? Int(item.offset) + 1 : offset)
    writeLine(head, meaning: meaning, level)
    while child < Int(item.next) {
      write(child, level: level + 1)
      child = Int(tape[child].next)
    }
    if isIndefinite { writeLine(Int(item.endOffset) - 1..<Int(item.endOffset), meaning: "end", level) }
  }

  private mutating func writeLine(
    _ head: Range<Int>, _ content: Range<Int> = 0..<0, meaning: String?, _ level: Int
  ) {
    let start = text.count
    text.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * level))
    unsafe text.appendHexadecimal(tape.bytes[head])
    if !content.isEmpty {
      text.append(UInt8(ascii: " "))
      unsafe text.appendHexadecimal(tape.bytes[content])
    }
    if let meaning {
      let blanks = max(1, Self.column - (text.count - start))
      text.append(contentsOf: repeatElement(UInt8(ascii: " "), count: blanks))
      text += "# \(meaning)".utf8
    }
    text.append(UInt8(ascii: "\n"))
  }
}
