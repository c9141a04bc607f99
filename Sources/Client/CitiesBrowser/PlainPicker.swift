internal import CBOR
internal import CitiesClient
internal import CitiesCommands
internal import CitiesMap
internal import CitiesProtocol
internal import Glibc
internal import System

/// Picks cities by numbered lines: for screen readers, and for terminals that cannot show a full screen.
///
/// It has the model of the full screen, and prints the lines that the screen would show first.
struct PlainPicker {
  var browser: Browser
  let context: Context
  let keeper: BrowserKeeper
  let translations: Translations?
  let charset: Charset
  /// The descriptor of the terminal.
  let terminal: Int32
  private var departure: Departure?

  /// Makes a picker on the terminal of this process, which may be of any type.
  ///
  /// - Throws: ``CommandFailure`` if there is none.
  init(
    _ browser: Browser, _ context: Context, _ keeper: BrowserKeeper, _ translations: Translations?
  ) throws {
    (self.browser, self.context, self.keeper, self.translations) = (browser, context, keeper, translations)
    charset = LocaleCodeset.isUTF8(context.environment) ? .unicode : .ascii
    terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    if terminal < 0 { throw CommandFailure.usage(Strings.noScreen(.absent)) }
  }

  /// Asks until the user has picked or cancelled.
  mutating func run() throws -> Departure {
    defer { close(terminal) }
    try perform(.resized(browser.layout.size))
    while departure == nil {
      let cities = show()
      guard let answer = try line() else { return .interrupted }
      let numbers = answer.split { $0.is(" ") || $0.is(",") }.map { Int($0) ?? 0 }
      let isChoice = numbers.count == 1 || browser.cities.marked != nil && !numbers.isEmpty
      if isChoice, numbers.allSatisfy({ (1...max(1, cities.count)).contains($0) }), !cities.isEmpty {
        try pick(numbers.map { cities[$0 - 1] })
      } else {
        try perform(.key(.control("u")))
        try perform(.key(.paste(answer)))
      }
    }
    return departure ?? .interrupted
  }

  /// Prints the first lines of the list, and what can be typed.
  ///
  /// - Returns: The line of each numbered city in the list.
  private func show() -> [Int] {
    let screen = browser.cities
    let lines = screen.lines
    var (text, cities): ([String], [Int]) = ([], [])
    for index in 0..<min(lines.count, browser.layout.body.count) {
      if case .heading(let heading)? = lines[index] {
        text.append(Strings.heading(heading, screen.filter.text))
      } else if case .city(let section, let place)? = lines[index], let city = screen.city(lines[index]) {
        cities.append(index)
        let other =
          screen.hits[section, place]?.matched ?? translations?[city.id].flatMap { $0 == city.name ? nil : $0 }
        text.append("\(cities.count)  " + Strings.spoken(city, other))
      }
    }
    text.append(Strings.plainQuestion(isMulti: screen.marked != nil))
    try? OutputStream.write(Array((text.map(charset.shown).joined(separator: "\n") + " ").utf8), to: terminal)
    return cities
  }

  private mutating func pick(_ lines: [Int]) throws {
    for line in lines { browser.cities.move(.to(line), browser.layout) }
    if browser.cities.marked != nil {
      // A city may stand under several numbers.
      var known: Set<UInt64> = []
      let chosen = lines.compactMap { browser.cities.city(browser.cities.lines[$0]) }
      browser.cities.marked = chosen.filter { known.insert($0.id).inserted }
    }
    try perform(.key(.enter))
  }

  /// Lets the model take an event, and performs its commands.
  private mutating func perform(_ event: BrowserEvent) throws {
    for command in browser.update(event) {
      switch command {
      case .ask(let issued): try perform(.answer(id: issued.id, .success(try context.send(issued.message))))
      case .remember(let change): try? keeper.remember(change)
      case .leave(let departure): self.departure = departure
      default: break
      }
    }
  }

  /// The next line that is typed; `nil` for an empty one and at the end of the input.
  private func line() throws -> String? {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = read(terminal, &bytes, bytes.count)
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).filter { !$0.isNewline }
    return text.allSatisfy { $0.is(" ") } ? nil : text
  }
}
