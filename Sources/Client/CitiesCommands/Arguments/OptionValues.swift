internal import ArgumentParser

/// Reads options that are numbers with a range; each is `nil` if there is no word.
enum RangedNumbers {
  /// A whole number from `least` to `most`.
  ///
  /// - Throws: `ValidationError` with the option, what it must be and what was given.
  static func count(_ option: String, _ word: String?, from least: UInt64, to most: UInt64 = .max) throws -> UInt64? {
    guard let word else { return nil }
    let isPlain = word.utf8.allSatisfy { (0x30...0x39).contains($0) }
    guard isPlain, let number = UInt64(word), number >= least, number <= most else {
      let range = most == .max ? "of at least \(least)" : "from \(least) to \(most)"
      throw refusal(option, "a whole number \(range)", word)
    }
    return number
  }

  /// A time in seconds with an optional unit: `2`, `0.5`, `200ms`, `2s`; from 0 up to a day.
  static func duration(_ option: String, _ word: String?) throws -> Duration? {
    guard let word else { return nil }
    let isMilliseconds = word.hasSuffix("ms")
    let digits = isMilliseconds ? word.dropLast(2) : word.hasSuffix("s") ? word.dropLast() : Substring(word)
    let expected = "a time of up to a day, such as 2, 0.5s or 200ms"
    guard let number = Double(digits), number >= 0, number <= 86_400_000 else { throw refusal(option, expected, word) }
    let seconds = isMilliseconds ? number / 1_000 : number
    guard seconds <= 86_400 else { throw refusal(option, expected, word) }
    return .microseconds(Int64(seconds * 1_000_000))
  }

  /// A distance in metres with an optional unit: `500`, `500m`, `2.5km`; from 0 up.
  static func distance(_ option: String, _ word: String?) throws -> Double? {
    guard let word else { return nil }
    let isKilometres = word.hasSuffix("km")
    let digits = isKilometres ? word.dropLast(2) : word.hasSuffix("m") ? word.dropLast() : Substring(word)
    guard let number = Double(digits), number >= 0, number.isFinite else {
      throw refusal(option, "a distance such as 500, 500m or 2.5km", word)
    }
    return isKilometres ? number * 1_000 : number
  }

  private static func refusal(_ option: String, _ expected: String, _ word: String) -> ValidationError {
    ValidationError("\(option) must be \(expected), not '\(ArgumentRewriter.unmarked(word))'")
  }
}

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
    let names = type.allCases.map(\.rawValue)
    let given = ArgumentRewriter.unmarked(word)
    throw ValidationError(
      "\(option) must be \(Self.listed(names)), not '\(given)'" + NearestName.hint(given, among: names))
  }

  /// `a`, `a or b`, `a, b or c`.
  static func listed(_ names: [String]) -> String {
    guard let last = names.last, names.count > 1 else { return names.first ?? "" }
    return "\(names.dropLast().joined(separator: ", ")) or \(last)"
  }

  /// Completes the names of `type`.
  static func completion<Value: RawRepresentable<String> & CaseIterable>(of type: Value.Type) -> CompletionKind {
    .list(type.allCases.map(\.rawValue))
  }
}
