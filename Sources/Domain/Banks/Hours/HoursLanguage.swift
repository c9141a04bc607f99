/// The language of opening hours in free text: `P` is Sunday in Estonian and Monday in Latvian.
///
/// Roman numerals and `24h` need no language.
package enum HoursLanguage: Sendable, CaseIterable {
  /// E T K N R L P.
  case estonian
  /// P O T C Pk S Sv.
  case latvian
  /// Pr A T K Pn Š S.
  case lithuanian
  /// Mon Tue Wed Thu Fri Sat Sun.
  case english

  /// The language of a country's texts, by its code (ISO 3166-1 alpha-2); `nil` if unknown.
  package init?(country: String) {
    switch country {
    case "EE": self = .estonian
    case "LV": self = .latvian
    case "LT": self = .lithuanian
    default: return nil
    }
  }

  /// The words of the language, with those common to all languages.
  var vocabulary: HoursVocabulary {
    switch self {
    case .estonian: .estonian
    case .latvian: .latvian
    case .lithuanian: .lithuanian
    case .english: .english
    }
  }
}

/// The words that may occur in a text about opening hours; all in lower case, without a final full stop.
///
/// A phrase has at most three words, with single spaces between them. The names of days are those of Unicode CLDR for
/// et, lv and lt and the abbreviations in common use, except ambiguous ones (`P` in Lithuanian).
struct HoursVocabulary: Sendable {
  /// Days by name, 0 is Monday.
  var days: [String: Int] = [:]
  /// Names that mean that day only if no day is named before: after Thursday, some write `P` for Friday.
  var firstOnly: Set<String> = []
  /// Phrases for all seven days.
  var everyDay: Set<String> = []
  /// Phrases for all hours of a day.
  var always: Set<String> = []
  /// Phrases for public holidays.
  var holidays: Set<String> = ["holidays", "public holidays", "public holiday", "bank holidays"]
  /// Phrases for a day without hours.
  var closed: Set<String> = ["closed"]
  /// Phrases that start a break.
  var pause: Set<String> = ["lunch", "lunch break"]
  /// Words between the items of a list.
  var and: Set<String> = ["and"]
  /// Words after 24, and after a range of times, that mean hours.
  var hours: Set<String> = ["h"]
  /// Phrases that only announce the hours.
  var labels: Set<String> = []
  /// Words of remarks.
  var remarkWords: Set<String> = ["atm", "self-service", "bna"]
  /// Stems of words of remarks, for inflected languages.
  var remarkStems: [String] = ["swedbank"]
  /// Abbreviations for a shopping centre, after which a capitalized word is its name.
  var beforeNames: Set<String> = []
  /// Words and ranges of days, such as `e-r`, that no other language has: they identify the language of a text.
  private var marks: Set<String> = []
  /// Names of shop chains, which stand alone in remarks.
  var chains: Set<String> = ["maxima", "rimi", "lidl", "coop", "selver", "prisma", "norfa", "akropolis"]

  private init(_ fill: (inout Self) -> Void = { _ in }) { fill(&self) }

  /// The words of texts in no known language.
  static let common = HoursVocabulary()

  /// Roman numerals, which mean the same everywhere; capital letters only.
  static let numerals = ["I": 0, "II": 1, "III": 2, "IV": 3, "V": 4, "VI": 5, "VII": 6]
}

extension HoursVocabulary {
  /// The fewest letters of a word that identifies a language.
  private static let markLetters = 4

  /// Whether `text` has a word or a range of days unique to this language.
  func isMarked(in text: String) -> Bool {
    AvailabilityScanner.compounds(of: text).contains { compound in
      marks.contains(compound) || compound.split(separator: "-").contains { marks.contains(String($0)) }
    }
  }

  /// Uses `ranges` and the longer words of phrases and days as marks.
  private mutating func mark(by ranges: Set<String>) {
    let common = Self.common
    let phrases = [
      everyDay, always, labels, closed.subtracting(common.closed), pause.subtracting(common.pause),
      holidays.subtracting(common.holidays), Set(days.keys),
    ]
    let words = phrases.joined().flatMap { $0.split(separator: " ").map(String.init) }
    marks = ranges.union(words.filter { $0.count >= Self.markLetters })
  }

  /// The days by name, from a line of names per day, Monday first.
  private static func days(_ names: [String]) -> [String: Int] {
    var days: [String: Int] = [:]
    for (day, names) in names.enumerated() {
      for name in names.split(separator: " ") { days[String(name)] = day }
    }
    return days
  }

  static let estonian = HoursVocabulary { words in
    words.days = days([
      "e esm esmaspäev", "t teis teisip teisipäev", "k kolm kolmap kolmapäev", "n nelj neljap neljapäev", "r reede",
      "l laup laupäev", "p pühap pühapäev",
    ])
    words.everyDay = ["iga päev", "igapäevaselt"]
    words.always = ["ööpäevaringselt", "ööpäevaringne", "ööpäev läbi"]
    words.closed.formUnion(["suletud", "kinni"])
    words.pause.formUnion(["lõuna", "lõunapaus", "lõunavaheaeg", "vaheaeg", "paus"])
    words.and.insert("ja")
    words.hours.formUnion(["tundi"])
    words.labels = ["avatud", "lahtiolekuajad", "lahti"]
    words.remarkWords.formUnion(["ainult", "sees", "väljas", "juures", "kõrval", "lõunapausita", "poes", "pood", "poe"])
    words.remarkStems += [
      "kaubanduskeskus", "keskus", "kauplus", "pank", "panga", "kontor", "automaa", "sularaha", "sissepääs", "sissekäi",
      "korrus", "hoov", "tänav", "iseteenindus", "klienditeenindus", "nõusta", "fuajee", "raamatukogu", "vallama",
    ]
    words.holidays.formUnion(["riigipühad", "riigipühadel", "riigipühal", "riiklikel pühadel"])
    words.beforeNames = ["kk"]
    words.mark(by: ["e-n", "e-r", "e-l", "e-p"])
  }

  static let latvian = HoursVocabulary { words in
    words.days = days([
      "p pr pirmd pirmdiena", "o ot otrd otrdiena", "t tr trešd trešdiena", "c ce cet ceturtd ceturtdiena",
      "pk pt piektd piektdiena", "s se sestd sestdiena", "sv svētd svētdiena",
    ])
    words.firstOnly = ["p"]
    words.everyDay = ["katru dienu", "ik dienu"]
    words.always = ["visu diennakti", "cauru diennakti"]
    words.closed.formUnion(["slēgts", "slēgta", "nestrādā", "brīvs", "brīvdiena", "brīvdienas"])
    words.pause.formUnion(["pārtraukums", "pusdienu pārtraukums", "pusdienas", "pusdienlaiks"])
    words.and.insert("un")
    words.hours.formUnion(["stundas", "st"])
    words.labels = ["darba laiks", "atvērts"]
    words.remarkWords.formUnion(["tikai", "pie", "bez", "kase", "kasē", "kases", "pārtraukuma", "iekšā", "ārā"])
    words.remarkStems += [
      "tirdzniecīb", "centr", "veikal", "bank", "filiāl", "klient", "apkalpošan", "konsultāc", "pašapkalpošan", "zon",
      "iekštelp", "ieej", "pagalm", "stāv", "skaidr", "naud",
    ]
    words.holidays.formUnion(["svētku dienas", "svētku dienās", "svētkos", "valsts svētkos", "valsts svētku dienās"])
    words.beforeNames = ["tc", "t/c"]
    words.mark(by: ["p-pk", "pr-pk", "p-sv", "pr-sv"])
  }

  static let lithuanian = HoursVocabulary { words in
    words.days = days([
      "pr pirm pirmad pirmadienis", "a an antr antrad antradienis", "t tr treč trečiad trečiadienis",
      "k kt ket ketv ketvirtad ketvirtadienis", "pn pt pk penkt penktad penktadienis", "š št šešt šeštad šeštadienis",
      "s sk sekm sekmad sekmadienis",
    ])
    words.everyDay = ["kasdien", "kiekvieną dieną"]
    words.always = ["visą parą", "ištisą parą"]
    words.closed.formUnion(["nedirba", "nedirbame", "nedirbama", "uždaryta", "poilsio diena", "poilsio dienos"])
    words.pause.formUnion([
      "pietų pertrauka", "pietų pertr", "pertrauka", "pertr", "pietūs", "pietų p", "p p", "pietų metas",
    ])
    words.and.insert("ir")
    words.hours.formUnion(["val", "valandos", "valandas", "valandų"])
    words.labels = ["darbo laikas", "dirba", "dirbame", "atidaryta"]
    words.remarkWords.formUnion([
      "tik", "be", "prie", "iš", "pietų", "pertraukos", "pertraukų", "kasa", "kasos", "kasoje", "viduje", "lauke",
    ])
    words.remarkStems += [
      "prekyb", "centr", "parduotuv", "bank", "skyri", "padalin", "klient", "aptarnav", "konsult", "savitarn", "zon",
      "vestibiul", "įėjim", "kiem", "gatv", "aukšt", "gryn", "pinig", "operacij", "atliek", "neatliek",
    ]
    words.holidays.formUnion([
      "švenčių dienos", "švenčių dienomis", "šventinės dienos", "šventinėmis dienomis", "valstybinių švenčių dienomis",
    ])
    words.beforeNames = ["pc", "ppc", "plc", "pp"]
    words.mark(by: ["pr-pn"])
  }

  static let english = HoursVocabulary { words in
    words.days = days([
      "mon monday mondays", "tue tues tuesday tuesdays", "wed wednesday wednesdays",
      "thu thur thurs thursday thursdays", "fri friday fridays", "sat saturday saturdays", "sun sunday sundays",
    ])
    words.everyDay = ["daily", "every day"]
    words.always = ["around the clock"]
    words.hours.formUnion(["hours", "hrs"])
    words.labels = ["open", "opening hours"]
    words.remarkWords.formUnion(["cash", "only", "at", "the", "machine", "machines", "atms"])
    words.mark(by: ["mon", "tue", "tues", "wed", "thu", "thur", "fri", "sat", "sun"])
  }
}
