/// The language of opening hours in free text: `P` is Sunday in Estonian and Monday in Latvian.
///
/// Roman numerals and `24h` are read without a language too.
package enum HoursLanguage: Sendable, CaseIterable {
  /// E T K N R L P.
  case estonian
  /// P O T C Pk S Sv.
  case latvian
  /// Pr A T K Pn Š S.
  case lithuanian

  /// The language of a country's texts by its code (ISO 3166-1 alpha-2); `nil` for a country whose words are not known.
  package init?(country: String) {
    switch country {
    case "EE": self = .estonian
    case "LV": self = .latvian
    case "LT": self = .lithuanian
    default: return nil
    }
  }

  /// The words of the language, with those of all languages.
  var vocabulary: HoursVocabulary {
    switch self {
    case .estonian: .estonian
    case .latvian: .latvian
    case .lithuanian: .lithuanian
    }
  }
}

/// The words that a text about opening hours may hold; all are in small letters and without the full stop that may follow.
///
/// A phrase has at most three words, with single spaces between them. The names of days are those of Unicode CLDR for
/// et, lv and lt and the abbreviations in common use, without any that stands for two days (`P` in Lithuanian).
struct HoursVocabulary: Sendable {
  /// Days by name, 0 is Monday.
  var days: [String: Int] = [:]
  /// Names that mean that day only where no other day is named before: `P` after Thursday is Friday to some.
  var firstOnly: Set<String> = []
  /// Phrases for all seven days.
  var everyDay: Set<String> = []
  /// Phrases for all hours of a day.
  var always: Set<String> = []
  /// Phrases for a day without hours.
  var closed: Set<String> = ["closed"]
  /// Phrases that start a break.
  var pause: Set<String> = ["lunch", "lunch break"]
  /// Words between the items of a list.
  var and: Set<String> = ["and"]
  /// Words after 24, and after a range of times, that mean hours.
  var hours: Set<String> = ["h"]
  /// Phrases before the hours that only announce them.
  var labels: Set<String> = []
  /// Whole words of remarks.
  var remarkWords: Set<String> = ["atm", "self-service", "bna"]
  /// Beginnings of words of remarks, in languages whose words are inflected.
  var remarkStems: [String] = ["swedbank"]
  /// Abbreviations for a shopping centre, after which a capitalized word is its name.
  var beforeNames: Set<String> = []
  /// Names of chains of shops, which are in remarks without any other word.
  var chains: Set<String> = ["maxima", "rimi", "lidl", "coop", "selver", "prisma", "norfa", "akropolis"]

  /// The words of texts in no known language.
  static let common = HoursVocabulary()

  /// Roman numerals, which mean the same everywhere; capital letters only.
  static let numerals = ["I": 0, "II": 1, "III": 2, "IV": 3, "V": 4, "VI": 5, "VII": 6]
}

extension HoursVocabulary {
  /// Days from a line of names for each, Monday first.
  private static func days(_ names: [String]) -> [String: Int] {
    var days: [String: Int] = [:]
    for (day, names) in names.enumerated() {
      for name in names.split(separator: " ") { days[String(name)] = day }
    }
    return days
  }

  static let estonian: HoursVocabulary = {
    var words = HoursVocabulary()
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
    words.remarkWords.formUnion(["sees", "väljas", "juures", "kõrval", "lõunapausita", "poes", "pood", "poe"])
    words.remarkStems += [
      "kaubanduskeskus", "keskus", "kauplus", "pank", "panga", "kontor", "automaa", "sularaha", "sissepääs", "sissekäi",
      "korrus", "hoov", "tänav", "iseteenindus", "klienditeenindus", "nõusta", "fuajee", "raamatukogu", "vallama",
    ]
    words.beforeNames = ["kk"]
    return words
  }()

  static let latvian: HoursVocabulary = {
    var words = HoursVocabulary()
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
    words.remarkWords.formUnion(["pie", "bez", "kase", "kasē", "kases", "pārtraukuma", "iekšā", "ārā"])
    words.remarkStems += [
      "tirdzniecīb", "centr", "veikal", "bank", "filiāl", "klient", "apkalpošan", "konsultāc", "pašapkalpošan", "zon",
      "iekštelp", "ieej", "pagalm", "stāv", "skaidr", "naud",
    ]
    words.beforeNames = ["tc", "t/c"]
    return words
  }()

  static let lithuanian: HoursVocabulary = {
    var words = HoursVocabulary()
    words.days = days([
      "pr pirm pirmad pirmadienis", "a an antr antrad antradienis", "t tr treč trečiad trečiadienis",
      "k kt ket ketv ketvirtad ketvirtadienis", "pn pt penkt penktad penktadienis", "š št šešt šeštad šeštadienis",
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
      "be", "prie", "iš", "pietų", "pertraukos", "pertraukų", "kasa", "kasos", "kasoje", "viduje", "lauke",
    ])
    words.remarkStems += [
      "prekyb", "centr", "parduotuv", "bank", "skyri", "padalin", "klient", "aptarnav", "konsult", "savitarn", "zon",
      "vestibiul", "įėjim", "kiem", "gatv", "aukšt", "gryn", "pinig", "operacij", "neatliek",
    ]
    words.beforeNames = ["pc", "ppc", "plc", "pp"]
    return words
  }()
}
