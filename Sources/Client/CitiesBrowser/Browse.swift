internal import CNcurses
internal import CitiesClient
package import CitiesCommands
internal import CitiesProtocol
internal import Glibc
internal import System

/// Performs `browse` and `pick`; `nil` for other verbs.
package func browse(_ verb: any Verb, in context: Context) throws -> ExitStatus? {
  switch verb {
  case let verb as BrowseVerb:
    // A missing terminal is reported before errors in the data that the screen would show.
    try requireTerminal(context)
    // Without a home folder no position is saved, and the screen works all the same.
    let here = try verb.position(in: context) ?? (try? HereFile(environment: context.environment))?.read()
    let zoneCity = zoneCity(context.environment)
    let file = BrowserStateFile(environment: context.environment)
    var state = file?.state ?? BrowserState()
    if !verb.keepsHistory { state = BrowserState(order: state.order, part: state.part) }
    let start = { [state] (size: ScreenSize) in
      Browser(
        .browse, prefix: verb.initialPrefix, here: here, zoneCity: zoneCity, state: state, size: size,
        now: ClockReading().minute)
    }
    let keeper = BrowserKeeper(
      keep: { try HereFile(environment: context.environment).write($0) },
      remember: { change in if verb.keepsHistory || change.isAboutList { try file?.keep(change) } },
      loadSamples: loadSamples)
    return try status(of: runScreen(start, newsOf: Subject.all, context, keeper, context.readerNames(verb.language)))
  case let verb as PickVerb:
    return try pick(verb, context)
  default: return nil
  }
}

private func pick(_ verb: PickVerb, _ context: Context) throws -> ExitStatus {
  if let single = try verb.singleMatch(in: context) {
    try verb.write([single.city], generation: single.generation, in: context)
    return .found
  }
  let file = BrowserStateFile(environment: context.environment)
  var state = file?.state ?? BrowserState()
  if !verb.keepsHistory { state = BrowserState(order: state.order, part: state.part) }
  // A damaged file costs the places near a position alone.
  let here = try? HereFile(environment: context.environment).read()
  let start = { [state] (size: ScreenSize) in
    var browser = Browser(
      .pick, prefix: verb.initialPrefix, here: here, state: state, size: size, now: ClockReading().minute)
    browser.cities.marked = verb.picksSeveral ? [] : nil
    return browser
  }
  let names = context.readerNames(verb.rendering.language)
  let keeper = BrowserKeeper(remember: { if verb.keepsHistory || $0.isAboutList { try file?.keep($0) } })
  let ending: BrowserLoop.Ending
  if verb.isPlain || context.isPlain {
    var picker = try PlainPicker(start(ScreenSize(rows: 24, columns: 80)), context, keeper, names)
    ending = .left(try picker.run())
  } else {
    // Choosing a city must not start a download.
    ending = try runScreen(start, newsOf: [.cities], context, keeper, names)
  }
  if case .left(.picked(let cities, let generation)) = ending {
    try verb.write(cities, generation: generation, in: context)
  }
  return status(of: ending)
}

/// Stores the samples and returns the last message about it.
private func loadSamples() throws(DesktopError) -> String {
  let (isStored, message) = storeSamples()
  guard isStored else { throw DesktopError(description: message ?? "") }
  return message ?? Strings.samplesLoaded
}

private func requireTerminal(_ context: Context) throws {
  do {
    try Terminal.requireDevice(type: context.environment("TERM"))
  } catch {
    throw CommandFailure.usage(Strings.noScreen(error))
  }
}

private func runScreen(
  _ start: (ScreenSize) -> Browser, newsOf subjects: [Subject], _ context: Context,
  _ keeper: BrowserKeeper, _ translations: Translations?
) throws -> BrowserLoop.Ending {
  // A missing server is reported on standard error, as in every command; a connection lost later, on the screen.
  let link = try ServerLink(context.connection.configuration.location, newsOf: subjects)
  BlockedSignals.block(BrowserLoop.signals)
  guard let descriptor = try? BlockedSignals.descriptor(of: BrowserLoop.signals) else {
    throw CommandFailure(.internalFault, code: "internal", Strings.noSignals)
  }
  let colours = ColourChoice.auto.applies(toTerminal: true, environment: context.environment)
  let terminal: Terminal
  do {
    terminal = try Terminal(type: context.environment("TERM"), hasColours: colours)
  } catch {
    throw CommandFailure.usage(Strings.noScreen(error))
  }
  defer { terminal.close() }
  let browser = start(terminal.size)
  return BrowserLoop(
    terminal, link, browser, signals: descriptor, keeper: keeper, translations: translations
  ).run()
}

private func status(of ending: BrowserLoop.Ending) -> ExitStatus {
  switch ending {
  case .left(.done), .left(.picked): return .found
  case .left(.interrupted): return .leftByUser
  case .signal(let number):
    // Restores the default action and raises the signal again, so that the parent process sees which signal ended this
    // one.
    signal(number, SIG_DFL)
    BlockedSignals.unblock([number])
    raise(number)
    return .leftByUser
  }
}

/// The city that the system's time zone is named after: that in `TZ`, else the target of `/etc/localtime`.
private func zoneCity(_ environment: (String) -> String?) -> String? {
  let named = environment("TZ").flatMap { $0.isEmpty ? nil : String($0.drop { $0.is(":") }) }
  return (named ?? linkTarget(of: "/etc/localtime")).flatMap(city(ofZone:))
}

/// The city that a time zone such as `Europe/Tallinn` is named after; `nil` for zones such as `Etc/UTC`.
func city(ofZone name: String) -> String? {
  let parts = name.split(separator: "/")
  guard parts.count > 1, let last = parts.last, !parts.contains("Etc"), last != last.uppercased() else { return nil }
  return String(last.map { $0.is("_") ? " " : $0 })
}
