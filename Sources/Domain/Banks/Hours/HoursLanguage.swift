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
  var vocabulary: HoursVocabulary {
    switch self {
    case .estonian: .estonian
    case .latvian: .latvian
    case .lithuanian: .lithuanian
    case .english: .english
    case .russian: .russian
    case .german: .german
    case .finnish: .finnish
    case .swedish: .swedish
    case .polish: .polish
    }
  }

  /// The languages that alone have one of `words`.
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
/// A phrase has at most three words, with single spaces between them. The names of days are those of Unicode CLDR for
/// et, lv and lt and the abbreviations in common use, except ambiguous ones (`P` in Lithuanian).
struct HoursVocabulary: Sendable {
  /// Days by name, 0 is Monday.
  var days: [Phrase: Int] = [:]
  /// Names that mean that day only if no day is named before: after Thursday, some write `P` for Friday.
  var firstOnly: Phrases = []
  /// Names of the last day of a range that need no other sign of one: `esmaspäevast reedeni`.
  var lastDays: Phrases = []
  /// Words before a range of days, before a time, and between the ends of a range.
  var (from, to): (Phrases, Phrases) = ([], [])
  /// Phrases for Monday to Friday.
  var workdays: Phrases = []
  /// Phrases for Saturday and Sunday.
  var weekends: Phrases = []
  /// Phrases for all seven days.
  var everyDay: Phrases = []
  /// Phrases for all hours of a day.
  var always: Phrases = []
  /// Phrases for public holidays.
  var holidays: Phrases = ["holidays", "public holidays", "public holiday", "bank holidays", "bank hols"]
  /// Phrases for a day without hours.
  var closed: Phrases = ["closed", "closed on", "off"]
  /// Words between times and days on which they do not apply.
  var except: Phrases = []
  /// Phrases that start a break.
  var pause: Phrases = ["lunch", "lunch break", "closed for lunch", "lunch closed"]
  /// Words between the items of a list.
  var and: Phrases = ["and"]
  /// Words after 24, and after a time, that mean hours.
  var hours: Phrases = ["h", "uhr"]
  /// Phrases after 24 hours, and after 7, that mean each day.
  var (perDay, perWeek): (Phrases, Phrases) = ([], [])
  /// Phrases that only announce the hours.
  var labels: Phrases = []
  /// Words of remarks.
  var remarkWords: Phrases = ["atm", "self-service", "bna"]
  /// Stems of words of remarks, for inflected languages.
  var remarkStems: [Phrase] = ["swedbank"]
  /// Abbreviations for a shopping centre, after which a capitalized word is its name.
  var beforeNames: Phrases = []
  /// Words and ranges of days, such as `e-r`, that no other language has: they identify the language of a text.
  fileprivate var marks: Set<Phrase> = []
  /// Names of shop chains, which stand alone in remarks.
  var chains: Phrases = ["maxima", "rimi", "lidl", "coop", "selver", "prisma", "norfa", "akropolis"]

  /// Words of phrases that say something about the hours.
  private(set) var meaningful: Phrases = []

  private init(_ fill: (inout Self) -> Void = { _ in }) {
    fill(&self)
    meaningful = Phrases([closed, pause, always, everyDay, workdays, weekends].flatMap(\.all).flatMap(\.words))
  }

  /// The words of texts in no known language.
  static let common = HoursVocabulary()

  /// Roman numerals, which mean the same everywhere; written in capital letters only.
  static let numerals: [Phrase: Int] = ["i": 0, "ii": 1, "iii": 2, "iv": 3, "v": 4, "vi": 5, "vii": 6]

  /// Words after a time on a clock of 12 hours.
  static let (morning, afternoon): (Phrases, Phrases) = (["am", "a m"], ["pm", "p m"])
  static let (noon, midnight): (Phrases, Phrases) = (["noon", "midday"], ["midnight"])
}

extension HoursVocabulary {
  /// The fewest letters of a word that identifies a language.
  private static let markLetters = 4

  /// Uses `ranges` and the longer words of phrases and days as marks.
  private mutating func mark(by ranges: Set<Phrase>) {
    let common = Self.common
    let phrases = [
      everyDay.all, workdays.all, weekends.all, always.all, labels.all, closed.all.subtracting(common.closed.all),
      pause.all.subtracting(common.pause.all), holidays.all.subtracting(common.holidays.all), Set(days.keys),
    ]
    marks = ranges.union(phrases.joined().flatMap(\.words).filter { $0.scalars.count >= Self.markLetters })
  }

  /// The days by name, from a line of names per day, Monday first.
  private static func days(_ names: [String]) -> [Phrase: Int] {
    var days: [Phrase: Int] = [:]
    for (day, names) in names.enumerated() {
      for name in names.split(separator: " ") { days[Phrase(name)] = day }
    }
    return days
  }

  /// Adds the forms of the days' names: each of `stems`, Monday first, with each of `endings`.
  private mutating func addForms(_ stems: String, _ endings: String) {
    for (day, stem) in stems.split(separator: " ").enumerated() {
      for ending in endings.split(separator: " ") { days[Phrase(stem + ending)] = day }
    }
  }

  static let estonian = HoursVocabulary { words in
    words.days = days([
      "e esm esmaspäev", "t teis teisip teisipäev", "k kolm kolmap kolmapäev", "n nelj neljap neljapäev", "r reede",
      "l laup laupäev", "p pühap pühapäev",
    ])
    let stems = "esmaspäev teisipäev kolmapäev neljapäev reede laupäev pühapäev"
    words.addForms(stems, "al l iti ti ast st ani ni a")
    words.lastDays = Phrases(stems.split(separator: " ").flatMap { [Phrase($0 + "ani"), Phrase($0 + "ni")] })
    (words.from, words.to) = (["kell", "kella", "kl"], ["kuni"])
    words.weekends = ["nädalavahetusel", "nädalavahetustel", "nädalavahetuseti"]
    words.workdays = ["tööpäevadel", "tööpäeviti", "argipäevadel", "argipäeviti"]
    words.everyDay = ["iga päev", "igapäevaselt", "kõik päevad"]
    words.always = ["ööpäevaringselt", "ööpäevaringne", "ööpäev läbi"]
    words.closed.formUnion(["suletud", "kinni"])
    words.pause.formUnion(["lõuna", "lõunapaus", "lõunavaheaeg", "vaheaeg", "paus"])
    words.and.insert("ja")
    words.hours.formUnion(["tundi"])
    (words.perDay, words.except) = (["ööpäevas"], ["välja arvatud", "v a"])
    words.labels = ["avatud", "lahtiolekuaeg", "lahtiolekuajad", "lahti"]
    words.remarkWords.formUnion(["ainult", "sees", "väljas", "juures", "kõrval", "lõunapausita", "poes", "pood", "poe"])
    words.remarkStems += [
      "kaubanduskeskus", "keskus", "kauplus", "pank", "panga", "kontor", "automaa", "sularaha", "sissepääs", "sissekäi",
      "korrus", "hoov", "tänav", "iseteenindus", "klienditeenindus", "nõusta", "fuajee", "raamatukogu", "vallama",
    ]
    words.holidays.formUnion(["riigipühad", "riigipühadel", "riigipühal", "riiklikel pühadel", "riiklikud pühad"])
    words.beforeNames = ["kk"]
    words.mark(by: ["e-n", "e-r", "e-l", "e-p"])
  }

  static let latvian = HoursVocabulary { words in
    words.days = days([
      "p pr pirmd pirmdien", "o ot otrd otrdien", "t tr trešd trešdien", "c ce cet ceturtd ceturtdien",
      "pk pt piektd piektdien", "s se sestd sestdien", "sv svētd svētdien",
    ])
    words.firstOnly = ["p"]
    words.addForms(
      "pirmdien otrdien trešdien ceturtdien piektdien sestdien svētdien", "a ā ās u as ai ām")
    (words.from, words.to) = (["no", "plkst", "pulksten"], ["līdz"])
    words.weekends = ["nedēļas nogalē", "nedēļas nogalēs"]
    words.workdays = ["darbdienās", "darba dienās"]
    words.everyDay = ["katru dienu", "ik dienu"]
    words.always = ["visu diennakti", "cauru diennakti", "diennakti", "diennakts"]
    (words.perDay, words.except) = (["diennaktī"], ["izņemot"])
    words.closed.formUnion(["slēgts", "slēgta", "nestrādā", "brīvs", "brīvdiena", "brīvdienas"])
    words.pause.formUnion(["pārtraukums", "pusdienu pārtraukums", "pusdienas", "pusdienlaiks"])
    words.and.insert("un")
    words.hours.formUnion(["stundas", "st"])
    words.labels = ["darba laiks", "atvērts", "strādā", "dus strādā"]
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
    words.addForms(
      "pirmadien antradien trečiadien ketvirtadien penktadien šeštadien sekmadien", "į io iui iais ius iai")
    (words.from, words.to) = (["nuo"], ["iki"])
    words.workdays = ["darbo dienomis", "d d"]
    words.weekends = ["savaitgaliais", "savaitgalį"]
    words.everyDay = ["kasdien", "kiekvieną dieną"]
    words.always = ["visą parą", "ištisą parą", "visa para"]
    (words.perDay, words.except, words.perWeek) = (["per parą"], ["išskyrus"], ["dienas per savaitę"])
    words.closed.formUnion([
      "nedirba", "nedirbame", "nedirbama", "uždaryta", "poilsio diena", "poilsio dienos", "nedarbo diena",
      "nedarbo dienos", "išeiginė", "išeiginės", "išeiginė diena",
    ])
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
      "švenčių dienas", "šventines dienas",
    ])
    words.beforeNames = ["pc", "ppc", "plc", "pp"]
    words.mark(by: ["pr-pn"])
  }

  static let russian = HoursVocabulary { words in
    words.days = days([
      "пн пон понедельник понедельника понедельникам", "вт вторник вторника вторникам", "ср среда среду среды средам",
      "чт четверг четверга четвергам", "пт пятница пятницу пятницы пятницам", "сб суббота субботу субботы субботам",
      "вс вск воскресенье воскресенья воскресеньям",
    ])
    (words.from, words.to) = (["с", "со", "по"], ["по", "до"])
    words.workdays = ["по будням", "будни", "в будни", "рабочие дни", "по рабочим дням", "в рабочие дни"]
    words.workdays.formUnion(["будние дни", "в будние дни", "по будним дням"])
    words.weekends = ["по выходным", "в выходные"]
    words.everyDay = ["ежедневно", "каждый день", "без выходных"]
    words.always = ["круглосуточно", "круглые сутки"]
    (words.perDay, words.except) = (["в сутки"], ["кроме"])
    words.remarkWords.formUnion(["без", "перерыва", "перерывов", "обеда"])
    words.closed.formUnion(["закрыто", "выходной", "выходные", "выходной день", "выходные дни", "не работает"])
    words.pause.formUnion(["перерыв", "обед", "обеденный перерыв", "перерыв на обед"])
    words.and.insert("и")
    words.hours.formUnion(["ч", "часа", "часов"])
    words.labels = ["время работы", "часы работы", "режим работы", "открыто"]
    words.remarkStems += ["банк", "торгов", "центр", "магазин", "отделени", "касс", "клиент", "обслуживани", "налич"]
    words.holidays.formUnion([
      "праздничные дни", "в праздничные дни", "праздники", "в праздники", "праздников", "праздникам", "по праздникам",
    ])
    words.beforeNames = ["тц", "трц", "тк"]
    words.mark(by: ["пн-пт", "пн-сб", "пн-вс", "пн-чт", "сб-вс"])
  }

  static let english = HoursVocabulary { words in
    words.days = days([
      "m mo mon monday mondays", "tu tue tues tuesday tuesdays", "w we wed wednesday wednesdays",
      "th thu thur thurs thursday thursdays", "f fr fri friday fridays", "sa sat saturday saturdays",
      "su sun sunday sundays",
    ])
    (words.from, words.to) = (["from"], ["to", "till", "until", "through", "thru"])
    words.workdays = ["weekdays", "on weekdays", "workdays", "working days"]
    words.weekends = ["weekends", "on weekends"]
    words.everyDay = ["daily", "every day", "everyday"]
    words.always = ["around the clock", "round the clock", "always", "always open"]
    words.hours.formUnion(["hours", "hour", "hrs"])
    (words.perDay, words.perWeek) = (["a day", "per day", "access"], ["days", "days a week", "days per week"])
    words.except = ["except", "except on", "excluding", "excl"]
    words.labels = ["open", "only", "hours", "opening hours", "opening times", "business hours", "working hours"]
    words.and.formUnion(["incl", "including"])
    words.remarkWords.formUnion([
      "cash", "no", "only", "at", "the", "machine", "machines", "atms", "from", "in", "inside", "entrance", "yard",
      "lobby", "branch", "street", "side", "building",
    ])
    let marks = "mon tue tues wed thu thur fri sat sun hour mo-fr mo-sa mo-su mo-th m-f"
    words.mark(by: Set(marks.split(separator: " ").map { Phrase($0) }))
  }

  static let german = HoursVocabulary { words in
    words.days = days([
      "mo montag montags", "di dienstag dienstags", "mi mittwoch mittwochs", "do donnerstag donnerstags",
      "fr freitag freitags", "sa samstag samstags sonnabend sonnabends", "so sonntag sonntags",
    ])
    (words.from, words.to) = (["von"], ["bis"])
    words.weekends = ["wochenende", "am wochenende", "wochenenden", "an wochenenden"]
    words.everyDay = ["täglich", "jeden tag"]
    words.always = ["rund um die"]
    words.closed.formUnion(["geschlossen", "geschl", "ruhetag"])
    words.pause.formUnion(["mittagspause", "mittags geschlossen"])
    words.and.formUnion(["und", "u", "sowie", "inkl"])
    words.hours.formUnion(["stunden", "std"])
    (words.perDay, words.perWeek, words.except) = (["am tag", "täglich"], ["tage die woche"], ["außer"])
    words.labels = ["öffnungszeiten", "geöffnet", "offen"]
    words.remarkWords.formUnion(["nur", "ohne", "mittagspause", "uhr"])
    words.remarkStems += ["bank", "filial", "geldautomat", "automat", "kasse", "foyer", "eingang", "einkaufszentrum"]
    words.holidays.formUnion(["feiertag", "feiertags", "feiertage", "feiertagen", "an feiertagen"])
    words.mark(by: ["mo-so", "mo-do", "mo-mi", "di-fr", "di-sa", "di-so", "mi-so", "fr-so", "so-do"])
  }

  static let finnish = HoursVocabulary { words in
    words.days = days(["ma", "ti", "ke", "to", "pe", "la", "su"])
    let stems = "maanantai tiistai keskiviikko torstai perjantai lauantai sunnuntai"
    for (day, stem) in stems.split(separator: " ").enumerated() { words.days[Phrase(stem)] = day }
    words.addForms(stems, "na sta hin on sin isin")
    words.lastDays = Phrases(stems.split(separator: " ").flatMap { [Phrase($0 + "hin"), Phrase($0 + "on")] })
    words.from = ["klo", "kello"]
    words.workdays = ["arkisin", "arkipäivisin"]
    words.weekends = ["viikonloppuisin", "viikonloppuna"]
    words.everyDay = ["joka päivä", "päivittäin"]
    words.always = ["ympäri vuorokauden", "vuorokauden ympäri"]
    words.closed.formUnion(["suljettu", "kiinni"])
    words.and.insert("ja")
    words.hours.insert("tuntia")
    words.perDay = ["vuorokaudessa"]
    words.labels = ["avoinna", "auki", "aukioloajat"]
    words.remarkStems += ["pankki", "konttori", "automaat"]
    words.pause.insert("lounastauko")
    words.holidays.formUnion(["pyhäpäivinä", "pyhäpäivät", "pyhinä"])
    words.mark(by: ["ma-pe", "ma-la", "ma-su", "ma-to", "ti-pe", "ti-la", "ti-su", "ke-su", "la-su"])
  }

  static let swedish = HoursVocabulary { words in
    words.days = days([
      "må mån måndag måndagar", "ti tis tisdag tisdagar", "on ons onsdag onsdagar", "to tor tors torsdag torsdagar",
      "fr fre fredag fredagar", "lö lör lördag lördagar", "sö sön söndag söndagar",
    ])
    (words.from, words.to) = (["kl", "klockan", "från"], ["till"])
    words.workdays = ["vardagar"]
    words.everyDay = ["alla dagar", "varje dag", "dagligen"]
    words.always = ["dygnet runt"]
    words.closed.formUnion(["stängt", "stängd"])
    words.pause.formUnion(["lunchstängt", "lunchrast"])
    words.and.insert("och")
    words.hours.insert("timmar")
    words.perDay = ["om dygnet"]
    words.labels = ["öppet", "öppettider"]
    words.remarkStems += ["bank", "kontor", "automat"]
    words.holidays.formUnion(["helgdagar", "helgdag", "röda dagar"])
    words.mark(by: ["mån-fre", "mån-lör", "mån-sön", "mån-tors", "mån-tor", "må-fr", "lör-sön"])
  }

  static let polish = HoursVocabulary { words in
    words.days = days([
      "pn pon poniedziałek poniedziałki poniedziałku", "wt wto wtorek wtorki wtorku", "śr środa środy środę",
      "cz czw czwartek czwartki czwartku", "pt pią piątek piątki piątku", "sb sob sobota soboty sobotę",
      "nd ndz niedz niedziela niedziele niedzieli niedzielę",
    ])
    (words.from, words.to) = (["od", "godz", "w", "w godz", "w godzinach"], ["do"])
    words.workdays = ["dni robocze", "w dni robocze"]
    words.weekends = ["weekend", "weekendy", "w weekend", "w weekendy"]
    words.everyDay = ["codziennie"]
    words.always = ["całodobowo", "całą dobę", "cała doba", "całodobowy"]
    words.closed.formUnion(["nieczynne", "zamknięte", "nieczynny", "zamknięty"])
    words.pause.insert("przerwa")
    words.and.formUnion(["i", "oraz"])
    words.hours.formUnion(["godz", "godziny", "godzin"])
    words.perDay = ["na dobę"]
    words.labels = ["czynne", "otwarte", "godziny otwarcia"]
    words.remarkStems += ["bank", "oddział", "bankomat", "placówk"]
    words.holidays.formUnion(["święta", "w święta"])
    words.mark(by: ["pn-pt", "pn-sb", "pn-sob", "pn-nd", "pon-pt", "pon-pią", "pon-sob", "pon-nd"])
  }
}
