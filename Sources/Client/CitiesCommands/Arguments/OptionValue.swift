@_exported public import Base
internal import CitiesProtocol

/// How the value of an option is written, read and completed.
struct OptionValue<Value> {
  var completion = Completion.none
  /// The value of the option that a word gives it.
  let read: (_ option: String, _ word: String) throws -> Value
}

extension OptionValue<String> {
  /// Any text.
  static func text(_ completion: Completion) -> Self { Self(completion: completion) { $1 } }

  /// A text that is not empty, and what it must be: an empty one is usually an unset variable.
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
        \(option) must be a local time such as 2026-03-01T12:00, one with its offset (2026-03-01T12:00:00+02:00), a \
        day (2026-03-01) or a time of day (14:30), not '\(word)'
        """)
    }
  }

  /// A moment as ``SpokenMoment`` reads it.
  static var spokenMoment: Self {
    Self { option, word in
      guard SpokenMoment(word) != nil else { throw SpokenMoment.refusal(option, word) }
      return word
    }
  }

  /// A language, or `none`.
  static var language: Self {
    Self { option, word in
      if ReaderLanguages.isName(word) { return word }
      throw ValidationError("\(option) must be a language such as de or pt_BR, or none, not '\(word)'")
    }
  }

  /// The code of a currency in any case; the server checks whether it exists.
  static var currency: Self {
    Self(completion: .currencies) { option, word in
      let code = word.uppercased()
      guard !code.isEmpty, !code.contains(",") else {
        throw ValidationError("\(option) must be one currency, such as EUR")
      }
      return code
    }
  }
}

extension OptionValue<[String]> {
  /// Names of columns between commas.
  static var columns: Self { Self(completion: .columns) { OutputOptions.names($1) } }

  /// Currencies between commas.
  static var currencies: Self {
    Self(completion: .currencies) { option, word in
      let codes = try OutputOptions.names(word).map { try OptionValue<String>.currency.read(option, $0) }
      guard codes.count <= ProductList.maximumCurrencies else {
        throw ValidationError("\(option) takes at most \(ProductList.maximumCurrencies) currencies, not \(codes.count)")
      }
      if let twice = codes.first(where: { code in codes.count { $0 == code } > 1 }) {
        throw ValidationError("\(option) names \(twice) twice")
      }
      return codes
    }
  }
}

/// What to say of a word that is not what an option must be.
private func refusal(_ option: String, _ expected: String, _ word: String) -> ValidationError {
  ValidationError("\(option) must be \(expected), not '\(word)'")
}

extension OptionValue where Value: FixedWidthInteger {
  /// A whole number from `least` to `most`.
  static func count(from least: Value, to most: Value = .max) -> Self {
    Self { option, word in
      let isPlain = word.utf8.allSatisfy { (0x30...0x39).contains($0) }
      guard isPlain, let number = Value(word), number >= least, number <= most else {
        let range = most == .max ? "of at least \(least)" : "from \(least) to \(most)"
        throw refusal(option, "a whole number \(range)", word)
      }
      return number
    }
  }
}

extension OptionValue<Double> {
  /// A distance in metres with an optional unit: `500`, `500m`, `2.5km`, `10mi`, `300ft`; from 0 up.
  static var distance: Self {
    // A unit comes before those that it ends with.
    let units = [
      ("km", 1_000), ("nmi", 1_852), ("mi", 1_609.344), ("mile", 1_609.344), ("miles", 1_609.344), ("ft", 0.3048),
      ("foot", 0.3048), ("feet", 0.3048), ("yd", 0.9144), ("m", 1), ("", 1),
    ]
    return Self { option, word in
      let unit = units.first { word.hasSuffix($0.0) } ?? ("", 1)
      let digits = word.dropLast(unit.0.count)
      let number = digits.hasSuffix(" ") ? digits.dropLast() : digits
      guard let metres = Double(number).map({ $0 * unit.1 }), metres >= 0, metres.isFinite else {
        throw refusal(option, "a distance such as 500, 500m, 2.5km or 10mi", word)
      }
      return metres
    }
  }
}

extension OptionValue<Duration> {
  /// A time in seconds with an optional unit: `2`, `0.5`, `200ms`, `2s`; from 0 up to a day.
  static var duration: Self {
    Self { option, word in
      let isMilliseconds = word.hasSuffix("ms")
      let digits = isMilliseconds ? word.dropLast(2) : word.hasSuffix("s") ? word.dropLast() : Substring(word)
      let seconds = Double(digits).map { isMilliseconds ? $0 / 1_000 : $0 }
      guard let seconds, (0...86_400).contains(seconds) else {
        throw refusal(option, "a time of up to a day, such as 2, 0.5s or 200ms", word)
      }
      return .microseconds(Int64(seconds * 1_000_000))
    }
  }
}

extension OptionValue<Place> {
  /// A position, an id or a name.
  static var place: Self { Self(completion: .places) { try PlaceArgument.parse($1) } }
}

extension OptionValue<TableColumn> {
  /// A number or a name.
  static var column: Self { Self { try TableColumn.parse($0, $1) } }
}

extension OptionValue<UInt8> {
  /// The character between the values of a table.
  static var separator: Self {
    Self(completion: .choices { TableSeparator.usual.map(\.name) }) { try TableSeparator.parse($0, $1) }
  }
}

extension OptionValue<CityNear.Rule> {
  /// `nearest` or `main`, which is called `place` on the wire; that name is read, too.
  static var rule: Self {
    let names = ["nearest", "main"]
    return Self(completion: .choices { names }) { option, word in
      if let rule = CityNear.Rule(word: word == "main" ? "place" : word) { return rule }
      throw Choice.refusal(option, word, names)
    }
  }
}

extension OptionValue<CityMatch.Certainty> {
  /// The class of a match.
  static var matchClass: Self {
    let classes = CityMatch.Certainty.allCases.filter { $0 != .none }
    return Self(completion: .choices { classes.map(\.word) }) { option, word in
      if let found = classes.first(where: { $0.word == word }) { return found }
      throw Choice.refusal(option, word, classes.map(\.word))
    }
  }
}

extension CityMatch.Certainty {
  /// The name of the class in the table.
  package var word: String { "\(self)" }
}

extension OptionValue where Value: RawRepresentable<String> & CaseIterable {
  /// One of a few names.
  static var choice: Self { choice { Array(Value.allCases) } }

  /// One of these.
  static func choice(_ values: @escaping () -> [Value]) -> Self {
    Self(completion: .choices { values().map { $0.rawValue } }) { option, word in
      if let value = values().first(where: { $0.rawValue == word }) { return value }
      throw Choice.refusal(option, word, values().map { $0.rawValue })
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
  /// Names of feeds, the user's own included.
  case feeds
  /// One of these tasks; then, if it takes that many words, a feed and a file.
  case tasks([FeedTask.Form])
  /// A few fixed words.
  case choices(() -> [String])
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
