import Base
internal import CitiesProtocol

/// How the value of an option is written, read and completed.
struct OptionValue<Value> {
  var completion = Completion.none
  /// The value of the option that a word gives it.
  let read: (_ option: String, _ word: String) throws -> Value
}

extension OptionValue<String> {
  /// Any text.
  static var text: Self { text(.none) }

  /// The same, with how it is completed.
  static func text(_ completion: Completion) -> Self { Self(completion: completion) { $1 } }

  /// A text that is not empty: an empty one is usually an unset variable.
  static var filled: Self { filled("not be empty") }

  /// The same, with what the option must be.
  static func filled(_ expected: String, _ completion: Completion = .none) -> Self {
    Self(completion: completion) { option, word in
      if word.isEmpty { throw ValidationError("\(option) must \(expected)") }
      return word
    }
  }

  /// A moment that the server understands.
  static var moment: Self {
    Self { option, word in
      if (try? AskedMoment(word)) != nil { return word }
      throw ValidationError(
        """
        \(option) must be a time with its offset, such as 2026-03-01T12:00:00+02:00, a day (2026-03-01) or a time of day \
        (14:30), not '\(word)'
        """)
    }
  }

  /// A language, or `none`.
  static var language: Self {
    Self { option, word in
      if ReaderLanguages.isName(word) { return word }
      throw ValidationError("\(option) must be a language such as de or pt_BR, or none, not '\(word)'")
    }
  }

  /// One currency.
  static var currency: Self { Self(completion: .currencies) { try CurrencyNames.one($0, $1) } }
}

extension OptionValue<[String]> {
  /// Names of columns between commas.
  static var columns: Self { Self(completion: .columns) { OutputOptions.names($1) } }

  /// Currencies between commas.
  static var currencies: Self { Self(completion: .currencies) { try CurrencyNames.list($0, $1) } }
}

extension OptionValue<UInt64> {
  /// A whole number.
  static func count(from least: UInt64, to most: UInt64 = .max) -> Self {
    Self { try RangedNumbers.count($0, $1, from: least, to: most) }
  }
}

extension OptionValue<Int> {
  /// A small whole number.
  static func size(from least: UInt64, to most: UInt64) -> Self {
    Self { Int(try RangedNumbers.count($0, $1, from: least, to: most)) }
  }
}

extension OptionValue<Double> {
  /// Metres.
  static var distance: Self { Self { try RangedNumbers.distance($0, $1) } }
}

extension OptionValue<Duration> {
  /// Seconds.
  static var duration: Self { Self { try RangedNumbers.duration($0, $1) } }
}

extension OptionValue<Place> {
  /// A position, an id or a name.
  static var place: Self { Self(completion: .places) { try PlaceArgument.parse($1) } }
}

extension OptionValue<TableColumn> {
  /// A number or a name.
  static var column: Self { Self { try TableColumn.parse($0, $1) } }
}

extension OptionValue<CityNear.Rule> {
  /// `nearest` or `main`, which is called `place` on the wire; that name is read, too.
  static var rule: Self {
    let names = ["nearest", "main"]
    return Self(completion: .choices { names }) { option, word in
      if let rule = CityNear.Rule(rawValue: word == "main" ? "place" : word) { return rule }
      throw Choice.refusal(option, word, names)
    }
  }
}

extension OptionValue where Value: RawRepresentable<String> & CaseIterable {
  /// One of a few names.
  static var choice: Self { choice(Array(Value.allCases)) }

  /// One of these.
  static func choice(_ values: [Value]) -> Self {
    Self(completion: .choices { values.map { $0.rawValue } }) { option, word in
      if let value = values.first(where: { $0.rawValue == word }) { return value }
      throw Choice.refusal(option, word, values.map { $0.rawValue })
    }
  }
}

/// What completes a word at the shell's prompt.
enum Completion {
  case none
  /// Paths.
  case files
  /// Titles of cities that start with the word.
  case titles
  /// Titles of cities that people may mean by the words together.
  case places
  /// Titles of cities that people may mean by the word alone.
  case place
  /// Codes and names of countries.
  case countries
  /// Names of regions of cities.
  case regions
  /// Names of regions of banks.
  case bankRegions
  /// Names of columns between commas.
  case columns
  /// Codes of currencies between commas.
  case currencies
  /// Codes of products.
  case products
  /// Ids of locations of banks.
  case locations
  /// A few fixed words.
  case choices(() -> [String])
}

/// Reads numbers with a range.
enum RangedNumbers {
  /// A whole number from `least` to `most`.
  ///
  /// - Throws: ``ValidationError`` with the option, what it must be and what was given.
  static func count(_ option: String, _ word: String, from least: UInt64, to most: UInt64 = .max) throws -> UInt64 {
    let isPlain = word.utf8.allSatisfy { (0x30...0x39).contains($0) }
    guard isPlain, let number = UInt64(word), number >= least, number <= most else {
      let range = most == .max ? "of at least \(least)" : "from \(least) to \(most)"
      throw refusal(option, "a whole number \(range)", word)
    }
    return number
  }

  /// A time in seconds with an optional unit: `2`, `0.5`, `200ms`, `2s`; from 0 up to a day.
  static func duration(_ option: String, _ word: String) throws -> Duration {
    let isMilliseconds = word.hasSuffix("ms")
    let digits = isMilliseconds ? word.dropLast(2) : word.hasSuffix("s") ? word.dropLast() : Substring(word)
    let expected = "a time of up to a day, such as 2, 0.5s or 200ms"
    guard let number = Double(digits), number >= 0, number <= 86_400_000 else { throw refusal(option, expected, word) }
    let seconds = isMilliseconds ? number / 1_000 : number
    guard seconds <= 86_400 else { throw refusal(option, expected, word) }
    return .microseconds(Int64(seconds * 1_000_000))
  }

  /// A distance in metres with an optional unit: `500`, `500m`, `2.5km`; from 0 up.
  static func distance(_ option: String, _ word: String) throws -> Double {
    let isKilometres = word.hasSuffix("km")
    let digits = isKilometres ? word.dropLast(2) : word.hasSuffix("m") ? word.dropLast() : Substring(word)
    guard let metres = Double(digits).map({ isKilometres ? $0 * 1_000 : $0 }), metres >= 0, metres.isFinite else {
      throw refusal(option, "a distance such as 500, 500m or 2.5km", word)
    }
    return metres
  }

  private static func refusal(_ option: String, _ expected: String, _ word: String) -> ValidationError {
    ValidationError("\(option) must be \(expected), not '\(word)'")
  }
}

/// A few names to choose from.
enum Choice {
  /// What to say of a word that is none of `names`.
  static func refusal(_ option: String, _ word: String, _ names: [String]) -> ValidationError {
    ValidationError("\(option) must be \(listed(names)), not '\(word)'" + NearestName.hint(word, among: names))
  }

  /// `a`, `a or b`, `a, b or c`.
  static func listed(_ names: [String], _ word: String = "or") -> String {
    guard let last = names.last, names.count > 1 else { return names.first ?? "" }
    return "\(names.dropLast().joined(separator: ", ")) \(word) \(last)"
  }
}
