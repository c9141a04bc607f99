extension ResidentImage {
  /// The first difference between this image, made again from a file's records, and that file; `nil` if there is none.
  ///
  /// The same records give the same bytes, so an image made from the records of a file proves every order, trie, column and
  /// offset in it at once: whatever differs is not what the importer would have written.
  ///
  /// - Complexity: O(size of the file).
  package func difference(from file: ResidentFile) -> String? {
    let (expected, found) = (header.sections.map(\.name), file.header.sections.map(\.name))
    guard expected == found else {
      return "the sections are \(Self.list(found)), expected \(Self.list(expected))"
    }
    for (section, bytes) in zip(expected, sections) {
      guard let other = file[section] else { return "section \(section) is missing" }
      if let problem = Self.difference(bytes, other) { return "section \(section): \(problem)" }
    }
    return header == file.header ? nil : "the header is not the one that belongs to these sections"
  }

  private static func difference(_ expected: [UInt8], _ found: UnsafeRawBufferPointer) -> String? {
    guard expected.count == found.count else {
      return "\(found.count) bytes; the rows give \(expected.count)"
    }
    guard let offset = expected.withUnsafeBytes({ zip($0, found).enumerated().first { $1.0 != $1.1 }?.offset }) else {
      return nil
    }
    return
      "byte \(offset) is \(hexadecimal(UInt64(found[offset]), digits: 2)); "
      + "the rows give \(hexadecimal(UInt64(expected[offset]), digits: 2))"
  }

  private static func list(_ names: [FourBytes]) -> String { names.map(\.description).joined(separator: ", ") }
}
