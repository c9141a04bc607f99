internal import CHours

/// The language of opening hours in free text: `P` is Sunday in Estonian and Monday in Latvian.
///
/// Roman numerals and `24h` need no language.
package enum HoursLanguage: Int, Sendable, CaseIterable {
  /// E T K N R L P.
  case estonian
  /// P O T C Pk S Sv.
  case latvian
  /// Pr A T K Pn Š S.
  case lithuanian
  /// Mon Tue Wed Thu Fri Sat Sun.
  case english
  /// Пн Вт Ср Чт Пт Сб Вс.
  case russian
  /// Mo Di Mi Do Fr Sa So.
  case german
  /// ma ti ke to pe la su.
  case finnish
  /// mån tis ons tors fre lör sön.
  case swedish
  /// pn wt śr czw pt sob nd.
  case polish

  /// The language of a country's texts, by its code (ISO 3166-1 alpha-2); `nil` if unknown.
  package init?(country: String) {
    switch country {
    case "EE": self = .estonian
    case "LV": self = .latvian
    case "LT": self = .lithuanian
    case "BY", "KG", "KZ", "RU": self = .russian
    case "AT", "DE": self = .german
    case "AU", "GB", "IE", "NZ", "US": self = .english
    case "FI": self = .finnish
    case "SE": self = .swedish
    case "PL": self = .polish
    default: return nil
    }
  }

  /// The words of the language, with those common to all languages.
  var vocabulary: HoursVocabulary { Self.vocabularies[rawValue] }

  /// The codes of the languages in `contrib/data/hours.tsv`, in the order of the cases.
  static let codes = ["et", "lv", "lt", "en", "ru", "de", "fi", "sv", "pl"]
  private static let vocabularies = codes.map { HoursVocabulary(ofLanguage: $0) }

  /// The languages that one of `words` marks.
  static func marked(by words: [Phrase]) -> [HoursLanguage] {
    let found = Set(words.lazy.compactMap { marks[$0] }.joined())
    return allCases.filter { found.contains($0) }
  }

  private static let marks = allCases.reduce(into: [Phrase: [HoursLanguage]]()) { marks, language in
    for mark in language.vocabulary.marks { marks[mark, default: []].append(language) }
  }
}

/// The words that may occur in a text about opening hours; all in lower case, without a final full stop.
///
/// They are those of `contrib/data/hours.tsv`, which has a line for each language and meaning. A phrase has at most
/// three words, with single spaces between them. The names of days are those of Unicode CLDR for et, lv and lt and the
/// abbreviations in common use, except ambiguous ones (`P` in Lithuanian).
struct HoursVocabulary: Sendable {
  /// Days by name, 0 is Monday.
  private(set) var days: [Phrase: Int] = [:]
  /// Names that mean that day only if no day is named before: after Thursday, some write `P` for Friday.
  private(set) var firstOnly: Phrases = []
  /// Names of the last day of a range that need no other sign of one: `esmaspäevast reedeni`.
  private(set) var lastDays: Phrases = []
  /// Words before a range of days, before a time, and between the ends of a range.
  private(set) var (from, to): (Phrases, Phrases) = ([], [])
  /// Phrases for Monday to Friday, for Saturday and Sunday, and for all seven days.
  private(set) var (workdays, weekends, everyDay): (Phrases, Phrases, Phrases) = ([], [], [])
  /// Phrases for all hours of a day.
  private(set) var always: Phrases = []
  /// Phrases for public holidays.
  private(set) var holidays: Phrases = []
  /// Phrases for a day without hours.
  private(set) var closed: Phrases = []
  /// Words between times and days on which they do not apply.
  private(set) var except: Phrases = []
  /// Phrases that start a break.
  private(set) var pause: Phrases = []
  /// Words between the items of a list.
  private(set) var and: Phrases = []
  /// Words after 24, and after a time, that mean hours.
  private(set) var hours: Phrases = []
  /// Phrases after 24 hours, and after 7, that mean each day.
  private(set) var (perDay, perWeek): (Phrases, Phrases) = ([], [])
  /// Phrases that only announce the hours.
  private(set) var labels: Phrases = []
  /// Words of remarks.
  private(set) var remarkWords: Phrases = []
  /// Abbreviations for a shopping centre, after which a capitalized word is its name.
  private(set) var beforeNames: Phrases = []
  /// Names of shop chains, which stand alone in remarks.
  private(set) var chains: Phrases = []
  /// Words and ranges of days, such as `e-r`, by which the language is tried for texts in other countries, too.
  private var ownWords: Phrases = []

  /// Stems of words of remarks, for inflected languages.
  private(set) var remarkStems: [Phrase] = []
  /// Words of phrases that say something about the hours.
  private(set) var meaningful: Phrases = []

  /// What the table calls each set of phrases.
  static let meanings: [TextKey: any WritableKeyPath<HoursVocabulary, Phrases> & Sendable] = [
    "first only": \.firstOnly, "from": \.from, "to": \.to, "workdays": \.workdays, "weekends": \.weekends,
    "every day": \.everyDay, "always": \.always, "holidays": \.holidays, "closed": \.closed, "except": \.except,
    "break": \.pause, "and": \.and, "hours": \.hours, "per day": \.perDay, "per week": \.perWeek, "labels": \.labels,
    "remark words": \.remarkWords, "before names": \.beforeNames, "chains": \.chains, "marks": \.ownWords,
  ]

  private static let table = SortedLines(
    borrowing: UnsafeRawBufferPointer(start: cities_hours_bytes(), count: cities_hours_count()))

  /// The words of texts in no known language.
  static let common: HoursVocabulary = {
    var words = HoursVocabulary()
    words.addRows(of: "all")
    return words
  }()

  /// Roman numerals, which mean the same everywhere; written in capital letters only.
  static let numerals: [Phrase: Int] = ["i": 0, "ii": 1, "iii": 2, "iv": 3, "v": 4, "vi": 5, "vii": 6]

  /// Words after a time on a clock of 12 hours.
  static let (morning, afternoon): (Phrases, Phrases) = (["am", "a m"], ["pm", "p m"])
  static let (noon, midnight): (Phrases, Phrases) = (["noon", "midday"], ["midnight"])
}

extension HoursVocabulary {
  /// The words of a language, by its code, and those common to all languages.
  init(ofLanguage code: String) {
    self = .common
    addRows(of: code)
  }

  private mutating func addRows(of code: String) {
    for row in Self.table.rows(startingWith: "\(code)\t") where row.count > 2 {
      add(row[1], row.dropFirst(2).map { Phrase($0) })
    }
    meaningful = Phrases([closed, pause, always, everyDay, workdays, weekends].flatMap(\.all).flatMap(\.words))
  }

  /// Adds the phrases of a row of the table: of days Monday's first, and of their forms the stems with each ending.
  private mutating func add(_ name: Substring, _ fields: [Phrase]) {
    let phrases = fields[0].scalars.split(separator: "|").lazy.map { Phrase($0) }
    if let meaning = Self.meanings[TextKey(name)] {
      self[keyPath: meaning].formUnion(phrases)
    } else if name == "remark stems" {
      remarkStems += phrases
    } else if name == "days" {
      for (day, names) in phrases.enumerated() { for name in names.words { days[name] = day } }
    } else if fields.count > 1 {
      for (day, stem) in fields[0].words.enumerated() {
        for ending in fields[1].words { days[Phrase(stem.scalars + ending.scalars)] = day }
        // The endings of the last day of a range.
        for ending in fields.dropFirst(2).flatMap(\.words) { lastDays.insert(Phrase(stem.scalars + ending.scalars)) }
      }
    }
  }

  /// The fewest letters of a word that identifies a language.
  private static let markLetters = 4

  /// What identifies the language of a text: its own words and ranges, and the longer words of phrases and days.
  fileprivate var marks: Set<Phrase> {
    let sets = [\Self.everyDay, \.workdays, \.weekends, \.always, \.labels, \.closed, \.pause, \.holidays]
    let phrases = sets.flatMap { self[keyPath: $0].all.subtracting(Self.common[keyPath: $0].all) }
    return ownWords.all.union((phrases + days.keys).flatMap(\.words).filter { $0.scalars.count >= Self.markLetters })
  }
}
