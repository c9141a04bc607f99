extension WeeklyHours {
  /// Bytes of a text that can be hours; longer ones are prose.
  package static let maximumTextBytes = 256

  /// Reads the free text of a finder file; `nil` if any piece of it is not understood, never a guess.
  ///
  ///     WeeklyHours(availability: "E-R 9.00-18.00; L 10.00-15.00", language: .estonian)
  ///     WeeklyHours(availability: "I-V 8.00-17.00 (12.00-13.00)", language: .lithuanian)
  ///
  /// The grammar, in which blanks may stand between any two symbols, `;` may be a line break and `-` any dash:
  ///
  ///     text    = [label [":"]] piece {link piece} [link] ["."]
  ///     link    = ";" | "," | nothing
  ///     piece   = days [":" | "-"] (ranges | always | closed) | always | break | "(" note ")" | remark
  ///     days    = item {("," | and) item}          item  = day ["-" day] | every-day
  ///     day     = Roman numeral I to VII | name or abbreviation of the language, with or without a full stop
  ///     ranges  = range {("," | and) range}        range = time "-" time [unit]
  ///     time    = hours ("." | ":") minutes        hours alone only in a break that says that it is one
  ///     always  = "24h" | "24/7" | "24" unit | a phrase of the language, such as "visą parą"
  ///     break   = a word for a break [":" | "-"] ranges
  ///     note    = break | ranges | remark {("," | ";") remark}
  ///     remark  = words about the place or its services, quoted names, names after an abbreviation such as "PC"
  ///
  /// A remark without brackets follows a comma, a semicolon or a line break. Words of a remark are those of
  /// ``HoursVocabulary``: any other word could change the hours ("except", "until", "by appointment"). A range in
  /// brackets is a break; it lies within a range of each day that it is about. A break that stands alone, after a
  /// semicolon or a line break, is about all days before it. A range that ends before it starts ends on the next day.
  ///
  /// Also unclear are: a day named twice, a range of days that runs backwards, times that overlap, a break that could
  /// be about earlier days too, and closed days without any open one.
  ///
  /// - Complexity: O(n) in the bytes of `text`, of which there are at most ``maximumTextBytes``.
  package init?(availability text: String, language: HoursLanguage?) {
    guard text.utf8.count <= Self.maximumTextBytes else { return nil }
    var parser = AvailabilityParser(text, language)
    guard let stretches = try? parser.stretches() else { return nil }
    self.init(stretches)
  }
}
