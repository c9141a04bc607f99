internal import ArgumentParser

/// Reads an option that takes one of a few names.
enum Choice {
  /// The value that `word` names; `nil` if there is no word.
  ///
  /// - Throws: `ValidationError` with the option and the names there are.
  static func read<Value: RawRepresentable<String> & CaseIterable>(
    _ option: String, _ word: String?, of type: Value.Type = Value.self
  ) throws -> Value? {
    guard let word else { return nil }
    if let value = Value(rawValue: word) { return value }
    let names = type.allCases.map(\.rawValue).joined(separator: ", ")
    throw ValidationError("\(option) wants one of \(names), not '\(ArgumentRewriter.unmarked(word))'")
  }

  /// Completes the names of `type`.
  static func completion<Value: RawRepresentable<String> & CaseIterable>(of type: Value.Type) -> CompletionKind {
    .list(type.allCases.map(\.rawValue))
  }
}
