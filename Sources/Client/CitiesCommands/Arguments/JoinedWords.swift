extension [String] {
  /// The words with `separator` between them.
  ///
  /// In place of the standard library's, which is generic: for the first use the runtime walks all conformances of the
  /// program, 100,000 instructions of a short command.
  func joined(separator: String) -> String {
    var text = first ?? ""
    for word in dropFirst() { text += separator + word }
    return text
  }
}
